"""What bind fixes: options, groups of options, the names of columns; and what is said if it was not used."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import dataclass, field, make_dataclass
from typing import Any, Literal

import pytest
from tables import each_row, refused, tables_beside

import grpo_rewards as gr
from grpo_rewards import RewardError, get_reward, reward

TABLES = tables_beside(__file__)

BOX = r"\boxed{4}"


# Columns under other names.


def test_a_column_is_read_under_another_name_alone() -> None:
    mine = gr.boxed_answer.bind(columns={"answer": "solution"})
    assert mine(completions=[BOX, BOX], solution=["4", "5"]) == [1.0, 0.0]
    assert mine.score(BOX, answer="5", solution="4") == 1.0
    assert (mine.columns, mine.column_names) == (("solution",), {"answer": ("solution",)})
    assert mine != gr.boxed_answer
    mine = gr.multiple_choice.bind(columns={"choices": "options"})  # which is optional
    assert mine.score("The answer is Rome.", answer="B", options=["Paris", "Rome"]) == 1.0
    assert mine.score("The answer is B.", answer="B") == 1.0
    assert mine.columns == ("answer",)


def test_names_of_columns_add_up_and_the_own_name_takes_one_back() -> None:
    both = gr.multiple_choice.bind(columns={"answer": "key"}).bind(columns={"choices": "options"})
    assert both.columns == ("key",)
    assert both.score("B", key="B", options=["Paris", "Rome"]) == 1.0
    assert both.bind(columns={"answer": "answer", "choices": "choices"}) == gr.multiple_choice


@pytest.mark.parametrize(
    "one",
    [
        gr.boxed_answer.bind(columns={"answer": "solution"}),
        gr.gated("boxed_answer", by="think_format").bind(columns={"answer": "solution"}),
        gr.routed({"a": "boxed_answer", "b": "exact_match"}, by="task").bind(columns={"task": "kind", "answer": "key"}),
    ],
    ids=repr,
)
def test_names_of_columns_are_kept_in_a_spec_and_in_a_pickle(one: gr.Reward) -> None:
    assert get_reward(repr(one)) == one
    assert pickle.loads(pickle.dumps(one)) == one
    assert hash(get_reward(repr(one))) == hash(one)


@each_row("columns, said", TABLES["names_of_columns_that_cannot_be_are_refused"])
def test_names_of_columns_that_cannot_be_are_refused(columns: Any, said: str) -> None:
    with refused(said):
        gr.boxed_answer.bind(columns=columns)
    with pytest.raises(RewardError, match="reads no column 'language'"):
        gr.gated("boxed_answer", by="think_format").bind(columns={"language": "lang"})


def test_a_missing_column_proposes_to_bind_one_that_is_there() -> None:
    with pytest.raises(RewardError) as error:
        gr.boxed_answer(completions=[BOX], solution=["4"])
    assert 'or read it as it is: boxed_answer.bind(columns={"answer": "solution"}).' in str(error.value)
    with pytest.raises(RewardError, match=r'boxed_answer.bind\(columns=\{"answer": "solutions"\}\)'):
        gr.boxed_answer.bind(columns={"answer": "solution"})(completions=[BOX], solutions=["4"])


# What stands before the star is no option.


@each_row("spec, name, said", TABLES["what_stands_before_the_star_cannot_be_bound"])
def test_what_stands_before_the_star_cannot_be_bound(spec: str, name: str, said: str) -> None:
    with refused(said):
        get_reward(spec).bind(**{name: "solution"})


# Options that were given where columns are.


@each_row(
    "one, given",
    [
        (gr.boxed_answer, {"boxed": "first"}),
        (gr.boxed_answer, {"percent": "fraction"}),  # of a group
        (gr.keywords.bind(include=["a"]), {"exclude": ["b", "c", "d"]}),
        (gr.soft_overlong, {"max_tokens": 4}),
        (gr.gated("boxed_answer", by="think_format"), {"otherwise": 0.5}),
    ],
)
def test_an_option_in_a_call_is_an_error_that_says_to_bind(one: gr.Reward, given: dict[str, Any]) -> None:
    ((name, value),) = given.items()
    no_column = f"'{name}' is an option of reward '{one.name}', and no column: options are bound before the call. "
    with refused(f"{no_column}Write {one.name}.bind({name}={value!r})."):
        one(completions=[BOX], answer=["4"], completion_ids=[[1]], **given)
    with refused(no_column):
        one.score(BOX, answer="4", **given)


def test_a_dataset_may_have_a_column_of_the_name_of_an_option() -> None:
    # TRL hands over every column of the dataset: one called 'units' or 'language' must not stop a run
    assert gr.boxed_answer(completions=[BOX, BOX], answer=["4", "4"], units=["cm", None]) == [1.0, 1.0]
    assert gr.language_consistency.bind(script="Latin")(completions=["a"], script=["Han"]) == [1.0]


# Groups of options.


@dataclass(frozen=True)
class Style:
    """Options that several rewards share."""

    mark: str
    case: Literal["any", "upper"] = "any"


@reward
def sample_styled(completion: str, *, bonus: float = 0.0, style: Style) -> float:
    """1 if the completion ends with the mark."""
    text = completion.upper() if style.case == "any" else completion
    return float(text.endswith(style.mark)) + bonus


def test_the_fields_of_a_dataclass_behind_the_star_are_options() -> None:
    styled = sample_styled.bind(mark="A")
    assert styled.score("a") == 1.0
    assert styled.bind(case="upper").score("a") == 0.0
    assert styled.bind(bonus=1.0).options == {"bonus": 1.0, "mark": "A", "case": "any"}
    assert repr(styled) == "sample_styled(mark='A')"
    assert get_reward("sample_styled(mark='A', case='upper')").score("A") == 1.0
    with pytest.raises(RewardError, match=r"needs mark\. Bind it: sample_styled\.bind\(mark=…\)"):
        sample_styled.score("a")
    with pytest.raises(RewardError, match="option 'case' of reward 'sample_styled' must be one of 'any', 'upper'"):
        sample_styled.bind(case="lower")
    with pytest.raises(RewardError, match="has no option 'style'"):
        sample_styled.bind(style=Style("A"))
    parameters = inspect.signature(sample_styled).parameters
    assert list(parameters) == ["completion", "bonus", "mark", "case"]
    assert (parameters["mark"].default, parameters["case"].default) == (inspect.Parameter.empty, "any")
    assert parameters["mark"].kind is inspect.Parameter.KEYWORD_ONLY


@dataclass
class Many:
    tags: list[str] = field(default_factory=lambda: ["a"])
    made: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        if not self.tags:
            raise ValueError("no tags")


@reward
def sample_many(completion: str, *, many: Many, style: Style = Style("!", case="upper")) -> float:
    return float(any(tag in completion for tag in many.tags)) + completion.endswith(style.mark)


def test_a_group_may_have_factories_its_own_fields_and_a_default_object() -> None:
    assert sample_many.options == {"tags": ["a"], "mark": "!", "case": "upper"}
    assert sample_many.score("a!") == 2.0
    assert sample_many.bind(tags=["z"]).score("a!") == 1.0
    with pytest.raises(RewardError, match="reward 'sample_many': no tags"):
        sample_many.bind(tags=[])


@each_row("name, said", [("columns", "has an option called 'columns'"), ("bonus", "two parameters called 'bonus'")])
def test_a_field_cannot_have_a_name_that_something_else_has(name: str, said: str) -> None:
    def sample_group(completion: str, *, bonus: float = 0.0, group: Any) -> float:
        return 0.0

    sample_group.__annotations__["group"] = make_dataclass("Taken", [(name, str, "")])
    with refused(said):
        reward(sample_group)


def test_one_type_that_cannot_be_resolved_does_not_hide_the_others(write_module: Any) -> None:
    source = """
from __future__ import annotations
from dataclasses import dataclass, field, make_dataclass
from typing import TYPE_CHECKING
from grpo_rewards import reward
if TYPE_CHECKING:
    from nowhere import Unknown

@dataclass
class Marks:
    mark: str = "!"

@reward
def sample_hints(completion: str, answer: Unknown, *, marks: Marks, points: float = 1.0) -> float:
    return points * completion.endswith(marks.mark)
"""
    made = write_module("sample_hints", source).sample_hints
    assert made.bind(mark="?", points=2).score("a?", answer=None) == 2.0
    with pytest.raises(RewardError, match="option 'points'"):
        made.bind(points="2")
