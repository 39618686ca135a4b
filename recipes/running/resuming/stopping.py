"""Heeding the signals by which a machine is taken away: SIGTERM of spot machines, SIGTERM or SIGUSR1 of Slurm."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import torch
from transformers import TrainerCallback
from trl import GRPOConfig, GRPOTrainer

__all__ = ["Stopped", "StopsOnSignal", "ends_on_signals", "heeding", "refuse_other_checkpoints"]

STOPPED = 75  # EX_TEMPFAIL of sysexits.h: nothing is wrong, try again
SIGNALS = (signal.SIGTERM, signal.SIGUSR1)
# Slurm signals the launcher and its processes, and the launcher passes it on: what comes so soon is the same signal.
ONE_SIGNAL = 5.0  # seconds

Handler = Callable[[int, FrameType | None], None]


class Stopped(SystemExit):
    """The end of a training that was stopped by a signal, on all processes together."""

    def __init__(self) -> None:
        super().__init__(STOPPED)


@contextmanager
def heeding(handler: Handler) -> Iterator[None]:
    """Calls ``handler`` for the signals that request a stop, in this process only."""
    owner = os.getpid()

    def handle(number: int, frame: FrameType | None) -> None:
        if os.getpid() == owner:
            handler(number, frame)
        else:  # a process that was forked, such as one that loads data
            die_of(number)

    before = {number: signal.signal(number, handle) for number in SIGNALS}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def die_of(number: int) -> None:
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


@contextmanager
def ends_on_signals() -> Iterator[None]:
    """Ends the program at a signal where nothing is being trained, so that there is nothing to save."""
    with heeding(lambda number, frame: end_at_once(number)):
        yield


def end_at_once(number: int) -> None:
    if os.environ.get("RANK", "0") == "0":
        write_line(
            f"{signal.Signals(number).name}: stopped. The same command line goes on from the last checkpoint, or from "
            "the beginning if none was saved."
        )
    sys.exit(STOPPED)


class StopsOnSignal(TrainerCallback):
    """Requests a checkpoint and the end of training at the end of the step in which any process got a signal.

    transformers' own ``enable_jit_checkpoint`` saves each process by itself, and perhaps in the middle of a step.
    """

    def __init__(self, trainer: GRPOTrainer) -> None:
        self.accelerator = trainer.accelerator
        self.begun = False
        self.signalled_at: float | None = None
        self.saved_at = -1

    def handle(self, number: int, frame: FrameType | None) -> None:
        if not self.begun:  # a checkpoint is being loaded, or its evaluation run
            end_at_once(number)
        if self.signalled_at is None:
            self.signalled_at = time.monotonic()
            if self.accelerator.is_main_process:
                write_line(
                    f"{signal.Signals(number).name}: stopping with a checkpoint after this step; again: at once."
                )
        elif time.monotonic() - self.signalled_at > ONE_SIGNAL:
            die_of(number)

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.begun = True

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if not self.signalled_anywhere():
            return
        control.should_training_stop = True
        if self.saved_at != state.global_step:
            control.should_save = True
        args.save_total_limit = None  # at the end of training 1 would leave the best checkpoint, and not the last

    on_evaluate = on_step_end  # an evaluation between two steps may be long
    on_epoch_end = on_step_end  # save_strategy="best" may have found the last step not the best, and not saved it

    def on_save(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        self.saved_at = state.global_step
        self.on_step_end(args, state, control, **more)  # for writing a checkpoint may be long, too

    def signalled_anywhere(self) -> bool:
        """Whether any process got a signal: the same answer on all of them, at the same step."""
        signalled = self.signalled_at is not None
        if self.accelerator.num_processes == 1:
            return signalled
        signals = torch.tensor([float(signalled)], device=self.accelerator.device)
        return bool(self.accelerator.reduce(signals, "sum").item() > 0)


def write_line(text: str) -> None:
    """Writes a line to standard error, also in the middle of a print, where a second one would raise."""
    os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, f"\n{text}\n".encode())


def refuse_other_checkpoints(training: GRPOConfig) -> None:
    """Ends the program where transformers is set to heed SIGTERM in its own way."""
    if training.enable_jit_checkpoint:
        sys.exit(
            "error: --enable_jit_checkpoint: leave it out; at SIGTERM and SIGUSR1 a recipe saves a checkpoint by "
            "itself, on all processes after the same step."
        )
