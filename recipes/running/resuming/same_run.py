"""Whether a run is the one that a folder holds: every setting is compared but those that change nothing learnt."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from enum import Enum
from importlib.metadata import version
from typing import Any

from datasets import Dataset
from trl import GRPOConfig

from grpo_rewards import Reward
from grpo_rewards.scoring.reward_code import reward_code

__all__ = ["MAY_CHANGE", "RAISED", "differences", "layout", "notes", "record_of"]

Record = dict[str, Any]

PACKAGE = "grpo-rewards"

# All others are compared, also those that TRL has tomorrow. None of these changes what is learnt:
MAY_CHANGE = frozenset(
    (
        # where the run lies, how it is called and where it is published; a token is in no record
        *("output_dir", "run_name", "project", "push_to_hub", "hub_token", "hub_private_repo", "hub_model_id"),
        *("hub_strategy", "hub_always_push", "hub_revision", "log_completions_hub_repo"),
        *("trackio_space_id", "trackio_bucket_id", "trackio_static_space_id"),
        # what is logged and shown, how often and to whom
        *("logging_strategy", "logging_steps", "logging_first_step", "logging_nan_inf_filter", "log_on_each_node"),
        *("log_level", "log_level_replica", "log_completions", "log_multimodal", "log_unique_prompts"),
        *("num_completions_to_print", "report_to", "disable_tqdm", "include_num_input_tokens_seen"),
        *("skip_memory_metrics", "debug"),
        # when it is saved, and what is done with what was saved
        *("save_strategy", "save_steps", "save_total_limit", "save_only_model", "save_on_each_node"),
        *("overwrite", "resume_from_checkpoint", "enable_jit_checkpoint"),
        # what only checks the run, and when an evaluation is run and how: its random numbers do not reach the training
        *("watch_loss", "thorough_check", "allow_unreadable_answers"),
        *("eval_batch_tokens", "eval_greedy", "per_device_eval_batch_size", "eval_strategy"),
        *("eval_steps", "eval_delay", "eval_on_start", "do_train", "do_eval", "do_predict"),
        # how the machine does the same: loading, memory, patience, and where the vLLM server is
        *("dataloader_num_workers", "dataloader_pin_memory", "dataloader_persistent_workers"),
        *("dataloader_prefetch_factor", "dataloader_multiprocessing_context", "ddp_timeout", "ddp_backend"),
        *("local_rank", "torch_empty_cache_steps", "gradient_checkpointing", "gradient_checkpointing_kwargs"),
        *("activation_checkpointing", "activation_checkpointing_kwargs", "vllm_server_base_url"),
        *("vllm_server_host", "vllm_server_port", "vllm_server_timeout", "vllm_group_port"),
        *("vllm_gpu_memory_utilization", "vllm_tensor_parallel_size", "vllm_enable_sleep_mode"),
        # how a batch is spread over processes and time: what it comes to is compared, as completions_per_step and
        # generation_batch_size, and the run says that it goes on with other random numbers
        *("per_device_train_batch_size", "gradient_accumulation_steps", "steps_per_generation"),
    )
)
RAISED = ("max_steps", "num_train_epochs")  # a run may be made longer
# The learning rate of these does not depend on how long the run is.
ENDLESS = ("constant", "constant_with_warmup", "inverse_sqrt", "reduce_lr_on_plateau", "greedy")
MOST_NAMED = 8


def record_of(
    configs: Sequence[Any],
    training: GRPOConfig,
    *,
    task: str,
    trainer: type,
    options: Mapping[str, Any],
    rewards: Sequence[Reward],
    train: Dataset,
    held_out: Dataset,
) -> Record:
    """What ``run.json`` holds: the settings that are compared, the layout of the batch, and the versions.

    ``configs`` are the dataclasses of the command line, ``options`` what the trainer takes beside them. Of rewards that
    are not of the package the code is compared as well; those of the package are known by its version.
    """
    settings = {
        field.name: getattr(config, field.name)
        for config in configs
        for field in fields(config)
        if field.name not in MAY_CHANGE
    }
    processes, each, accumulated, _ = layout(training)
    settings |= {"task": task, "trainer": trainer.__qualname__, **options}
    settings |= {"completions_per_step": processes * each * accumulated}
    settings |= {f"the code of {name}": hashed for name, hashed in reward_code(rewards).items()}
    settings |= {"training_problems": digest(train), "held_out_problems": digest(held_out)}
    versions = {name: version(name) for name in (PACKAGE, "trl", "transformers", "torch", "peft")}
    record = {"settings": settings, "layout": layout(training), "versions": versions}
    plain_record: Record = json.loads(json.dumps(record, default=plain))
    return plain_record


def layout(training: GRPOConfig) -> list[int]:
    """Processes, completions that one of them trains on at once, how many times a step, and slices of a generation."""
    each, accumulated = training.per_device_train_batch_size, training.gradient_accumulation_steps
    return [training.world_size, each, accumulated, training.steps_per_generation]


def digest(data: Dataset) -> str:
    """How many problems there are, and a hash of all of them in their order: a file that was edited is another one.

    Each row is written as JSON with sorted keys. 100,000 problems take about a second.
    """
    hashed = hashlib.blake2b(digest_size=8)
    for columns in data.iter(batch_size=1000):
        for values in zip(*columns.values(), strict=True):
            row = dict(zip(columns, values, strict=True))
            hashed.update(json.dumps(row, default=plain, sort_keys=True).encode() + b"\n")
    return f"{len(data)} rows, {hashed.hexdigest()}"


def plain(value: Any) -> Any:
    """What JSON keeps of a value that is none of its own."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if named := getattr(value, "__qualname__", None):
        return named
    text = str(value)
    return type(value).__qualname__ if " at 0x" in text else text  # an address is another one in each process


