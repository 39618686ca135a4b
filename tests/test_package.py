"""What importing the package costs, and what it offers."""

from __future__ import annotations

import json
from collections.abc import Callable

from places import ROOT

import grpo_rewards as gr


def test_importing_the_package_imports_nothing_heavy(run_python: Callable[..., str]) -> None:
    imported = json.loads(
        run_python(
            "-c", "import grpo_rewards, json, sys; grpo_rewards.boxed_answer; print(json.dumps(list(sys.modules)))"
        )
    )
    assert "grpo_rewards.rewards" in imported
    assert not {"torch", "trl", "sympy", "transformers", "datasets", "numpy", "math_verify"} & set(imported)


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
    assert min(float(run_python("-c", timed)) for _ in range(5)) < 10


def test_every_public_name_exists_and_is_documented() -> None:
    for name in gr.__all__:
        assert getattr(gr, name).__doc__, name


def test_a_citation_names_this_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {gr.__version__}\n" in citation
