"""Items of sets in pairs: what the table decides, which cells would decide it, and which of these come first."""

from __future__ import annotations

import itertools

from tables import each_row

from grpo_rewards.answers.comparing.equality import match

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
