"""Scores answers with the rewards that train, and keeps each verdict: a table with a row for each answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datasets import Dataset
from pandas import DataFrame

from grpo_rewards import Reward
from running.evaluation.policies import Answer

__all__ = ["scored"]

ANSWERS_A_CALL = 64  # about a batch of training: a call of thousands would share one budget of time
KEPT = (str, int, float, bool, list)  # what a table can hold of a data set's columns


def scored(
    problems: Dataset,
    answers: Sequence[Sequence[Answer]],
    rewards: Sequence[Reward],
    gold: str,
    state: Any,
    how: str,
) -> DataFrame:
    """A table of all answers with their verdicts.

    Columns: ``step``, ``how``, ``problem``, ``sample``; the ``prompt``'s last turn, the ``completion``'s text and its
    ``tokens``; the problem's own columns that have other names; for each reward its number under its name, and what it
    logs, such as ``boxed_answer/reason`` and ``boxed_answer/prediction``; and ``solved``, whether the reward ``gold``
    gave the most that it can give, which is ``None`` where it could not score. Rewards are called with whole problems.
    """
    rows = [
        # these four first, and whatever the data call so
        answer_row(row, answer, {"step": state.global_step, "how": how, "problem": problem, "sample": sample})
        for problem, (row, several) in enumerate(zip(problems, answers, strict=True))
        for sample, answer in enumerate(several)
    ]
    at_once = max(ANSWERS_A_CALL // max(map(len, answers), default=1), 1)
    verdicts: dict[str, list[Any]] = {}
    for start in range(0, len(problems), at_once):
        some = range(start, min(start + at_once, len(problems)))
        for name, values in verdicts_of(problems.select(some), answers[start : some.stop], rewards, state).items():
            verdicts.setdefault(name, []).extend(values)
    most = {reward.name: reward.range[1] if reward.range else 1.0 for reward in rewards}
    if gold in most:
        verdicts["solved"] = [None if value is None else value >= most[gold] for value in verdicts[gold]]
    return DataFrame(rows).assign(**verdicts)


def answer_row(row: dict[str, Any], answer: Answer, place: dict[str, Any]) -> dict[str, Any]:
    own = {name: value for name, value in row.items() if name != "prompt" and isinstance(value, KEPT)}
    texts = {"prompt": row["prompt"][-1]["content"], "completion": answer.completion[-1].get("content")}
    return {**place, **own, **place, **texts, "tokens": len(answer.ids)}


def verdicts_of(
    problems: Dataset, answers: Sequence[Sequence[Answer]], rewards: Sequence[Reward], state: Any
) -> dict[str, list[Any]]:
    """By column the verdicts of rewards on these problems' answers, each called as a trainer calls it."""
    flat = [answer for several in answers for answer in several]
    rows = [row for row, several in zip(problems, answers, strict=True) for _ in several]
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in problems.column_names if name != "prompt"}
    found: dict[str, list[Any]] = {}
    for reward in rewards:
        found[reward.name] = list(
            reward(
                [answer.completion for answer in flat],
                prompts=[row["prompt"] for row in rows],
                completion_ids=[answer.ids for answer in flat],
                trainer_state=state,
                log_extra=lambda column, values: found.update({column: list(values)}),
                **columns,
            )
        )
    return found
