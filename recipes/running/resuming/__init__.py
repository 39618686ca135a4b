"""Runs that are interrupted: going on where one stopped, bit for bit, and never where another one did.

``same_run`` says whether a checkpoint is of this run, ``checkpoints`` which one to go on with, ``place`` and
``reference`` keep what the trainer's own checkpoints lose, ``stopping`` heeds signals, ``going_on`` trains.
"""

from running.resuming.checkpoints import checkpoint_to_resume
from running.resuming.going_on import train_from
from running.resuming.place import save_between_generations
from running.resuming.same_run import record_of
from running.resuming.stopping import Stopped, ends_on_signals

__all__ = [
    "Stopped",
    "checkpoint_to_resume",
    "ends_on_signals",
    "record_of",
    "save_between_generations",
    "train_from",
]
