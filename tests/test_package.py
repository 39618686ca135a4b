"""What importing the package costs, and what it offers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from places import ROOT

import grpo_rewards as gr
from grpo_rewards import installing


def test_importing_the_package_is_quick(run_python: Callable[..., str]) -> None:
    # With all rewards, against a part of the standard library in the same process, the best of five: a busy or slow
    # machine changes nothing. Importing torch takes some thirty times as long as asyncio.
    timed = """
import time
start = time.process_time()
import asyncio
middle = time.process_time()
import grpo_rewards
grpo_rewards.boxed_answer
print((time.process_time() - middle) / (middle - start))
"""
    assert any(float(run_python("-c", timed)) < 10 for _ in range(5))


def test_every_public_name_exists_and_is_documented() -> None:
    for name in gr.__all__:
        assert getattr(gr, name).__doc__, name


def test_a_citation_names_this_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {gr.__version__}\n" in citation


def test_nobody_is_advised_to_install_what_a_stranger_may_publish() -> None:
    """There is no release, and the name on PyPI belongs to nobody: it would install whatever is there."""
    folders = [path for name in ("grpo_rewards", "recipes", "docs") for path in (ROOT / name).rglob("*")]
    texts = [
        path
        for path in (*folders, ROOT / "README.md", ROOT / "CONTRIBUTING.md")
        if path.suffix in (".py", ".md", ".yaml", ".ipynb")
    ]
    by_name = re.compile(r"""pip install\s+(-U\s+)?['"\\]*grpo[-_]rewards""")
    assert not [path.relative_to(ROOT) for path in texts if by_name.search(path.read_text(encoding="utf-8"))]


def test_an_extra_is_installed_from_the_clone_that_runs_or_from_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert installing.how_to_install("ray") == f"pip install -e '{ROOT}[ray]'"
    monkeypatch.setattr(installing, "__file__", str(tmp_path / "grpo_rewards" / "installing.py"))
    assert installing.how_to_install("ray") == "in a clone of grpo-rewards, pip install '.[ray]'"
