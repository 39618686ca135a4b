"""Pairs what was found with what was wanted, each with at most one other, so that the points are most."""

from collections.abc import Sequence
from math import inf


def best_pairing(points: Sequence[Sequence[float]]) -> float:
    """The largest sum of ``points[i][j]`` over pairs (i, j) in which no row and no column comes twice.

    All rows are paired if there are not more of them than columns, else all columns: so points may be negative.

    Source: the Hungarian method with potentials (Kuhn 1955; Jonker and Volgenant 1987), which takes a time that grows
    with rows² · columns, so callers bound both.

    >>> best_pairing([[0.9, 1.0], [0.1, 0.9]]), best_pairing([[0.2, 0.5, 0.4]]), best_pairing([])
    (1.8, 0.5, 0.0)
    """
    if not points or not points[0]:
        return 0.0
    if len(points) > len(points[0]):
        return best_pairing([*zip(*points, strict=True)])
    of_row, of_column = [0.0] * (len(points) + 1), [0.0] * (len(points[0]) + 1)
    partner = [0] * len(of_column)  # the row, counted from 1, of each column, counted from 1

    def add_row(row: int) -> None:
        """Gives one more row a partner along the cheapest path; a pair costs the negative of its points."""
        columns = len(partner)
        partner[0], at = row, 0
        least, came_from, is_done = [inf] * columns, [0] * columns, [False] * columns
        while partner[at]:
            is_done[at] = True
            one, step, onward = partner[at], inf, 0
            for j in range(1, columns):
                if is_done[j]:
                    continue
                cost = -points[one - 1][j - 1] - of_row[one] - of_column[j]
                if cost < least[j]:
                    least[j], came_from[j] = cost, at
                if least[j] < step:
                    step, onward = least[j], j
            for j in range(columns):
                if is_done[j]:
                    of_row[partner[j]] += step
                    of_column[j] -= step
                else:
                    least[j] -= step
            at = onward
        while at:
            partner[at] = partner[came_from[at]]
            at = came_from[at]

    for row in range(1, len(of_row)):
        add_row(row)
    return sum(points[row - 1][at] for at, row in enumerate(partner[1:]) if row)


def best_pairing_in_order(points: Sequence[Sequence[float]]) -> float:
    """The largest sum of ``points[i][j]``, none negative, over pairs of which both indices rise from pair to pair.

    >>> best_pairing_in_order([[0.0, 1.0], [1.0, 0.0]])
    1.0
    """
    best = [0.0] * (len(points[0]) + 1 if points else 1)
    for row in points:
        above = best
        best = [0.0]
        for j, value in enumerate(row):
            best.append(max(above[j + 1], best[j], above[j] + value))
    return best[-1]
