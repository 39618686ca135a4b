"""A function of the tests' own in the place of math-verify, which does at once what a formula does at its worst."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import DECIDER

from grpo_rewards.answers.symbolic import pool as workers


@pytest.fixture
def decider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Puts the functions above in place of math-verify."""
    path = tmp_path / "decider_of_tests.py"
    path.write_text(DECIDER)
    workers.close()
    monkeypatch.setattr(workers, "DECIDER", path)
    yield path
    workers.close()
