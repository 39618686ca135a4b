"""Completions as a browser reads them: numbers in columns that it filters by, texts in chunks that it unpacks.

Data travels inside a page as compressed JSON in base64, in which no text of a model can end a script.
"""

import base64
import gzip
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from grpo_rewards.checks.run.contents import by_prompt, number
from grpo_rewards.completion_tables import OWN, Table, rows_of, table_of
from grpo_rewards.errors import json_value
from grpo_rewards.registry.interface import joined
from grpo_rewards.report.reading import Run, total
from grpo_rewards.report.shown import cut_in_middle, shown_text

MOST_ROWS = 50_000  # completions in a report
MOST_PACKED = 22_000_000  # characters that all texts may take in the file
CHUNK_ROWS = 256
MOST_INDEX = 8_000_000  # and all that is filtered by, of which prompts may be the most
CELL_CHARACTERS = 500
LIMITS = (None, 32_000, 16_000, 8_000, 4_000, 2_000, 1_000, 500, 250, 100, 50)  # characters of a text, tried in turn
PROMPT_LIMITS = (4_000, 1_000, 250, 50)
OF_EVALUATIONS = ("how", "problem", "sample", "solved")  # columns that the list and the group already show
SAMPLED = 16  # every how many chunks are packed to see how much all would take
LEVEL = 6  # of gzip: 9 takes three times as long for a hundredth less


@dataclass
class Rows:
    """Completions of one or several runs.

    Attributes:
        texts: of each completion.
        columns: of each the numbers and codes that it is filtered by.
        cells: of each the texts that are shown beside it.
        codes: what the codes of a column stand for.
        rewards: the names of all rewards.
        limit: the characters to which completions were cut; ``None`` if they are whole.
        answers: how many are of evaluations and not of the training.
        specs: of a reward its spec, where the run's settings have it: what judges a completion again.
    """

    texts: list[str] = field(default_factory=list)
    columns: list[dict[str, Any]] = field(default_factory=list)
    cells: list[dict[str, str | None]] = field(default_factory=list)
    codes: dict[str, dict[str, int]] = field(default_factory=dict)
    rewards: tuple[str, ...] = ()
    limit: int | None = None
    answers: int = 0
    specs: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)

    def add(self, run: Run, step: int, table: Table) -> None:
        """Adds the completions of a step of the training, those of a prompt one behind the other."""
        self._add(run, {**table, "step": [step] * len(table["prompt"])}, by_prompt(table))

    def add_evaluations(self, run: Run, table: Table) -> None:
        """Adds the answers of evaluations, those to a problem as one group, whatever the evaluation."""
        if table:
            golds = {"answer"} if any(f"{name}/answer" in table for name in run.rewards) else set()
            self._add(run, table, by_prompt({"prompt": table["problem"]}), {*OF_EVALUATIONS, *golds})
            self.answers += len(table["problem"])

    def _add(self, run: Run, table: Table, groups: list[list[int]], left_out: Collection[str] = ()) -> None:
        """Adds the rows of a table, those of a group side by side."""
        self.rewards = joined(self.rewards, run.rewards)
        self.specs |= run.specs
        known = {"prompt", "completion", *OWN, *run.rewards, *(f"{name}/reason" for name in run.rewards), *left_out}
        further = [name for name in table if name not in known]
        rows = rows_of(table)
        first = self.columns[-1]["group"] + 1 if self.columns else 0
        for group, at in [(group, at) for group, its in enumerate(groups, first) for at in its]:
            row, text = rows[at], shown_text(table["completion"][at])
            columns = {
                "run": self._code("run", run.name),
                "of": self._code("of", f"evaluation, {row['how']}" if left_out else "training"),
                "step": row["step"],
                "group": group,
                "prompt": self._code("prompt", shown_text(row["prompt"])),
                "total": _number(total(table, at, run)),
                "advantage": _number(row.get("advantage")),
                "length": len(text),
            }
            for name in run.rewards:
                reason = row.get(f"{name}/reason")
                columns[f"reward {name}"] = _number(row.get(name))
                columns[f"reason {name}"] = self._code(f"reason {name}", str(reason)) if reason else None
            self.texts.append(text)
            self.columns.append(columns)
            self.cells.append({name: _cell(row[name]) for name in further})

    def _code(self, column: str, text: str) -> int:
        codes = self.codes.setdefault(column, {})
        return codes.setdefault(text, len(codes))

    def answers_shown(self) -> Iterator[str | None]:
        """The predictions and golds of all rewards."""
        for cells in self.cells:
            yield from (cell for name, cell in cells.items() if name.endswith(("/prediction", "/answer")))

    def packed_index(self, most: int = MOST_INDEX) -> str:
        """What is read first: all that can be filtered by without a text; prompts are cut where they are too much."""
        codes = {name: [*its] for name, its in self.codes.items()}
        index: dict[str, Any] = {
            "rows": len(self),
            "rewards": self.rewards,
            "cells": joined(*self.cells),
            "specs": self.specs,
            "chunk": CHUNK_ROWS,
            "columns": table_of(self.columns),
        }
        packed = ""
        for limit in PROMPT_LIMITS:
            prompts = [cut_in_middle(prompt, limit) for prompt in codes.get("prompt", [])]
            packed = packed_json({**index, "codes": {**codes, "prompt": prompts}})
            if len(packed) <= most:
                break
        return packed

    def packed_chunks(self, most: int = MOST_PACKED) -> list[str]:
        """The texts, packed; completions are cut in their middle where all would take more than ``most`` characters."""
        chunks = []
        starts = range(0, len(self), CHUNK_ROWS)
        for self.limit in LIMITS:
            sample = [self._chunk(start) for start in starts[::SAMPLED]]
            if sum(map(len, sample)) * len(starts) > most * max(len(sample), 1) and self.limit != LIMITS[-1]:
                continue
            chunks = [self._chunk(start) for start in starts]
            if sum(map(len, chunks)) <= most:
                break
        return chunks

    def _chunk(self, start: int) -> str:
        rows = slice(start, start + CHUNK_ROWS)
        cells = {name: [*map(self._cut, its)] for name, its in table_of(self.cells[rows]).items()}
        return packed_json({"texts": [self._cut(one) for one in self.texts[rows]], "cells": cells})

    def _cut(self, text: str | None) -> str | None:
        return text if text is None or self.limit is None else cut_in_middle(text, self.limit)


def _cell(value: Any) -> str | None:
    """What a cell shows; a column of numbers, such as those that a target is to be reached with, comes as an array."""
    listed = value.tolist() if hasattr(value, "tolist") else value
    if listed is None or listed == "" or (isinstance(listed, float) and not isfinite(listed)):
        return None
    return cut_in_middle(str(listed), CELL_CHARACTERS)


def _number(value: Any) -> float | None:
    """To five digits, which is what is shown."""
    known = number(value)
    return None if known is None else float(f"{known:.5g}")


def packed(text: str) -> str:
    """A text as the page unpacks it."""
    return base64.b64encode(gzip.compress(text.encode("utf-8"), LEVEL, mtime=0)).decode("ascii")


def packed_json(value: Any) -> str:
    """A value as JSON that any parser takes; half a surrogate pair stays what it is."""
    try:
        return packed(json.dumps(value, allow_nan=False, separators=(",", ":")))
    except ValueError:
        return packed_json(json_value(value))
