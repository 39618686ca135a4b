"""The plug-in of pytest: a test for each clause and reward."""

from collections.abc import Callable
from pathlib import Path

import pytest
from forked import Ended, RunForked
from tables import each_row

from grpo_rewards.checks import CLAUSES

PLUGIN = ("-p", "no:cacheprovider", "-p", "grpo_rewards.checks.pytest_plugin")
MINE = """
import random
from grpo_rewards import reward

@reward
def noisy(completion: str) -> float:
    "A little noise."
    return random.random()
"""
MARKED = """
import pytest

@pytest.mark.grpo_rewards({}, without=["linear"])
def test_contract(reward_clause):
    reward_clause()
"""
Pytest = Callable[..., Ended]
ENVIRONMENT = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
RUN = """
import os, sys
os.environ.update({environment})
os.environ.pop("PYTEST_ADDOPTS", None)
os.environ.pop("PYTEST_CURRENT_TEST", None)
import pytest
sys.exit(pytest.main({arguments}))
"""


@pytest.fixture
def run_pytest(forked: RunForked, tmp_path: Path) -> Pytest:
    """Runs pytest with the plug-in in a folder of its own, in a process of its own that has the package already."""
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = --strict-markers\n")
    return lambda *arguments: forked(
        RUN.format(environment=ENVIRONMENT, arguments=[*PLUGIN, *arguments]), within=tmp_path
    )


def test_a_mark_makes_a_test_of_each_clause_of_each_reward(run_pytest: Pytest, tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(MARKED.format('"boxed_format", "max_length(max_tokens=9)"'))
    done = run_pytest("-q")
    assert f"{2 * (len(CLAUSES) - 1)} passed" in done.output, done.output
    assert "test_contract[max_length-batches]" in run_pytest("--collect-only", "-q").output


def test_a_clause_that_is_broken_fails_with_what_was_seen(run_pytest: Pytest, tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(MARKED.format('"mine.noisy"'))
    done = run_pytest("-q", "-k", "determinism or values")
    assert done.code == 1
    assert "1 failed, 1 passed" in done.output
    assert "reward 'noisy' breaks a clause of the contract." in done.output
    assert "determinism: The same call" in done.output
    assert "do:   Take chance, time, counters" in done.output


@each_row(
    "text, said",
    [
        (MARKED.format('"boxed_fromat"'), "did you mean 'boxed_format'?"),
        (MARKED.format('"max_length"'), "reward 'max_length' needs max_tokens"),
        (MARKED.format("3"), "3 is neither a reward nor its spec, nor a function that a trainer calls."),
        (MARKED.format("").replace("(, ", "("), '@pytest.mark.grpo_rewards("my_package.my_reward")'),
        ("def test_contract(reward_clause): ...", '@pytest.mark.grpo_rewards("my_package.my_reward")'),
    ],
)
def test_what_cannot_be_checked_is_reported_in_one_line(
    text: str, said: str, run_pytest: Pytest, tmp_path: Path
) -> None:
    (tmp_path / "test_mine.py").write_text(text)
    done = run_pytest("-q")
    assert said in done.output
    assert "Traceback" not in done.output
    assert done.code == 2


def test_the_plugin_imports_nothing_of_the_package_until_it_is_used(
    run_python: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test_other.py").write_text(
        "import sys\n"
        "def test_loaded():\n"
        "    own = {one for one in sys.modules if one.startswith('grpo_rewards.') and sys.modules[one].__spec__}\n"
        "    assert own == {'grpo_rewards.checks', 'grpo_rewards.checks.pytest_plugin', 'grpo_rewards.public_names'}"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    assert "1 passed" in run_python("-m", "pytest", *PLUGIN, "-q")
