"""Clauses about what a reward declares: its range, reasons, columns, name and docstring."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from grpo_rewards.registry import RewardError, get_reward
from grpo_rewards.registry.errors import shown
from grpo_rewards.testing.case import Case, same
from grpo_rewards.testing.clause import CLAUSES, clause

__all__ = ["columns", "docstring", "name", "reasons", "stated_range", "unscorable"]


@clause("State the range that it has, range=(low, high), or keep to the one that is stated.")
def stated_range(case: Case) -> str | None:
    """Every reward is in the range that is stated, whatever the text."""
    stated = case.own.range if case.own else None
    if stated is None:
        return None
    low, high = stated
    if not low < high:
        return f"it states ({low}, {high})"
    for text, value in [*zip((row["completion"] for row in case.rows), case.values, strict=True), *_attacked(case)]:
        if value is not None and not low <= value <= high:
            return f"{shown(text)} earned {value!r}; it states ({low}, {high})"
    return None


def _attacked(case: Case) -> list[tuple[str, float | None]]:
    """(hostile text, what it earned)."""
    given = case.under_attack.items()
    return [(text, one.reward) for text, verdicts in given if isinstance(verdicts, list) for one in verdicts[:1]]


@clause("Return None, or Verdict(None, 'no_gold'), where a column that it reads is None: 0 would blame the model.")
def unscorable(case: Case) -> str | None:
    """A row without a value in a column that the reward reads cannot be scored: it is None."""
    is_whole = case.own is not None and not case.own.parts  # a sum goes on without a part
    for column in case.own.columns if case.own else case.columns:
        given = case.give([{**row, column: None} for row in case.rows])
        if is_whole and (values := [value for value in given if value is not None]):
            return f"with {column}=None it gave {values[0]!r}"
    return None


@clause("Name each reason in @reward(reasons=[…]): only the shares of those are logged in every call.")
def reasons(case: Case) -> str | None:
    """A verdict's reason is one that the reward states."""
    if case.own is None:
        return None
    rows = [*case.rows]
    if CLAUSES["unscorable"].breach(case) is None:  # else that clause reports it
        rows += [{**row, column: None} for column in case.own.columns for row in case.rows]
    scored = [(row["completion"], verdict) for row, verdict in zip(rows, case.verdicts(rows), strict=True)]
    attacked = [(text, one) for text, given in case.under_attack.items() if isinstance(given, list) for one in given]
    for text, verdict in (*scored, *attacked):
        if verdict.reason and verdict.reason not in case.own.reasons:
            return f"{shown(text)} has the reason {verdict.reason!r}; stated are {list(case.own.reasons)}"
    return None


@clause("Declare in 'columns' what is read and nothing else; of a function, these are its names before the star.")
def columns(case: Case) -> str | None:
    """The columns that it declares are those that it reads, and it reports one that is missing."""
    if case.own is None:
        return None
    passed = case.given(case.rows)
    read = {column for several in case.own.column_names.values() for column in several}
    declared = case.taken({name: value for name, value in passed.items() if name not in set(case.columns) - read})
    try:
        given = case.call(**declared)
    except Exception as error:  # noqa: BLE001  # foreign code: that it raises is what is looked for
        return f"without the columns that it does not declare it raised {type(error).__name__}: {error}"
    if not same(given, case.values):
        return "without the columns that it does not declare it gave other numbers"
    for column in case.own.columns:
        if not _is_missed(case, column):
            return f"without '{column}', which it declares, it raised no RewardError that names the column"
    return None


def _is_missed(case: Case, column: str) -> bool:
    """Whether a call without the column raises that it is missing."""
    try:
        case.call(**{name: value for name, value in case.taken(case.given(case.rows)).items() if name != column})
    except RewardError as error:
        return f"'{column}'" in str(error)
    except Exception:  # noqa: BLE001  # foreign code: a KeyError, for instance, does not explain what to do
        return False
    return False


@clause("Define it at the top level of a module, with options that are literals, and register it under its name.")
def name(case: Case) -> str | None:
    """It has a name, by which it is found again: as a spec, or by module and name."""
    if not isinstance(getattr(case.reward, "__name__", None), str):
        return "it has no __name__; the logs would have the name of its class"
    if case.own is None:
        is_object = not inspect.isroutine(case.reward)  # which is pickled itself
        return None if is_object or _is_at_path(case) else f"{_path(case)} does not lead to it"
    try:
        found = get_reward(repr(case.own))
    except RewardError as error:
        return None if _is_at_path(case) else f"the spec {case.own!r} does not lead to it: {error}"
    return None if found == case.own else f"the spec {case.own!r} is another reward"


def _path(case: Case) -> str:
    return f"{getattr(case.reward, '__module__', '?')}.{getattr(case.reward, '__qualname__', '?')}"


def _is_at_path(case: Case) -> bool:
    """Whether the reward is what its module has under its name."""
    try:
        found: Any = importlib.import_module(str(getattr(case.reward, "__module__", "")))
        for part in str(getattr(case.reward, "__qualname__", "")).split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError):
        return False
    return bool(found == case.reward)


@clause("Say in the first sentence what earns how much, and end it with a full stop.")
def docstring(case: Case) -> str | None:
    """The docstring opens with a sentence: what users are shown in a list of rewards."""
    has_its_own = case.own is not None or inspect.isroutine(case.reward)
    text = inspect.getdoc(case.reward if has_its_own else type(case.reward))
    first = (text or "").strip().partition("\n\n")[0]
    if not first:
        return "it has none"
    return None if "." in first or "。" in first else f"it opens with {shown(first)}"
