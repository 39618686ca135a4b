"""The policy's own tokens, counted in what TRL's own loop makes of tools and rollouts, against TRL's own mask."""

import functools
import types

import pytest

pytest.importorskip("trl", reason="trl is not installed")

from datasets import Dataset
from places import TINY
from tiny_trainer import trainer
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer
from trl import chat_template_utils as templates

import grpo_rewards as gr
from grpo_rewards.rewards.building_blocks.policy_tokens import Counting, turn_between

# Templates of models, by TRL's name for them, with what ends a turn in them, and what their calls look like.
CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>'
LLAMA_CALL = '{"name": "add", "parameters": {"a": 1, "b": 2}}'
MODELS = {
    "qwen3": ("<|im_end|>", CALL),
    "qwen3_instruct_2507": ("<|im_end|>", CALL),
    "qwen2_5": ("<|im_end|>", CALL),
    "llama3_1": ("<|eot_id|>", LLAMA_CALL),
}
SPECIAL = ["<|im_start|>", "<|start_header_id|>", "<|end_header_id|>"]


def add(a: int, b: int) -> int:
    """
    Adds two numbers.

    Args:
        a: the first.
        b: the second.
    """
    return "the sum of the two numbers is " + str(a + b)


@functools.cache
def saved(folder, name):
    """The tiny model with a chat template and the special tokens of another one, in a folder."""
    end, _ = MODELS[name]
    tokenizer = AutoTokenizer.from_pretrained(TINY)
    tokenizer.add_special_tokens({"eos_token": end, "additional_special_tokens": SPECIAL})
    tokenizer.chat_template = getattr(templates, f"{name}_chat_template")
    model = AutoModelForCausalLM.from_pretrained(TINY)
    model.resize_token_embeddings(len(tokenizer))
    model.generation_config.eos_token_id = model.config.eos_token_id = tokenizer.eos_token_id
    path = folder / name
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
    return str(path)


class Seen:
    """A reward that keeps what TRL hands over."""

    __name__ = "seen"

    def __call__(self, **given):
        self.given = given
        return [0.0] * len(given["completions"])


def made(folder, path, turns, **options):
    """What TRL hands to rewards, and its own mask, if the model writes the given turns in each completion."""
    seen, masks = Seen(), []
    keep = options.pop("args", {})
    rows = [{"prompt": [{"role": "user", "content": f"{n} + 2?"}], "answer": "3"} for n in range(8)]
    few = {"per_device_train_batch_size": 4, "num_generations": 2, "max_completion_length": 400, "max_steps": 1}
    given = {"model": path, "reward_funcs": [seen], "train_dataset": Dataset.from_list(rows), **options}
    run = trainer(folder, given, **few, **keep)
    said = iter(turns)

    def generate(prompt_ids, *_, **__):
        texts = next(said)
        encode = functools.partial(run.processing_class.encode, add_special_tokens=False)
        return [encode(texts[at % len(texts)]) for at in range(len(prompt_ids))], None

    made_by = run._generate

    def kept(prompts):
        made = made_by(prompts)
        masks.append(made[2])
        return made

    run._generate_single_turn, run._generate = generate, kept
    run.train()
    return seen.given, masks[0]


def counted(given, **options):
    """How many tokens of each completion soft_overlong counts: each costs a thousandth."""
    reward = gr.soft_overlong.bind(max_tokens=1000, buffer=1000, **options)
    points = reward(**{key: value for key, value in given.items() if key not in ("log_extra", "log_metric")})
    return [None if one is None else round(-1000 * one) for one in points]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("thinking", [None, pytest.param(False, marks=pytest.mark.full)])
def test_the_policys_tokens_are_those_of_trls_own_mask(tmp_path_factory, tmp_path, name, thinking):
    path = saved(tmp_path_factory.getbasetemp(), name)
    end, call = MODELS[name]
    turns = [
        [f"I add.{call}{end}", f"It is 3.{end}", "Cut off in the mid"],
        [f"So it is 3. \\boxed{{3}}{end}", f"Once more {call}{end}"],
        [f"It is 3 at last{end}"],
    ]
    options = {} if thinking is None else {"chat_template_kwargs": {"enable_thinking": thinking}}
    given, mask = made(tmp_path, path, turns, tools=[add], args=options)
    assert any(0 in one for one in mask)
    assert any(0 not in one for one in mask)
    tokenizer = AutoTokenizer.from_pretrained(path)
    args = GRPOConfig(output_dir=str(tmp_path), use_cpu=True, bf16=False, **options)
    checked = gr.check_rewards(
        [gr.soft_overlong.bind(max_tokens=1, buffer=1)], columns=["prompt"], tokenizer=tokenizer, args=args
    )
    bound = {key: checked.rewards[0].options[key] for key in ("tokenizer", "template_options")}
    assert counted(given, **bound) == [sum(one) for one in mask]
    # without the tokenizer, only completions of one turn are scored
    assert counted(given) == [None if 0 in one else len(one) for one in mask]


