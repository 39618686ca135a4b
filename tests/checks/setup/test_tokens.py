"""check_rewards tells rewards that count tokens which tokenizer the run has, or says what will not be scored."""

import types

import pytest
from places import TINY
from tables import each_row

import grpo_rewards as gr

LENGTH = gr.max_length.bind(max_tokens=9)


def of_tokens(report):
    return [one.severity for one in report.findings if one.check == "tokens"]


def test_tools_given_to_the_trainer_alone_are_spoken_of_in_one_note():
    overlong = gr.soft_overlong.bind(max_tokens=64, buffer=16)
    report = gr.check_rewards([LENGTH, gr.gated(overlong, by=gr.boxed_format)], columns=["prompt", "answer"])
    (found,) = [one for one in report.findings if one.check == "tokens"]
    assert (found.severity, found.reward) == ("note", None)
    assert found.message.startswith("max_length, gated_soft_overlong give None")
    assert "tokenizer=" in found.remedy
    tools = [{"role": "assistant", "content": "a"}, {"role": "tool", "content": "b"}]
    tools.append({"role": "assistant", "content": "c"})
    assert overlong.explain(tools, completion_ids=[1, 2, 3]).reason == "tokens_unknown"  # what the note foretells
    assert of_tokens(gr.check_rewards([gr.boxed_format])) == []


def test_a_reward_with_a_tokenizer_counts_the_policys_tokens_and_is_not_spoken_of():
    pytest.importorskip("transformers")
    assert of_tokens(gr.check_rewards([LENGTH.bind(tokenizer=str(TINY))])) == []


@pytest.fixture
def tokenizer():
    return pytest.importorskip("transformers").AutoTokenizer.from_pretrained(TINY)


@each_row("inside", [False, True])
def test_the_tokenizer_is_bound_by_its_name(tokenizer, inside):
    reward = gr.weighted({LENGTH: 1.0, gr.boxed_format: 1.0}) if inside else LENGTH
    args = types.SimpleNamespace(chat_template_kwargs={"enable_thinking": False})
    report = gr.check_rewards([reward], tokenizer=tokenizer, args=args)
    assert of_tokens(report) == ["fine"]
    found = report.rewards[0].parts[0] if inside else report.rewards[0]
    assert found.options["tokenizer"] == tokenizer.name_or_path
    assert found.options["template_options"] == {"enable_thinking": False}
    by_hand = gr.check_rewards([LENGTH.bind(tokenizer=str(TINY))], tokenizer=tokenizer)
    assert by_hand.rewards[0].options["tokenizer"] == str(TINY)


def test_a_tokenizer_that_rewards_could_not_load_again_is_not_bound(tokenizer):
    def tool() -> None:
        """Does nothing."""

    tokenizer.chat_template = "changed"
    report = gr.check_rewards([LENGTH], tokenizer=tokenizer)
    assert of_tokens(report) == ["note"]
    assert report.rewards[0].options["tokenizer"] is None
    assert of_tokens(gr.check_rewards([LENGTH], tokenizer=tokenizer, tools=[tool])) == ["warning"]
    for other in ("", "no/such/tokenizer"):
        tokenizer.name_or_path = other
        assert of_tokens(gr.check_rewards([LENGTH], tokenizer=tokenizer)) == ["note"]


class Processor:
    """Stands for a processor, which has no name of its own."""

    def __init__(self, tokenizer, chat_template=None):
        self.tokenizer, self.chat_template = tokenizer, chat_template


def test_of_a_processor_the_tokenizer_is_bound(tokenizer):
    for processor in (Processor(tokenizer), Processor(tokenizer, tokenizer.chat_template)):
        report = gr.check_rewards([LENGTH], tokenizer=processor)
        assert of_tokens(report) == ["fine"]
        assert report.rewards[0].options["tokenizer"] == tokenizer.name_or_path
    assert of_tokens(gr.check_rewards([LENGTH], tokenizer=Processor(tokenizer, "another"))) == ["note"]
