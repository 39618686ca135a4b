"""The command line of a recipe: its own options beside TRL's, what is set where nothing is said, and clear errors."""

import argparse
import json
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import yaml
from trl import GRPOConfig, ModelConfig, TrlParser

from grpo_rewards import RewardError
from grpo_rewards.errors import did_you_mean

__all__ = ["ScriptArguments", "ends_with_one_message", "parse_arguments", "peek", "read_yaml"]

# TRL uses names that transformers 5 deprecates, one of them at every step: the warnings would bury the progress line.
warnings.filterwarnings("ignore", message=".*gradient_checkpointing.*deprecated", category=FutureWarning)

Settings = Mapping[str, Any]

USAGE = "%(prog)s [--config FILE.yaml] [--FIELD VALUE …]   (all fields: --help)"
RESUME = "The same command line goes on from the last checkpoint, if one was saved; --overwrite starts anew."
INTERRUPTED = 130  # the status of a program that Ctrl-C ended: 128 and SIGINT
# What every tiny model trains with where neither the recipe nor the user sets another value.
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
# What to do where TRL refuses settings, by a part of its message.
REMEDIES = {
    "divisible by num_generations": "Set --num_generations or --per_device_train_batch_size so that groups are whole.",
    "divisible by the global batch size": "Leave --generation_batch_size out, or choose a multiple.",
    "generations used for evaluation": "Leave --num_generations_eval out: the recipe has evaluations of its own.",
    "support bf16": "This accelerator has no bfloat16: set --bf16 false --fp16 true.",
}


def option(default: Any, text: str) -> Any:
    """A field of a dataclass, with its text for ``--help``."""
    return field(default=default, metadata={"help": text})


@dataclass
class ScriptArguments:
    """The problems, the rewards and the evaluation: what GRPOConfig and ModelConfig have no fields for."""

    dataset_name: str | None = option(None, "Data set on the hub, such as openai/gsm8k, or a folder.")
    dataset_config: str | None = option(None, "Configuration of the data set; its only one, or main, by default.")
    dataset_train_split: str = option("train", "Split to train on.")
    dataset_test_split: str = option("test", "Split to evaluate on; if both are the same, some of it are held out.")
    dataset_path: str | None = option(None, "A file, .jsonl, .json, .csv or .parquet; some of its rows are held out.")
    prompt_column: str | None = option(None, "What the data call the column with the question, if otherwise.")
    answer_column: str | None = option(None, "What the data call the column of golds, if otherwise.")
    reward_funcs: list[str] | None = field(default=None, metadata={"help": "Rewards by spec: boxed_answer my.reward"})
    system_prompt: str | None = option(None, "Put before every problem.")
    eval_size: int = option(200, "How many held-out problems to evaluate on; 0 for none.")
    eval_samples: int = option(4, "Samples of each problem for the sampled accuracy.")
    eval_batch_tokens: int | None = option(None, "Tokens in a batch of an evaluation; as many rows as in training.")
    allow_unreadable_answers: bool = option(False, "Train although some golds cannot be read; these teach nothing.")
    thorough_check: bool = option(True, "Before a model is loaded, also try the rewards on golds and reward hacks.")
    completions_per_step: int | None = option(None, "On all processes; it sets gradient_accumulation_steps.")
    watch_loss: bool = option(False, "Check TRL's loss against the one of the papers every ten steps.")
    overwrite: bool = option(False, "Start anew instead of resuming the last checkpoint.")

    def __post_init__(self) -> None:
        if isinstance(self.reward_funcs, str):  # a single spec in a YAML need not be a list
            self.reward_funcs = [self.reward_funcs]


@contextmanager
def ends_with_one_message(how_to_continue: str = "") -> Iterator[None]:
    """Ends the program with one line and no traceback at an error of rewards, and with status 130 at Ctrl-C."""
    try:
        yield
    except RewardError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        if os.environ.get("RANK", "0") == "0":
            print(f"\nInterrupted. {how_to_continue}".rstrip(), file=sys.stderr)
        sys.exit(INTERRUPTED)