def test_a_long_tool_result_costs_the_policy_nothing(tmp_path_factory, tmp_path):
    path = saved(tmp_path_factory.getbasetemp(), "qwen3")
    end, call = MODELS["qwen3"]

    def read(a: int, b: int) -> str:
        """
        Reads a page.

        Args:
            a: the first.
            b: the second.
        """
        return "a page of many words " * 3

    read.__name__ = "add"
    given, mask = made(tmp_path, path, [[call + end], [f"\\boxed{{3}}{end}"]], tools=[read])
    longest = max(map(len, given["completion_ids"]))
    bound = gr.soft_overlong.bind(max_tokens=longest + 1, buffer=longest + 1 - max(map(sum, mask)))
    assert bound.bind(tokenizer=path)(**given) == [0.0] * 4
    # as all tokens were counted, they were fined for what the tool said
    assert -1 <= bound.score("", completion_ids=given["completion_ids"][0]) < -0.9
    repeated = gr.repetition.bind(tokenizer=path, ngram=5)(**given)
    assert repeated == [gr.repetition.bind(ngram=5).score("", completion_ids=own) for own in policys(given, mask)]


def policys(given, mask):
    return [
        [one for one, own in zip(ids, row, strict=True) if own]
        for ids, row in zip(given["completion_ids"], mask, strict=True)
    ]


def test_a_rollout_of_ones_own_hands_its_mask_to_rewards(tmp_path_factory, tmp_path):
    path = saved(tmp_path_factory.getbasetemp(), "qwen3")
    tokenizer = AutoTokenizer.from_pretrained(path)
    first = tokenizer.encode("I guess 4.<|im_end|>", add_special_tokens=False)
    said = tokenizer.encode("\n<|im_start|>user\nToo high, too high.<|im_end|>\n<|im_start|>assistant\n")
    second = tokenizer.encode("Then 3.<|im_end|>", add_special_tokens=False)
    mask = [1] * len(first) + [0] * len(said) + [1] * len(second)

    def rollout(prompts, trainer):
        ids = [first + said + second for _ in prompts]
        same = {"prompt_ids": [first for _ in prompts], "completion_ids": ids, "logprobs": None}
        return {**same, "env_mask": [mask for _ in prompts], "policy_mask": [mask for _ in prompts]}

    given, masks = made(tmp_path, path, [], rollout_func=rollout)
    assert masks[0] == mask
    assert "env_mask" not in given  # which is why a rollout names it twice
    assert counted(given) == [sum(mask)] * 4
    del given["policy_mask"]
    assert counted(given, tokenizer=path) == [None] * 4  # it goes on behind an end of the turn


def of_models():
    """The names of TRL's templates, but those that only differ from another in what training needs."""
    for name in sorted(one for one in dir(templates) if one.endswith("_chat_template")):
        if isinstance(getattr(templates, name), str) and "training" not in name:
            yield name


ENDS = ("<|im_end|>", "<|eot_id|>", "<turn|>", "<|return|>", "<|user|>")


@pytest.mark.parametrize("name", list(of_models()))
def test_what_stands_between_two_turns_is_what_trl_puts_there(tmp_path, name):
    template = getattr(templates, name)
    tokenizer = AutoTokenizer.from_pretrained(TINY)
    present = [one for one in (*ENDS, *SPECIAL) if one in template]
    tokenizer.add_special_tokens({"additional_special_tokens": present})
    tokenizer.eos_token = next((one for one in ENDS if one in present), tokenizer.eos_token)
    tokenizer.chat_template = template
    stand_in = types.SimpleNamespace(
        processing_class=tokenizer, _tokenizer=tokenizer, _is_vlm=False, chat_template_kwargs={}, chat_template=None
    )
    said = [{"role": "tool", "name": "add", "content": "it is 3"}, {"role": "tool", "name": "mul", "content": "2"}]
    try:
        if not templates.supports_tool_calling(tokenizer):
            pytest.skip("knows no tools")
        if not templates.is_chat_template_prefix_preserving(tokenizer):
            stand_in.chat_template = templates.get_training_chat_template(tokenizer)
        wanted = GRPOTrainer._get_tool_suffix_ids(stand_in, said)
    except (TypeError, ValueError) as error:
        pytest.skip(f"TRL itself cannot: {type(error).__name__}")
    tokenizer.save_pretrained(tmp_path)
    between = turn_between(said, Counting(str(tmp_path)))
    assert between is not None
    assert between[0] == wanted
