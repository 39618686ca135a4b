"""What was compared, how far it was apart, and what could not be compared."""

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from grpo_rewards.loss.trl_check.contract import ACCEPTED_TRL, TESTED_TRL, is_within

# By precision: the greatest difference that is no mismatch, relative to 1 or to the number if that is greater.
TOLERANCES = {torch.float64: 1e-12, torch.float32: 1e-6}


@dataclass(frozen=True)
class Difference:
    """How far TRL was from this package's number in one case.

    Attributes:
        kind: the row of the table: the loss type, ``advantages``, ``importance ratio``, or a part of a step.
        dtype: the precision.
        value: the difference of the numbers, relative to 1 or to this package's number if that is greater. Infinite
            where one is NaN, or something is there that must not be, or the other way round.
        gradient: the same of the gradients; ``None`` if there is none to compare.
        case: the settings, or what of which run it was.
        tolerance: the greatest difference that is no mismatch; ``None``: that of the precision.
        settings: those that are not at their default, by name.
    """

    kind: str
    dtype: torch.dtype
    value: float
    gradient: float | None
    case: str
    tolerance: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def allowed(self) -> float:
        """The greatest difference that is no mismatch."""
        return TOLERANCES[self.dtype] if self.tolerance is None else self.tolerance

    @property
    def largest(self) -> float:
        """The greater difference of the two."""
        return max(self.value, self.gradient or 0.0)

    @property
    def is_mismatch(self) -> bool:
        return self.largest > self.allowed


@dataclass
class Report:
    """What was compared.

    Attributes:
        differences: one for each case and precision that could be compared.
        failed: kind of case: why one could not be run by a TRL that is as it was tested, once for each such case.
        lacking: kind of case: the same of another TRL, of which nothing follows.
        changed: what of TRL is not as it was tested, in words by its name.
        left_out: what was not looked at, and why, or where it is.
        least: kind of case: how many comparisons there have to be.
        seconds: how long the comparison took.
        trl: the version of TRL.
        stop_at_first: whether to end as soon as something is wrong.
        on_case: called with what is compared next, and how much was.
    """

    differences: list[Difference] = field(default_factory=list)
    failed: dict[str, list[str]] = field(default_factory=dict)
    lacking: dict[str, list[str]] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    least: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    trl: str = ""
    stop_at_first: bool = False
    on_case: Callable[[str], None] | None = field(default=None, repr=False, compare=False)

    @property
    def mismatches(self) -> list[Difference]:
        """The comparisons that are beyond tolerance."""
        return [one for one in self.differences if one.is_mismatch]

    @property
    def is_wrong(self) -> bool:
        """Whether something failed or is beyond tolerance."""
        return bool(self.failed or self.mismatches)

    @property
    def stopped(self) -> bool:
        """Whether to compare no more."""
        return self.stop_at_first and self.is_wrong

    @property
    def is_supported(self) -> bool:
        """Whether this version of TRL is one that the recipes allow."""
        return is_within(self.trl, ACCEPTED_TRL)

    @property
    def is_known(self) -> bool:
        """Whether TRL is as it was tested, so that what cannot be run has failed."""
        return is_within(self.trl, TESTED_TRL) and not self.changed

    @property
    def short(self) -> dict[str, tuple[int, int]]:
        """Kind of case: how many comparisons there were, and how many there have to be, where that is more."""
        if self.stopped or not self.is_known:
            return {}
        found = Counter(one.kind for one in self.differences)
        return {kind: (found[kind], least) for kind, least in self.least.items() if found[kind] < least}

    @property
    def status(self) -> Literal["agrees", "wrong", "unknown"]:
        """``unknown`` where nothing is wrong, but something, or all, could not be compared."""
        if self.is_wrong or self.short:
            return "wrong"
        return "unknown" if self.changed or self.lacking or not self.differences else "agrees"

    @property
    def passed(self) -> bool:
        """Whether all that must be compared was, and agreed."""
        return self.status == "agrees"

    @contextlib.contextmanager
    def failing(self, kind: str, case: object = "") -> Iterator[None]:
        """Takes whatever is raised within it for a failure of a kind of case, so that the other cases are compared."""
        if self.on_case is not None:
            self.on_case(f"{kind}: {len(self.differences):,} comparisons so far")
        try:
            yield
        # a changed TRL may raise anything, and where it leaves Python the check must not exit with 0
        except (Exception, SystemExit) as error:  # noqa: BLE001
            where = f" in {case}" if case else ""
            errors = self.failed if self.is_known else self.lacking
            errors.setdefault(kind, []).append(f"{type(error).__name__}: {error}{where}")

    def largest(self, kind: str, dtype: torch.dtype) -> dict[str, float | None]:
        """Returns how many cases were ``compared``, the largest ``value`` and ``gradient``, and what is ``allowed``.

        A difference is ``None`` where there is none to compare.
        """
        found = [one for one in self.differences if one.kind == kind and one.dtype == dtype]
        gradients = [one.gradient for one in found if one.gradient is not None]
        value = max((one.value for one in found), default=None)
        allowed = max((one.allowed for one in found), default=TOLERANCES[dtype])
        return {"compared": len(found), "value": value, "gradient": max(gradients, default=None), "allowed": allowed}

    def mismatch_lines(self) -> list[str]:
        """Returns a line for each kind with a mismatch: how many, how far, under which settings, and the worst one."""
        lines = []
        for kind in kinds(self):
            of_kind = [one for one in self.differences if one.kind == kind]
            wrong = [one for one in of_kind if one.is_mismatch]
            if not wrong:
                continue
            right = [one for one in of_kind if not one.is_mismatch]
            worst = max(wrong, key=lambda one: one.largest / one.allowed)
            gradient = "" if worst.gradient is None else f", gradient {worst.gradient:.3g}"
            lines.append(
                f"{kind}: {len(wrong):,} of {len(of_kind):,} beyond tolerance{_under(wrong, right)}; the "
                f"largest by {worst.dtype}: value {worst.value:.3g}{gradient} in {worst.case}"
            )
        return lines


