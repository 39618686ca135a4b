"""The command grpo-rewards: what it prints, and its exit codes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

import grpo_rewards as gr
from grpo_rewards import command_line


def run(*arguments: str) -> Any:
    return CliRunner().invoke(command_line.app, arguments)


def test_the_version_is_that_of_the_package() -> None:
    result = run("--version")
    assert (result.exit_code, result.output) == (0, f"grpo-rewards {gr.__version__}\n")


def test_help_lists_the_commands_and_needs_nothing_heavy(run_python: Callable[..., str]) -> None:
    script = """
import sys
from typer.testing import CliRunner
from grpo_rewards.command_line import app
result = CliRunner().invoke(app, ["--help"])
print(result.exit_code, "validate-loss" in result.output, {"torch", "trl", "sympy"} & set(sys.modules))
"""
    assert run_python("-c", script) == "0 True set()\n"


def test_an_unknown_command_is_an_error() -> None:
    assert run("validate-los").exit_code == 2


def test_what_is_not_installed_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_line, "find_spec", lambda name: None)
    result = run("validate-loss")
    assert result.exit_code == 2
    assert "This command needs trl and torch: pip install 'grpo-rewards[trl]'" in result.output


# By the rule in the command's help: 1 if TRL is off by more than 1e-12 in float64, 2 if nothing could be compared.
REPORTS: dict[str, tuple[list[tuple[float, float | None]], dict[str, list[str]], int, str]] = {
    "all within tolerance": ([(1e-12, 1e-13), (0.0, None)], {}, 0, "2 comparisons in 3.0 s, 0 beyond tolerance."),
    "a value beyond": ([(2e-12, 0.0), (0.0, 0.0)], {}, 1, "dapo, torch.float64: value 2e-12, gradient 0 in case 0"),
    "a gradient beyond": ([(0.0, 1.0)], {}, 1, "1 comparisons in 3.0 s, 1 beyond tolerance."),
    "not a number": ([(math.nan, None)], {}, 1, "dapo, torch.float64: value nan in case 0"),
    "something lacking": (
        [(0.0, 0.0)],
        {"vespo": ["no [weights]", "no more"]},
        0,
        "vespo: TRL 9.9 could not be asked in 2 cases, the first for no [weights]",
    ),
    "all lacking": ([], {"vespo": ["no weights"]}, 2, "0 comparisons in 3.0 s, 0 beyond tolerance."),
}


@pytest.mark.parametrize(("apart", "lacking", "code", "said"), REPORTS.values(), ids=REPORTS)
def test_validate_loss_prints_a_report_and_exits_by_it(
    apart: list[tuple[float, float | None]],
    lacking: dict[str, list[str]],
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("trl", reason="trl is not installed")
    from grpo_rewards.loss.trl_check import validate

    differences = [validate.Difference("dapo", torch.float64, *one, f"case {at}") for at, one in enumerate(apart)]
    report = validate.Report(differences, lacking, seconds=3.0, trl="9.9")
    monkeypatch.setattr(validate, "validate_trl_loss", lambda: report)
    result = run("validate-loss")
    assert result.exit_code == code, result.output
    assert said in " ".join(result.output.split())
    assert "TRL 9.9: largest difference" in result.output


def test_validate_loss_asks_the_installed_trl(monkeypatch: pytest.MonkeyPatch) -> None:
    trl = pytest.importorskip("trl", reason="trl is not installed")
    from grpo_rewards.loss.trl_check import validate

    every = list(validate.loss_cases())
    monkeypatch.setattr(validate, "loss_cases", lambda: iter(every[:: len(every) // 8]))  # a few, to be quick
    result = run("validate-loss")
    assert result.exit_code == 0, result.output
    assert f"TRL {trl.__version__}: largest difference" in result.output
    assert "importance ratio" in result.output
    assert "0 beyond tolerance" in result.output
