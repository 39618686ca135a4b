"""The problems on which a reward is tried: the user's rows, or ours for the columns that the catalogue reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_rewards.answers import compare
from grpo_rewards.checks.reward.hacks import CHOICES, Hints, Scene, spoken_gold
from grpo_rewards.completion.text import completion_text
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.errors import ANSWER_SYNONYMS, BY_TRAINER, listed, missing_column, shown
from grpo_rewards.registry.log import NO_GOLDS
from grpo_rewards.registry.model_arguments import parameters_of

__all__ = [
    "PROBED_ROWS",
    "Problem",
    "columns_of",
    "kinds_of_rows",
    "problems_of",
    "read_columns",
    "spread",
]


def columns_of(dataset: Any) -> dict[str, Sequence[Any]]:
    """The columns of a data set, all of one length.

    Args:
        dataset: a ``datasets.Dataset``, columns by name, or a list of rows.

    Raises:
        RewardError: it is something else, or its columns differ in length.
    """
    kind, do = type(dataset).__name__, "Give a datasets.Dataset of one split, columns by name, or a list of rows."
    if kind == "DatasetDict":
        do = "Give one of its splits, dataset['train']."
    elif kind in ("IterableDataset", "IterableDatasetDict"):
        do = "It has no rows to look at: give columns=[…] instead."
    elif kind == "DataFrame":
        do = "Give its columns, frame.to_dict('list')."
    elif isinstance(getattr(dataset, "column_names", None), list) and hasattr(dataset, "__len__"):
        return dict(dataset[:])
    elif isinstance(dataset, Mapping):
        sizes = {name: len(column) for name, column in dataset.items()}
        if len(set(sizes.values())) > 1:
            raise RewardError(f"the columns of the data set have different lengths: {sizes}.")
        return dict(dataset)
    elif isinstance(dataset, Sequence) and all(isinstance(row, Mapping) for row in dataset):
        names = dict.fromkeys(name for row in dataset for name in row)
        return {name: [row.get(name) for row in dataset] for name in names}
    raise RewardError(f"dataset cannot be {'an' if kind[0] in 'AEIOUaeiou' else 'a'} {kind}. {do}")


PROBED_ROWS = 8
FARTHEST = 100  # rows to look through for another gold
UNLIKELY = "123457"
# Of a row these are no columns that a reward reads: the trainer gives them itself, or they are ours.
NOT_PASSED_ON = frozenset(("prompt", "completion", "completions", *BY_TRAINER, "right", "wrong"))
OUR_CALLS = ({"name": "add", "arguments": {"a": 17, "b": 25}}, {"name": "weather", "arguments": {"city": "Oslo"}})

# Rows of our own, by the kind of problem; "answer" is also what it is called elsewhere, such as "solution".
OURS: dict[str, list[dict[str, Any]]] = {
    "numbers": [
        {"prompt": "What is 17 + 25?", "answer": "42"},
        {"prompt": "Ana has 3 boxes of 12 pens and gives 5 pens away. How many pens has she left?", "answer": "31"},
        {"prompt": "A train goes 60 km in 45 minutes. How far does it go in 2 hours, in km?", "answer": "160"},
        {"prompt": "What is a quarter of 26?", "answer": "13/2"},
    ],
    "choices": [
        {
            "prompt": "Which of these is a prime number? (A) 4 (B) 9 (C) 13 (D) 21",
            "answer": "C",
            "choices": ["4", "9", "13", "21"],
        },
        {
            "prompt": "Which of these flies? (A) a trout (B) a swift (C) a mole (D) an eel",
            "answer": "B",
            "choices": ["a trout", "a swift", "a mole", "an eel"],
        },
    ],
    "words": [
        {"prompt": "What is the highest mountain of Japan?", "answer": "Mount Fuji"},
        {"prompt": "Who wrote the novel Emma?", "answer": "Jane Austen"},
    ],
    "code": [
        {"prompt": "Write a function that doubles a number.", "answer": "def double(n):\n    return 2 * n"},
        {"prompt": "Write a function that counts spaces.", "answer": "def spaces(text):\n    return text.count(' ')"},
    ],
    "calls": [
        {"prompt": "Add 17 and 25 with the tool add.", "answer": json.dumps([OUR_CALLS[0]])},
        {"prompt": "What is the weather in Oslo?", "answer": json.dumps([OUR_CALLS[1]])},
    ],
    "boxes": [
        {"prompt": "Where is the dog, in pixels?", "answer": "[10, 20, 110, 220]"},
        {"prompt": "Where is the cup, in pixels?", "answer": "[300, 40, 380, 150]"},
    ],
    "countdown": [
        {"prompt": "Make 24.", "nums": [4, 6, 1], "target": 24, "right": "4 * 6 * 1", "wrong": "46 + 1"},
        {"prompt": "Make 31.", "nums": [25, 3, 2], "target": 31, "right": "25 + 3 * 2", "wrong": "25 + 3 + 2"},
    ],
}


@dataclass(frozen=True)
class Problem:
    """One row to try reward hacks on.

    Attributes:
        prompt: the prompt, a text or messages.
        columns: what else the row has, by the dataset's names.
        scene: what a policy knows of it.
        held: the gold as the row has it; ``None`` if it is not known which column is the gold.
        right: an answer that is right where the gold itself is none, such as a formula that reaches a target.
    """

    prompt: Any
    columns: Mapping[str, Any]
    scene: Scene
    held: Any = None
    right: str | None = None


def read_columns(reward: Any) -> dict[str, str]:
    """The columns that a reward must be given: what it calls each, by what the dataset calls it.

    Of a plain function, the arguments without a default that no trainer hands over.
    """
    if isinstance(reward, Reward):
        own = {name: mine for mine, several in reward.column_names.items() for name in several}
        return {name: own.get(name, name) for name in reward.columns if name not in NO_GOLDS}
    parameters = parameters_of(reward).values()
    taken = (*BY_TRAINER, "completions")
    named = [one for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    return {one.name: one.name for one in named if one.default is one.empty and one.name not in taken}


def kinds_of_rows(
    reward: Any, name: str, hints: Hints, ours: Mapping[str, Sequence[Mapping[str, Any]]] = OURS
) -> dict[str, list[Problem]]:
    """Our own rows that have all the columns a reward reads, by their kind.

    Raises:
        RewardError: it reads a column of which it is not known what stands in it.
    """
    columns = read_columns(reward)
    known = {kind: list(rows) for kind, rows in ours.items() if all(_has(rows[0], own) for own in columns.values())}
    if not columns:
        known = {"numbers": list(ours["numbers"])}
    example = dict(getattr(reward, "example", None) or {}) if ours is OURS else {}
    if not known and all(own in example for own in columns.values()):
        known = {"its example": [{"prompt": "Do as you are asked.", **example}]}
    if not known:
        held = {name for rows in OURS.values() for name in rows[0]} | {*ANSWER_SYNONYMS}
        unknown = [one for one, own in columns.items() if own not in held] or list(columns)
        row = ", ".join(f"{column!r}: …" for column in ("prompt", *columns))
        raise RewardError(
            f"reward '{name}' reads {listed(unknown)}, and what stands there is not known. Give rows of your own: "
            f"rows=[{{{row}}}, …], or --dataset FILE."
        )
    return {kind: _problems([_called(row, columns) for row in rows], hints) for kind, rows in known.items()}


def _has(row: Mapping[str, Any], own: str) -> bool:
    return own in row or (own in ANSWER_SYNONYMS and "answer" in row)


def _called(row: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """One of our rows with the columns called as the dataset of the reward calls them."""
    gold = dict.fromkeys(ANSWER_SYNONYMS, row["answer"]) if "answer" in row else {}
    return {**gold, **row, **{name: row.get(own, gold.get(own)) for name, own in columns.items()}}


def problems_of(
    table: Mapping[str, Sequence[Any]], reward: Any, hints: Hints, most: int = PROBED_ROWS, need_wrong: bool = True
) -> list[Problem]:
    """Some rows of a data set, evenly spread over it; where no wrong answers are needed, none is looked for.

    Raises:
        RewardError: it has no rows, or no column of a name that the reward reads.
    """
    size = len(next(iter(table.values()), ()))
    if not size:
        raise RewardError("there are no rows to try reward hacks on.")
    for column, own in read_columns(reward).items():
        if column not in table:
            name = str(getattr(reward, "__name__", type(reward).__name__))
            message, remedy = missing_column(name, column, list(table), own, can_bind=isinstance(reward, Reward))
            raise RewardError(f"{message} {remedy}")
    rows = [{name: column[row] for name, column in table.items()} for row in spread(size, most)]
    return _problems(rows, hints, _gold_column(reward, list(table)), need_wrong)


def spread(size: int, most: int) -> list[int]:
    """The indices of at most so many rows, evenly spread."""
    count = min(size, most)
    return [place * size // count for place in range(count)]


def _gold_column(reward: Any, names: Sequence[str]) -> str | None:
    """The column of golds among those that a reward reads; ``None`` if it is not known which one that is."""
    read = {name: own for name, own in read_columns(reward).items() if name in names}
    known = [name for name, own in read.items() if own in ANSWER_SYNONYMS]
    if known or len(read) == 1:
        return known[0] if known else next(iter(read))
    return None


def _problems(
    rows: Sequence[Mapping[str, Any]], hints: Hints, gold: str | None = "answer", need_wrong: bool = True
) -> list[Problem]:
    held = [None if gold is None else row.get(gold) for row in rows]
    spoken = [row.get("right") if one is None else spoken_gold(one) for row, one in zip(rows, held, strict=True)]
    wrongs = [_wrong(row, place, spoken) if need_wrong else UNLIKELY for place, row in enumerate(rows)]
    return [
        Problem(
            prompt=row.get("prompt", ""),
            columns={name: value for name, value in row.items() if name not in NOT_PASSED_ON},
            scene=Scene(_words_of(row.get("prompt", "")), text, wrong, _choices(row), hints.behind(row.get("prompt"))),
            held=one,
            right=row.get("right"),
        )
        for row, one, text, wrong in zip(rows, held, spoken, wrongs, strict=True)
    ]


def _wrong(row: Mapping[str, Any], place: int, golds: Sequence[str | None]) -> str:
    """A wrong answer of the kind of the gold: that of another row, the nearest behind it that is not the same."""
    if "wrong" in row:
        return str(row["wrong"])
    gold = golds[place]
    behind = (golds[(place + step) % len(golds)] for step in range(1, min(len(golds), FARTHEST)))
    return next((str(one) for one in behind if one is not None and not _same(one, gold)), UNLIKELY)


def _same(one: str, other: str | None) -> bool:
    """Whether two golds are one answer, also in two spellings; a wrong answer must not be right."""
    if other is None or one.casefold() == other.casefold():
        return other is not None
    return compare(one, other).outcome == "correct"


def _choices(row: Mapping[str, Any]) -> tuple[str, ...]:
    choices = row.get("choices")
    return CHOICES if not isinstance(choices, list | tuple) else tuple("ABCDEFGHIJ"[: len(choices)])


def _words_of(prompt: Any) -> str:
    """The text of a prompt, or of its last message."""
    if isinstance(prompt, str):
        return prompt
    if isinstance(prompt, list) and prompt and isinstance(prompt[-1], Mapping):
        return completion_text([{**prompt[-1], "role": "assistant"}])
    return shown(prompt)
