"""Rewards that are no functions: callable objects, bound methods, classes derived from Reward."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import pytest
from tables import each_row, refused

import grpo_rewards as gr
from grpo_rewards import Reward, RewardError, batch_reward, get_reward, list_rewards, register, reward
from grpo_rewards.registry.call import Call, Column

ANSWER = Column("answer", read_as="answer")


class SampleJudge:
    """Pays what it was made with to a completion that ends with the gold."""

    def __init__(self, points: float) -> None:
        self.points = points

    def __call__(self, completion: str, answer: str, *, bonus: float = 0.0) -> float:
        """The points for the right end."""
        return self.points * completion.endswith(answer) + bonus

    def short(self, completion: str, *, characters: int = 3) -> float:
        return float(len(completion) <= characters)

    def distinct(self, completions: list[str]) -> list[float]:
        return [float(completions.count(one) == 1) for one in completions]

    async def later(self, completion: str) -> float:
        return self.points

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SampleJudge) and self.points == other.points

    def __hash__(self) -> int:
        return hash(self.points)


class SampleAsyncJudge:
    async def __call__(self, completion: str) -> float:
        return float(len(completion))


class SampleLength(Reward):
    """A Reward written by hand: the share of a limit that is used."""

    name = "sample_length"

    def __init__(self, limit: int = 10) -> None:
        self.limit = limit

    def outcomes(self, call: Call) -> list[float]:
        return [min(len(text) / self.limit, 1.0) for text in call.texts]

    def bind(self, *, name: str | None = None, columns: Any = None, **options: Any) -> SampleLength:
        new = SampleLength(**{"limit": self.limit, **options})
        new.name = self.name if name is None else name
        return new


def test_a_callable_object_becomes_a_reward() -> None:
    judge = reward(SampleJudge(2.0), name="sample_judge")
    assert get_reward("sample_judge") is judge
    assert "sample_judge" in list_rewards()
    assert judge.columns == ("answer",)
    assert judge.score("so 4", answer="4") == 2.0
    assert get_reward("sample_judge(bonus=0.5)").score("so 5", answer="4") == 0.5
    assert repr(judge.bind(bonus=1.0)) == "sample_judge(bonus=1.0)"
    assert reward(SampleJudge(1.0)).name == "SampleJudge"


@pytest.mark.parametrize("method", ["short", "distinct"])
def test_a_bound_method_becomes_a_reward(method: str) -> None:
    judge = SampleJudge(1.0)
    made = reward(judge.short) if method == "short" else batch_reward(judge.distinct)
    assert made.name == method
    assert get_reward(method) is made
    assert made(completions=["a", "a", "long enough"]) == ([1.0, 1.0, 0.0] if method == "short" else [0.0, 0.0, 1.0])


def test_what_waits_is_awaited() -> None:
    assert reward(SampleJudge(3.0).later).score("") == 3.0
    assert reward(SampleAsyncJudge(), name="sample_async").score("abc") == 3.0


def test_an_object_travels_with_its_reward() -> None:
    judge = reward(SampleJudge(2.0), name="sample_travelling").bind(bonus=1.0, name="mine")
    back = pickle.loads(pickle.dumps(judge))
    assert back == judge
    assert (back.name, back.score("4", answer="4")) == ("mine", 3.0)
    assert repr(back) == "sample_travelling(bonus=1.0, name='mine')"


def test_a_class_derived_from_reward_can_be_registered() -> None:
    made = register(SampleLength())
    assert get_reward("sample_length") is made
    assert made.score("12345") == 0.5
    assert repr(made) == "sample_length"
    assert "sample_length" in list_rewards()
    assert gr.weighted({"sample_length": 2.0}).score("12345") == 1.0


def test_a_class_may_state_its_columns_alone() -> None:
    class SampleColumns(SampleLength):
        columns = ("answer",)

    points = gr.weighted({SampleColumns(): 1.0})
    for one in (SampleColumns(), points):
        assert (one.columns, one.read_columns, one.is_gold_based) == (("answer",), (ANSWER,), True)


class EndsWithGold(SampleLength):
    """Reads a column by itself, whatever the reward inside it reads."""

    columns = ("answer",)

    def __init__(self, parts: tuple[Reward, ...] = (), **dependencies: Reward) -> None:
        super().__init__()
        self.parts, self.dependencies = parts, dependencies

    def outcomes(self, call: Call) -> list[float]:
        (inner,) = self.inside
        golds = call.column(self.name, "answer")
        both = zip(call.texts, golds, inner.verdicts(call), strict=True)
        return [float(text.endswith(gold)) * (verdict.reward or 0.0) for text, gold, verdict in both]


KEYED = gr.boxed_answer.bind(columns={"answer": "key"})


@each_row(
    "one",
    [
        EndsWithGold(parts=(gr.boxed_format,)),
        EndsWithGold(parts=(KEYED,)),
        EndsWithGold(correct=gr.boxed_format),
        EndsWithGold(correct=KEYED),
    ],
)
def test_a_class_that_states_its_columns_keeps_them_beside_those_of_rewards_inside_it(one: Reward) -> None:
    assert one.score(r"\boxed{4}", answer="}", key="4") == 1.0
    for outer in (one, gr.weighted({one: 1.0})):
        assert outer.columns == ("answer",)
        assert ANSWER in outer.read_columns
        assert outer.is_gold_based


def test_a_bound_reward_and_a_composite_can_be_registered() -> None:
    short = register(gr.max_length.bind(max_tokens=2), name="sample_short")
    assert get_reward("sample_short").score("", completion_ids=[1, 2, 3]) == 0.0
    assert get_reward("sample_short(max_tokens=3)").score("", completion_ids=[1, 2, 3]) == 1.0
    points = register(gr.scaled(short, by=2.0), name="sample_points")
    assert get_reward("sample_points") is points
    assert "sample_points" in list_rewards()


@each_row(
    "thing, name, said",
    [
        (3, None, "3 is no Reward. Decorate a function with @grpo_rewards.reward"),
        (SampleLength, None, "SampleLength'> is no Reward"),
        (gr.max_length.bind(max_tokens=2), "boxed_answer", "reward 'boxed_answer' is defined twice"),
        (gr.max_length.bind(max_tokens=2), "at most", "cannot be registered as 'at most'"),
        (gr.max_length.bind(max_tokens=2), "gated", "reward 'gated' is defined twice: at "),
    ],
)
def test_what_cannot_be_registered_is_refused(thing: Any, name: str | None, said: str) -> None:
    with refused(said):
        register(thing, name=name)


def test_another_module_cannot_take_a_name_by_registering(write_module: Any) -> None:
    register(gr.max_length.bind(max_tokens=2), name="sample_taken")
    source = "import grpo_rewards as gr\ngr.register(gr.max_length.bind(max_tokens={}), name='sample_taken')"
    write_module("registers_the_same", source.format(2))
    with pytest.raises(RewardError, match=r"'sample_taken' is defined twice"):
        write_module("registers_another", source.format(3))


def test_the_star_rule_holds_for_objects_too() -> None:
    class Greedy:
        def __call__(self, **everything: Any) -> float:
            return 0.0

    with pytest.raises(RewardError, match=r"reward 'Greedy' \(.*test_callables\.py:\d+\) takes \*\*everything"):
        reward(Greedy())


def test_a_decorator_takes_no_word_that_it_does_not_know() -> None:
    with pytest.raises(RewardError, match="@reward takes no 'reason'; did you mean 'reasons'"):
        reward(reason=["a"])(lambda completion: 0.0)  # type: ignore[call-overload]


@pytest.mark.parametrize("limits", [(1, 0), "0..1", (0, 1, 2), (0, "1"), (0, float("nan"))])
def test_a_range_is_two_numbers_in_order(limits: Any) -> None:
    with pytest.raises(RewardError, match=r"range of reward 'half' must be \(lowest, highest\)"):
        reward(range=limits, name="half")(lambda completion: 0.5)


@dataclass
class ListedWords:
    words: list[str]

    def __call__(self, completion: str) -> float:
        return float(completion in self.words)


def test_an_object_that_has_no_hash_is_a_reward_all_the_same() -> None:
    one, same = (reward(ListedWords(["a"]), name="sample_listed_words") for _ in range(2))
    other = reward(ListedWords(["b"]), name="sample_listed_words")
    assert (one.score("a"), one.score("b"), other.score("b")) == (1.0, 0.0, 1.0)
    assert one == same != other
    assert hash(one) == hash(same)
    assert gr.weighted({one: 1.0, gr.boxed_format: 1.0})(completions=["a", "b"]) == [1.0, 0.0]
    assert pickle.loads(pickle.dumps(one)) == one
