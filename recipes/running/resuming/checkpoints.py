"""Which checkpoint a run goes on with: one that is whole, of this very run, and requested."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import torch
from trl import GRPOConfig

from running.evaluation import EVALUATION_FOLDERS, evaluation_folder
from running.resuming.same_run import Record, differences, layout, notes
from running.resuming.stopping import refuse_other_checkpoints

__all__ = ["PLACE", "can_be_resumed", "checkpoint_to_resume", "last_checkpoint", "trained_to_its_end"]

PLACE = "place_{rank}.pt"  # what place.py keeps with a checkpoint, a file for each process
RequireRoom = Callable[[Sequence[Path]], None]
OR_ANEW = "Pass another --output_dir, or --overwrite to start anew."


def checkpoint_to_resume(
    training: GRPOConfig, record: Record, *, overwrite: bool, require_room: RequireRoom = lambda staying: None
) -> str | None:
    """The checkpoint to go on with: the one of ``--resume_from_checkpoint``, or the last one in the output folder.

    A checkpoint of another run, or one that cannot be resumed, ends the program with a message; so does a run that
    is finished. All of that is looked at, on every process, before anything in the folder is changed.

    Args:
        training: the settings of the run.
        record: which run this is (``record_of``); it is kept in ``run.json``.
        overwrite: whether to remove the checkpoints, completions and figures of an earlier run.
        require_room: ends the program where the disk is too small; it gets what is put aside, and so stays on it.
    """
    refuse_other_checkpoints(training)
    if overwrite and training.resume_from_checkpoint is not None:
        sys.exit("error: --resume_from_checkpoint resumes a run and --overwrite removes it: pass one of them.")
    folder = Path(training.output_dir)
    checkpoint, notes_to_print = (None, []) if overwrite else checkpoint_and_notes(training, folder, record)
    later = [] if checkpoint is None else later_than(step_of(checkpoint), folder)
    require_room(later)
    rest = ""
    if checkpoint is not None and trained_to_its_end(checkpoint, training):
        rest = " It is trained to its end: the evaluation is left."
    training.distributed_state.wait_for_everyone()  # who looks later would find it changed
    if training.process_index == 0:
        if overwrite:
            remove_run(folder)
        write_record(folder / "run.json", record)
        if later:
            notes_to_print += [put_aside(folder, later)]
        if checkpoint is not None:
            print("\n".join([f"Resuming from {checkpoint}; --overwrite starts anew.{rest}", *notes_to_print]))
    training.distributed_state.wait_for_everyone()
    return None if checkpoint is None else str(checkpoint)


def checkpoint_and_notes(training: GRPOConfig, folder: Path, record: Record) -> tuple[Path | None, list[str]]:
    """The requested checkpoint, and notes to print; ends the program where it cannot be resumed."""
    checkpoint = requested_checkpoint(training.resume_from_checkpoint, folder)
    notes_to_print = require_same_run(folder, record) if last_checkpoint(folder) else []
    if checkpoint is not None:
        if checkpoint.parent.resolve() != folder.resolve():
            notes_to_print = require_same_run(checkpoint.parent, record)
        require_resumable(checkpoint, training)
        stop_if_finished(folder, checkpoint, training)
    return checkpoint, notes_to_print


def remove_run(folder: Path) -> None:
    for old in (*folder.glob("checkpoint-*"), folder / "completions", *(folder / name for name in EVALUATION_FOLDERS)):
        shutil.rmtree(old, ignore_errors=True)
    for file in ("eval.json", "alerts.jsonl"):  # of which the first marks a run as finished
        (folder / file).unlink(missing_ok=True)


def requested_checkpoint(resume: str | bool | None, folder: Path) -> Path | None:
    """The checkpoint that ``--resume_from_checkpoint`` names; without it the last one of the folder, if there is one.

    'true' is the last one too, and demands that there is one.
    """
    if resume is None:
        return last_checkpoint(folder)
    value = str(resume).lower()
    if value == "false":
        sys.exit(f"error: --resume_from_checkpoint {resume}: a run goes on by itself. {OR_ANEW}")
    if value == "true":
        if (last := last_checkpoint(folder)) is None:
            sys.exit(
                f"error: --resume_from_checkpoint {resume}: {folder} has no whole checkpoint. Leave it out to begin."
            )
        return last
    path = Path(str(resume))
    if not is_whole(path):
        have = ", ".join(sorted(map(str, whole_checkpoints(folder)))) or "none"
        sys.exit(f"error: --resume_from_checkpoint {resume} is no whole checkpoint. Those of {folder}: {have}.")
    return path


def require_same_run(folder: Path, record: Record) -> list[str]:
    """Ends the program where a folder holds another run; returns notes to print."""
    path = folder / "run.json"
    if not path.is_file():
        sys.exit(f"error: {folder} has checkpoints and no run.json that says with which settings they came. {OR_ANEW}")
    before = json.loads(path.read_text())
    if changed := differences(before, record):
        sys.exit(f"error: {folder} holds a run with other settings ({', '.join(changed)}). {OR_ANEW}")
    return notes(before, record)


def require_resumable(checkpoint: Path, training: GRPOConfig) -> None:
    """Ends the program where a checkpoint does not have what it takes to go on."""
    if not can_be_resumed(checkpoint):
        sys.exit(
            f"error: {checkpoint} has the model and not the optimizer's state (--save_only_model): a run cannot go on "
            f"with it. {OR_ANEW}"
        )
    path = checkpoint / PLACE.format(rank=0)
    if not path.is_file():
        return
    place = torch.load(path, map_location="cpu", weights_only=True)
    if place["buffer"] is not None and place["layout"] != layout(training):
        processes, each, accumulated, slices = place["layout"]
        sys.exit(
            f"error: {checkpoint} is in the middle of a generation, whose completions lie as they did: go on with "
            f"{processes} processes, --per_device_train_batch_size {each}, --gradient_accumulation_steps {accumulated} "
            f"and --steps_per_generation {slices}, or name an earlier checkpoint with --resume_from_checkpoint."
        )


def stop_if_finished(folder: Path, checkpoint: Path, training: GRPOConfig) -> None:
    """Ends the program where there is nothing left to do: trained to the end, and that step's evaluation is written."""
    step = step_of(checkpoint)
    if not trained_to_its_end(checkpoint, training) or evaluated_at(folder) != step:
        return
    if training.process_index == 0:
        print(f"{folder} holds this run, finished at step {step}; its figures are in eval.json.")
        print("Raise --max_steps to go on, or pass --overwrite to start anew.")
    sys.exit(0)


