"""Tables of rows: where they lie, and how a test runs over one.

A table of more than a few rows lies in a TOML file beside the test that reads it (``test_units.toml`` for
``test_units.py``), a row a line; what is short, or no plain data, stands in the test. Either is one test for each kind
of row, and its failure lists every wrong row with what was seen.

    TABLES = tables_beside(__file__)

    @each_row("prediction, gold", TABLES["equal"])
    def test_what_is_equal(prediction, gold): ...
"""

import functools
import inspect
import re
import tomllib
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from grpo_rewards import RewardError

__all__ = ["each_row", "each_row_by_kind", "refused", "tables_beside"]

PARAMETERS = type(pytest.param())  # rows may be made by pytest.param
SKIPPED = "skipped"
PASSED_LIMIT = "Timeout (>"  # how the failure of pytest-timeout begins, whose alarm rings once for all rows
Test = Callable[..., None]


def tables_beside(test_file: str) -> dict[str, Any]:
    """The tables of the TOML file beside a test file, by name."""
    return tomllib.loads(Path(test_file).with_suffix(".toml").read_text(encoding="utf-8"))


def refused(said: str) -> Any:
    """Within it a RewardError must be raised, in whose message this stands."""
    return pytest.raises(RewardError, match=re.escape(said))


def each_row(names: str, rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Runs one test over every row of a table, where ``pytest.mark.parametrize`` would make a test of each.

    Args:
        names: the parameters that a row gives, with commas between them. With one name, a row is its value; a row that
            is shorter leaves ``None`` to the last ones.
        rows: the rows. Fixtures are those of the one test, so that a row sees what the row before did to them.

    Raises:
        ValueError: if there is no row, or one has more values than there are ``names`` or is no list.
    """
    fields = [name.strip() for name in names.split(",")]
    values = [dict(zip(fields, _values(row, len(fields)), strict=True)) for row in rows]
    if not values:
        raise ValueError("a table without rows tests nothing")

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def over_all_rows(**fixtures: Any) -> None:
            wrong = [seen for row in values if (seen := _failure(test, row, fixtures)) is not None]
            if len(wrong) == wrong.count(SKIPPED) == len(values):
                pytest.skip("each row skips")
            if wrong := [seen for seen in wrong if seen != SKIPPED]:
                pytest.fail(f"{len(wrong)} of {len(values)} rows:\n" + "\n".join(wrong), pytrace=False)

        parameters = inspect.signature(test).parameters
        others = [one for name, one in parameters.items() if name not in fields]
        over_all_rows.__signature__ = inspect.Signature(others)  # type: ignore[attr-defined]
        return over_all_rows

    return decorate


def each_row_by_kind(names: str, tables: Mapping[str, Iterable[Any]]) -> Callable[[Test], Test]:
    """``each_row`` for each of several tables: one test for each kind, whose name is in the test's."""
    rows = {kind: list(of_kind) for kind, of_kind in tables.items()}

    def decorate(test: Test) -> Test:
        by_kind = {kind: each_row(names, of_kind)(test) for kind, of_kind in rows.items()}
        others = inspect.signature(next(iter(by_kind.values()))).parameters.values()

        @functools.wraps(test)
        def over_the_rows_of_a_kind(kind: str, **fixtures: Any) -> None:
            by_kind[kind](**fixtures)

        kind = inspect.Parameter("kind", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        over_the_rows_of_a_kind.__signature__ = inspect.Signature([kind, *others])  # type: ignore[attr-defined]
        return pytest.mark.parametrize("kind", list(by_kind))(over_the_rows_of_a_kind)

    return decorate


def _values(row: Any, most: int) -> tuple[Any, ...]:
    values = row.values if isinstance(row, PARAMETERS) else (row,) if most == 1 else tuple(row)
    if most > 1 and isinstance(row, str | Mapping):
        raise ValueError(f"a row of {most} names is a list of values, not {row!r}")
    if len(values) > most:
        raise ValueError(f"a row has {len(values)} values for {most} names: {row!r}")
    return (*values, *[None] * (most - len(values)))


def _failure(test: Test, row: dict[str, Any], fixtures: dict[str, Any]) -> str | None:
    """A row with what went wrong in it; ``None`` if nothing did, ``SKIPPED`` if the row cannot be tested here."""
    try:
        test(**row, **fixtures)
    except pytest.skip.Exception:
        return SKIPPED
    except (Exception, SystemExit, pytest.fail.Exception) as error:
        shown = ", ".join(f"{name}={value!r}" for name, value in row.items())
        if isinstance(error, pytest.exit.Exception) or str(error).startswith(PASSED_LIMIT):
            error.add_note(f"in the row {shown}")
            raise
        kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
        *_, last = traceback.extract_tb(error.__traceback__)
        return f"- {shown}\n    {kind}{str(error).strip() or last.line} ({Path(last.filename).name}:{last.lineno})"
    return None
