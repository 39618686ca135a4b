"""The settings of a run: the command line over the YAML over what suits the task, the model and the machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from trl import GRPOConfig, ModelConfig

from running.before_loading.accepted import refused
from running.command_line import parse, peek
from running.task import Task

__all__ = ["TaskArguments", "settings"]

# What every tiny model trains with where neither the task nor the user sets another value.
TINY_DEFAULTS: dict[str, Any] = {
    "lr_scheduler_type": "constant",
    "num_generations": 8,
    "beta": 0.0,
    "bf16": False,
    "gradient_checkpointing": False,
    "save_steps": 20,
    "save_total_limit": 2,
}
TINY_BATCH = 128  # completions in a step, on all processes
BATCH = ("completions_per_step", "per_device_train_batch_size", "gradient_accumulation_steps")


@dataclass
class TaskArguments:
    """The problems, the rewards and the evaluation."""

    dataset_name: str | None = field(
        default=None, metadata={"help": "Data set on the hub, such as openai/gsm8k, or a folder."}
    )
    dataset_config: str | None = field(
        default=None, metadata={"help": "Configuration of the data set; its only one, or main, where none is named."}
    )
    dataset_train_split: str = field(default="train", metadata={"help": "Split to train on."})
    dataset_test_split: str = field(
        default="test", metadata={"help": "Split to evaluate on; the one to train on, and some of it are held out."}
    )
    dataset_path: str | None = field(
        default=None, metadata={"help": "A file of problems: .jsonl, .json, .csv or .parquet; some are held out."}
    )
    prompt_column: str | None = field(
        default=None, metadata={"help": "What the data calls the column with the question, if not as the task does."}
    )
    answer_column: str | None = field(
        default=None, metadata={"help": "What the data calls the column of golds, if not as the task does."}
    )
    reward_funcs: list[str] | None = field(
        default=None,
        metadata={"help": 'Rewards by spec: boxed_answer "soft_overlong(max_tokens=256, buffer=64)" my_pkg.my_reward'},
    )
    system_prompt: str | None = field(default=None, metadata={"help": "Put before every problem."})
    eval_size: int = field(default=200, metadata={"help": "How many held-out problems to evaluate on; 0 for none."})
    eval_samples: int = field(default=4, metadata={"help": "Samples of each problem for the sampled accuracy."})
    eval_greedy: bool = field(
        default=False,
        metadata={"help": "Also evaluate greedy answers, which show one habit of the model and may mislead."},
    )
    eval_batch_tokens: int | None = field(
        default=None,
        metadata={
            "help": "Tokens, prompts and answers together, that an evaluation generates at once on a process; "
            "by default as many answers as training."
        },
    )
    allow_unreadable_answers: bool = field(
        default=False, metadata={"help": "Train although some gold answers cannot be read; these rows teach nothing."}
    )
    thorough_check: bool = field(
        default=True,
        metadata={"help": "Before a model is loaded, also probe the rewards with hacks, and with golds as answers."},
    )
    completions_per_step: int | None = field(
        default=None,
        metadata={"help": "Completions in a step, on all processes: it sets gradient_accumulation_steps."},
    )
    watch_loss: bool = field(
        default=False, metadata={"help": "Hold TRL's loss to the one of the papers every ten steps; stop if it is not."}
    )
    overwrite: bool = field(default=False, metadata={"help": "Start anew instead of resuming the last checkpoint."})

    def __post_init__(self) -> None:
        if isinstance(self.reward_funcs, str):  # a single spec in a YAML need not be a list
            self.reward_funcs = [self.reward_funcs]


def settings(
    task: Task, argv: Sequence[str], from_run: Mapping[str, Any] = MappingProxyType({})
) -> tuple[TaskArguments, GRPOConfig, ModelConfig]:
    """The command line over the YAML over what is taken ``from_run`` over what suits the model and the machine."""
    named = peek(argv, ("model_name_or_path", "dataset_name", "dataset_path", "dtype", "eval_steps", *BATCH))
    name = Path(named["model_name_or_path"] or "tiny").name
    data = Path(named["dataset_path"] or named["dataset_name"] or task.name).stem
    defaults: dict[str, Any] = {
        "dataset_path": None if task.data is None or named["dataset_name"] else str(task.data),
        "output_dir": str(Path("outputs") / f"{name}-{data}"),
        "logging_steps": 1,
        "log_completions": True,  # writes completions/*.parquet
        "num_completions_to_print": 0,
        "report_to": "none",
        "eval_strategy": "steps" if named["eval_steps"] is not None else "no",
        "num_generations_eval": 1,  # the evaluation's: TRL would have its own evaluation fit per_device_eval_batch_size
    }
    if named["model_name_or_path"] is None:
        share = max(TINY_BATCH // int(os.environ.get("WORLD_SIZE", "1")), 1)
        tiny = {"model_name_or_path": str(task.model), "per_device_train_batch_size": share}
        defaults |= TINY_DEFAULTS | tiny | dict(task.tiny)
    if not torch.accelerator.is_available():
        defaults |= {"use_cpu": True, "bf16": False}  # TRL's bf16=True raises on a CPU
    defaults |= from_run
    defaults |= whole_step(named, defaults)
    script, training, model = parse(argv, (TaskArguments, GRPOConfig, ModelConfig), defaults)
    for refusal in refused(training):
        sys.exit(f"error: {refusal}")
    require_whole_step(script.completions_per_step, training)
    script.eval_greedy |= "greedy/" in (training.metric_for_best_model or "")
    if (model.load_in_4bit or model.load_in_8bit) and (named["dtype"] or from_run.get("dtype")) in (None, "auto"):
        # a quantized model computes in this, and keeps in it what is not quantized; TRL's default is float32
        model.dtype = "bfloat16" if training.bf16 else "float16" if training.fp16 else "float32"
    training.model_init_kwargs = {
        "revision": model.model_revision,
        "dtype": model.dtype,
        "attn_implementation": model.attn_implementation,
        **(training.model_init_kwargs or {}),
    }
    return script, training, model


def whole_step(named: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """``gradient_accumulation_steps``, so that a step has ``completions_per_step`` on any number of processes.

    Nothing where that is not set. Ends the program with a message where the completions cannot be shared out.
    """
    if not str(named["completions_per_step"]).isdecimal():
        return {}  # not set, or no number, which the parser reports
    if named["gradient_accumulation_steps"] is not None:
        sys.exit("error: completions_per_step sets gradient_accumulation_steps: give one of the two.")
    share = named["per_device_train_batch_size"] or defaults.get(
        "per_device_train_batch_size", GRPOConfig.per_device_train_batch_size
    )
    completions, processes = int(named["completions_per_step"]), int(os.environ.get("WORLD_SIZE", "1"))
    at_once = int(share) * processes
    if not completions or completions % at_once:
        sys.exit(
            f"error: completions_per_step {completions} is no multiple of {at_once}, which {processes} processes with "
            f"per_device_train_batch_size {share} train on at once. Change one of the two."
        )
    return {"gradient_accumulation_steps": completions // at_once}


def require_whole_step(completions: int | None, training: GRPOConfig) -> None:
    """Ends the program where other processes run than the environment says, so that a step would be another one."""
    really = training.per_device_train_batch_size * training.world_size * training.gradient_accumulation_steps
    if completions is not None and completions != really:
        sys.exit(
            f"error: a step would have {really} completions and not the {completions} of completions_per_step: "
            f"{training.world_size} processes run and WORLD_SIZE is {os.environ.get('WORLD_SIZE', 'not set')}. Start "
            "them with accelerate launch or torchrun, or set gradient_accumulation_steps instead."
        )
