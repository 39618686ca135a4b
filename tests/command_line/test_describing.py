"""What is said of rewards: docstrings taken apart, lists, descriptions, explanations."""

from __future__ import annotations

from typing import Any

import pytest
from tables import each_row

import grpo_rewards as gr
from grpo_rewards.command_line.describing import (
    Docstring,
    Reads,
    described,
    entries,
    explained,
    plain,
    read_docstring,
    reads_json,
    reads_of,
    stated_range,
)

WHOLE = """1 if it is short,
    else 0.

    More of it, with ``code``.

    - one
      thing
    - another

    Args:
        completion (str): the text.
        words (dict[str, int] | None): how many,
            at most.
        low, high: the ends: both.

    Returns:
        1.0 or 0.0. Reasons:

        - ``short``: it is
          short (1.0).
        - ``long``, ``too_long``: it is not.

    Raises:
        RewardError: never.

    Source: a paper (2025),
    page 3.

    A policy would write
    nothing.

    >>> 1 + 1
    2
    """


def test_each_part_is_where_it_belongs() -> None:
    assert read_docstring(WHOLE) == Docstring(
        line="1 if it is short, else 0.",
        body=("More of it, with ``code``.", "- one thing", "- another"),
        arguments={
            "completion": "the text.",
            "words": "how many, at most.",
            "low": "the ends: both.",
            "high": "the ends: both.",
        },
        returns="1.0 or 0.0.",
        reasons={"short": "it is short (1.0).", "long": "it is not.", "too_long": "it is not."},
        source="a paper (2025), page 3.",
        would_try="A policy would write nothing.",
        example=(">>> 1 + 1", "2"),
    )


@each_row(
    "text, line",
    [
        (None, ""),
        (3, ""),
        ("", ""),
        ("   \n\n", ""),
        ("Args:\n    x: y", ""),
        ("One line", "One line"),
        ("Numpy's\n\nParameters\n----------\nx : int", "Numpy's"),
        ("x" * 200_000, "x" * 50_000),
    ],
)
def test_what_is_no_docstring_of_ours_is_text_or_nothing(text: object, line: str) -> None:
    assert read_docstring(text).line == line


def test_marks_are_taken_away() -> None:
    text = "``None`` where :class:`~a.b.Weighted` is, see `the page <https://x.y>`__ and `this`"
    assert plain(text) == "None where a.b.Weighted is, see the page (https://x.y) and `this`"


OWN = [name for name in gr.list_rewards() if gr.get_reward(name).__module__.startswith("grpo_rewards.")]


@each_row("name", OWN)
def test_every_reward_of_the_package_says_what_it_does_and_what_a_policy_would_try(name: str) -> None:
    reward = gr.get_reward(name)
    found = read_docstring(reward.__doc__)
    assert found.line.endswith((".", ":"))
    assert found.would_try
    assert found.returns
    assert not set(reward.signature.options) - set(found.arguments)
    text = " ".join((found.line, *found.body, found.returns, found.would_try, *found.arguments.values()))
    assert "``" not in plain(text)
    assert ">>>" not in text
    assert "Args:" not in text


def test_options_have_their_default_and_their_current_value() -> None:
    found = {one.name: one for one in described("soft_overlong(max_tokens=256)").options}
    assert (found["max_tokens"].default, found["max_tokens"].value, found["max_tokens"].is_bound) == (None, "256", True)
    assert (found["buffer"].default, found["buffer"].value, found["buffer"].is_bound) == (None, None, False)
    assert (found["tokenizer"].default, found["tokenizer"].value, found["tokenizer"].is_bound) == (
        "None",
        "None",
        False,
    )
    assert found["max_tokens"].takes == "a whole number"
    assert (
        found["buffer"].says
        == found["buffer"].description
        == "how many tokens before ``max_tokens`` the penalty begins."
    )


def test_a_reward_that_is_called_is_an_option_and_a_part() -> None:
    found = described("cosine_length(max_tokens=9, correct=final_answer)")
    option = next(one for one in found.options if one.name == "correct")
    assert (option.default, option.value, option.is_bound) == ("boxed_answer", "final_answer", True)
    assert [(part.role, repr(part.reward)) for part in found.parts] == [("dependency 'correct'", "final_answer")]
    # said by cosine_length of a reason that final_answer gives, and by nobody of another
    assert found.reasons["wrong"] == "rewarded as wrong."
    assert "no_answer" in found.reasons


@each_row(
    "spec, parts",
    [
        ("weighted(boxed_answer=1.0, boxed_format=-0.5)", [("part", 1.0), ("part", -0.5)]),
        ("gated(boxed_answer, by=think_format)", [("reward", None), ("gate", None)]),
        ("routed({'a': boxed_answer}, by='k', default=boxed_format)", [("for 'a'", None), ("default", None)]),
        ("clipped(repetition, low=-0.5, high=0.0)", [("reward", None)]),
    ],
)
def test_a_composite_has_its_parts_with_what_they_are_there_for(spec: str, parts: list) -> None:
    assert [(part.role, part.weight) for part in described(spec).parts] == parts


def test_the_bare_name_of_a_composer_is_described_without_parts() -> None:
    found = described("gated")
    assert (found.family, found.parts, found.range) == ("composite", (), None)
    assert [one.name for one in found.options] == ["reward", "by", "otherwise", "above", "name"]
    assert found.reasons["stopped"].startswith("the gate was not passed")


