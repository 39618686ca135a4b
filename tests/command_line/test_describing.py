"""What is said of rewards: docstrings taken apart, lists, descriptions, explanations."""

from typing import Any

from tables import each_row, tables_beside

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

TABLES = tables_beside(__file__)

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


@each_row("text, line", [*TABLES["no_docstrings_of_ours"], (None, "")])
def test_what_is_no_docstring_of_ours_is_text_or_nothing(text: object, line: str) -> None:
    assert read_docstring(text).line == line


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
    values = {name: (one.takes, one.default, one.value, one.is_bound) for name, one in found.items()}
    assert values["max_tokens"] == ("a whole number", None, "256", True)
    assert values["buffer"] == ("a whole number", None, None, False)
    assert values["tokenizer"][1:] == ("None", "None", False)
    assert found["buffer"].says == found["buffer"].description
    assert found["buffer"].says == "how many tokens before ``max_tokens`` the penalty begins."


def test_a_reward_that_is_called_is_an_option_and_a_part() -> None:
    found = described("cosine_length(max_tokens=9, correct=final_answer)")
    option = next(one for one in found.options if one.name == "correct")
    assert (option.default, option.value, option.is_bound) == ("boxed_answer", "final_answer", True)
    assert [(part.role, repr(part.reward)) for part in found.parts] == [("dependency 'correct'", "final_answer")]
    # said by cosine_length of a reason that final_answer gives, and by nobody of another
    assert found.reasons["wrong"] == "rewarded as wrong."
    assert "no_answer" in found.reasons


@each_row("spec, roles, weights", TABLES["parts"])
def test_a_composite_has_its_parts_with_what_they_are_there_for(
    spec: str, roles: list[str], weights: list[float] | None
) -> None:
    parts = described(spec).parts
    assert [part.role for part in parts] == roles
    assert [part.weight for part in parts] == (weights or [None] * len(roles))


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
    families = {"boxed_answer": "correctness", "json_format": "format", "max_length": "length", "gated": "composite"}
    assert {name: found[name].family for name in families} == families
    assert found["relative_length"].range == (-0.5, 0.5)
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


FOUR = r"<think>2 + 2</think>\boxed{4}"
ROUTED = "routed({'math': boxed_answer, 'quiz': expression_reaches}, by='task')"
FADING = "scheduled(boxed_format, start=1.0, end=0.0, over=100)"


@each_row(
    "spec, completion, columns, given, expected",
    [
        # 2 * 0 + 0.5 * 1: the box is there, with another number
        (
            *("weighted(boxed_answer=2.0, boxed_format=0.5)", FOUR, {"answer": "5"}, {}),
            [("", None, 0.5), ("part", 2.0, 0.0), ("part", 0.5, 1.0)],
        ),
        # a gate that stops, with what would have been rewarded
        (
            *("gated(boxed_answer, by=think_answer_format)", r"\boxed{4}", {"answer": "4"}, {}),
            [("", None, 0.0), ("reward", None, 1.0), ("gate", None, 0.0)],
        ),
        # a route that was not taken was not called, and needs no columns
        (
            *(ROUTED, FOUR, {"task": "math", "answer": "4"}, {}),
            [("", None, 1.0), ("for 'math'", None, 1.0), ("for 'quiz'", None, None)],
        ),
        # a quarter of the way from 1 to 0; without a step, the end
        (FADING, FOUR, {}, {"trainer_state": {"global_step": 25}}, [("", None, 0.75), ("reward", 0.75, 1.0)]),
        (FADING, FOUR, {}, {}, [("", None, 0.0), ("reward", 0.0, 1.0)]),
        # a reward that is called is below the one that calls it; halfway between 1.0 and 0.5
        (
            *("cosine_length(max_tokens=100)", FOUR, {"answer": "4"}, {"completion_ids": range(50)}),
            [("", None, 0.75), ("dependency 'correct'", None, 1.0)],
        ),
    ],
)
def test_each_reward_inside_is_explained_with_its_role_weight_and_number(
    spec: str, completion: str, columns: dict[str, Any], given: dict[str, Any], expected: list[Any]
) -> None:
    found = [one for _, one in explained(gr.get_reward(spec), completion, columns, **given).with_depth()]
    assert [(one.role, one.weight, one.verdict and one.verdict.reward) for one in found] == expected


@each_row("spec", ["boxed_answer", "weighted({gated(boxed_answer, by=boxed_format): 1.0, final_answer: 0.5})"])
@each_row("completion", [FOUR, "", "4", [{"role": "assistant", "content": r"\boxed{5}"}]])
def test_the_number_is_that_of_the_reward(spec: str, completion: Any) -> None:
    reward = gr.get_reward(spec)
    verdict = explained(reward, completion, {"answer": "4"}).verdict
    assert verdict is not None
    assert verdict.reward == reward.score(completion, answer="4")
