"""The public table: how graders judge the rows of ``tests/data/answers.jsonl``, which come with this repository.

    python tests/benchmarks/public_table.py [--show ours] [--kind family]

Each row is an answer to a gold that is right or wrong beyond dispute, with its kind and the reason. The table counts,
by kind and for each grader, the right answers that it missed and the wrong ones that it paid. TRL's accuracy_reward and
math-verify get the gold in dollar signs, without which they do not read most of them; verl's graders, where verl is
installed (``pip install --no-deps verl``), get it bare. Kinds that begin with ``final/``
have no box: our final_answer judges them, the others look for what they can find.

To report a row that is judged wrongly, add a line to the file; nothing else is needed to check the claim.
"""

from __future__ import annotations

import argparse
import json
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from accuracy import in_dollars, math_verify_reward, trl_reward
from labelled import Row, call
from verl_graders import graders as verl_graders

import grpo_rewards as gr

ROWS = Path(__file__).parents[1] / "data" / "answers.jsonl"
SECONDS_PER_ROW = 10  # that another grader may take; then it has missed the row, or at least not paid it
Grader: TypeAlias = Callable[[Row], bool]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=Path, default=ROWS, help="a file of rows in the same form")
    parser.add_argument("--kind", help="only rows whose kind begins so")
    parser.add_argument("--show", choices=list(GRADERS), help="list the rows that this grader misjudges")
    parser.add_argument("--only", choices=list(GRADERS), action="append", help="only this grader; may be repeated")
    options = parser.parse_args(arguments)
    rows = [row for row in read(options.rows) if row["kind"].startswith(options.kind or "")]
    names = options.only or list(GRADERS)
    misjudged = {name: [row for row in rows if GRADERS[name](row) != row["expected"]] for name in names}
    print("\n".join(table(rows, misjudged)))
    for row in misjudged.get(options.show, []):
        print(f"{row['id']} {row['kind']}: gold {row['gold']!r}: …{row['completion'][-100:]!r}: {row['reason']}")


def read(path: Path) -> list[Row]:
    """The rows of a file with one JSON object a line."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def table(rows: Sequence[Row], misjudged: dict[str, list[Row]]) -> Iterator[str]:
    """The lines of the table, in Markdown: for each kind, "missed of right · paid of wrong"."""
    yield f"| kind | {' | '.join(misjudged)} |"
    yield "|---" * (len(misjudged) + 1) + "|"
    for kind in [*sorted({row["kind"] for row in rows}), ""]:
        some = [row for row in rows if kind in ("", row["kind"])]
        cells = []
        for wrongly in misjudged.values():
            amiss = Counter(row["expected"] for row in wrongly if kind in ("", row["kind"]))
            of = Counter(row["expected"] for row in some)
            cells.append(f"{amiss[True]} of {of[True]} · {amiss[False]} of {of[False]}")
        yield f"| {kind or '**all**'} | {' | '.join(cells)} |"


def ours(row: Row) -> bool:
    reward = gr.final_answer if row["kind"].startswith("final/") else gr.boxed_answer
    return reward(**call([row])) == [1.0]


def trl(row: Row) -> bool:
    return _in_time(lambda: trl_reward([row]) == [1.0])


def math_verify(row: Row) -> bool:
    return _in_time(lambda: math_verify_reward([{**row, "gold": in_dollars(row["gold"])}]) == [1.0])


def _judging(grader: Grader) -> Grader:
    return lambda row: _in_time(lambda: grader(row))


GRADERS: dict[str, Grader] = {
    "ours": ours,
    "TRL accuracy_reward": trl,
    "math-verify": math_verify,
    **{name: _judging(grader) for name, grader in verl_graders().items()},
}


def _in_time(judge: Callable[[], bool]) -> bool:
    """What a grader says; ``False`` if it raises or takes too long."""
    try:
        with _deadline(SECONDS_PER_ROW):
            return judge()
    except Exception:  # noqa: BLE001  # whatever another grader raises, it has not paid the row
        return False


@contextmanager
def _deadline(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


if __name__ == "__main__":
    main()
