"""What a table of completions holds, in numbers: its texts, its groups, and what each reward gave to whom."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, isclose, isfinite, isnan
from statistics import fmean
from typing import Any, TypeAlias

from grpo_rewards.answers.golds import gold_text
from grpo_rewards.checks.run.files import Logs
from grpo_rewards.completion.boxes import boxes
from grpo_rewards.completion.text import completion_text, is_only_markup, visible
from grpo_rewards.completion_tables import Table

Weights: TypeAlias = Mapping[str, float]  # by reward
ADDS_UP = 1e-4  # between a total that the log has and the sum of its parts, in float32
SAME_TOTAL = 1e-6  # of a total, or of 1: a spread that float32 makes of sums that are equal
ROUNDED_ADVANTAGE = 0.02  # what TRL makes of such a spread by dividing it by itself and 1e-4, at most
CHARACTERS_READ = 8_000  # of a completion; a hack does not begin after as many
MARKUP = re.compile(r"<[^<>]{1,40}>|\\[A-Za-z]{1,30}")
OFFERED_NUMBER = r"\d{1,20}(?:[./]\d{1,20})?"  # a decimal, or a fraction
LIST_JOINT = r"\s{0,2}(?:,(?!\d{3}(?!\d))|;|\bor\b|\band\b)\s{0,2}"  # no comma between thousands
LONG_DIGITS = re.compile(r"\d{16,}")  # more than a float holds: several numbers, written without a gap
LISTED_NUMBERS = re.compile(f"{OFFERED_NUMBER}(?:{LIST_JOINT}{OFFERED_NUMBER})+")
LEXEMES = re.compile(r"\w+")
LONG_WORDS = re.compile(r"[^\W\d_]{3,30}")
ROWS_READ = 512  # completions of a table that are looked at
WORDS_KEPT = 200  # the most frequent ones of a table


def known_weights(given: Any, rewards: Sequence[str], logs: Logs = ()) -> dict[str, float] | None:
    """The weight of each reward, by name: as given, else 1 if all logs add up with it.

    Returns:
        By reward; ``None`` if not one number for each is given, a log does not add up, or there is no log to infer them
        from.
    """
    if given is None and rewards and (logs or len(rewards) == 1) and all(adds_up(log, rewards) for log in logs):
        given = [1.0] * len(rewards)
    if isinstance(given, list | tuple) and len(given) == len(rewards) and None not in map(number, given):
        return dict(zip(rewards, map(float, given), strict=True))
    return None


def adds_up(log: Mapping[str, Any], rewards: Sequence[str]) -> bool:
    """Whether the total of a log is the sum of its parts, or it has not all of them."""
    whole, parts = number(log.get("reward")), [number(log.get(f"rewards/{name}/mean")) for name in rewards]
    if whole is None or None in parts:
        return True
    return isclose(fsum(numbers(parts)), whole, rel_tol=ADDS_UP, abs_tol=ADDS_UP)


def total(table: Table, row: int, rewards: Sequence[str], weights: Weights) -> float:
    """What a completion earned in all: its rewards times their weights, which are 1 where they are not given."""
    values = ((name, number(table[name][row])) for name in rewards if name in table)
    return fsum(weights.get(name, 1.0) * value for name, value in values if value is not None)


def number(cell: Any) -> float | None:
    """What a cell of a reward holds; ``None`` for what could not be scored, which a file has as NaN."""
    return float(cell) if isinstance(cell, int | float) and isfinite(cell) else None


def numbers(cells: Iterable[Any]) -> list[float]:
    """The numbers in some cells, without what could not be scored."""
    return [one for one in map(number, cells) if one is not None]


def by_prompt(table: Table) -> list[list[int]]:
    """The rows of each prompt of a table."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for row, prompt in enumerate(table["prompt"]):
        groups[str(prompt)].append(row)
    return [*groups.values()]


def zero_variance_groups(
    table: Table, rewards: Sequence[str], weights: Weights | None = None
) -> tuple[list[list[int]], int]:
    """(the groups of a table from which nothing is learnt, how many groups of several completions it has).

    From a group nothing is learnt if no reward differs in it, or if all its advantages are 0. Completions that
    no reward scored are ignored. Where only the totals are equal, the trainer may see a spread of float32, take it for
    a signal, and divide it by itself: such a group is found if the weights are known.

    Args:
        table: columns by name: ``prompt``, one for each reward, and ``advantage`` if there is one.
        rewards: the names of the rewards.
        weights: of each reward, if they are known.

    >>> rows = {"prompt": ["a", "a", "b", "b"], "right": [1.0, 1.0, 0.0, 1.0], "advantage": [1e-3, 1e-3, -0.7, 0.7]}
    >>> zero_variance_groups(rows, ["right"])
    ([[0, 1]], 2)
    """
    groups = [rows for rows in by_prompt(table) if len(rows) > 1]
    there = [name for name in rewards if name in table]
    known = weights if weights is not None and set(rewards) <= {*weights} & {*there} else None
    return [rows for rows in groups if _teaches_nothing(table, rows, there, known)], len(groups)


def zero_variance_share(table: Table, rewards: Sequence[str], weights: Weights | None = None) -> float | None:
    """The share of the zero-variance groups of a table; ``None`` where no prompt has two completions."""
    flat, groups = zero_variance_groups(table, rewards, weights)
    return len(flat) / groups if groups else None


