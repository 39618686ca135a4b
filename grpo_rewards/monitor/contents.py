"""What a table of completions holds, as TRL writes one for each logged step, in numbers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from statistics import fmean
from typing import Any

from grpo_rewards.answers.golds import gold_text
from grpo_rewards.completion.boxes import last_box
from grpo_rewards.completion.text import as_messages, completion_text
from grpo_rewards.completion_tables import Table
from grpo_rewards.monitor.groups import by_prompt, zero_variance_groups
from grpo_rewards.monitor.texts import (
    are_at_odds,
    candidates,
    copied_share,
    folded,
    has_bare_tags,
    is_empty,
    padded_share,
    spoken_words,
)

__all__ = ["Contents", "contents_of"]

ROWS_READ = 512  # completions of a table that are looked at
BOXES_COMPARED = 4  # different ones of a group, with its first
PADDING_ROWS = 64  # and that are searched for padding, which takes longer
WORDS_KEPT = 200  # the most frequent ones of a table


@dataclass(frozen=True)
class Contents:
    """The numbers of one table.

    Attributes:
        numbers: shares and means over the rows, by name.
        graded: the rewards whose golds the table has.
        predictions: how often each answer was given, by the first of these rewards.
        golds: how often each answer would have been right.
        words: how often each of the most frequent words was written.
    """

    numbers: Mapping[str, float]
    graded: tuple[str, ...] = ()
    predictions: Counter[str] = field(default_factory=Counter)
    golds: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)


def contents_of(
    table: Table, rewards: Sequence[str], gold: Sequence[str] = (), weights: Mapping[str, float] | None = None
) -> Contents:
    """What a table holds.

    Args:
        table: columns by name: ``prompt``, ``completion``, one for each reward, ``advantage``, and those that rewards
            log, such as ``<name>/prediction``.
        rewards: the names of the rewards.
        gold: the names of those that compare with what is known to be right.
        weights: of each reward, if they are known.
    """
    texts = [completion_text(one) for one in table["completion"][:ROWS_READ]]
    prompts = [_prompt_text(one) for one in table["prompt"][:ROWS_READ]]
    if not texts:
        return Contents({})
    graded = tuple(name for name in rewards if any(_present(table.get(f"{name}/answer", ()))))
    answers = [*map(_gold, table[f"{graded[0]}/answer"][:ROWS_READ])] if graded else [None] * len(texts)
    spoken = [*map(spoken_words, texts)]
    words = Counter(word for written, _ in spoken for word in written)
    marked = {
        "empty": [*map(is_empty, texts)],
        "bare tags": [*map(has_bare_tags, texts)],
        "same text": _same_text(texts, prompts, answers),
    }
    numbers = {
        "rows": float(len(texts)),
        "words": fmean(count for _, count in spoken),
        **{measure: fmean(map(float, rows)) for measure, rows in marked.items()},
        "candidates": fmean(map(candidates, texts)),
        "copied": fmean(map(copied_share, prompts, texts)),
        "padded": fmean(map(padded_share, texts[:: max(len(texts) // PADDING_ROWS, 1)])),
        **_given(table, rewards),
        **_more_for(marked, table, rewards),
        **_in_full(table, gold or graded),
        **_rewarded_at_odds(table, gold or graded, texts),
        **_uniform(table, rewards, [*(gold or graded or rewards)], weights),
    }
    predictions = _present(table.get(f"{graded[0]}/prediction", ())[:ROWS_READ]) if graded else ()
    return Contents(
        numbers,
        graded,
        Counter(folded(str(one)) for one in predictions),
        Counter(answer for answer in answers if answer is not None),
        Counter(dict(words.most_common(WORDS_KEPT))),
    )


def _prompt_text(prompt: Any) -> str:
    """All text of a prompt."""
    if isinstance(prompt, str):
        return prompt
    messages = [{**message, "role": "assistant"} for message in as_messages(prompt)]
    return "\n".join(completion_text([message]) for message in messages)


def _gold(cell: Any) -> str | None:
    text = gold_text(cell) if isinstance(cell, str) else None
    return None if text is None else folded(text)


def _present(values: Sequence[Any]) -> Iterator[Any]:
    return (value for value in values if value is not None and not (isinstance(value, float) and isnan(value)))


def _same_text(texts: Sequence[str], prompts: Sequence[str], answers: Sequence[str | None]) -> list[bool]:
    """Which completions, other than empty ones, also answer another prompt, with another answer."""
    given_for: defaultdict[str, set[str]] = defaultdict(set)  # the answers that each text was given for
    spelled = [folded(text) for text in texts]
    for text, prompt, answer in zip(spelled, prompts, answers, strict=True):
        given_for[text].add(answer if answer is not None else prompt)
    return [not is_empty(text) and len(given_for[text]) > 1 for text in spelled]


def _given(table: Table, rewards: Sequence[str]) -> dict[str, float]:
    """For each reward the share of completions that it gave no number, and the least and the most that it gave."""
    found = {}
    for name in rewards:
        values = list(table.get(name, ())[:ROWS_READ])
        given = [*_present(values)]
        if values:
            found[f"unscored/{name}"] = 1 - len(given) / len(values)
        if given:
            found[f"least/{name}"], found[f"most/{name}"] = float(min(given)), float(max(given))
    return found


def _more_for(marked: Mapping[str, Sequence[bool]], table: Table, rewards: Sequence[str]) -> dict[str, float]:
    """For each mark of a completion and each reward: by how much more it gave those with it than the others."""
    found = {}
    for name in (one for one in rewards if one in table):
        for measure, rows in marked.items():
            values = [*zip(table[name][:ROWS_READ], rows, strict=True)]
            these, others = ([*_present([one for one, its in values if its is on])] for on in (True, False))
            if these and others:
                found[f"more for {measure}/{name}"] = fmean(these) - fmean(others)
    return found


def _in_full(table: Table, gold: Sequence[str]) -> dict[str, float]:
    """For each reward the share of completions that got the most that it gave, and of those that also got nothing from
    another one.
    """
    found = {}
    values = {name: table[name][:ROWS_READ] for name in gold if name in table}
    for name, its in values.items():
        most = max(_present(its), default=0.0)
        if most <= 0:
            continue
        full = [one == most for one in its]
        found[f"in full/{name}"] = fmean(map(float, full))
        for other, theirs in values.items():
            nothing = [is_full and one is not None and one <= 0 for is_full, one in zip(full, theirs, strict=True)]
            found[f"in full/{name}, nothing/{other}"] = fmean(map(float, nothing))
    return found


def _rewarded_at_odds(table: Table, gold: Sequence[str], texts: Sequence[str]) -> dict[str, float]:
    """For each reward the share of groups in which the most that it gave went to boxes that cannot all be right.

    Only groups count in which it went to two boxes; a reward without such a group is left out.
    """
    found = {}
    last_boxes = [last_box(text) for text in texts]
    groups = [[row for row in rows if row < len(last_boxes)] for rows in by_prompt(table)]
    for name in (one for one in gold if one in table):
        values = table[name][:ROWS_READ]
        most = max(_present(values), default=0.0)
        rewarded = [[box for row in rows if values[row] == most and (box := last_boxes[row])] for rows in groups]
        judged = [_has_odds(boxes) for boxes in rewarded if len(boxes) > 1]
        if most > 0 and judged:
            found[f"rewarded at odds/{name}"] = fmean(map(float, judged))
    return found


def _has_odds(boxes: Sequence[str]) -> bool:
    first, *others = dict.fromkeys(boxes)
    return any(are_at_odds(first, other) for other in others[:BOXES_COMPARED])


def _uniform(
    table: Table, rewards: Sequence[str], judged: Sequence[str], weights: Mapping[str, float] | None
) -> dict[str, float]:
    """The share of zero-variance groups, and of those in which all was right, all was wrong, or none was scored.

    Right is what earns more than 0 from every reward that judges it; where they gave no number, nothing is known of it.
    """
    flat, groups = zero_variance_groups(table, rewards, weights)
    if not groups:
        return {}
    given = [[*_present([table[name][row] for name in judged if name in table for row in rows])] for rows in flat]
    shares = {
        "all right": sum(bool(one) and min(one) > 0 for one in given),
        "all wrong": sum(bool(one) and max(one) <= 0 for one in given),
        "none scored": sum(not one for one in given),
    }
    return {"flat": len(flat) / groups, **{what: count / groups for what, count in shares.items()}}
