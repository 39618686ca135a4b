"""The weights of a run's rewards, as far as its files show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, isfinite
from typing import Any

__all__ = ["adds_up", "given_weights", "logged_weights", "number", "total"]

ADDS_UP = 1e-4  # between a total that the log has and the sum of its parts, in float32
WEIGHT_DIGITS = 3  # to which weights are rounded that were fitted to a log


def given_weights(given: Any, rewards: Sequence[str]) -> dict[str, float] | None:
    """The weight of each reward as it was given, in their order; ``None`` if that is not one number for each."""
    if isinstance(given, list | tuple) and len(given) == len(rewards) and None not in map(number, given):
        return dict(zip(rewards, map(float, given), strict=True))
    return None


def logged_weights(logs: Sequence[Mapping[str, Any]], rewards: Sequence[str]) -> dict[str, float] | None:
    """The weights with which every logged total is the sum of its parts.

    They are 1 if that fits, and that of an only reward is 1 without a log. Else those that fit best are tried, to
    three digits, if there are more logged steps than rewards and no other weights would fit as well.

    Returns:
        By reward, or ``None`` where there are no such weights, as with rewards that left out rows, or no log.
    """
    sums = [sum_of for log in logs if (sum_of := _sum_of(log, rewards))]
    if not rewards or not (sums or len(rewards) == 1):
        return None
    if _fit(sums, [1.0] * len(rewards)):
        return dict.fromkeys(rewards, 1.0)
    fitted = _fitted(sums, len(rewards))
    return dict(zip(rewards, fitted, strict=True)) if fitted and _fit(sums, fitted) else None


def adds_up(log: Mapping[str, Any], rewards: Sequence[str]) -> bool:
    """Whether the total of a log is the sum of its parts, as far as it has all of them."""
    sum_of = _sum_of(log, rewards)
    return sum_of is None or _fit([sum_of], [1.0] * len(rewards))


def total(table: Mapping[str, Sequence[Any]], row: int, rewards: Sequence[str], weights: Mapping[str, float]) -> float:
    """What a completion earned in all: its rewards times their weights, which are 1 where they are not given."""
    values = ((name, number(table[name][row])) for name in rewards if name in table)
    return fsum(weights.get(name, 1.0) * value for name, value in values if value is not None)


def number(cell: Any) -> float | None:
    """What a cell of a reward holds; ``None`` for what could not be scored, which a file has as NaN."""
    return float(cell) if isinstance(cell, int | float) and isfinite(cell) else None


def _sum_of(log: Mapping[str, Any], rewards: Sequence[str]) -> tuple[list[float], float] | None:
    """(parts, total) of a logged step that has all of them."""
    numbers = [number(log.get(name)) for name in (*(f"rewards/{name}/mean" for name in rewards), "reward")]
    known = [one for one in numbers if one is not None]
    return (known[:-1], known[-1]) if len(known) == len(numbers) else None


def _fit(sums: Sequence[tuple[list[float], float]], weights: Sequence[float]) -> bool:
    return all(
        abs(sum(weight * part for weight, part in zip(weights, parts, strict=True)) - whole)
        <= ADDS_UP * max(1.0, abs(whole))
        for parts, whole in sums
    )


def _fitted(sums: Sequence[tuple[list[float], float]], size: int) -> list[float] | None:
    if len(sums) <= size:
        return None
    import numpy

    parts, wholes = (numpy.array(its) for its in zip(*sums, strict=True))
    found, _, rank, singular = numpy.linalg.lstsq(parts, wholes, rcond=None)
    # parts that hardly vary, or vary together, fit with many weights
    if rank < size or singular[-1] < 10 * ADDS_UP:
        return None
    return [float(f"{one:.{WEIGHT_DIGITS}g}") for one in found.tolist()]
