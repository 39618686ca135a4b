"""The command grpo-rewards: what it prints, and its exit codes."""

import contextlib
import io
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from invoked import invoke
from tables import each_row, tables_beside
from typer.testing import CliRunner

import grpo_rewards as gr
from grpo_rewards.command_line import app, printing
from grpo_rewards.installing import how_to_install

TABLES = tables_beside(__file__)


def run(*arguments: str) -> Any:
    return invoke(arguments)


def test_the_version_is_that_of_the_package() -> None:
    result = run("--version")
    assert (result.exit_code, result.output) == (0, f"grpo-rewards {gr.__version__}\n")


def test_help_lists_the_commands_and_imports_none(run_python: Callable[..., str]) -> None:
    script = """
import sys
from typer.testing import CliRunner
from grpo_rewards.command_line import app
result = CliRunner().invoke(app, ["--help"])
print(result.exit_code, "Lists the rewards:" in result.output, "grpo_rewards.registry" in sys.modules)
"""
    assert run_python("-c", script) == "0 True False\n"


def test_a_shell_completes_commands_and_their_options() -> None:
    for words, completed in (("grpo-rewards va", "validate-loss\n"), ("grpo-rewards score --overw", "--overwrite\n")):
        asked = {"_GRPO_REWARDS_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        command = [sys.executable, "-m", "grpo_rewards"]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | asked)
        assert done.stdout == completed, done.stderr


@each_row(
    "typed, suggested",
    [
        ("validate-los", "Did you mean 'validate-loss'? Commands: list, show,"),
        ("xyzzy", "'xyzzy'. Commands: list, show,"),
    ],
)
def test_an_unknown_command_suggests_the_one_that_is_meant(typed: str, suggested: str) -> None:
    result = run(typed, "boxed_answer")
    assert result.exit_code == 2
    assert suggested in " ".join(result.stderr.replace("│", " ").split())


@contextlib.contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """A terminal in place of standard error; calling it gives what was shown since the last call."""
    read, written = os.openpty()
    os.set_blocking(read, False)
    with os.fdopen(written, "w") as file, monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", file)  # not in a fixture: pytest puts its own there before the test
        patched.setenv("TERM", "xterm")

        def shown() -> str:
            with contextlib.suppress(BlockingIOError):
                return os.read(read, 1 << 20).decode()
            return ""

        yield shown
    os.close(read)


def test_a_terminal_is_shown_what_is_done_and_a_pipe_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, wanted = "", [r"reading \x1b[2J[bold]", "comparing"]
    with terminal(monkeypatch) as shown, printing.working("reading \x1b[2J[bold]") as show:
        end = time.monotonic() + 10
        for text in wanted:
            while text not in seen and time.monotonic() < end:
                seen += shown()
                time.sleep(0.01)
            show("comparing")
    assert all(text in seen for text in wanted), seen
    assert "0:00:0" in seen
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with printing.working("reading"):
        time.sleep(0.1)
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]


def test_what_is_not_installed_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "find_spec", lambda name: None)
    result = run("validate-loss")
    assert result.exit_code == 2
    assert f"This command needs trl and torch: {how_to_install('trl')}" in result.output


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Has the check come to these differences, each (kind, type, value, gradient, case), and gives the report."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("trl", reason="trl is not installed")
    from grpo_rewards.loss.trl_check import validate

    def report(*differences: tuple[Any, ...], **rest: Any) -> Any:
        found = [validate.Difference(kind, getattr(torch, dtype), *more) for kind, dtype, *more in differences]
        made = validate.Report(found, **{"trl": "1.16.0", **rest})
        monkeypatch.setattr(validate, "validate_trl_loss", lambda stop_at_first, on_case: made)
        return made

    return report