def peek(argv: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """The values in the command line, or else its YAML, of a few fields on which the other defaults depend."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name in ("config", *names):
        parser.add_argument(f"--{name}", nargs="?", const="true")  # as of a field that is on or off
    found = vars(parser.parse_known_args(argv)[0])
    path = found.pop("config")
    values = {} if path is None else read_yaml(Path(path))
    return {name: value if value is not None else values.get(name) for name, value in found.items()}


def read_yaml(path: Path) -> dict[str, Any]:
    """The values of a configuration; ends the program with a message where it has none."""
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        sys.exit(f"error: cannot read {path}: {error}")
    if not isinstance(values, dict):
        sys.exit(f"error: {path} must hold 'key: value' lines, it holds {type(values).__name__}.")
    return values


def parse_arguments(
    argv: Sequence[str], tiny: Settings, rewards: Mapping[str, float], data: str, earlier: Settings | None = None
) -> tuple[ScriptArguments, GRPOConfig, ModelConfig]:
    """The arguments of a run: the command line over the YAML over ``earlier`` over what suits model and machine.

    Ends the program with a message for an unknown field, and for values that a field, TRL or this machine refuses.

    Args:
        argv: the command line.
        tiny: what is trained, and how, where no model is named.
        rewards: the weights of those that train where none are named, by spec.
        data: how the recipe's own problems are called, for the output folder.
        earlier: the settings of an earlier run whose model is evaluated.
    """
    steps = ("completions_per_step", "per_device_train_batch_size", "gradient_accumulation_steps")
    named = peek(argv, ("model_name_or_path", "dataset_name", "dataset_path", "dtype", "eval_steps", "use_cpu", *steps))
    processes, has_accelerator = int(os.environ.get("WORLD_SIZE", "1")), torch.accelerator.is_available()
    model = Path(named["model_name_or_path"] or "tiny").name
    values: dict[str, Any] = {
        "output_dir": f"outputs/{model}-{Path(named['dataset_path'] or named['dataset_name'] or data).stem}",
        "logging_steps": 1,
        "log_completions": True,  # writes completions/*.parquet
        "num_completions_to_print": 0,
        "report_to": "none",
        "eval_strategy": "no" if named["eval_steps"] is None else "steps",
        "num_generations_eval": 1,  # else TRL's own evaluation must fit per_device_eval_batch_size
        **({} if has_accelerator else {"use_cpu": True, "bf16": False}),  # TRL's bf16=True raises on a CPU
    }
    if named["model_name_or_path"] is None:
        values |= TINY_DEFAULTS | {"per_device_train_batch_size": max(TINY_BATCH // processes, 1)} | dict(tiny)
    values |= earlier or {}
    if str(named["completions_per_step"]).isdecimal():  # what is no number the parser reports
        values |= accumulated(named, values, processes)
    script_args, training_args, model_args = parse(argv, values)
    if training_args.eval_strategy != "no" and not script_args.eval_size:
        sys.exit("error: --eval_strategy and --eval_steps need held-out problems: raise --eval_size.")
    if script_args.reward_funcs is None:
        script_args.reward_funcs = list(rewards)
        training_args.reward_weights = training_args.reward_weights or list(rewards.values())
    if not has_accelerator and named["use_cpu"] is None and (training_args.bf16 or training_args.fp16):
        half = "bf16" if training_args.bf16 else "fp16"
        do = f"Check the driver, or pass --{half} false; --use_cpu true --{half} true trains so on a CPU."
        sys.exit(f"error: {half} is set and there is no accelerator (torch finds none). {do}")
    quantized = model_args.load_in_4bit or model_args.load_in_8bit
    if quantized and (named["dtype"] or values.get("dtype")) in (None, "auto"):
        # it computes in this, and keeps in it what is not quantized; TRL's default is float32
        model_args.dtype = "bfloat16" if training_args.bf16 else "float16" if training_args.fp16 else "float32"
    training_args.model_init_kwargs = {
        "revision": model_args.model_revision,
        "dtype": model_args.dtype,
        "attn_implementation": model_args.attn_implementation,
        **(training_args.model_init_kwargs or {}),
    }
    return script_args, training_args, model_args


def accumulated(named: Settings, defaults: Settings, processes: int) -> dict[str, int]:
    """``gradient_accumulation_steps``, so that a step has ``completions_per_step`` on any number of processes."""
    if named["gradient_accumulation_steps"] is not None:
        sys.exit("error: completions_per_step sets gradient_accumulation_steps: give one of the two.")
    share = named["per_device_train_batch_size"] or defaults.get("per_device_train_batch_size", 8)
    completions, at_once = int(named["completions_per_step"]), int(share) * processes
    if not completions or completions % at_once:
        batch = f"{at_once}, which {processes} processes with per_device_train_batch_size {share} train on at once"
        sys.exit(f"error: completions_per_step {completions} is no multiple of {batch}. Change one of the two.")
    return {"gradient_accumulation_steps": completions // at_once}


def parse(
    argv: Sequence[str], defaults: Settings, script_arguments: type[Any] = ScriptArguments
) -> tuple[Any, GRPOConfig, ModelConfig]:
    """The three objects, by TRL's parser; ends the program with a message where it cannot make them."""
    # TrlParser knows '--config FILE' only
    argv = [part for arg in argv for part in (arg.split("=", 1) if arg.startswith("--config=") else [arg])]
    parser = TrlParser((script_arguments, GRPOConfig, ModelConfig), allow_abbrev=False, usage=USAGE)
    parser.set_defaults(**defaults)
    try:
        script_args, training_args, model_args, from_yaml, from_line = parser.parse_args_and_config(
            argv, return_remaining_strings=True, separate_remaining_strings=True
        )
    except json.JSONDecodeError as error:
        sys.exit(f"error: {error.doc} is no JSON ({error}). Put names and texts in double quotes.")
    except ImportError as error:
        sys.exit(f"error: {str(error).strip().splitlines()[0]} Install it, or leave that setting out.")
    except (ValueError, TypeError) as error:
        sys.exit(f"error: {error}" + next((f" {what}" for part, what in REMEDIES.items() if part in str(error)), ""))
    unknown = [arg for arg in (*from_line, *from_yaml) if arg.startswith("--")] or from_line
    if unknown:
        name = unknown[0].partition("=")[0]
        sys.exit(f"error: unknown argument {name}{did_you_mean(name, parser._option_string_actions)} See --help.")
    return script_args, training_args, model_args