def differences(before: Record, now: Record) -> list[str]:
    """Each setting that makes them two runs: 'seed was 42, now 7'. One that only one record has is not compared."""
    then, today = of_settings(before), of_settings(now)
    return [
        f"{name} was {then[name]!r}, now {value!r}"
        for name, value in today.items()
        if name in then and then[name] != value and not (name in RAISED and 0 < then[name] <= value)
    ]


def notes(before: Record, now: Record) -> list[str]:
    """Notes on a run that is resumed, in a line each: it may differ from an uninterrupted one."""
    then, today = of_settings(before), of_settings(now)
    lines = []
    if unknown := sorted(then.keys() ^ today.keys()):
        some = ", ".join(unknown[:MOST_NAMED]) + (
            f" and {len(unknown) - MOST_NAMED} more" * (len(unknown) > MOST_NAMED)
        )
        lines.append(f"Not compared, for the run was begun with other versions, which have other settings: {some}.")
    versions, new = before.get("versions", {}), now["versions"]
    if other := [
        f"{name} {versions[name]}, now {new[name]}" for name in new if versions.get(name, new[name]) != new[name]
    ]:
        lines.append(f"The run was begun with {'; '.join(other)}: it need not go on bit for bit.")
    if versions.get(PACKAGE) not in (None, new.get(PACKAGE)):
        lines.append("Its rewards may score otherwise than before: figures of earlier steps are of the other version.")
    if before.get("layout", now["layout"]) != now["layout"]:
        parts = "processes, batch of each, accumulated, slices of a generation"
        lines.append(
            f"The batch is as large as it was and laid out otherwise ({parts}: {before['layout']}, now "
            f"{now['layout']}): other completions are sampled than without the interruption."
        )
    longer = [name for name in RAISED if then.get(name) != today.get(name)]
    if longer and (kind := today.get("lr_scheduler_type")) not in ENDLESS:
        lines.append(f"{longer[0]} was raised: the learning rate goes on by the schedule '{kind}' of the longer run.")
    return lines


def of_settings(record: Record) -> Mapping[str, Any]:
    """The settings of a record, also of one of version 0.1, which held nothing else."""
    settings: Mapping[str, Any] = record.get("settings", record)
    return settings
