"""Resuming a run from its last whole checkpoint, bit for bit, and only where it is the same run.

A generation serves ``steps_per_generation * num_iterations`` micro-batches, and a checkpoint holds no completions: so
a run is saved and resumed between two generations.
"""

import hashlib
import json
import math
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, fields, is_dataclass
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from grpo_rewards import Reward
from grpo_rewards.scoring.reward_code import reward_code

__all__ = ["checkpoint_to_resume", "record_of", "train"]

Record = dict[str, Any]

STOPPED = 75  # the status of a run that a signal stopped; EX_TEMPFAIL of sysexits.h: nothing is wrong, try again
OR_ANEW = "Pass another --output_dir, or --overwrite to start anew."
REFERENCE = "reference.pt"
COMPLETE = "complete"  # the last file of a checkpoint, once all processes have written theirs
# Settings that may differ when a run is resumed. All others are compared, also those that TRL has tomorrow.
MAY_CHANGE = (
    # where the run lies, how it is called, where it is published, what is logged and when it is saved
    *("output_dir", "run_name", "project", "push_to_hub", "hub_*", "trackio_*", "log*", "num_completions_to_print"),
    *("report_to", "disable_tqdm", "include_num_input_tokens_seen", "skip_memory_metrics", "debug", "save_*"),
    *("overwrite", "resume_from_checkpoint", "enable_jit_checkpoint"),
    # what only checks the run, and evaluations: their random numbers do not reach the training
    *("watch_loss", "thorough_check", "allow_unreadable_answers", "do_*", "per_device_eval_batch_size"),
    *("eval_batch_tokens", "eval_strategy", "eval_steps", "eval_delay", "eval_on_start"),
    # how the machine does the same: loading, memory, patience, and where the vLLM server is
    *("dataloader_*", "ddp_timeout", "ddp_backend", "local_rank", "torch_empty_cache_steps", "*checkpointing*"),
    *("vllm_server_*", "vllm_group_port", "vllm_gpu_memory_utilization", "vllm_tensor_parallel_size"),
    "vllm_enable_sleep_mode",
    # how a batch is laid out: what it comes to is compared, as completions_per_step and generation_batch_size
    *("per_device_train_batch_size", "gradient_accumulation_steps", "steps_per_generation"),
)
MUST_NOT_CHANGE = ("dataloader_drop_last",)
RAISED = ("max_steps", "num_train_epochs")  # a run may be made longer


def record_of(
    configs: Sequence[Any], rewards: Sequence[Reward], train: Dataset, held_out: Dataset, **more: Any
) -> Record:
    """What ``run.json`` holds: the settings that are compared, the layout of the batch, and the versions.

    ``configs`` are the dataclasses of the command line, ``more`` what else decides the run. Of rewards that are not of
    the package the code is compared as well; those of the package are known by its version.
    """
    args = next(config for config in configs if isinstance(config, GRPOConfig))
    layout = [args.world_size, args.per_device_train_batch_size, args.gradient_accumulation_steps]
    settings = {
        field.name: getattr(config, field.name)
        for config in configs
        for field in fields(config)
        if field.name in MUST_NOT_CHANGE or not any(fnmatch(field.name, pattern) for pattern in MAY_CHANGE)
    }
    settings |= {"completions_per_step": math.prod(layout), **more}
    settings |= {f"the code of {name}": hashed for name, hashed in reward_code(rewards).items()}
    settings |= {"training_problems": digest(train), "held_out_problems": digest(held_out)}
    versions = {name: version(name) for name in ("grpo-rewards", "trl", "transformers", "torch", "peft")}
    found = {"settings": settings, "layout": layout, "versions": versions, "commit": commit()}
    record: Record = json.loads(json.dumps(found, default=plain))
    return record


def commit() -> str | None:
    """The commit of the repository that the script lies in, for the report; ``None`` where there is none."""
    folder = shlex.quote(str(Path(sys.argv[0]).resolve().parent))
    status, printed = subprocess.getstatusoutput(f"git -C {folder} rev-parse --short HEAD")
    return None if status else printed


def digest(data: Dataset) -> str:
    """How many problems there are, and a hash of all of them in their order: a file that was edited is another one."""
    hashed = hashlib.blake2b(digest_size=8)
    for row in data:
        hashed.update(json.dumps(row, default=plain, sort_keys=True).encode() + b"\n")
    return f"{len(data)} rows, {hashed.hexdigest()}"


