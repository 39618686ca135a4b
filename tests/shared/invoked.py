"""The command grpo-rewards, run in this process."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass

from typer.testing import CliRunner

from grpo_rewards.command_line import app

__all__ = ["Invoked", "invoke"]


@dataclass(frozen=True)
class Invoked:
    """What a command printed, and how it ended. ``output`` is all of it."""

    exit_code: int
    output: str
    stdout: str
    stderr: str
    exception: BaseException | None


def invoke(arguments: Sequence[str], stdin: str | bytes | None = None, **environment: str) -> Invoked:
    """Runs the command with these arguments."""
    # click told the two outputs apart only on demand before 8.2, and then put neither into the other
    apart = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}
    done = CliRunner(**apart).invoke(app, list(arguments), input=stdin, env=environment)
    output = done.stdout + done.stderr if apart else done.output
    return Invoked(done.exit_code, output, done.stdout, done.stderr, done.exception)
