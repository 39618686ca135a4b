"""Which completions two rewards, or two versions of one, score differently."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from grpo_rewards.completion.text import completion_text
from grpo_rewards.errors import as_text, listed, shown
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.scoring.files import Paths, bound_to_columns, source_of
from grpo_rewards.scoring.pool import in_order
from grpo_rewards.scoring.rows import Chunk, Malformed, place_name
from grpo_rewards.scoring.work import Scoring, fields_of
from grpo_rewards.verdict import Verdict

LOGGED = "column:"  # before the name of a column that holds rewards
EXAMPLES = 3  # of each kind of change
TEXT = 400  # characters of a completion's end that an example shows
Kind = tuple[str, str]
Side = tuple[float | None, str, str | None, str]  # a reward, its reason, the prediction, and why


class Change(NamedTuple):
    """One completion that is scored differently.

    Attributes:
        place: its file and line.
        before: the old verdict's reward, reason, prediction and why.
        after: the new verdict's.
        answer: the gold as the new one has it, or the old one.
        completion: the end of its text.
    """

    place: str
    before: Side
    after: Side
    answer: str | None
    completion: str


@dataclass
class Changes:
    """What changes from one reward to another.

    Attributes:
        rows: how many completions were scored.
        changed: how many of them have another reward.
        raised: how many a higher one; ``None`` counts as neither.
        lowered: how many a lower one.
        kinds: how many changed by (old reason, new reason).
        examples: some of each kind.
        malformed: what could not be read.
    """

    rows: int = 0
    changed: int = 0
    raised: int = 0
    lowered: int = 0
    kinds: Counter[Kind] = field(default_factory=Counter)
    examples: dict[Kind, list[Change]] = field(default_factory=dict)
    malformed: list[Malformed] = field(default_factory=list)

    def add(self, change: Change) -> None:
        """Adds one completion that changed."""
        (old, old_reason, *_), (new, new_reason, *_) = change.before, change.after
        self.changed += 1
        if old is not None and new is not None:
            self.raised += new > old
            self.lowered += new < old
        kind = (old_reason, new_reason)
        self.kinds[kind] += 1
        if self.kinds[kind] <= EXAMPLES:
            self.examples.setdefault(kind, []).append(change)

    def as_json(self) -> dict[str, Any]:
        """The figures and the examples by name."""
        kinds = [
            {"before": old, "after": new, "rows": count, "examples": [one._asdict() for one in self.examples[old, new]]}
            for (old, new), count in self.kinds.most_common()
        ]
        counts = {name: getattr(self, name) for name in ("rows", "changed", "raised", "lowered")}
        return {**counts, "malformed": len(self.malformed), "by_reason": kinds}


def changes_in(
    old: str | Reward,
    new: str | Reward,
    paths: Paths,
    *,
    columns: Mapping[str, str] | None = None,
    processes: int = 1,
    **how: Any,
) -> Changes:
    """The completions in files that two rewards score differently.

    Args:
        old: a reward, a spec, or ``column:NAME`` for the rewards that the files have in a column, such as those that a
            run logged; reasons are then taken from ``NAME/reason``, if that is there.
        new: a reward or a spec.
        paths: as of ``score_files``.
        columns: what the files call the columns that the rewards read.
        processes: how many score.
        how: ``completion``, ``prompt``, ``tokenizer`` and ``by_group``, as of ``score_files``.

    Raises:
        RewardError: as of ``score_files``; there is no such column.
    """
    if isinstance(new, str) and new.startswith(LOGGED):
        raise RewardError(f"{new}: a column can only be the first of the two, the old rewards. The second is a spec.")
    logged = old.removeprefix(LOGGED) if isinstance(old, str) and old.startswith(LOGGED) else None
    rewards = bound_to_columns([new] if logged is not None else [old, new], columns)
    source = source_of(paths, rewards)
    if logged is not None and logged not in source.first_row:
        raise RewardError(f"there is no column {shown(logged)}. Columns: {listed(source.first_row)}.")
    scoring = Scoring(rewards, fields_of(source.first_row, rewards, **how))
    found = Changes()
    for rows, changes, malformed in in_order(partial(_compared, scoring, logged), scoring.stream(source), processes):
        found.rows += rows
        found.malformed += malformed
        for change in changes:
            found.add(change)
    return found


def _compared(scoring: Scoring, logged: str | None, chunk: Chunk) -> tuple[int, list[Change], list[Malformed]]:
    """(how many rows of a chunk were scored, what changed, what could not be read).

    Args:
        scoring: calls the old reward and the new one, or only the new one.
        logged: the column of the old rewards, if these are in the files.
        chunk: of the files.
    """
    rows, malformed = chunk.rows(scoring.fields.unreadable)
    found = []
    for part, all_verdicts in scoring.parts(rows, chunk.path):
        for (number, row), *verdicts in zip(part, *all_verdicts, strict=True):
            place, new = place_name(chunk.path, number), verdicts[-1]
            old = verdicts[0] if logged is None else _logged(row, logged, place)
            if old.reward != new.reward:
                text = completion_text(row[scoring.fields.completion])[-TEXT:]
                found.append(Change(place, _short(old), _short(new), new.answer or old.answer, text))
    return len(rows), found, malformed


def _logged(row: Mapping[str, Any], column: str, place: str) -> Verdict:
    """The verdict that the columns of a row hold."""
    cell = row.get(column)
    try:  # a text, as all cells of a CSV
        reward = None if cell in (None, "") else float(cell)
    except (TypeError, ValueError):
        message = f"{place}: the column {shown(column)} holds {shown(cell)}, which is no reward."
        raise RewardError(f"{message} Name a column of numbers.") from None
    return Verdict(
        None if reward != reward else reward, str(row.get(f"{column}/reason") or ""), row.get(f"{column}/prediction")
    )


def _short(verdict: Verdict) -> Side:
    return verdict.reward, verdict.reason, verdict.prediction, as_text(verdict.details.get("why") or "")
