"""One call of a trainer: what a reward is given of it, and what is said of values that do not fit."""

from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest
from defining import define
from tables import each_row, refused, tables_beside

import grpo_rewards as gr
from grpo_rewards import RewardError, batch_reward, reward

TABLES = tables_beside(__file__)

STATE = SimpleNamespace(global_step=7)
CHAT = [{"role": "assistant", "content": "a"}]
GIVEN: dict[str, Any] = {
    "prompts": ["p", "q"],
    "completions": [CHAT, "b"],
    "completion_ids": [[1], [2, 3]],
    "trainer_state": STATE,
    "environments": ["first", "second"],
    "answer": [4, 5],
}
PLAIN = [{"role": "assistant", "content": "b"}]


def with_completion(name: str, completion: str) -> str:
    """The arguments of a function that reads something beside the completion, as every reward must."""
    return name if name == completion else f"{name}, {completion}"


@each_row(
    "name, values",
    [
        ("completion", ["a", "b"]),
        ("messages", [CHAT, PLAIN]),
        ("prompt", ["p", "q"]),
        ("completion_ids", [[1], [2, 3]]),
        ("trainer_state", [STATE, STATE]),
        ("environments", ["first", "second"]),
        ("answer", [4, 5]),
    ],
)
def test_a_reward_is_given_what_it_names_one_row_at_a_time_or_for_the_whole_call(name: str, values: list[Any]) -> None:
    seen: list[Any] = []
    source = f"def f({with_completion(name, 'completion')}, *, seen):\n    seen.append({name})\n    return 0.0"
    reward(define(source)).bind(seen=seen)(**GIVEN)
    assert seen == values
    many = f"{name}s" if name in ("completion", "prompt") else name
    source = f"def f({with_completion(many, 'completions')}, *, seen):\n    seen.append({many})\n    return [0.0, 0.0]"
    batch_reward(define(source)).bind(seen=seen)(**GIVEN)
    assert seen[2:] == [STATE if name == "trainer_state" else values]


@pytest.mark.parametrize("decorator", [reward, batch_reward])
def test_what_a_trainer_has_not_got_is_none(decorator: Any) -> None:
    # RLOO has no environments, an asynchronous trainer no state; both are optional everywhere.
    seen: list[Any] = []
    many = decorator is batch_reward
    names = "prompts" if many else "prompt"
    source = (
        f"def f(trainer_state, environments, {names}, *, seen):\n"
        f"    seen.append((trainer_state, environments, {names}))\n    return {[0.0] if many else 0.0}"
    )
    decorator(define(source)).bind(seen=seen)(completions=["a"])
    one = [None] if many else None
    assert seen == [(None, one, one)]


def test_a_reward_that_counts_tokens_says_where_they_come_from() -> None:
    counts = reward(define("def f(completion_ids): return len(completion_ids)"))
    assert counts(completions=["a"], completion_ids=[[1, 2]]) == [2.0]
    with pytest.raises(RewardError, match=r"reward 'f' counts tokens and needs completion_ids.*f\.score\(text, comp"):
        counts(completions=["a"])


def test_an_optional_column_is_its_default_where_the_dataset_misses_it() -> None:
    with_hint = reward(define("def f(completion, hint=2.0): return hint"))
    assert with_hint(completions=["a", "b"]) == [2.0, 2.0]
    assert with_hint(completions=["a", "b"], hint=[3.0, 4.0]) == [3.0, 4.0]


@each_row("given, said", TABLES["a_call_with_missing_or_unfit_values"])
def test_a_call_with_missing_or_unfit_values_says_which(given: dict[str, Any], said: str) -> None:
    with refused(said):
        reward(define("def f(completion, answer, prompt=None): return 1.0"))(**given)


def test_a_long_value_is_cut_in_a_message() -> None:
    with pytest.raises(RewardError) as error:
        reward(define("def f(completion): return 1.0"))(completions="x" * 1_000_000)
    assert len(str(error.value)) < 1000


def test_sequences_of_any_kind_are_read_by_position() -> None:
    pandas, numpy = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    texts, ids = [r"\boxed{4}", r"\boxed{5}"], [[1], [2, 3]]
    kinds = [lambda one: one, tuple, lambda one: pandas.Series(one, index=[5, 6]), deque]
    kinds += [lambda one: numpy.array(one, dtype=object)]
    one = gr.routed({"a": gr.boxed_answer, "b": gr.think_format, "c": "max_length(max_tokens=9)"}, by="kind")
    for kind in kinds:
        columns = {"answer": kind([4, 5]), "kind": kind(["a", "a"]), "prompts": kind(["p", "q"])}
        verdicts = one.explain_all(kind(texts), **columns, completion_ids=kind(ids))
        assert [verdict.reward for verdict in verdicts] == [1.0, 1.0]
        chat = [[{"role": "user", "content": "?"}]] * 2
        assert gr.think_format(completions=kind(texts), prompts=pandas.Series(chat, index=[5, 6])) == [0.0, 0.0]
    assert gr.boxed_answer(completions=pandas.Series(texts, index=[1, 0]), answer=pandas.Series([4, 5])) == [1.0, 1.0]


@pytest.mark.parametrize(("thing", "said"), [(3, "is 3, of type int"), (float("nan"), "is nan, of type float")])
def test_a_completion_of_a_wrong_type_is_the_programmers_error(thing: Any, said: str) -> None:
    for one in (gr.boxed_answer, gr.tool_calls):
        with pytest.raises(RewardError, match=f"completion 1 of 2 {said}"):
            one(completions=["4", thing], answer=["4", "4"])
    assert gr.boxed_answer(completions=[None, ""], answer=["4", "4"]) == [0.0, 0.0]


@each_row("thing", [None, ["a"], ("a", "b"), [None], 3])
def test_by_hand_what_is_no_completion_is_no_empty_one(thing: Any) -> None:
    for one in (gr.boxed_answer, gr.tool_calls, gr.weighted(boxed_answer=1.0)):
        with pytest.raises(RewardError, match=r"must be a text or a list of messages|got None for a completion"):
            one.score(thing, answer="4")
    assert gr.boxed_answer.score([], answer="4") == 0.0
