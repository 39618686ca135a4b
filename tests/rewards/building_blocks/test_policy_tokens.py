"""Which tokens are the policy's, where no tokenizer is needed to say so, and what is said where one is."""

import pickle
import sys
from itertools import pairwise

import pytest
from places import TINY
from tables import each_row

import grpo_rewards as gr
from grpo_rewards.rewards.building_blocks import policy_tokens
from grpo_rewards.rewards.building_blocks.policy_tokens import Counting, own_text, written_by_policy

LENGTH = gr.soft_overlong.bind(max_tokens=1000, buffer=1000)  # each token costs a thousandth
TOLD = [{"role": "assistant", "content": "Add."}, {"role": "tool", "name": "add", "content": "3 3 3"}]
ANSWERED = [*TOLD, {"role": "assistant", "content": "It is 3."}]
COUNTING = [
    gr.soft_overlong.bind(max_tokens=9, buffer=3),
    gr.max_length.bind(max_tokens=9),
    gr.target_length.bind(target=9, tolerance=3),
    gr.repetition,
]
every_counting = pytest.mark.parametrize("one", COUNTING, ids=lambda one: one.name)


@every_counting
@pytest.mark.parametrize(
    "transcript",
    [TOLD, ANSWERED, [ANSWERED[0], {"role": "user", "content": "Go on."}, ANSWERED[2]], [ANSWERED[0], ANSWERED[2]]],
    ids=["cut off", "answered", "an environment speaks", "two turns of the policy"],
)
def test_a_transcript_of_others_is_not_scored_without_a_tokenizer(one, transcript):
    verdict = one.explain(transcript, completion_ids=range(50))
    assert (verdict.reward, verdict.reason) == (None, "tokens_unknown")


@every_counting
def test_one_turn_is_counted_as_it_is(one):
    ids = [1, 2, 3, 4] * 3
    assert one.score("ab", completion_ids=ids) == one.score(
        [{"role": "assistant", "content": "ab"}], completion_ids=ids
    )
    assert one.explain("ab", completion_ids=ids).reason != "tokens_unknown"


def test_a_mask_says_which_tokens_count():
    assert LENGTH.score(ANSWERED, completion_ids=range(5), policy_mask=[1, 0, 0, 1, 1]) == -0.003
    looped = [7, 7, 7, 7, 7, 1, 2, 3]
    # only 1 2 3 is the policy's, in which nothing occurs twice
    assert gr.repetition.bind(ngram=2).score("", completion_ids=looped, policy_mask=[0] * 5 + [1] * 3) == 0.0
    with pytest.raises(gr.RewardError, match="policy_mask has 2 values for 3 tokens"):
        LENGTH.score("", completion_ids=[1, 2, 3], policy_mask=[1, 0])


def test_repetition_without_ids_reads_all_turns_of_the_policy():
    turn = {"role": "assistant", "content": "We add the two numbers and get the sum, as before."}
    assert gr.repetition.score([turn, TOLD[1], turn]) < gr.repetition.score([turn]) - 0.2
    assert gr.repetition.score([turn, {"role": "tool", "content": turn["content"]}]) == gr.repetition.score([turn])


def test_what_is_not_found_between_two_turns_is_not_guessed():
    end = pytest.importorskip("transformers").AutoTokenizer.from_pretrained(TINY).eos_token_id
    bound = LENGTH.bind(tokenizer=str(TINY))
    assert bound.explain(ANSWERED, completion_ids=range(50)).reason == "tokens_unknown"
    # ids that go on behind the end of the turn, with nothing that a template puts before a turn of the policy
    assert bound.explain("a", completion_ids=[50, end, 60, 70]).reason == "tokens_unknown"
    assert bound.score("a", completion_ids=[50, 60, end]) == -0.003


def test_the_option_is_written_in_a_spec_and_pickled():
    bound = LENGTH.bind(tokenizer="some/where", template_options={"enable_thinking": False})
    assert gr.get_reward(repr(bound)) == bound
    assert pickle.loads(pickle.dumps(bound)) == bound


def test_a_tokenizer_that_is_not_there_is_an_error_that_says_what_to_do(monkeypatch):
    pytest.importorskip("transformers")
    bound = LENGTH.bind(tokenizer="/no/such/folder")
    with pytest.raises(gr.RewardError, match=r"cannot be loaded.*save_pretrained"):
        bound.score(ANSWERED, completion_ids=[1, 2])
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(gr.RewardError, match="pip install transformers"):
        LENGTH.bind(tokenizer="/no/other/folder").score(ANSWERED, completion_ids=[1, 2])