def plain(value: Any) -> Any:
    """What JSON keeps of a value that is none of its own."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    text = str(getattr(value, "value", getattr(value, "__qualname__", value)))
    return type(value).__qualname__ if " at 0x" in text else text  # an address is another one in each process


def differences(before: Record, now: Record) -> list[str]:
    """What is in both with another value: 'seed was 42, now 7'."""
    both = [name for name in now if name in before and before[name] != now[name]]
    return [f"{name} was {before[name]!r}, now {now[name]!r}" for name in both]


def other_settings(before: Record, now: Record) -> list[str]:
    """Each setting that makes them two runs. One that only one record has is not compared."""
    then, settings = before.get("settings", before), now["settings"]
    longer = [name for name in RAISED if 0 < then.get(name, 0) <= settings.get(name, 0)]
    return differences(then, {name: value for name, value in settings.items() if name not in longer})


def other_circumstances(before: Record, now: Record) -> list[str]:
    """Each difference for which a run that is resumed may differ from an uninterrupted one."""
    layout = "the layout of its batch (processes, batch of each, accumulated)"
    then = {**before.get("versions", {}), layout: before.get("layout", now["layout"])}
    return differences(then, {**now["versions"], layout: now["layout"]})


def checkpoint_to_resume(args: GRPOConfig, record: Record, *, overwrite: bool) -> str | None:
    """The checkpoint to resume: the one of ``--resume_from_checkpoint``, or the last one in the output folder.

    A checkpoint of another run, or one that cannot be resumed, ends the program with a message; so does a run that
    is finished. Before that nothing in the folder is changed. Afterwards ``run.json`` says which run this is.
    """
    folder, named = Path(args.output_dir), str(args.resume_from_checkpoint)
    if overwrite and args.resume_from_checkpoint is not None:
        sys.exit("error: --resume_from_checkpoint resumes a run and --overwrite removes it: pass one of them.")
    save_between_generations(args)
    there = [] if overwrite else whole_checkpoints(folder, args)
    checkpoint = there[-1] if there else None
    if named.lower() not in ("none", "true"):
        checkpoint = Path(named)
        if checkpoint not in whole_checkpoints(checkpoint.parent, args):
            have = ", ".join(map(str, there)) or "none"
            sys.exit(f"error: --resume_from_checkpoint {named} is no whole checkpoint. Those of {folder}: {have}.")
    place = folder if checkpoint is None else checkpoint.parent
    before, notes = read_json(place / "run.json"), []
    if not overwrite and any(place.glob(f"checkpoint-*/{COMPLETE}")) and (changed := other_settings(before, record)):
        sys.exit(f"error: {place} holds a run with other settings ({', '.join(changed)}). {OR_ANEW}")
    if checkpoint is not None:
        notes = [f"Resuming from {checkpoint}; --overwrite starts anew."]
        if changed := other_circumstances(before, record):
            notes.append(f"{'; '.join(changed)}: it goes on, and other completions may be sampled.")
        if is_finished(checkpoint, args) and read_json(folder / "eval.json").get("steps") == step_of(checkpoint):
            if args.process_index == 0:
                print(f"{folder} holds this run, finished at step {step_of(checkpoint)}; its figures are in eval.json.")
                print("Raise --max_steps to go on, or pass --overwrite to start anew.")
            sys.exit(0)
    elif not overwrite and any(folder.glob("checkpoint-*")):
        notes = [f"{folder} has no checkpoint that is whole and lies between two generations: it begins anew."]
    args.distributed_state.wait_for_everyone()  # who looks later would find it changed
    if args.process_index == 0:
        if overwrite:
            for path in (*folder.glob("checkpoint-*"), folder / "completions", folder / "evaluation"):
                shutil.rmtree(path, ignore_errors=True)
            for file in ("eval.json", "alerts.jsonl"):  # of which the first marks a run as finished
                (folder / file).unlink(missing_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "run.json").write_text(json.dumps(record, indent=2))
        print("\n".join(notes), end="\n" * bool(notes))
    args.distributed_state.wait_for_everyone()
    return None if checkpoint is None else str(checkpoint)


def whole_checkpoints(folder: Path, args: GRPOConfig) -> list[Path]:
    """The checkpoints of a folder that can be resumed, by step: between two generations, or at the end of the run."""
    whole = [path for path in folder.glob("checkpoint-*") if (path / COMPLETE).is_file()]
    every = steps_between_generations(args)
    return sorted((path for path in whole if step_of(path) % every == 0 or is_finished(path, args)), key=step_of)


def read_json(path: Path) -> dict[str, Any]:
    """What a file holds; nothing where it is not there, or was not written to its end."""
    with suppress(OSError, ValueError):
        return dict(json.loads(path.read_text()))
    return {}


def step_of(checkpoint: Path) -> int:
    return int(checkpoint.name.rpartition("-")[2])


def is_finished(checkpoint: Path, args: GRPOConfig) -> bool:
    """Whether no step is left. A trainer that is resumed there would take one too many."""
    state = read_json(checkpoint / "trainer_state.json")
    if args.max_steps > 0:
        return bool(state["global_step"] >= args.max_steps)
    return bool(state["epoch"] > args.num_train_epochs - 1e-6)


def steps_between_generations(args: GRPOConfig) -> int:
    """After how many optimizer steps a generation ends together with a step."""
    generation, accumulated = args.steps_per_generation * args.num_iterations, args.gradient_accumulation_steps
    return int(math.lcm(generation, accumulated) // accumulated)


def save_between_generations(args: GRPOConfig) -> None:
    """Rounds ``save_steps`` up, so that each checkpoint can be resumed, and says so.

    With ``load_best_model_at_end`` it stays a multiple of ``eval_steps``, as transformers demands.
    """
    if args.save_strategy != "steps" or args.save_steps < 1:
        return
    every, requested = steps_between_generations(args), int(args.save_steps)
    if args.load_best_model_at_end:
        every = math.lcm(every, int(args.eval_steps))
    args.save_steps = -(-requested // every) * every
    if args.save_steps != requested and args.process_index == 0:
        print(f"save_steps is {args.save_steps} in place of {requested}: a generation serves {every} steps.")


def train(trainer: GRPOTrainer, checkpoint: str | None) -> None:
    """Trains to the end, from a checkpoint if there is one; takes only its weights if it is that of the last step.

    At SIGTERM, on any process, all save a checkpoint after the same generation, and the program ends with status 75.
    """
    callback = Resuming(trainer, checkpoint)
    trainer.add_callback(callback)
    before = signal.signal(signal.SIGTERM, callback.request_stop)
    try:
        trainer.train(resume_from_checkpoint=checkpoint)
    except NothingToTrain:
        trainer.is_in_train = False
        if trainer.args.load_best_model_at_end and trainer.state.best_model_checkpoint is not None:
            trainer._load_best_model()
        trainer.control = trainer.callback_handler.on_train_end(trainer.args, trainer.state, trainer.control)
    finally:
        signal.signal(signal.SIGTERM, before)
    if callback.stopped:
        if trainer.is_world_process_zero():
            step = trainer.state.global_step
            print(f"\nStopped after step {step} with checkpoint-{step}; the same command line goes on from there.")
        sys.exit(STOPPED)


class NothingToTrain(Exception):
    """A trainer has loaded the checkpoint of its last step, and must not take another one."""


class Resuming(TrainerCallback):
    """Keeps and restores what a trainer's own checkpoints lose, and stops at a signal.

    Lost are the order of problems from the second epoch on, and the reference of iterative GRPO. transformers' own
    ``enable_jit_checkpoint`` saves each process by itself, and perhaps in the middle of a step.
    """

    def __init__(self, trainer: GRPOTrainer, checkpoint: str | None) -> None:
        self.trainer, self.checkpoint = trainer, checkpoint
        self.signalled = self.stopped = False

    def request_stop(self, number: int, frame: Any) -> None:
        self.signalled = True

    def on_train_begin(self, args: Any, state: Any, control: Any, train_dataloader: Any = None, **_: Any) -> None:
        if self.checkpoint is None:
            return
        state.compute_steps(args, state.max_steps)  # save_steps and logging_steps as they are now, not as they were
        draw_past_orders(train_dataloader, state.global_step, args.gradient_accumulation_steps)
        if args.sync_ref_model:
            if self.trainer.is_deepspeed_enabled or self.trainer.is_fsdp_enabled:
                sys.exit(f"error: sync_ref_model cannot be resumed with a sharded reference. {OR_ANEW}")
            weights = torch.load(Path(self.checkpoint) / REFERENCE, map_location="cpu", weights_only=True)
            self.trainer.accelerator.unwrap_model(self.trainer.ref_model).load_state_dict(weights)
        if is_finished(Path(self.checkpoint), args):
            raise NothingToTrain

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step % steps_between_generations(args) or self.stopped:
            return
        accelerator = self.trainer.accelerator
        signals = accelerator.reduce(torch.tensor([float(self.signalled)], device=accelerator.device), "sum")
        if signals.item() > 0:
            self.stopped = control.should_save = control.should_training_stop = True
            args.save_total_limit = None  # at the end of training 1 would leave the best checkpoint, and not the last

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        folder, accelerator = Path(args.output_dir) / f"checkpoint-{state.global_step}", self.trainer.accelerator
        if args.sync_ref_model:
            weights = accelerator.get_state_dict(self.trainer.ref_model)  # of all processes
            accelerator.save(weights, folder / REFERENCE)
        accelerator.wait_for_everyone()
        if accelerator.is_main_process and not args.save_only_model:
            (folder / COMPLETE).touch()


def draw_past_orders(dataloader: Any, step: int, accumulated: int) -> None:
    """Draws the orders of the epochs that are past: TRL's sampler draws one an epoch, from one generator."""
    sampler = dataloader
    while sampler is not None and getattr(sampler, "num_samples", None) is None:  # accelerate's and torch's are outside
        sampler = getattr(sampler, "batch_sampler", None) or getattr(sampler, "sampler", None)
    if getattr(sampler, "generator", None) is not None:  # else it is a stream, or a fixed order
        for _ in range(step // max(-(-len(dataloader) // accumulated), 1)):
            torch.randperm(sampler.num_samples, generator=sampler.generator)
