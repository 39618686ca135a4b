"""The options about reasoning, which every reward that looks for it has."""

import pickle
from typing import Any

from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards.completion.reasoning.thinking import Thinking

TABLES = tables_beside(__file__)

# For each reward a text of reasoning and response that it pays for 5, but not if the reasoning is read as the response.
PAID: dict[str, tuple[str, dict[str, Any]]] = TABLES["paid"]
PAYING = ("correct", "well_formed", "boxed", "valid", "exact", "reached", "all_followed")
NO_GOLD = ("think_format", "think_answer_format", "boxed_format", "json_format", "code_block_format")


def bound(name: str, **options: Any) -> Any:
    one = gr.get_reward(name)
    return one.bind(**{key: value for key, value in one.example.items() if key in one.option_names}, **options)


@each_row("name", PAID)
def test_every_reward_that_looks_for_reasoning_takes_its_delimiters(name: str) -> None:
    text, given = PAID[name]
    given = given if name in NO_GOLD else {"answer": "5", **given}
    one = bound(name, reasoning="<reasoning>")
    assert one == gr.get_reward(repr(one)) == pickle.loads(pickle.dumps(one))
    verdict = one.explain(text, **given)
    assert verdict.reason in PAYING
    assert bound(name, reasoning=["<reasoning>", "</reasoning>"]).explain(text, **given) == verdict
    # the template opened it
    opened = bound(name, reasoning="<reasoning>", think_opened=True)
    assert opened.explain(text.removeprefix("<reasoning>"), **given).reward == verdict.reward
    assert one.explain(text.removeprefix("<reasoning>"), prompt="5? <reasoning>\n", **given).reward == verdict.reward
    # never closed
    assert one.explain(text.partition("</reasoning>")[0], **given).reason == "unfinished_thinking"


def test_every_such_reward_is_tried_here() -> None:
    assert sorted(PAID) == [name for name in gr.list_rewards() if "reasoning" in gr.get_reward(name).option_names]


def test_equal_delimiters_are_equal_however_they_are_spelled() -> None:
    one, other = Thinking(None, "[THINK]"), Thinking(None, ["[THINK]", "[/THINK]"])
    assert one == other
    assert hash(one) == hash(other)


def test_a_box_in_reasoning_of_other_delimiters_does_not_answer() -> None:
    text = r"<reasoning>\boxed{4}</reasoning><answer>5</answer>"
    assert gr.boxed_answer.bind(reasoning="<reasoning>").explain(text, answer="4").reason == "no_box"
    assert gr.final_answer.bind(reasoning="<reasoning>").score(text, answer="5") == 1.0
