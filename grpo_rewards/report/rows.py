"""Completions as a browser reads them: numbers in columns that it filters by, texts in chunks that it unpacks.

Data travels inside a page as compressed JSON in base64, in which no text of a model can end a script.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from grpo_rewards.checks.run.files import OWN, Table
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
    """Completions of one or several runs, column by column.

    Attributes:
        columns: numbers and codes, each with one value per completion.
        codes: what the codes of a column stand for.
        rewards: the names of all rewards.
        limit: the characters to which completions were cut; ``None`` if they are whole.
        answers: how many are of evaluations and not of the training.
        specs: of a reward its spec, where the run's settings have it: what judges a completion again.
    """

    columns: dict[str, list[Any]] = field(default_factory=dict)
    codes: dict[str, dict[str, int]] = field(default_factory=dict)
    rewards: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    cells: dict[str, list[str | None]] = field(default_factory=dict)
    limit: int | None = None
    answers: int = 0
    specs: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)

    def add(self, run: Run, step: int, table: Table) -> None:
        """Adds the completions of a step of the training, those of a prompt one behind the other."""
        prompts = [shown_text(one) for one in table["prompt"]]
        first = {prompt: at for at, prompt in reversed([*enumerate(prompts)])}
        order = sorted(range(len(prompts)), key=lambda row: (first[prompts[row]], row))
        self._add(run, table, order, prompts)
        self._fill("step", step, len(order))
        self._fill("of", self._code("of", "training"), len(order))

    def add_evaluations(self, run: Run, table: Table) -> None:
        """Adds the answers of evaluations, those to a problem as one group, whatever the evaluation."""
        if not table:
            return
        size = len(table["completion"])
        golds = {"answer"} if any(f"{name}/answer" in table for name in run.rewards) else set()
        self._add(run, table, range(size), table["problem"], {*OF_EVALUATIONS, *golds})
        self.columns["step"] += table["step"]
        self.columns["of"] += [self._code("of", f"evaluation, {how}") for how in table["how"]]
        self.answers += size

    def _add(
        self, run: Run, table: Table, order: Sequence[int], groups: Sequence[Hashable], left_out: Collection[str] = ()
    ) -> None:
        """Adds the rows of a table in an order in which those of a group lie side by side."""
        self.rewards += [name for name in run.rewards if name not in self.rewards]
        self.specs |= run.specs
        begun = len(self)
        group = self.columns["group"][-1] if begun else -1
        for at, row in enumerate(order):
            group += at == 0 or groups[row] != groups[order[at - 1]]
            self.texts.append(shown_text(table["completion"][row]))
            self._put("group", group)
            self._put("prompt", self._code("prompt", shown_text(table["prompt"][row])))
            self._put("total", _number(total(table, row, run)))
            self._put("advantage", _number(_at(table, "advantage", row)))
            self._put("length", len(self.texts[-1]))
            self._put_verdicts(run, table, row)
        self._fill("run", self._code("run", run.name), len(order))
        for name in _further_columns(table, run, left_out):
            cells = self.cells.setdefault(name, [])
            cells += [None] * (begun - len(cells)) + [_cell(table[name][row]) for row in order]

    def _put_verdicts(self, run: Run, table: Table, row: int) -> None:
        for name in run.rewards:
            self._put(f"reward {name}", _number(_at(table, name, row)))
            reason = _at(table, f"{name}/reason", row)
            self._put(f"reason {name}", self._code(f"reason {name}", reason) if reason else None)

    def _put(self, column: str, value: Any) -> None:
        """Adds a value to a column, which other runs may not have had."""
        values = self.columns.setdefault(column, [])
        if len(values) < len(self.texts) - 1:
            values += [None] * (len(self.texts) - 1 - len(values))
        values.append(value)

    def _fill(self, column: str, value: Any, size: int) -> None:
        self.columns.setdefault(column, []).extend([value] * size)

    def _code(self, column: str, text: Any) -> int:
        codes = self.codes.setdefault(column, {})
        return codes.setdefault(str(text), len(codes))

    def answers_shown(self) -> Iterator[str | None]:
        """The predictions and golds of all rewards."""
        for name, cells in self.cells.items():
            if name.endswith(("/prediction", "/answer")):
                yield from cells

    def packed_index(self, most: int = MOST_INDEX) -> str:
        """What is read first: all that can be filtered by without a text; prompts are cut where they are too much."""
        size = len(self)
        index: dict[str, Any] = {
            "rows": size,
            "rewards": self.rewards,
            "cells": [*self.cells],
            "specs": self.specs,
            "chunk": CHUNK_ROWS,
            "columns": {name: values + [None] * (size - len(values)) for name, values in self.columns.items()},
            "codes": {name: [*codes] for name, codes in self.codes.items()},
        }
        whole = index["codes"].get("prompt", [])
        packed = ""
        for limit in PROMPT_LIMITS:
            index["codes"]["prompt"] = [cut_in_middle(prompt, limit) for prompt in whole]
            packed = packed_json(index)
            if len(packed) <= most:
                break
        return packed

    def packed_chunks(self, most: int = MOST_PACKED) -> list[str]:
        """The texts, packed; completions are cut in their middle where all would take more than ``most`` characters."""
        chunks: list[str] = []
        for self.limit in LIMITS:
            starts = range(0, len(self), CHUNK_ROWS)
            sample = [self._chunk(start) for start in starts[::SAMPLED]]
            if sum(map(len, sample)) * len(starts) > most * max(len(sample), 1) and self.limit != LIMITS[-1]:
                continue
            chunks = [self._chunk(start) for start in starts]
            if sum(map(len, chunks)) <= most:
                break
        return chunks

    def _chunk(self, start: int) -> str:
        rows = slice(start, start + CHUNK_ROWS)
        cells = {name: [self._cut(one) for one in its[rows]] for name, its in self.cells.items()}
        return packed_json({"texts": [self._cut(one) for one in self.texts[rows]], "cells": cells})

    def _cut(self, text: str | None) -> str | None:
        return text if text is None or self.limit is None else cut_in_middle(text, self.limit)


def _further_columns(table: Table, run: Run, left_out: Collection[str]) -> Iterator[str]:
    """The columns of a table that hold more of a completion: predictions, golds, why, and what else was logged."""
    known = {"prompt", "completion", *OWN, *run.rewards, *(f"{name}/reason" for name in run.rewards)}
    return (name for name in table if name not in known and name not in left_out)


def _at(table: Table, column: str, row: int) -> Any:
    return table[column][row] if column in table else None


def _cell(value: Any) -> str | None:
    """What a cell shows; a column of numbers, such as those that a target is to be reached with, comes as an array."""
    listed = value.tolist() if hasattr(value, "tolist") else value
    if listed is None or listed == "" or (isinstance(listed, float) and not isfinite(listed)):
        return None
    return cut_in_middle(str(listed), CELL_CHARACTERS)


def _number(value: Any) -> float | None:
    """To five digits, which is what is shown."""
    if not isinstance(value, int | float) or not isfinite(value):
        return None
    return float(f"{value:.5g}")


def packed(text: str) -> str:
    """A text as the page unpacks it."""
    return base64.b64encode(gzip.compress(text.encode("utf-8"), LEVEL, mtime=0)).decode("ascii")


def packed_json(value: Any) -> str:
    """A value as JSON, with ``null`` for numbers that are not finite; half a surrogate pair stays what it is."""
    try:
        return packed(json.dumps(value, allow_nan=False, separators=(",", ":")))
    except ValueError:
        return packed(json.dumps(plain_numbers(value), separators=(",", ":")))


def plain_numbers(value: Any) -> Any:
    """The value with ``None`` for numbers that are not finite, at any depth."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: plain_numbers(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain_numbers(one) for one in value]
    return value
