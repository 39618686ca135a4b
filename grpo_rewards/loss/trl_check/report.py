"""What was compared, how far it was apart, and what could not be compared."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import torch
from torch import Tensor

from grpo_rewards.loss.trl_check.support import is_supported

__all__ = ["TOLERANCES", "Difference", "Report", "difference", "kinds"]

# By precision: the greatest difference that is no mismatch, relative to 1 or to the number if that is greater.
TOLERANCES = {torch.float64: 1e-12, torch.float32: 1e-6}


@dataclass(frozen=True)
class Difference:
    """How far TRL was from this package's number in one case.

    Attributes:
        kind: the row of the table: the loss type, ``advantages``, ``importance ratio``, or a part of a step.
        dtype: the precision.
        value: the difference of the numbers, relative to 1 or to this package's number if that is greater. Infinite
            where something is there that must not be, or the other way round.
        gradient: the same of the gradients; ``None`` if there is none to compare.
        case: the settings, or what of which run it was.
        tolerance: the greatest difference that is no mismatch; ``None``: that of the precision.
    """

    kind: str
    dtype: torch.dtype
    value: float
    gradient: float | None
    case: str
    tolerance: float | None = None

    @property
    def allowed(self) -> float:
        """The greatest difference that is no mismatch."""
        return TOLERANCES[self.dtype] if self.tolerance is None else self.tolerance

    @property
    def is_mismatch(self) -> bool:
        # not ">", which is False for NaN
        return not max(self.value, self.gradient or 0.0, key=nan_last) <= self.allowed


@dataclass
class Report:
    """What was compared.

    Attributes:
        differences: one for each case and precision that could be compared.
        failed: kind of case: why one could not be run though TRL has all that it needs, once for each such case.
        lacking: kind of case: what this TRL does not have, once for each such case. Empty for a TRL that is supported.
        left_out: part of a step: why it was not looked at, such as a package that is not installed.
        least: kind of case: how many comparisons there have to be.
        seconds: how long the comparison took.
        trl: the version of TRL.
        on_case: called with what is compared next, and how much was.
    """

    differences: list[Difference] = field(default_factory=list)
    failed: dict[str, list[str]] = field(default_factory=dict)
    lacking: dict[str, list[str]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    least: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    trl: str = ""
    on_case: Callable[[str], None] | None = field(default=None, repr=False, compare=False)
    _looked_at: int = field(default=0, init=False, repr=False)
    _mismatched: bool = field(default=False, init=False, repr=False)

    @property
    def mismatches(self) -> list[Difference]:
        """The comparisons that are beyond tolerance."""
        return [one for one in self.differences if one.is_mismatch]

    @property
    def is_wrong(self) -> bool:
        """Whether something failed or is beyond tolerance; looks only at what was added since the last call."""
        self._mismatched = self._mismatched or any(one.is_mismatch for one in self.differences[self._looked_at :])
        self._looked_at = len(self.differences)
        return bool(self.failed) or self._mismatched

    @property
    def short(self) -> dict[str, tuple[int, int]]:
        """Kind of case: how many comparisons there were, and how many there have to be, where that is more."""
        found = {kind: sum(one.kind == kind for one in self.differences) for kind in self.least}
        # what is lacking need not be compared
        wanted = {kind: least - len(self.lacking.get(kind, ())) for kind, least in self.least.items()}
        return {kind: (found[kind], wanted[kind]) for kind in self.least if found[kind] < wanted[kind]}

    @property
    def passed(self) -> bool:
        """Whether something was compared, all that must be was, and all of it agreed."""
        return bool(self.differences) and not (self.mismatches or self.failed or self.short)

    @property
    def is_supported(self) -> bool:
        """Whether this version of TRL is one for which nothing may be left out."""
        return is_supported(self.trl)

    @contextlib.contextmanager
    def failing(
        self, kind: str, case: object = "", find_lacking: Callable[[BaseException], str | None] | None = None
    ) -> Iterator[None]:
        """Takes whatever is raised within it for a failure of a kind of case, so that the other cases are compared.

        Args:
            kind: under which it is named.
            case: that was compared, if its kind does not name it.
            find_lacking: returns what an unsupported TRL does not have, by what was raised; ``None``: it has all.
        """
        if self.on_case is not None:
            self.on_case(f"{kind}: {len(self.differences):,} comparisons so far")
        try:
            yield
        # a changed TRL may raise anything, and where it leaves Python the check must not exit with 0
        except (Exception, SystemExit) as error:  # noqa: BLE001
            lacking = find_lacking(error) if find_lacking is not None and not self.is_supported else None
            where = f" in {case}" if case else ""
            message = f"{type(error).__name__}: {error}{where}" if lacking is None else lacking
            (self.failed if lacking is None else self.lacking).setdefault(kind, []).append(message)

    def allowed(self, kind: str, dtype: torch.dtype) -> float:
        """Returns the greatest difference of a kind that is no mismatch."""
        found = (one.allowed for one in self.differences if one.kind == kind and one.dtype == dtype)
        return max(found, default=TOLERANCES[dtype])

    def largest(self, kind: str, dtype: torch.dtype) -> tuple[int, float | None, float | None]:
        """Returns how many cases there were, and the largest difference of values and of gradients, ``None``: none."""
        found = [one for one in self.differences if one.kind == kind and one.dtype == dtype]
        gradients = [one.gradient for one in found if one.gradient is not None]
        value = max((one.value for one in found), key=nan_last, default=None)
        return len(found), value, max(gradients, key=nan_last, default=None)


def kinds(report: Report) -> Iterator[str]:
    """Yields the kinds of cases, those that nothing must be known of last."""
    found = (one.kind for one in report.differences)
    yield from dict.fromkeys([*report.least, *found, *report.failed, *report.lacking])


def difference(one: Tensor, other: Tensor) -> float:
    """Returns the largest |a - b| / max(1, |b|). NaN in both is equal; NaN in one, or other shapes, makes it NaN."""
    if one.shape != other.shape:
        return float("nan")
    both = one.isnan() & other.isnan()
    apart = ((one - other).abs() / other.abs().clamp(min=1)).masked_fill(both, 0.0)
    return float(apart.max()) if apart.numel() else 0.0


def nan_last(number: float) -> tuple[bool, float]:
    """A key to sort by, with NaN after every number."""
    return number != number, number
