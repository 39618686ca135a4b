"""Every reward with its options bound, two completions and their points: what the tests of all rewards share."""

import math
from dataclasses import dataclass, field
from typing import Any

import contract_rewards  # noqa: F401  # registers the rewards that CASES names

import grpo_rewards as gr
from grpo_rewards import Reward, get_reward, list_rewards

# A text that each reward should like and one that it should not, with the points by the reward's own documentation.
RIGHT = "<think>2 + 2</think><answer>\\boxed{4}</answer>"
WRONG = "again again again again again again \\boxed{5"
IDS = [list(range(50)), [7] * 100]


@dataclass
class Case:
    """A reward with its options bound, and what it gives for ``RIGHT`` and ``WRONG``; ``None``: see its doctest."""

    spec: str
    points: list[float | None] | None
    columns: dict[str, Any] = field(default_factory=dict)


GOLD = {"answer": ["4", "4"]}
CASES = {
    "arithmetic_steps": Case("arithmetic_steps", [None, None]),  # neither text has an equation
    # 4 against 4.2 and a tenth of it; the other text has a box that is not closed
    "close_to": Case("close_to", [1 - 0.2 / 0.42, 0.0], {"answer": ["4.2", "5.6"]}),
    "bounding_box_iou": Case("bounding_box_iou(generalized=True)", [-1.0, -1.0], {"answer": ["[0, 0, 1, 1]"] * 2}),
    # one of twelve tokens behind the reasoning: < answer > \\ boxed { 4 } < / answer >
    "code_overlap": Case("code_overlap", [2 * 1 / (12 + 1), 0.0], GOLD),
    "expression_reaches": Case("expression_reaches", [1.0, 0.0], {"nums": [[4], [5]], "target": [4, 5]}),
    "rouge_l": Case("rouge_l", [1.0, 0.0], GOLD),
    "code_block_format": Case("code_block_format", [0.0, 0.0]),
    "exact_match": Case("exact_match", [1.0, 0.0], GOLD),
    "json_format": Case("json_format", [0.0, 0.0]),
    "keywords": Case("keywords(include=['2 + 2', 'hence'])", [0.5, 0.0]),
    "language_consistency": Case("language_consistency(script='Latin')", [None, 1.0]),  # formulas and tags are no words
    "max_length": Case("max_length(max_tokens=60)", [1.0, 0.0]),
    "multiple_choice": Case("multiple_choice", [1.0, 0.0], {"answer": ["B", "B"], "choices": [["3", "4"], ["3", "4"]]}),
    "numeric_answer": Case("numeric_answer(abs_tol=0.5)", [1.0, 0.0], {"answer": ["4.2", "5.6"]}),
    "reasoning_steps": Case("reasoning_steps", [0.0, 0.0]),
    # 50 tokens against 100, right and wrong: 0.5 - 0 and min(0, 0.5 - 1)
    "relative_length": Case("relative_length(num_generations=2)", [0.5, -0.5], GOLD),
    "tag_count": Case("tag_count", [1.0, 0.0]),
    "tagged_answer": Case("tagged_answer", [1.0, 0.0], GOLD),
    # 10 of 20 tokens off; a hundred times one token is one that says something new, and 97 that do not
    "target_length": Case("target_length(target=60, tolerance=20)", [0.5, 0.0]),
    # no word is in both; "\\boxed{4}" is the word 4
    "token_f1": Case("token_f1", [1.0, 0.0], GOLD),
    # neither text has a call; one beside a text would be one too many
    "tool_calls": Case("tool_calls", [0.0, 0.0], {"answer": ['[{"name": "add", "arguments": {}}]'] * 2}),
    "xml_format": Case("xml_format(tags=['think', 'answer'])", [1.0, 0.0]),
    "boxed_answer": Case("boxed_answer", [1.0, 0.0], GOLD),
    "boxed_format": Case("boxed_format", [1.0, 0.0]),
    # 50 of 100 tokens: halfway between 1.0 and 0.5; a wrong answer of one token again and again is as good as empty
    "cosine_length": Case("cosine_length(max_tokens=100)", [0.75, -1.0], GOLD),
    "final_answer": Case("final_answer", [1.0, 0.0], GOLD),
    "pattern": Case(r"pattern(regex=r'\\boxed\{\d\}')", [1.0, 0.0]),
    # 98 trigrams of which one is distinct: -(1 - 1/98)
    "repetition": Case("repetition", [0.0, -(1 - 1 / 98)]),
    # 50 tokens are 10 into a buffer of 20 before 60
    "soft_overlong": Case("soft_overlong(max_tokens=60, buffer=20)", [-0.5, -1.0]),
    "think_answer_format": Case("think_answer_format", [1.0, 0.0]),
    "think_format": Case("think_format", [1.0, 0.0]),
    "sample_ends_with": Case("sample_ends_with(ending='>')", [1.0, 0.0]),
    "sample_renamed": Case("sample_renamed", [1.0, -1.0], {"gold": [RIGHT, "4"]}),
    "sample_distinct": Case("sample_distinct", [1.0, 1.0]),
    "sample_value": Case("sample_value", [0.25, None], {"value": [0.25, None]}),
}
SUM = gr.weighted({gr.boxed_format: 0.5, gr.boxed_answer: 1.0})


