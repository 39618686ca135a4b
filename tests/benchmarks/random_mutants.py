"""Plants mistakes at random places of the package, and counts those that the tests of the same folder notice.

    python tests/benchmarks/random_mutants.py                          # 25 in each of four folders
    python tests/benchmarks/random_mutants.py --folder answers --count 100 --seed 1
    python tests/benchmarks/random_mutants.py --root ../another/checkout  # its code and its tests, the same places

Places are drawn with a fixed seed from the syntax trees: operators and comparisons (``<`` for ``<=``, ``and`` for
``or``), numbers and truth values, conditions that are turned round, and returns of nothing. Each mistake is planted
alone in a copy of the checkout, where ``pytest -x tests/FOLDER`` runs; it is noticed if a test fails or the limit of
time is passed. Data beside the checkout is not there.
Exit status 0, whatever is noticed: the figure is for comparing suites.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

FOLDERS = ("answers", "completion", "registry", "rewards")
COPIED = ("grpo_rewards", "tests", "recipes", "docs", "pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md")
PAIRS = ((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn), (ast.Is, ast.IsNot))
COMPARISONS = {one: other for pair in PAIRS for one, other in (pair, pair[::-1])}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


@dataclass(frozen=True)
class Mutant:
    """One mistake: the expression at ``start`` to ``end`` (line, byte) of ``file`` becomes ``after``."""

    folder: str
    file: str
    start: tuple[int, int]
    end: tuple[int, int]
    before: str
    after: str

    def planted(self, source: str) -> str:
        lines = source.encode().splitlines(keepends=True)
        first, last = self.start[0] - 1, self.end[0] - 1
        head, tail = lines[first][: self.start[1]], lines[last][self.end[1] :]
        return b"".join([*lines[:first], head + self.after.encode() + tail, *lines[last + 1 :]]).decode()


def sites(source: str) -> Iterator[tuple[ast.AST, str]]:
    """Each expression that can be mistaken, with what it becomes; annotations, decorators and defaults are left out."""
    stack: list[ast.AST] = [ast.parse(source)]
    while stack:
        node = stack.pop()
        yield from ((node, ast.unparse(changed)) for changed in _mistaken(node))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            stack += node.body
        elif isinstance(node, ast.AnnAssign):
            stack += [node.value] if node.value is not None else []
        elif not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            stack += ast.iter_child_nodes(node)


def _mistaken(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(left, [one], rest) if type(one) in COMPARISONS:
            yield ast.Compare(left, [COMPARISONS[type(one)]()], rest)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.And() if isinstance(operator, ast.Or) else ast.Or(), values)
        case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
            yield ast.BinOp(left, OPERATORS[type(operator)](), right)
        case ast.UnaryOp(ast.Not(), inner):
            yield inner
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value)):
            yield ast.Constant(value + 1)


def _conditions_and_returns(source: str) -> Iterator[tuple[ast.AST, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.If | ast.While | ast.IfExp) and "TYPE_CHECKING" not in ast.unparse(node.test):
            yield node.test, f"(not ({ast.unparse(node.test)}))"
        elif isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
            yield node.value, "None"


def drawn(root: Path, folder: str, count: int, seed: int) -> list[Mutant]:
    """As many mutants of a folder, no two of one place."""
    found: dict[tuple[str, tuple[int, int]], Mutant] = {}
    sources = {
        path: path.read_text(encoding="utf-8") for path in sorted((root / "grpo_rewards" / folder).rglob("*.py"))
    }
    for path, source in sources.items():
        file = str(path.relative_to(root))
        for node, after in [*sites(source), *_conditions_and_returns(source)]:
            start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
            found[file, start] = Mutant(folder, file, start, end, ast.unparse(node), f"({after})")
    shuffled = random.Random(f"{seed} {folder}").sample(list(found.values()), len(found))
    possible = (one for one in shuffled if _compiles(one.planted(sources[root / one.file])))
    return list(itertools.islice(possible, count))


def _compiles(source: str) -> bool:
    # an expression within an f-string has no true place before Python 3.12
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def outcome(copy: Path, mutant: Mutant, limit: float) -> tuple[str, float]:
    """``noticed``, ``survived`` or ``too slow``, and the seconds that it took; the copy is as before at the end."""
    begun = time.monotonic()
    path = copy / mutant.file
    source = path.read_text(encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", f"tests/{mutant.folder}"]
    more = {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "", "HF_HUB_OFFLINE": "1"}
    _write(path, mutant.planted(source))
    running = subprocess.Popen(
        command, cwd=copy, env=os.environ | more, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        printed = running.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        return "too slow", time.monotonic() - begun
    finally:
        running.kill()
        _write(path, source)
    if running.returncode not in (0, 1, 2, 3):  # 2 and 3: what cannot be collected or imported is noticed, too
        raise SystemExit(f"pytest could not run (status {running.returncode}):\n{printed[-3000:]}")
    return "noticed" if running.returncode else "survived", time.monotonic() - begun


_moments = itertools.count(int(time.time()) - 1_000_000)


def _write(path: Path, source: str) -> None:
    """Writes a module with a time of change of its own, so that nothing compiled from another text is taken for it."""
    path.write_text(source, encoding="utf-8")
    moment = next(_moments)
    os.utime(path, (moment, moment))


@contextmanager
def copies(root: Path, count: int) -> Iterator[Queue[Path]]:
    """As many copies of a checkout, each for one mutant at a time."""
    free: Queue[Path] = Queue()
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        for number in range(count):
            copy = Path(scratch) / str(number)
            for name in COPIED:
                (shutil.copytree if (root / name).is_dir() else _copied)(root / name, copy / name)
            free.put(copy)
        yield free


def _copied(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--folder", action="append", choices=FOLDERS)
    parser.add_argument("--count", type=int, default=25, help="mutants in each folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=400, help="seconds for the tests of a folder")
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    root = args.root.resolve()
    mutants = [one for name in args.folder or FOLDERS for one in drawn(root, name, args.count, args.seed)]
    counts: dict[str, dict[str, int]] = {}

    def judged(mutant: Mutant) -> tuple[Mutant, str, float]:
        copy = free.get()
        try:
            return mutant, *outcome(copy, mutant, args.limit)
        finally:
            free.put(copy)

    with copies(root, args.processes) as free, ThreadPoolExecutor(args.processes) as pool:
        for mutant, ended, seconds in pool.map(judged, mutants):
            counts.setdefault(mutant.folder, {}).setdefault(ended, 0)
            counts[mutant.folder][ended] += 1
            print(
                f"{ended:9} {seconds:4.0f} s  {mutant.file}:{mutant.start[0]}  {mutant.before} -> {mutant.after}",
                flush=True,
            )
    noticed = sum(ends.get("noticed", 0) + ends.get("too slow", 0) for ends in counts.values())
    for name, ends in counts.items():
        print(name, ", ".join(f"{count} {ended}" for ended, count in sorted(ends.items())))
    print(f"{noticed} of {len(mutants)} noticed, seed {args.seed}")


if __name__ == "__main__":
    main()
