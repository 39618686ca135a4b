"""What one recipe is about, and all in which it differs from the others."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Generate", "Row", "Task", "task_called", "task_names"]

RECIPES = Path(__file__).resolve().parent.parent

Row = Mapping[str, Any]
# Called with how many problems, a seed, and split="train" or "test"; no problem is in both splits.
Generate = Callable[..., list[dict[str, Any]]]


@dataclass(frozen=True, kw_only=True)
class Task:
    """The problems of a recipe, how they are prompted, what is rewarded, and the tiny model that has learnt to try.

    Attributes:
        name: of the generated problems; a part of the output folder's name.
        generate: makes the problems that are trained on where no data set is named: ``generate(n, seed, split)``,
            rows with the columns ``columns``. ``None`` where the task has ``data``.
        data: the file that is trained on where no data set is named, as ``--dataset_path`` would name it.
        model: folder of the model that is trained where none is named.
        rewards: the weight of each reward, by spec, where none are named.
        gold_reward: the one of them, by its name, that decides whether an answer is right.
        also_reported: rewards, by spec, that ``recipes/evaluate.py`` reports beside them and that are not trained on.
        columns: what every data set must have; they can be given other names on the command line.
        made_from: for a column that the data may not have, the column that it is then made from, and how.
        ask: the text of the user's turn, from a row; ``None``: the first of the columns, as it is.
        right: a completion that is right, from a row, where rewards want a form of their own: by it they are tried
            before a run, beside the usual ones (in a box, in ``<answer>``, …). Empty where it knows none.
        tiny: what the tiny model trains with where nothing else is set, as fields of ``GRPOConfig``.
        shows: what a run of the default shows, once its held-out figures prove that it does.
    """

    name: str
    generate: Generate | None = None
    data: Path | None = None
    model: Path
    rewards: Mapping[str, float]
    gold_reward: str = "boxed_answer"
    also_reported: tuple[str, ...] = ()
    columns: tuple[str, ...] = ("question", "answer")
    made_from: Mapping[str, tuple[str, Callable[[Any], Any]]] = field(default_factory=dict)
    ask: Callable[[Row], str] | None = None
    right: Callable[[Row], str] | None = None
    tiny: Mapping[str, Any] = field(default_factory=dict)
    shows: str = ""

    def user_turn(self, row: Row) -> str:
        """The text of the user's turn."""
        return str(row[self.columns[0]]) if self.ask is None else self.ask(row)


def task_names() -> list[str]:
    """The recipes that define a task, also those that a user put beside them."""
    return sorted(path.stem for path in RECIPES.glob("*.py") if "\nTASK = " in path.read_text(encoding="utf-8"))


def task_called(name: str) -> Task:
    """The task of a recipe; ends the program where there is no recipe of that name."""
    if name not in task_names():
        sys.exit(f"error: there is no --task {name}. Tasks: {', '.join(task_names())}.")
    found: Task = importlib.import_module(name).TASK
    return found