NO_GOLD = ("bad_answer", "bad_instruction", "unknown_instruction", "no_gold")
THE_ROW_IS_AT_FAULT = {*NO_GOLD, "no_equations", "no_letters", "tokens_unknown", "group_unknown", ""}


def of_the_package(name: str) -> bool:
    return str(get_reward(name).__module__).startswith("grpo_rewards.")


def case_by_example(name: str) -> Case:
    """The case of a reward that is not above: what its decorator says as ``example``, and the gold 4."""
    one = get_reward(name)
    options = {option: one.example[option] for option in one.unset if option in one.example}
    columns = {column: [one.example.get(column, GOLD.get(column, ["4"])[0])] * 2 for column in one.columns}
    return Case(repr(one.bind(**options)), None, columns)


# A reward that is added to the catalogue comes in here by itself.
LISTED = [name for name in list_rewards() if of_the_package(name)]
CASES |= {name: case_by_example(name) for name in LISTED if name not in CASES}
NAMES = [*LISTED, *(name for name in CASES if name not in LISTED)]


def case_of(name: str) -> tuple[Reward, Case]:
    return get_reward(CASES[name].spec), CASES[name]


def call(name: str, completions: list[Any] | None = None, **more: Any) -> list[float | None]:
    one, case = case_of(name)
    given_completions = [RIGHT, WRONG] if completions is None else completions
    return one(**{"completions": given_completions, "completion_ids": IDS, **case.columns, **more})


def chat(text: str) -> list[dict[str, Any]]:
    return [{"role": "assistant", "content": text}]


def tool_transcript(text: str) -> list[dict[str, Any]]:
    return [
        {"role": "assistant", "content": None, "tool_calls": [{"type": "function"}]},
        {"role": "tool", "name": "calculator", "content": "\\boxed{4}"},
        {"role": "assistant", "content": text},
    ]


def rows_of(name: str) -> list[dict[str, Any]]:
    """The two completions with what stands beside them, a row each."""
    columns = CASES[name].columns
    return [
        {"completion": text, "completion_ids": IDS[at], **{column: values[at] for column, values in columns.items()}}
        for at, text in enumerate((RIGHT, WRONG))
    ]


def gold_columns(one: Reward, gold: Any) -> dict[str, Any]:
    """The same gold for every column that the reward needs."""
    return {column: gold for column in one.columns if column not in one.signature.optional}


def check_outcome(one: Reward, completion: Any, **given_now: Any) -> gr.Verdict:
    """Scores a completion, and fails unless the reward keeps to what it states."""
    verdict = one.explain(completion, **given_now)
    value = verdict.reward
    assert value is None or (isinstance(value, int | float) and math.isfinite(value))
    if value is not None and one.range is not None:
        assert one.range[0] <= value <= one.range[1]
    if one.reasons:
        assert verdict.reason in one.reasons
    assert (value is None) <= (verdict.reason in THE_ROW_IS_AT_FAULT)
    return verdict
