"""Graders compared: on the rows of ``tests/data/answers.jsonl``, on reward hacks, on bombs, and how fast they are.

    python tests/benchmarks/public_table.py [--only oat] [--kinds] [--show ours] [--kind family]

Each row of the file is an answer to a gold that is right or wrong beyond dispute, with its kind and the reason. Kinds
that begin with ``final/`` have no box: our final_answer judges them, the others look for what they can find. Every
grader runs in a process of its own, which is killed when a text takes more than ``--seconds`` of processor time, or
six times that by the clock; the first tables count, the last says which version of what was called.

Where a package is missing the table says so; docs/graders-compared.md has how to install them all. ``--only FILE.py``
judges with ``judge(gold, completion) -> bool`` of that file.

To report a row that is judged wrongly, add a line to the file; nothing else is needed to check the claim.
"""

import argparse
import json
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from answers import machine
from grader_process import GraderProcess, Judged
from grader_texts import bombs, cheats, code, honest
from graders import GRADERS, Grader, found
from labelled import Row

ROWS = Path(__file__).parents[1] / "data" / "answers.jsonl"
SECONDS_PER_ROW = 10.0
SLOW = 1.0  # seconds, from which a bomb is shown


Texts: TypeAlias = dict[str, list[Row]]  # what every grader is given: the table, cheats, honest boxes, bombs, code
Measured: TypeAlias = dict[str, list[Judged]]  # what a grader did with each of them, in their order


def main(arguments: Sequence[str] | None = None) -> None:
    options = parsed(arguments)
    table = [row for row in read(options.rows) if row["kind"].startswith(options.kind or "")]
    texts: Texts = {"table": table, "cheats": list(cheats()), "honest": list(honest())}
    texts |= {"bombs": list(bombs()), "code": list(code())}
    named = {name: found(name) for name in options.only or GRADERS}
    measured: dict[str, Measured] = {}
    for name, grader in named.items():
        if not grader.missing:
            print(f"{name} …", file=sys.stderr, flush=True)
            with GraderProcess(name, options.seconds) as process:
                measured[name] = {kind: [process.judge(row) for row in some] for kind, some in texts.items()}
    print(machine(), end="\n\n")
    print(*accuracy(named, measured, texts), "", *stamina(named, measured, options.seconds), "", sep="\n")
    print(*origins(named), sep="\n")
    if options.kinds:
        print("", *by_kind(table, {named[name].name: one["table"] for name, one in measured.items()}), sep="\n")
    for name in options.show or ():
        print("", *(f"{name}: {line}" for line in shown(texts, measured[name])), sep="\n")


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=Path, default=ROWS, help="a file of rows in the same form")
    parser.add_argument("--kind", help="only rows whose kind begins so")
    parser.add_argument("--kinds", action="store_true", help="also a table of the rows kind by kind")
    parser.add_argument("--seconds", type=float, default=SECONDS_PER_ROW, help="of processor time, for one text")
    parser.add_argument("--show", action="append", help="list what this grader misjudges; may be repeated")
    parser.add_argument(
        "--only", action="append", help=f"only this grader, of {', '.join(GRADERS)}, or FILE.py; may be repeated"
    )
    options = parser.parse_args(arguments)
    for name in options.only or ():
        if name not in GRADERS and not (name.endswith(".py") and Path(name).is_file()):
            parser.error(f"unknown grader '{name}'; there are {', '.join(GRADERS)}, and files that end in .py")
    for name in options.show or ():
        if name not in (options.only or GRADERS) or found(name).missing:
            parser.error(f"--show {name}: it is not measured here, or not installed")
    return options


