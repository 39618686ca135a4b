"""What the tests share: a registry of each test's own, modules written on the spot, and Python in a child process.

Modules that tests of several folders import stand in ``shared``, which is on the path (see pyproject.toml), and on that
of child processes.
"""

import faulthandler
import gc
import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import pytest
from forked import RunForked, forking
from hypothesis import HealthCheck, settings

import grpo_rewards
from grpo_rewards.registry.catalogue import MODULES, REWARDS

PACKAGE_PARENT = Path(grpo_rewards.__file__).resolve().parents[1]
SHARED = Path(__file__).resolve().parent / "shared"
pytest_plugins = ["isolation"]  # for the doctests of the package as well, which this file is not for
pytest.register_assert_rewrite("contract_cases", "processes")
LONG = 1800  # seconds that a test marked full may take; for the others pyproject.toml has the limit
GRACE = 60  # seconds behind that limit, after which the process of the tests ends
NEEDED = {"loss": "torch", "trl_check": "trl", "trl_parity": "trl", "recipes": "trl"}  # by a folder's tests
TERMINAL = pytest.StashKey[int]()  # standard error, which is a file while a test runs

# Nothing waits for a model hub, and no process of ``pytest -n`` has more threads than its share: models are tiny here.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A program that is started in the background (nohup … &, cron) ignores Ctrl-C, and so would its children, which tests
# interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# By default hypothesis fails examples that take long by the clock, as all do where the machine is busy.
settings.register_profile("no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no clock")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Tests alone are collected: the other files are scripts, or what tests import, and need not be importable here.

    TRL's whole step is a stage of its own: ``pytest tests/trl_parity``.
    """
    if collection_path.name == "trl_parity" and "trl_parity" not in " ".join(config.invocation_params.args):
        return True
    return True if collection_path.suffix == ".py" and not collection_path.name.startswith("test_") else None


class Unavailable(pytest.File):
    """A file of tests that are skipped, for a package that all of its folder need is not installed."""

    def collect(self) -> NoReturn:
        pytest.skip(f"{needed_by(self.path)} is not installed", allow_module_level=True)


def needed_by(path: Path) -> str | None:
    """The package without which no test of a file's folder can run."""
    folders = path.resolve().relative_to(SHARED.parent).parts if path.resolve().is_relative_to(SHARED.parent) else ()
    return next((NEEDED[folder] for folder in reversed(folders) if folder in NEEDED), None)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Iterator[None]:
    """Skips a file that cannot be imported here, also where it is looked at for doctests."""
    found = yield
    needed = needed_by(file_path)
    is_there = needed is None or importlib.util.find_spec(needed) is not None
    return found if is_there or not found else [Unavailable.from_parent(parent, path=file_path)]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("full") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LONG))


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TERMINAL] = os.dup(sys.__stderr__.fileno() if sys.__stderr__ else 2)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Ends the process, with the stacks of its threads, where a test goes on after its limit.

    The limit is an alarm, which rings once and not within a loop in C, and which hypothesis takes for an example.
    """
    marker = item.get_closest_marker("timeout")
    limit = float((marker.args[0] if marker and marker.args else None) or item.config.getini("timeout") or LONG)
    faulthandler.dump_traceback_later(limit + GRACE, exit=True, file=item.config.stash[TERMINAL])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Gives each process of ``pytest -n`` tests that follow each other: what a module starts is started once."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getvalue("dist") == "load" else None


def pytest_collection_finish() -> None:
    """Has Python collect no garbage among what was imported: a trainer collects at each start, and it is a million."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def no_rewards_of_tests(own_registry: None) -> None:
    """Only what the package registers is there, as for its users; test modules register theirs at their import."""
    for name in [one for one in REWARDS if not MODULES.get(one, one).startswith("grpo_rewards.")]:
        del REWARDS[name]


@pytest.fixture
def write_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], ModuleType]]:
    """Writes a module into a temporary folder and imports it."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # an edit within one second would not be seen on reload
    before = set(sys.modules)

    def write(name: str, source: str) -> ModuleType:
        (tmp_path / f"{name}.py").write_text(source)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield write
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and Path(sys.modules[name].__file__).parent == tmp_path:
            del sys.modules[name]


@pytest.fixture
def run_python(tmp_path: Path) -> Callable[..., str]:
    """Runs Python in a child process that sees this package, ``shared`` and ``tmp_path``; returns its output."""

    def run(*arguments: str | Path, path: tuple[Path, ...] = (), stderr: bool = False) -> str:
        folders = [str(folder) for folder in (*path, PACKAGE_PARENT, SHARED)]
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(folders), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        return done.stderr if stderr else done.stdout

    return run


@pytest.fixture(scope="session")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunForked]:
    """Runs scripts in processes that have the package's public names already: they take milliseconds, not a second."""
    with forking(tmp_path_factory.mktemp("forked")) as run:
        yield run


@pytest.fixture
def run_forked(forked: RunForked, tmp_path: Path) -> Callable[..., str]:
    """``run_python`` for a script that need not see a fresh interpreter."""

    def run(script: str, path: tuple[Path, ...] = ()) -> str:
        ended = forked(script, within=tmp_path, path=path)
        assert ended.code == 0, ended.errors
        return ended.output

    return run


@pytest.fixture
def install(tmp_path: Path) -> Callable[..., Path]:
    """Makes an installed distribution of one module, as pip would leave it behind; returns its folder."""

    def make(distribution: str, module: str, source: str, *entries: str) -> Path:
        folder = tmp_path / distribution
        metadata = folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text("[grpo_rewards]\n" + "".join(f"{entry}\n" for entry in entries))
        (folder / f"{module}.py").write_text(source)
        return folder

    return make