def trained_to_its_end(checkpoint: Path, training: GRPOConfig) -> bool:
    """Whether no step is left. A trainer that is resumed there would take one too many."""
    state = state_of(checkpoint)
    if training.max_steps > 0:
        return bool(state["global_step"] >= training.max_steps)
    return bool(state["epoch"] > training.num_train_epochs - 1e-6)


def later_than(step: int, folder: Path) -> list[Path]:
    """What the folder holds of later steps than the one that the run goes on from.

    Left there, a later checkpoint would be resumed the next time, and figures would mark the run as finished.
    """
    later = [path for path in whole_checkpoints(folder) if step_of(path) > step]
    if (evaluated_at(folder) or 0) > step:
        later.append(folder / "eval.json")
    evaluations = [path for path in evaluation_folder(folder).glob("step-??????.parquet") if int(path.stem[5:]) > step]
    return sorted(later, reverse=True) + evaluations if later else []


def put_aside(folder: Path, later: Sequence[Path]) -> str:
    """Moves paths of a folder into a new one in it; returns a note to print."""
    aside = next(one for one in (folder / f"put_aside_{number}" for number in count(1)) if not one.exists())
    names = ", ".join(str(path.relative_to(folder)) for path in later)
    for path in later:
        (aside / path.relative_to(folder)).parent.mkdir(parents=True, exist_ok=True)
        path.rename(aside / path.relative_to(folder))
    return f"What is of later steps was put aside in {aside}: {names}. Remove that folder if you do not need it."


def evaluated_at(folder: Path) -> int | None:
    """The step of the figures in a folder; ``None`` where there are none, or they were not written to their end."""
    try:
        step: int | None = json.loads((folder / "eval.json").read_text()).get("steps")
    except (OSError, ValueError):
        return None
    return step


def state_of(checkpoint: Path) -> dict[str, Any]:
    """The trainer's state in a checkpoint; nothing where it is not there, or was not written to its end."""
    try:
        state: dict[str, Any] = json.loads((checkpoint / "trainer_state.json").read_text())
    except (OSError, ValueError):
        return {}
    return state


def step_of(checkpoint: Path) -> int:
    step: int = state_of(checkpoint)["global_step"]
    return step


def last_checkpoint(folder: Path) -> Path | None:
    return max(whole_checkpoints(folder), key=step_of, default=None)


def whole_checkpoints(folder: Path) -> list[Path]:
    return [path for path in folder.glob("checkpoint-*") if path.name[11:].isdigit() and is_whole(path)]


def is_whole(checkpoint: Path) -> bool:
    """Whether a checkpoint was written to its end, by all processes.

    The trainer's state is the last file of the first process; another one may still be writing its random state, a
    file of zip's, whose end says what is in it. ``save_only_model`` leaves random states out, and trainers that know
    nothing of ours their places.
    """
    states, places = random_states(checkpoint), len(list(checkpoint.glob(PLACE.format(rank="*"))))
    return bool(state_of(checkpoint)) and (not states or places in (0, len(states))) and all(map(is_zipfile, states))


def can_be_resumed(checkpoint: Path) -> bool:
    """Whether a checkpoint has more than the model."""
    return bool(random_states(checkpoint))


def random_states(checkpoint: Path) -> list[Path]:
    return list(checkpoint.glob("rng_state*.pth"))


def write_record(path: Path, record: Record) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(record, indent=2))
    partial.replace(path)  # in one step: other processes may be reading it