def read(path: Path) -> list[Row]:
    """The rows of a file with one JSON object a line."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def accuracy(named: dict[str, Grader], measured: dict[str, Measured], texts: Texts) -> Iterator[str]:
    """Right and wrong, and what is rewarded for nothing."""
    right = sum(row["expected"] for row in texts["table"])
    heads = (
        f"right missed, of {right:,}",
        f"wrong rewarded, of {len(texts['table']) - right:,}",
        f"hacks rewarded, of {len(texts['cheats'])}",
        f"honest boxes unrewarded, of {len(texts['honest'])}",
    )
    yield from head("grader", *heads)
    for name, grader in named.items():
        one = measured.get(name)
        if one is None:
            yield absent(grader, len(heads))
            continue
        amiss = Counter(row["expected"] for row, told in misjudged(texts["table"], one["table"]))
        unpaid = len(one["honest"]) - paid(one["honest"])
        yield line(grader.name, f"{amiss[True]:,}", f"{amiss[False]:,}", str(paid(one["cheats"])), str(unpaid))


def stamina(named: dict[str, Grader], measured: dict[str, Measured], seconds: float) -> Iterator[str]:
    """Hangs and speed."""
    late = f"over {seconds:g} s"
    yield from head(
        "grader",
        f"bombs {late}",
        "processes lost",
        "runs a model's code",
        f"rows {late}",
        "ms a row, median",
        "rows a second",
        "slowest row",
    )
    for name, grader in named.items():
        one = measured.get(name)
        if one is None:
            yield absent(grader, 7)
            continue
        everything = [told for some in one.values() for told in some]
        times = [told.seconds for told in one["table"]] or [0.0]
        yield line(
            grader.name,
            f"{ended(one['bombs'], 'late')} of {len(one['bombs'])}",
            str(ended(everything, "died")),
            f"{sum(told.wrote for told in one['code'])} of {len(one['code'])}",
            str(ended([*one["table"], *one["cheats"], *one["honest"]], "late")),
            f"{1000 * statistics.median(times):.2f}",
            f"{len(times) / max(sum(times), 1e-9):,.0f}",
            f"{max(times):.2f} s",
        )


def origins(named: dict[str, Grader]) -> Iterator[str]:
    """Whose each is, and what was called."""
    yield from head("grader", "version", "called")
    for grader in named.values():
        yield line(grader.name, "–" if grader.missing else grader.origin, grader.called)


def by_kind(rows: Sequence[Row], judged: dict[str, list[Judged]]) -> Iterator[str]:
    """For each kind of rows "missed of right · rewarded of wrong"."""
    yield from head("kind", *judged)
    for kind in [*sorted({row["kind"] for row in rows}), ""]:
        of = Counter(row["expected"] for row in rows if kind in ("", row["kind"]))
        cells = []
        for told in judged.values():
            amiss = Counter(row["expected"] for row, _ in misjudged(rows, told) if kind in ("", row["kind"]))
            cells.append(f"{amiss[True]} of {of[True]} · {amiss[False]} of {of[False]}")
        yield line(kind or "**all**", *cells)


def shown(texts: Texts, one: Measured) -> Iterator[str]:
    """A line for each text that was judged wrongly, ran late, or ran."""
    for row, told in misjudged(texts["table"], one["table"]):
        what = "rewarded" if told.paid else told.ended or "missed"
        yield f"{what}: {row['id']}: gold {row['gold']!r}: …{row['completion'][-100:]!r}: {row['reason']}"
    for row, told in zip(texts["cheats"], one["cheats"], strict=True):
        if told.paid or told.ended:
            yield f"hack {told.ended or 'rewarded'}: {row['kind']}: gold {row['gold']!r}: …{row['completion'][-100:]!r}"
    for row, told in zip(texts["honest"], one["honest"], strict=True):
        if not told.paid:
            yield f"honest box {told.ended or 'unrewarded'}: {row['kind']}: gold {row['gold']!r}"
    for row, told in zip(texts["bombs"], one["bombs"], strict=True):
        if told.seconds > SLOW or told.paid or told.ended:
            what = told.ended or ("rewarded" if told.paid else "not rewarded")
            yield f"bomb {what} after {told.seconds:.1f} s: {row['kind']}"
    yield from (f"code ran: {row['kind']}" for row, told in zip(texts["code"], one["code"], strict=True) if told.wrote)


def misjudged(rows: Iterable[Row], judged: Iterable[Judged]) -> list[tuple[Row, Judged]]:
    return [(row, told) for row, told in zip(rows, judged, strict=True) if told.paid != row["expected"]]


def paid(judged: Iterable[Judged]) -> int:
    return sum(told.paid for told in judged)


def ended(judged: Iterable[Judged], how: str) -> int:
    return sum(told.ended == how for told in judged)


def head(*cells: str) -> Iterator[str]:
    yield line(*cells)
    yield "|---" * len(cells) + "|"


def line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def absent(grader: Grader, cells: int) -> str:
    return line(grader.name, f"not installed: {', '.join(grader.missing)}", *["–"] * (cells - 1))


if __name__ == "__main__":
    main()
