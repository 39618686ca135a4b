"""Every command of a page prints what the page says, where … stands for any lines, or any text in one."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from invoked import invoke
from places import ROOT
from quick_probes import with_quick_probes  # noqa: F401  # a fixture
from reported_runs import leave

from grpo_rewards.command_line import COMMANDS

PAGE = ROOT / "docs" / "commands.md"
BLOCK = re.compile(r"^```console\n\$ (.*?)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCKS = [block for page in PAGES for block in BLOCK.findall(page.read_text())]
# A shell runs the line, and what it calls grpo-rewards keeps its arguments and its input.
SHELL = 'grpo-rewards() {{ printf "%s\\0" "$@" > arguments; cat > input; }}; {command}'


def test_the_page_shows_every_command() -> None:
    text = PAGE.read_text()
    for name in COMMANDS:
        assert f"grpo-rewards {name}" in text, name
    assert len(BLOCKS) >= 8


# Those that serve until they are stopped, or take half a minute; what they do is tested where they are.
EXAMPLES = {
    name: example for name, (*_, example) in COMMANDS.items() if name not in ("watch", "validate-loss", "doctor")
}


@pytest.mark.usefixtures("with_quick_probes", "no_rewards_of_tests")
@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_has_an_example_that_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    helped = invoke([name, "-h"], COLUMNS="200")
    assert helped.exit_code == 0
    assert "--json" in helped.stdout
    assert f"grpo-rewards {COMMANDS[name][-1]}" in helped.stdout
    if name in EXAMPLES:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", [*sys.path])  # where a command finds modules of the folder
        rows = [{"prompt": f"{n} + {n}?", "completion": f"\\boxed{{{2 * n}}}", "answer": str(2 * n)} for n in range(20)]
        for file in ("completions.jsonl", "problems.jsonl"):
            Path(file).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        leave(Path("outputs/run"))
        done = invoke(shlex.split(EXAMPLES[name]))
        assert done.exit_code in (0, 1), done.output


def expected(printed: str) -> str:
    """A regular expression for what the page shows."""
    lines = [
        r"(?:.*\n)*?" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in printed.splitlines()
    ]
    return "".join(lines)


@pytest.mark.usefixtures("with_quick_probes", "no_rewards_of_tests")
@pytest.mark.parametrize(("command", "printed"), BLOCKS, ids=[command for command, _ in BLOCKS])
def test_a_command_of_the_page_prints_what_it_says(
    command: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = ["bash", "-c", SHELL.format(command=command)]
    subprocess.run(shell, cwd=tmp_path, stdin=subprocess.DEVNULL, check=True, timeout=60)
    arguments = (tmp_path / "arguments").read_text().split("\0")[:-1]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # where a command finds modules of the folder
    done = invoke(arguments, (tmp_path / "input").read_bytes(), COLUMNS="100")
    found = "".join(f"{line.rstrip()}\n" for line in (done.stdout + done.stderr).splitlines())
    assert re.fullmatch(expected(printed), found), f"{found}\nis not\n{printed}"
    assert done.exit_code in (0, 1, 2)