class Rendering:
    """A tokenizer with a token for each character, and a template that says who speaks: ``<T:…>`` is a tool's turn."""

    eos_token_id, pad_token_id = ord("."), ord("_")

    def __init__(self, ends: str = ".", quiet: bool = False) -> None:
        self.ends, self.quiet = ends, quiet

    def apply_chat_template(self, messages, add_generation_prompt, tokenize, return_dict, mood=""):
        if any(one["content"] == "unrenderable" for one in messages):
            raise ValueError("no such turn")
        assert (tokenize, return_dict) == (True, False)
        called = [one for one, after in pairwise(messages) if (one["role"], after["role"]) == ("assistant", "tool")]
        assert all(len(one["tool_calls"]) == 1 for one in called)
        turns = [f"<{one['role'][0].upper()}:{one['content']}>{self.ends}" for one in messages]
        if self.quiet and len(turns) > 2:  # a template that writes an earlier turn in another way
            turns[1] = f"<A>{self.ends}"
        return [*map(ord, mood + "".join(turns) + "<A:" * add_generation_prompt)]

    def decode(self, ids, skip_special_tokens):
        return "".join(chr(one) for one in ids if chr(one) != "." or not skip_special_tokens)


def turns(*roles: str) -> list[dict[str, str]]:
    names = {"A": "assistant", "T": "tool", "U": "user"}
    return [{"role": names[one[0]], "content": one[2:]} for one in roles]


ASKS, TOOL = ("A:add", "T:3", "A:so"), "<T:3>.<A:"


@each_row(
    "messages, spelled, own, options",
    [
        # one turn: whole, padded behind its end, and with something behind that, which is not the policy's
        (turns("A:so"), "so.", "so."),
        (turns("A:so"), "so.__", "so.__"),
        (turns("A:so"), "so", "so"),
        (turns("A:so"), "so.x", None),
        ([{"content": "so"}], "so.", "so."),
        # what lies between two turns is found where the first one ends, or, if that was cut off, where it stands
        (turns(*ASKS), f"add.{TOOL}so.", "add.so."),
        (turns(*ASKS), f"add{TOOL}so.", "addso."),
        (turns(*ASKS), f"a{TOOL}dd.{TOOL}so.", f"a{TOOL}dd.so."),  # the policy imitates a tool, which ends no turn
        (turns(*ASKS[:2]), f"add.{TOOL}", "add."),
        (turns("A:", "T:3", "A:so"), f"{TOOL}so", "so"),
        (turns("A:a", "T:3", "T:4", "A:so"), "a.<T:3>.<T:4>.<A:so", "a.so"),
        (turns("A:a", "T:3", "A:b", "U:go", "A:c"), f"a.{TOOL}b.<U:go>.<A:c", "a.b.c"),
        (turns("A:a", "U:go", "A:b", "T:3", "A:c"), f"a.{TOOL}b.<U:go>.<A:c", None),  # in another order
        ([{"content": "a"}, *turns("T:3", "A:so")], f"a.{TOOL}so", "a.so"),
        # where it is not found, nothing is guessed
        (turns(*ASKS), "add.<T:4>.<A:so.", None),
        (turns(*ASKS), "add.so.", None),
        (turns("T:3", "A:so"), f"{TOOL}so", None),
        (turns("A:a", "A:b", "T:3"), f"ab.{TOOL}", None),
        (turns("A:a", "T:unrenderable"), "a.<T:unrenderable>.<A:", None),
        # templates: without ends of turns, with options, and with turns that are written otherwise once they are past
        (turns(*ASKS), "add<T:3><A:so", "addso", {"tokenizer": "endless"}),
        (turns(*ASKS), "add<T:3><A:so", None, {"tokenizer": "endless quiet"}),
        (turns(*ASKS), f"add.{TOOL}so.", "add.so.", {"tokenizer": "quiet"}),
        (turns(*ASKS), f"add.{TOOL}so.", "add.so.", {"template_options": {"mood": "!."}}),
        (turns(*ASKS), f"add.{TOOL}so.", None, {"template_options": {"no_such_option": 1}}),
    ],
)
def test_the_policys_tokens_are_those_that_no_template_puts_between(messages, spelled, own, options, monkeypatch):
    tokenizers = {"plain": Rendering(), "endless": Rendering(""), "quiet": Rendering(quiet=True)}
    tokenizers["endless quiet"] = Rendering("", quiet=True)
    monkeypatch.setattr(policy_tokens, "load_tokenizer", tokenizers.__getitem__)
    counting = Counting(**{"tokenizer": "plain", **(options or {})})
    found = written_by_policy(messages[-1]["content"], messages, [*map(ord, spelled)], None, counting)
    text = own and ("so" if len(messages) == 1 else own.replace(".", ""))
    assert (found and "".join(map(chr, found.ids)), found and found.text) == (own, text)


def test_the_text_of_a_masked_completion_is_that_of_the_policy(monkeypatch):
    ids, mask = [*map(ord, "add.<T>so.")], [1] * 4 + [0] * 3 + [1] * 3
    found = written_by_policy("so", turns(*ASKS), ids, mask, Counting())
    assert (found.ids, found.text) == ([*map(ord, "add.so.")], "add\nso")
    monkeypatch.setattr(policy_tokens, "load_tokenizer", lambda _: Rendering())
    assert written_by_policy("so", turns(*ASKS), ids, mask, Counting("plain")).text == "addso"
    assert own_text("so", turns("A:add", "T:3", "A:", "A:so")) == own_text("so", turns("A:add", "A:so")) == "add\nso"
    assert own_text("so", [{"content": "add"}, *turns("T:3", "A:so")]) == "add\nso"
