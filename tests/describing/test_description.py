"""What is said of a reward is what it is: options as bound, columns as renamed, parts with their weights."""

from __future__ import annotations

from collections.abc import Sequence

from tables import each_row

import grpo_rewards as gr
from grpo_rewards.describing import Reads, described, entries, reads_of
from grpo_rewards.describing.reading import reads_json, stated_range


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


def test_which_columns_are_no_text_is_read_from_the_example_or_the_type() -> None:
    @gr.reward(example={"target": 4, "marks": ["."]})
    def by_example(completion: str, target: object, marks: object, note: object) -> float:
        """1."""
        return 1.0

    @gr.reward
    def by_type(completion: str, count: int, words: list[str] | None, text: str, either: str | int) -> float:
        return 1.0

    @gr.batch_reward
    def by_type_of_a_row(completions: list[str], counts: Sequence[int], texts: list[str]) -> list[float]:
        return [1.0] * len(completions)

    assert [reads_json(by_example, name) for name in ("target", "marks", "note")] == [True, True, False]
    assert [reads_json(by_type, name) for name in ("count", "words", "text", "either")] == [True, True, False, False]
    assert [reads_json(by_type_of_a_row, name) for name in ("counts", "texts")] == [True, False]
    # under the dataset's name, and below a composite
    renamed = gr.gated(by_type.bind(columns={"count": "n"}), by="boxed_answer")
    assert [reads_json(renamed, name) for name in ("n", "count", "answer")] == [True, False, False]


def test_a_range_that_needs_more_options_is_not_stated() -> None:
    @gr.reward(range=lambda top: (0.0, top))
    def up_to(completion: str, *, top: float) -> float:
        return top

    assert stated_range(up_to) is None
    assert stated_range(up_to.bind(top=2.0)) == (0.0, 2.0)
    assert described(up_to).docstring.line == ""
