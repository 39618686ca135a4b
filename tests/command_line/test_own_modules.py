"""Every command finds a reward in the folder that one works in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = '''
from grpo_rewards import reward

@reward
def is_short(completion: str) -> float:
    """1 if it is short, else 0."""
    return float(len(completion) < 9)
'''


@pytest.mark.parametrize(
    "command", [["explain", "mine.is_short", "short"], ["score", "mine.is_short", "-i", "a.jsonl"]]
)
def test_a_dotted_path_of_the_working_folder(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "a.jsonl").write_text('{"completion": "short"}\n', encoding="utf-8")
    # as an installed script, to whose sys.path the working folder does not belong
    script = "import sys; sys.path = [one for one in sys.path if one]; from grpo_rewards.command_line import app; app()"
    ended = subprocess.run(
        [sys.executable, "-c", script, *command], cwd=tmp_path, capture_output=True, text=True, env=os.environ.copy()
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "is_short" in ended.stdout