@each_row("code, said, rest, apart", TABLES["reports"])
def test_validate_loss_prints_a_report_and_exits_by_it(
    code: int, said: str, rest: dict[str, Any], apart: list[list[float]] | None, checked: Callable[..., Any]
) -> None:
    differences = [("dapo", "float64", *(*one, None)[:2], f"case {at}") for at, one in enumerate(apart or [[0.0, 0.0]])]
    report = checked(*differences, **{"seconds": 3.0, "trl": "1.16.0" if code == 0 else "0.1", **rest})
    result = run("validate-loss")
    assert result.exit_code == code, result.output
    assert said in " ".join(result.output.split())
    assert f"TRL {report.trl}: largest difference" in result.output
    printed = run("validate-loss", "--json")
    found = json.loads(printed.stdout)
    assert (printed.exit_code, found["status"]) == (code, {0: "agrees", 1: "wrong", 3: "unknown"}[code])
    assert (found["passed"], found["comparisons"], found["trl"]) == (code == 0, len(differences), report.trl)
    assert (len(found["mismatches"]), found["changed"]) == (len(report.mismatches), report.changed)
    assert (found["failed"], found["lacking"], {*found["too_few"]}) == (report.failed, report.lacking, {*report.short})


def test_validate_loss_has_its_numbers_as_json(checked: Callable[..., Any]) -> None:
    checked(
        ("dapo", "float64", 1e-13, 1e-14, "good"),
        ("dapo", "float64", math.inf, None, "bad"),
        ("dapo", "float32", math.inf, 0.5, "worse"),
    )
    found = json.loads(run("validate-loss", "--json").stdout)
    largest = found["kinds"][0]["largest"]
    assert largest["float64"] == {"compared": 2, "value": None, "gradient": 1e-14, "allowed": 1e-12}  # not finite
    assert largest["float32"] == {"compared": 1, "value": None, "gradient": 0.5, "allowed": 1e-6}
    assert [(one["case"], one["dtype"]) for one in found["mismatches"]] == [("bad", "float64"), ("worse", "float32")]


def test_validate_loss_asks_the_installed_trl(monkeypatch: pytest.MonkeyPatch) -> None:
    trl = pytest.importorskip("trl", reason="trl is not installed")
    from grpo_rewards.loss.trl_check import validate

    every = list(validate.loss_cases())
    monkeypatch.setattr(validate, "loss_cases", lambda: iter(every[:: len(every) // 8]))  # a few, to be quick
    # in place of two processes, which take a while: they saw nothing
    monkeypatch.setattr(validate, "two_ranks", lambda folder: contextlib.nullcontext(list))
    monkeypatch.setattr(validate, "LEAST_COMPARISONS", {"dapo": 1, "importance ratio": 24})
    result = run("validate-loss")
    assert result.exit_code == 0, result.output
    assert f"TRL {trl.__version__}: largest difference" in result.output
    assert "importance ratio" in result.output
    assert "0 beyond tolerance" in result.output
    assert "Not looked at: tools" in result.output


def test_a_mismatch_is_printed_where_the_terminal_has_not_all_letters(checked: Callable[..., Any]) -> None:
    """The Greek letter of a mismatch on a terminal of ASCII, which used to end the command with an error of its own."""
    checked(("log-probs", "float64", 1.0, None, "log \u03c0"))
    result = CliRunner(charset="ascii").invoke(app, ["validate-loss"])
    assert "by torch.float64: value 1 in log ?" in " ".join(result.stdout.split())
    assert result.exit_code == 1


def test_a_check_that_is_terminated_tidies_up(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("trl", reason="trl is not installed")
    from grpo_rewards.loss.trl_check import validate

    tidied, usual = [], signal.getsignal(signal.SIGTERM)

    def checking(stop_at_first: bool, on_case: Any) -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5.0)  # the signal is handled at the next instruction
        except (Exception, SystemExit):  # noqa: BLE001 - as the check catches what TRL raises
            tidied.append("swallowed")
        finally:
            tidied.append("tidied")

    monkeypatch.setattr(validate, "validate_trl_loss", checking)
    assert (run("validate-loss").exit_code, tidied) == (130, ["tidied"])
    assert signal.getsignal(signal.SIGTERM) == usual