def _under(wrong: list[Difference], right: list[Difference]) -> str:
    """Returns in words the settings that all mismatches have, and not all other cases."""
    if not right:
        return ""
    of_wrong, of_right = (
        [{f"{name}={value!r}" for name, value in one.settings.items()} for one in some] for some in (wrong, right)
    )
    shared = of_wrong[0].intersection(*of_wrong) - of_right[0].intersection(*of_right)
    if not shared:
        return ""
    which, end = ("some", "") if any(shared <= one for one in of_right) else ("all", " and no other")
    return f", {which} of those with {', '.join(sorted(shared))}{end}"


def kinds(report: Report) -> Iterator[str]:
    """Yields the kinds of cases, those that nothing must be known of last."""
    found = (one.kind for one in report.differences)
    yield from dict.fromkeys([*report.least, *found, *report.failed, *report.lacking])


class Finding(NamedTuple):
    """One number of a run that is not what it must be.

    Attributes:
        name: of the tensor.
        found: what TRL has; ``expected``: what must be there.
        at: the completion, and the token in it; empty if it is of no single one.
        excess: by how many times the tolerance it is off; infinity where there is none, for what is counted or named.
    """

    name: str
    found: Any
    expected: Any
    at: tuple[int, ...] = ()
    excess: float = math.inf

    def __str__(self) -> str:
        place = "".join(f"{what} {at}" for what, at in zip((" at completion", ", token"), self.at, strict=False))
        found, expected = (f"{one:.9g}" if isinstance(one, float) else one for one in (self.found, self.expected))
        return f"{self.name}{place}: TRL has {found}, {expected} was expected"


def excess(one: Tensor, other: Tensor, tolerance: Tensor | float) -> Tensor:
    """Returns by how many times the tolerance two tensors differ, element by element; infinity where one is NaN.

    Where neither is finite they do not differ.
    """
    one, other = one.detach().cpu().double(), other.detach().cpu().double()
    same = (one == other) | ~(one.isfinite() | other.isfinite())
    apart = (one - other).abs() / torch.as_tensor(tolerance).cpu()
    return apart.nan_to_num(nan=math.inf, posinf=math.inf).masked_fill(same, 0.0)


def first_difference(name: str, found: Tensor, expected: Tensor, tolerance: Tensor | float = 0.0) -> list[Finding]:
    """Returns the first element that is off by more than the tolerance, or the shapes, or nothing."""
    if found.shape != expected.shape:
        return [Finding(name, f"the shape {list(found.shape)}", f"{list(expected.shape)}")]
    beyond = excess(found, expected, tolerance)
    places = (beyond > 1).nonzero().tolist()
    if not places:
        return []
    at = tuple(places[0])
    return [Finding(name, float(found[at]), float(expected[at]), at, float(beyond.max()))]


def difference(one: Tensor, other: Tensor) -> float:
    """Returns the largest |a - b| / max(1, |b|); infinity for other shapes, and where one alone is not finite."""
    if one.shape != other.shape:
        return math.inf
    return float(excess(one, other, other.detach().abs().clamp(min=1)).max()) if one.numel() else 0.0
