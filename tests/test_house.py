"""The house: what a listing shows, who hides whom, what an import brings in. Import-linter holds who imports whom."""

import ast
import functools
import importlib
import keyword
import pkgutil
import runpy
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from tables import each_row

import grpo_rewards

PACKAGE = Path(grpo_rewards.__file__).parent
ROOT = PACKAGE.parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
FOLDERS = sorted({path.parent for path in [*SOURCES, *(ROOT / "recipes").rglob("*.py")]})
MOST_FILES = 14  # in a folder, its __init__ among them


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE.parent))


@each_row("folder", FOLDERS)
def test_a_folder_can_be_taken_in_at_a_glance(folder: Path) -> None:
    files = [path.name for path in folder.iterdir() if path.suffix == ".py"]
    assert len(files) <= MOST_FILES, files


@each_row("path", [*SOURCES, *sorted((ROOT / "recipes").rglob("*.py"))])
def test_no_module_hides_one_of_the_standard_library(path: Path) -> None:
    # a script's folder is the first from which Python imports: a recipes/random.py would break what imports random
    assert path.stem not in sys.stdlib_module_names
    assert not keyword.iskeyword(path.stem)


def packages() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages([str(PACKAGE)], "grpo_rewards."):
        # what computer algebra runs in its own process, and what needs torch, is not imported here
        if found.ispkg and not found.name.startswith("grpo_rewards.loss"):
            yield importlib.import_module(found.name)


@each_row("package", list(packages()))
def test_no_name_that_a_package_exports_hides_one_of_its_modules(package: ModuleType) -> None:
    modules = {found.name for found in pkgutil.iter_modules(package.__path__)}
    for name in modules & set(vars(package)):
        assert isinstance(vars(package)[name], ModuleType), f"{package.__name__}.{name}"


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def constants(path: Path) -> Iterator[str]:
    for node in parsed(path).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(name, ast.Name) and name.id.isupper():
                    yield name.id


def test_a_constant_has_one_meaning_in_the_whole_package() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in SOURCES:
        for name in constants(path):
            places[name].append(name_of(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


@each_row("path", SOURCES)
def test_no_assert_does_anything(path: Path) -> None:
    # python -O leaves asserts out: what they call would not happen
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Assert):
            assert not [one for one in ast.walk(node.test) if isinstance(one, ast.Call | ast.NamedExpr | ast.Await)]


HEAVY = "torch trl transformers datasets accelerate peft numpy pandas matplotlib sympy math_verify"


def test_the_engine_needs_neither_a_trainer_nor_the_registry(run_python: Callable[..., str]) -> None:
    script = f"""
import sys
from grpo_rewards.answers import compare, find_box
assert compare("1/2", "0.5").outcome == "correct"
assert find_box(chr(92) + "boxed{{4}}", False) == ("4", "box")
loaded = {{name.partition(".")[0] for name in sys.modules}}
print(*sorted(loaded & set("{HEAVY}".split())))
own = [name for name in sys.modules if name.startswith("grpo_rewards.") and name.count(".") == 1]
print(*sorted(name for name in own if sys.modules[name].__spec__))  # and not under an earlier name
"""
    heavy, parts = run_python("-c", script).split("\n")[:2]
    assert heavy == ""
    assert parts.split() == ["grpo_rewards.answers", "grpo_rewards.completion", "grpo_rewards.public_names"]


def test_importing_the_package_and_its_rewards_brings_in_nothing_heavy(run_python: Callable[..., str]) -> None:
    script = f"""
import sys, grpo_rewards
grpo_rewards.boxed_answer
print("grpo_rewards.rewards" in sys.modules, *(set(sys.modules) & set("{HEAVY}".split())))
"""
    assert run_python("-c", script) == "True\n"


@pytest.mark.parametrize("module", ["answers/reading/numerals.py", "answers/symbolic/worker.py", "errors.py"])
def test_a_file_can_be_run_by_doctest_from_its_own_folder(module: str) -> None:
    # its folder comes first among those imported from, and must not hide what doctest itself needs
    done = subprocess.run([sys.executable, "-m", "doctest", (PACKAGE / module).name], cwd=(PACKAGE / module).parent)
    assert done.returncode == 0


def test_the_public_names_are_there_and_no_others(run_python: Callable[..., str]) -> None:
    script = """
import grpo_rewards as gr
for name in ("boxed_anser", "torch"):
    try:
        getattr(gr, name)
    except AttributeError as error:
        print(error)
from grpo_rewards import *
print(boxed_answer.name, gated.__name__, sorted(gr.__all__) == gr.__all__, set(gr.__all__) <= set(dir(gr)))
"""
    assert run_python("-c", script).split("\n")[:3] == [
        "module 'grpo_rewards' has no attribute 'boxed_anser'; did you mean 'boxed_answer'?",
        "module 'grpo_rewards' has no attribute 'torch'",
        "boxed_answer gated True True",
    ]


FIRST = ["registry", "rewards", "compose", "checks", "answers", "verdict"]


def test_whatever_is_imported_first_all_names_are_known(run_python: Callable[..., str]) -> None:
    # each in a process of its own, forked before anything of the package is imported
    script = f"""
import importlib, os, re2
for first in {FIRST}:
    if not (child := os.fork()):
        importlib.import_module("grpo_rewards." + first)
        from grpo_rewards.registry import get_reward, list_rewards
        print(first, get_reward("gated(boxed_answer, by=think_format)"), len(list_rewards()) > 20, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""
    known = "gated(boxed_answer, by=think_format) True"
    assert run_python("-c", script).splitlines() == [f"{first} {known}" for first in FIRST]


def test_the_picture_of_imports_is_as_the_code_is() -> None:
    pytest.importorskip("grimp", reason="grimp, of the extra [test], is not installed")
    page = runpy.run_path(str(ROOT / "docs" / "draw_imports.py"))["page"]
    assert page() == (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), "run python docs/draw_imports.py"
