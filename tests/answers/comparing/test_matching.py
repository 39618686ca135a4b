"""Items of sets in pairs: what the table decides, which cells would decide it, and which of these come first."""

from __future__ import annotations

import itertools

import pytest
from tables import each_row

from grpo_rewards.answers import SymbolicLimits, compare
from grpo_rewards.answers.comparing.equality import likeliest_first, match
from grpo_rewards.answers.symbolic import pool, schedule

Y, N, U = True, False, None


@each_row(
    "table, found, cells",
    [
        ([], True, []),
        ([[Y]], True, []),
        ([[N]], False, []),
        ([[U]], None, [(0, 0)]),
        ([[Y, U], [U, U]], None, [(1, 1)]),  # the first has found its partner
        ([[U, U], [U, Y]], None, [(0, 0)]),
        ([[Y, N], [N, Y]], True, []),
        ([[N, Y], [Y, N]], True, []),
        ([[N, N], [U, U]], False, []),  # an item that differs from all
        ([[N, U], [N, U]], False, []),
        ([[U, U], [U, U]], None, [(0, 0), (0, 1), (1, 0), (1, 1)]),
        ([[Y, N], [Y, N]], False, []),
        ([[Y, U], [Y, N]], None, [(0, 1)]),  # the partner of both could be left to the second
        ([[Y, N, U], [Y, N, N], [U, Y, U]], None, [(0, 2), (2, 0), (2, 2)]),
    ],
)
def test_tables(table: list[list[bool | None]], found: bool | None, cells: list[tuple[int, int]]) -> None:
    assert match(table) == (found, cells)


def matchable(table: list[list[bool]]) -> bool:
    return any(all(table[i][j] for i, j in enumerate(order)) for order in itertools.permutations(range(len(table))))


def test_what_is_stated_holds_whatever_the_undecided_cells_turn_out_to_be() -> None:
    sides = list(itertools.product("ab", repeat=3))
    for ours, theirs in itertools.product(sides, sides):
        table = [[one == other for other in theirs] for one in ours]
        assert match(table) == (matchable(table), [])
        for hidden in itertools.combinations(range(9), 3):
            partly = [
                [None if 3 * i + j in hidden else cell for j, cell in enumerate(line)] for i, line in enumerate(table)
            ]
            found, cells = match(partly)
            assert found in (None, matchable(table))
            assert (found is None) == bool(cells)


TRIPLE = (r"\int_0^1 x^2 dx", r"\int_0^1 \sin x dx", r"\int_2^3 \ln x dx")


@each_row(
    "said, order",
    [
        ((r"\int_0^1 t^2 dt", r"\int_0^1 \sin t dt", r"\int_2^3 \ln t dt"), (0, 1, 2)),
        ((r"\int_2^3 \ln t dt", r"\int_0^1 t^2 dt", r"\int_0^1 \sin t dt"), (1, 2, 0)),
        ((r"\int_0^1 \sin t dt", r"\int_2^3 \ln t dt", r"\int_0^1 t^2 dt"), (2, 0, 1)),
        (("a", "b", "c"), (0, 1, 2)),  # nothing is alike: at the same places
    ],
)
def test_what_looks_alike_comes_first(said: tuple[str, ...], order: tuple[int, ...]) -> None:
    pairs = [(i, j, (gold, one)) for i, gold in enumerate(TRIPLE) for j, one in enumerate(said)]
    first = likeliest_first(pairs)[:3]
    assert set(first) == {(TRIPLE[i], said[j]) for i, j in enumerate(order)}
    assert len(likeliest_first(pairs)) == 9


def test_a_set_of_integrals_in_another_order_needs_as_many_comparisons_as_it_has_items(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, str]] = []

    def compare_in_time(pairs: list[tuple[str, str]], **_: object) -> list[pool.Found]:
        asked.extend(pairs)
        return [pool.Found("equal") for _ in pairs]

    monkeypatch.setattr(pool, "compare_in_time", compare_in_time)
    monkeypatch.setattr(pool, "start", lambda: None)
    schedule.forget()
    gold = rf"\{{{', '.join(TRIPLE)}\}}"
    said = r"\{\int_2^3 \ln t dt, \int_0^1 t^2 dt, \int_0^1 \sin t dt\}"
    assert compare(said, gold, limits=SymbolicLimits(workers=1))[:2] == ("correct", "symbolic")
    schedule.forget()
    assert len(asked) == 3
    assert all(sign in gold and sign in one for sign, (gold, one) in zip(("^{2}", "sin", "ln"), asked, strict=True))
