"""Labelled rows, and whether a reward gives each of them what its label says."""

from labelled_files import Row, rows_in
from places import DATA

import grpo_rewards as gr

BY_TRANSCRIPT = ("think_format", "boxed_answer", "final_answer")
BY_SCRIPT = ("keywords", "language_consistency", "reasoning_steps", "arithmetic_steps")
CREDITS = {"exact": "exact", "names": "name", "arguments": "args_partial"}  # of tool_calls, and the label of each


def rows(name: str) -> list[Row]:
    """The rows of that name in the data beside the repository."""
    return rows_in(DATA, name)


def transcript_verdict(row: Row, name: str) -> gr.Verdict:
    """What a reward makes of a transcript when it is told what the template opened and which delimiters there are."""
    told = {} if row["think_opened"] is None else {"think_opened": row["think_opened"]}
    told |= {} if row["reasoning"] is None else {"reasoning": row["reasoning"]}
    gold = {} if name == "think_format" else {"answer": row["gold"]}
    return gr.get_reward(name).bind(**told).explain(row["completion"], prompt=row["prompt"], **gold)


def transcript_is_met(row: Row, name: str) -> bool:
    return bool(transcript_verdict(row, name).reward == row["expect"][name])


def is_paid(row: Row, reward: gr.Reward) -> bool:
    """Whether a completion earns everything, for a gold and, where the row has them, its choices."""
    given = {name: row[column] for name, column in (("answer", "gold"), ("choices", "choices")) if column in row}
    return bool(reward.score(row["completion"], **given) == 1.0)


def text_is_met(row: Row) -> bool:
    """Whether the row's own reward gives the expected value, one in the expected range, or another that is fine."""
    value = gr.get_reward(row["reward"]).bind(**row["options"]).score(row["text"])
    return any(_is_met(value, one) for one in (row["expected"], *row.get("also", [])))


def _is_met(value: float | None, expected: float | list[float] | None) -> bool:
    if value is None or expected is None:
        return value is expected
    least, most = expected if isinstance(expected, list) else (expected, expected)
    return least - 1e-9 <= value <= most + 1e-9


def instructions_are_met(row: Row, mode: str) -> bool:
    """Whether each single instruction is judged as labelled; ``mode`` is ``"strict"`` or ``"loose"``."""
    wanted = {name: row[name] for name in ("instruction_id_list", "kwargs")}
    shown = gr.instructions.bind(loose=mode == "loose").explain(row["response"], **wanted).details["instructions"]
    return [one["followed"] for one in shown] == list(row[f"expected_{mode}"])


def calls_are_met(row: Row, credit: str) -> bool:
    """Whether tool calls earn the labelled share, to a thousandth."""
    value = gr.tool_calls.bind(credit=credit).score(row["completion"], answer=row["gold_calls"])
    return value is not None and abs(value - row["expected"][CREDITS[credit]]) <= 1e-3
