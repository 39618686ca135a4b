"""grpo-rewards doctor: what it prints of what was found, and its exit codes."""

import json
from typing import Any

import pytest
from invoked import invoke

from grpo_rewards.checks import machine
from grpo_rewards.checks.findings import Finding

ERROR = Finding("error", "torch", "2.13.0 cannot be used: \x1b[2J [bold]no", "Reinstall torch for this Python.")
WARNING = Finding("warning", "trl", "TRL 1.15.0 is not >=1.16,<2.", "pip install 'trl>=1.16,<2'")
NOTE = Finding("note", "accelerator", "none")
FINE = Finding("fine", "python", "3.11.7")


def run(*arguments: str) -> Any:
    return invoke(["doctor", *arguments], COLUMNS="80")


@pytest.mark.parametrize(
    ("findings", "code", "last"),
    [
        ([FINE, NOTE], 0, "Everything that is installed works."),
        ([FINE, WARNING], 0, "0 broken, 1 degraded."),
        ([ERROR, WARNING, NOTE], 1, "1 broken, 1 degraded."),
    ],
)
def test_what_is_broken_is_the_exit_code(
    findings: list[Finding], code: int, last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "examine", lambda: iter(findings))
    result = run()
    assert result.exit_code == code
    assert result.output.splitlines()[-1] == last
    assert "\x1b" not in result.output
    assert (r"\x1b[2J [bold]no" in result.output) == (ERROR in findings)
    for one in findings:
        assert one.remedy in result.output
        assert f"{one.severity} {one.check}" in " ".join(result.output.split())
    printed = run("--json")
    assert printed.exit_code == code
    found = json.loads(printed.stdout)
    assert found["works"] == (code == 0)
    assert [one["severity"] for one in found["findings"]] == [one.severity for one in findings]
    assert found["counts"]["warning"] == findings.count(WARNING)


WORKS = {"torch": "", "trl": "", "accelerator": None, "count": 0, "names": [], "built_for": None}


@pytest.mark.parametrize("imported", [False, pytest.param(True, marks=pytest.mark.full)])
def test_this_machine_is_examined(imported: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("trl", reason="trl is not installed")
    if not imported:  # as if the process that imports torch and TRL had said that they work, which takes it seconds
        monkeypatch.setattr(machine, "_tried", lambda: WORKS)
    result = run("--json")
    found = json.loads(result.stdout)
    checks = {one["check"]: one["severity"] for one in found["findings"]}
    assert {"python", "platform", "core", "[recipes]", "symbolic workers", "torch", "trl", "plug-ins"} <= set(checks)
    assert checks["symbolic workers"] == "fine"
    assert result.exit_code == (1 if "error" in checks.values() else 0)
