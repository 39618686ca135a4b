"""Every command of a page prints what the page says, where … stands for any lines, or any text in one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

PAGE = ROOT / "docs" / "commands.md"
BLOCK = re.compile(r"^```console\n\$ (.*?)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCKS = [block for page in PAGES for block in BLOCK.findall(page.read_text())]
# The script of an installed package, whichever Python that is.
SHELL = 'grpo-rewards() {{ "{python}" -m grpo_rewards.command_line "$@"; }}; {command}'


def test_the_page_shows_every_command() -> None:
    from grpo_rewards.command_line import app

    text = PAGE.read_text()
    for command in app.registered_commands:
        assert f"grpo-rewards {command.name}" in text, command.name
    assert len(BLOCKS) >= 8


def expected(printed: str) -> str:
    """A regular expression for what the page shows."""
    lines = [
        r"(?:.*\n)*?" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in printed.splitlines()
    ]
    return "".join(lines)


@pytest.mark.parametrize(("command", "printed"), BLOCKS, ids=[command for command, _ in BLOCKS])
def test_a_command_of_the_page_prints_what_it_says(command: str, printed: str, tmp_path: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", SHELL.format(python=sys.executable, command=command)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    found = "".join(f"{line.rstrip()}\n" for line in (done.stdout + done.stderr).splitlines())
    assert re.fullmatch(expected(printed), found), f"{found}\nis not\n{printed}"
    assert done.returncode in (0, 1, 2)