def test_columns_are_those_of_the_dataset() -> None:
    bound = gr.get_reward("multiple_choice(columns={'answer': 'gold', 'choices': 'texts'})")
    assert reads_of(bound) == Reads(("completion", "prompt"), ("gold",), ("texts",))
    assert str(reads_of(bound)) == "completion, prompt, gold, [texts]"


def test_every_reward_is_listed_once_under_its_family() -> None:
    found = {one.name: one for one in entries()}
    assert len(found) == len(entries())
    assert set(gr.list_rewards()) <= set(found)
    families = {"boxed_answer": "correctness", "json_format": "format", "max_length": "length", "gated": "composite"}
    assert {name: found[name].family for name in families} == families
    assert found["relative_length"].range == (-0.5, 0.5)
    assert found["boxed_format"].line.startswith("1 if ")
    assert all("``" not in one.line and one.line for one in found.values() if one.package == "grpo_rewards")


def test_which_columns_are_no_text_is_read_from_the_example() -> None:
    @gr.reward(example={"target": 4, "marks": ["."], "text": "x"})
    def by_example(completion: str, target: object, marks: object, text: object, note: object) -> float:
        """1."""
        return 1.0

    names = ("target", "marks", "text", "note")
    assert [reads_json(by_example, name) for name in names] == [True, True, False, False]
    # under the dataset's name, and below a composite
    renamed = gr.gated(by_example.bind(columns={"target": "n"}), by="boxed_answer")
    assert [reads_json(renamed, name) for name in ("n", "target", "answer")] == [True, False, False]


def test_a_range_that_needs_more_options_is_not_stated() -> None:
    @gr.reward(range=lambda top: (0.0, top))
    def up_to(completion: str, *, top: float) -> float:
        return top

    assert stated_range(up_to) is None
    assert stated_range(up_to.bind(top=2.0)) == (0.0, 2.0)
    assert described(up_to).docstring.line == ""


def outline(spec: str, completion: Any, columns: dict[str, Any], **given: Any) -> list[tuple[Any, ...]]:
    """Depth, role, weight, and number of each reward, or "not asked"."""
    found = explained(gr.get_reward(spec), completion, columns, **given)
    return [
        (depth, one.role, one.weight, "not asked" if one.verdict is None else one.verdict.reward)
        for depth, one in found.with_depth()
    ]


FOUR = r"<think>2 + 2</think>\boxed{4}"


def test_a_sum_has_each_part_with_its_weight() -> None:
    spec = "weighted(boxed_answer=2.0, boxed_format=0.5)"
    # 2 * 0 + 0.5 * 1: the box is there, with another number
    assert outline(spec, FOUR, {"answer": "5"}) == [(0, "", None, 0.5), (1, "part", 2.0, 0.0), (1, "part", 0.5, 1.0)]


def test_a_gate_that_stops_is_shown_with_what_would_have_been_rewarded() -> None:
    found = outline("gated(boxed_answer, by=think_answer_format)", r"\boxed{4}", {"answer": "4"})
    assert found == [(0, "", None, 0.0), (1, "reward", None, 1.0), (1, "gate", None, 0.0)]


def test_a_route_that_was_not_taken_was_not_called_and_needs_no_columns() -> None:
    spec = "routed({'math': boxed_answer, 'quiz': expression_reaches}, by='task')"
    assert outline(spec, FOUR, {"task": "math", "answer": "4"}) == [
        (0, "", None, 1.0),
        (1, "for 'math'", None, 1.0),
        (1, "for 'quiz'", None, "not asked"),
    ]


def test_a_schedule_has_the_weight_of_the_step() -> None:
    spec = "scheduled(boxed_format, start=1.0, end=0.0, over=100)"
    state = {"global_step": 25}
    # a quarter of the way from 1 to 0; without a step, the end
    assert outline(spec, FOUR, {}, trainer_state=state) == [(0, "", None, 0.75), (1, "reward", 0.75, 1.0)]
    assert outline(spec, FOUR, {}) == [(0, "", None, 0.0), (1, "reward", 0.0, 1.0)]


def test_a_reward_that_is_called_is_below_the_one_that_asks() -> None:
    found = outline("cosine_length(max_tokens=100)", FOUR, {"answer": "4"}, completion_ids=range(50))
    assert found == [(0, "", None, 0.75), (1, "dependency 'correct'", None, 1.0)]  # halfway between 1.0 and 0.5


def test_a_reward_that_waits_is_explained() -> None:
    @gr.reward
    async def judged(completion: str) -> float:
        return 0.25

    assert outline("weighted(judged=2.0)", "x", {}) == [(0, "", None, 0.5), (1, "part", 2.0, 0.25)]


@each_row("spec", ["boxed_answer", "weighted({gated(boxed_answer, by=boxed_format): 1.0, final_answer: 0.5})"])
@each_row("completion", [FOUR, "", "4", [{"role": "assistant", "content": r"\boxed{5}"}]])
def test_the_number_is_that_of_the_reward(spec: str, completion: Any) -> None:
    reward = gr.get_reward(spec)
    verdict = explained(reward, completion, {"answer": "4"}).verdict
    assert verdict is not None
    assert verdict.reward == reward.score(completion, answer="4")


def test_an_option_that_is_not_bound_is_reported() -> None:
    with pytest.raises(gr.RewardError, match="needs max_tokens, buffer"):
        explained(gr.soft_overlong, "x", {}, completion_ids=[1])
