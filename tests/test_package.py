"""What importing the package costs, and what it offers."""

from __future__ import annotations

from collections.abc import Callable

from places import ROOT

import grpo_rewards as gr


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