def _teaches_nothing(table: Table, rows: Sequence[int], rewards: Sequence[str], weights: Weights | None) -> bool:
    values = {row: [number(table[name][row]) for name in rewards] for row in rows}
    scored = [row for row, its in values.items() if its != [None] * len(its)]
    if rewards and len({tuple(values[row]) for row in scored}) <= 1:
        return True
    advantages = [number(table["advantage"][row]) for row in rows] if "advantage" in table else []
    if advantages and not any(one is None or one for one in advantages):
        return True
    if weights is None or not scored or any(one is None or abs(one) > ROUNDED_ADVANTAGE for one in advantages):
        return False
    totals = [total(table, row, rewards, weights) for row in scored]
    return isclose(min(totals), max(totals), rel_tol=SAME_TOTAL, abs_tol=SAME_TOTAL)


def folded(text: str) -> str:
    """The text without what hides that two texts are the same: case, spaces, invisible characters."""
    return " ".join(visible(text).lower().split())


def candidates(text: str) -> int:
    """How many answers it offers: the different boxes, or the numbers of its longest list of numbers.

    A run of more digits than a number has is a list of numbers of two digits.

    >>> candidates(r"\\boxed{3} \\boxed{4}"), candidates("It is 15 or 16 or 17."), candidates("4 * 6 = 24")
    (2, 3, 1)
    >>> candidates("1415161718192021")
    8
    """
    lists = (len({*re.findall(OFFERED_NUMBER, found.group())}) for found in LISTED_NUMBERS.finditer(text))
    runs = (len({*re.findall(r"\d\d", found.group())}) for found in LONG_DIGITS.finditer(text))
    return max([1, len({*boxes(text)}), *lists, *runs])


def spoken_words(text: str) -> tuple[list[str], int]:
    """(its words of three letters or more, how many words and numbers it has), without markup."""
    text = MARKUP.sub(" ", text).lower()
    return LONG_WORDS.findall(text), len(LEXEMES.findall(text))


@dataclass(frozen=True)
class Contents:
    """The numbers of one table.

    Attributes:
        numbers: shares and means over the rows, by name.
        graded: the rewards whose golds the table has.
        predictions: how often each answer was given, by the first of these rewards.
        golds: how often each answer would have been right.
        words: how often each of the most frequent words was written, and under ``""`` how many words there are in all.
    """

    numbers: Mapping[str, float]
    graded: tuple[str, ...] = ()
    predictions: Counter[str] = field(default_factory=Counter)
    golds: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)


def contents_of(
    table: Table, rewards: Sequence[str], gold: Sequence[str] = (), weights: Weights | None = None
) -> Contents:
    """What a table holds.

    Args:
        table: columns by name: ``prompt``, ``completion``, one for each reward, ``advantage``, and those that rewards
            log, such as ``<name>/prediction``.
        rewards: the names of the rewards.
        gold: the names of those that compare with what is known to be right.
        weights: of each reward, if they are known.
    """
    some = {name: column[:ROWS_READ] for name, column in table.items()}  # of which the texts are read
    texts = [completion_text(one)[:CHARACTERS_READ] for one in some["completion"]]
    if not texts:
        return Contents({})
    # also of parts of composites, which log there as well
    with_golds = (name for name in some if name.endswith("/answer") and any(_present(some[name])))
    graded = tuple(name.removesuffix("/answer") for name in with_golds)
    answers = [*map(_gold, some[f"{graded[0]}/answer"])] if graded else [None] * len(texts)
    spoken = [*map(spoken_words, texts)]
    words = Counter(word for written, _ in spoken for word in written).most_common(WORDS_KEPT)
    size = sum(count for _, count in spoken)
    measured = {
        "rows": float(len(texts)),
        "words": size / len(texts),
        "empty": fmean(map(is_only_markup, texts)),
        "same text": fmean(_same_text(texts, some["prompt"], answers)),
        "candidates": fmean(map(candidates, texts)),
        **_uniform(table, rewards, [name for name in gold or graded if name in table] or rewards, weights),
    }
    predictions = _present(some.get(f"{graded[0]}/prediction", ())) if graded else ()
    return Contents(
        measured,
        graded,
        Counter(folded(str(one)) for one in predictions),
        Counter(answer for answer in answers if answer is not None),
        Counter({"": size, **dict(words)}),
    )


def _gold(cell: Any) -> str | None:
    text = gold_text(cell) if isinstance(cell, str) else None
    return None if text is None else folded(text)


def _present(values: Sequence[Any]) -> Iterator[Any]:
    return (value for value in values if value is not None and not (isinstance(value, float) and isnan(value)))


def _same_text(texts: Sequence[str], prompts: Sequence[Any], answers: Sequence[str | None]) -> list[bool]:
    """Which completions, other than empty ones, also answer another prompt, with another answer."""
    given_for: defaultdict[str, set[str]] = defaultdict(set)  # the answers that each text was given for
    spelled = [folded(text) for text in texts]
    for text, prompt, answer in zip(spelled, prompts, answers, strict=True):
        given_for[text].add(answer if answer is not None else str(prompt))
    return [not is_only_markup(text) and len(given_for[text]) > 1 for text in spelled]


def _uniform(table: Table, rewards: Sequence[str], judged: Sequence[str], weights: Weights | None) -> dict[str, float]:
    """The share of zero-variance groups, and of those in which all was right, all was wrong, or none was scored.

    Right is what earns more than 0 from every reward that judges it; where they gave no number, nothing is known of it.
    """
    flat, groups = zero_variance_groups(table, rewards, weights)
    if not groups:
        return {}
    given = [numbers(table[name][row] for name in judged if name in table for row in rows) for rows in flat]
    shares = {
        "all right": sum(bool(one) and min(one) > 0 for one in given),
        "all wrong": sum(bool(one) and max(one) <= 0 for one in given),
        "none scored": sum(not one for one in given),
    }
    return {"flat": len(flat) / groups, **{what: count / groups for what, count in shares.items()}}
