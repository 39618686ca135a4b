"""The numbers of a run: its batches, its groups, and how long completions may become."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_rewards.checks.findings import Finding, Severity
from grpo_rewards.registry import Reward
from grpo_rewards.registry.errors import listed
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.registry.interface import leaves
from grpo_rewards.rewards.length import cosine_length, max_length, soft_overlong, target_length

__all__ = ["batches", "length_limits", "with_group_size"]

# GRPOConfig's own defaults, for settings that were read from a file and do not set these.
BATCH_DEFAULTS: Mapping[str, Any] = {
    "num_generations": 8,
    "per_device_train_batch_size": 8,
    "per_device_eval_batch_size": 8,
    "gradient_accumulation_steps": 1,
    "num_train_epochs": 3.0,
    "max_steps": -1,
}


def batches(args: Any, rows: int | None) -> Iterator[Finding]:
    """Findings about the sizes in a run's settings: what TRL refuses, and what silently trains no step.

    Args:
        args: the run's ``GRPOConfig``, which TRL has looked at already, or what was read from a file.
        rows: how many rows the training data has; ``None`` if that is not known.
    """
    is_checked = hasattr(args, "world_size")  # a GRPOConfig, which fills in the sizes that are left out
    if args is None or (is_checked and not hasattr(args, "steps_per_generation")):
        return  # no settings, or those of a trainer that does not generate in groups as GRPOTrainer does
    given = {
        name: getattr(args, name, None) for name in (*BATCH_DEFAULTS, "steps_per_generation", "generation_batch_size")
    }
    numbers = {name: BATCH_DEFAULTS.get(name) if value is None else value for name, value in given.items()}
    size = getattr(args, "world_size", None) or getattr(args, "processes", None) or os.environ.get("WORLD_SIZE", "1")
    processes = int(size) if str(size).isdecimal() and int(size) else 1
    errors = [*_impossible(numbers, is_checked)]
    if not errors:
        errors = [*_steps(numbers), *_generation(numbers, processes, rows), *_evaluation(args, numbers, processes)]
    for severity, message, remedy in errors:
        yield Finding(severity, "batches", message, remedy)


Sized = Iterator[tuple[Severity, str, str]]


def _impossible(numbers: Mapping[str, Any], is_checked: bool) -> Sized:
    """Errors after which there is nothing to compute with."""
    for name, value in numbers.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if value is not None and not is_number:
            yield "error", f"{name} must be a number, not {value!r}.", "Mend it in the settings."
        elif name in ("per_device_train_batch_size", "gradient_accumulation_steps") and value < 1:
            yield "error", f"{name} is {value}.", "Set it to 1 or more."
        elif name == "num_generations" and value < 2:
            message = f"num_generations {value} leaves nothing to compare an answer with."
            yield "error", message, "Set num_generations to 2 or more; 8 is usual."
    if not is_checked and numbers["steps_per_generation"] and numbers["generation_batch_size"]:
        message = "generation_batch_size and steps_per_generation are both set, and TRL refuses that."
        yield "error", message, "Leave one of them out."


def _steps(numbers: Mapping[str, Any]) -> Sized:
    steps, epochs = numbers["max_steps"], f"{numbers['num_train_epochs']:g}"
    if steps <= 0 and numbers["num_train_epochs"] <= 0:
        message = f"max_steps {steps} and num_train_epochs {epochs} train zero steps."
        yield "error", message, "Set max_steps, or epochs above 0."
    elif steps == 0:
        message = f"max_steps 0 sets no limit: the run takes num_train_epochs {epochs}."
        yield "warning", message, "Set max_steps to the steps that you want, or to -1 for epochs."


def _generation(numbers: Mapping[str, Any], processes: int, rows: int | None) -> Sized:
    """Whether the completions that are drawn at once, on all processes, are whole groups of rows that there are."""
    group, per_device = numbers["num_generations"], int(numbers["per_device_train_batch_size"])
    batch, at_once = numbers["generation_batch_size"], per_device * processes
    on = f"{processes} process{'' if processes == 1 else 'es'}"
    if batch is None:
        batch = at_once * int(max(numbers["steps_per_generation"] or numbers["gradient_accumulation_steps"], 1))
    if batch % at_once:
        nearest = max(round(batch / at_once), 1) * at_once
        message = f"generation_batch_size {batch} is no multiple of the {at_once} of one batch on {on}."
        yield "error", message, f"Set generation_batch_size {nearest}, or leave it out."
        return
    prompts = batch // group
    if batch % group:
        needed = group // math.gcd(group, batch // per_device)
        remedy = f"Set per_device_train_batch_size {max(round(per_device / needed), 1) * needed}"
        others = [size for size in range(2, batch + 1) if batch % size == 0]
        remedy += f", or num_generations {min(others, key=lambda size: abs(size - group))}." if others else "."
        yield (
            "error",
            f"{batch} completions on {on} are no whole groups of num_generations {group}; TRL refuses that.",
            remedy,
        )
    else:
        yield "fine", f"a generation batch is {batch} completions of {prompts} prompt{'' if prompts == 1 else 's'}.", ""
        if rows is not None and 0 < rows < prompts:
            message = (
                f"{rows} rows are fewer than the {prompts} of one generation batch (generation_batch_size {batch} / "
                f"num_generations {group}); TRL would train zero steps."
            )
            yield "error", message, "Lower the batch size, or bring more rows."


def _evaluation(args: Any, numbers: Mapping[str, Any], processes: int) -> Sized:
    strategy = getattr(args, "eval_strategy", None) or "no"
    group = int(getattr(args, "num_generations_eval", None) or numbers["num_generations"])
    size = int(numbers["per_device_eval_batch_size"]) * processes
    if str(getattr(strategy, "value", strategy)) not in ("no", "False") and size % group:
        message = (
            f"an evaluation batch of {size} is no multiple of the {group} completions of a prompt; TRL refuses that."
        )
        fits = group // math.gcd(group, processes)
        yield "error", message, f"Set per_device_eval_batch_size {fits}, or num_generations_eval."


def with_group_size(rewards: Sequence[Any], args: Any) -> tuple[list[Any], list[Finding]]:
    """The rewards with ``num_generations`` and ``num_generations_eval`` bound, unless they were, and what was found.

    Rewards that compare the completions of one prompt have these options. Bound by hand to another size than the run
    draws, they are an error.

    Args:
        rewards: rewards and plain functions.
        args: the run's configuration, or ``None``.
    """
    size = getattr(args, "num_generations", None)
    if not isinstance(size, int) or isinstance(size, bool):
        return list(rewards), []
    strategy = getattr(args, "eval_strategy", "no")
    evaluates = getattr(strategy, "value", strategy) != "no" or bool(getattr(args, "eval_on_start", False))
    in_evaluation = getattr(args, "num_generations_eval", None) if evaluates else None
    drawn = {"num_generations": size, "num_generations_eval": in_evaluation}
    wanted = {name: its for name, its in drawn.items() if its and (name == "num_generations" or its != size)}

    def configured(reward: Reward) -> Reward:
        unknown: dict[str, Any] = {name: one for name, one in wanted.items() if reward.options.get(name, one) is None}
        return reward.bind(**unknown) if unknown else reward

    findings = []
    for one in leaves(*rewards):
        for option, its in drawn.items():
            bound = one.options.get(option)
            if bound is not None and its is not None and bound != its:
                message = f"reward '{one.name}' is bound with {option}={bound}, but the run draws {its}."
                remedy = f"Leave {option} at its default, and check_rewards binds it."
                findings.append(Finding("error", "groups", message, remedy, one.name))
    new = [one.mapped(configured) if isinstance(one, Reward) else one for one in rewards]
    changed = listed(one.name for old, one in zip(rewards, new, strict=True) if old != one)
    if new != list(rewards):
        findings.append(Finding("fine", "groups", f"a group is {size} completions; bound in: {changed}."))
        if in_evaluation and in_evaluation != size and in_evaluation % size == 0:
            message = f"an evaluation draws {in_evaluation} completions of a prompt, and a training {size}."
            remedy = f"In evaluations {changed} compares {size} with each other. Draw as many in both."
            findings.append(Finding("warning", "groups", message, remedy))
    return new, findings


def length_limits(rewards: Sequence[Any], args: Any) -> Iterator[Finding]:
    """Findings about rewards of length, also inside composites, that do not fit the run's longest completion.

    ``soft_overlong`` with a ``max_tokens`` above it never gives the paper's -1 to what was cut off: an error. Below it,
    the last tokens cost nothing more, which a run with tools may want: a warning. ``max_length`` at or above it is
    always 1: a warning. ``target_length`` is 0 for everything if no completion comes within the tolerance: an error; if
    the target itself is out of reach, a warning. ``cosine_length`` with a ``max_tokens`` above it is one as well.

    Args:
        rewards: rewards and plain functions.
        args: the run's ``GRPOConfig``, or ``None``.
    """
    longest = getattr(args, "max_completion_length", None)
    if not isinstance(longest, int) or isinstance(longest, bool):
        return
    for name, one in {one.name: one for one in leaves(*rewards) if isinstance(one, FunctionReward)}.items():
        found = _limit(one, longest)
        if found is not None:
            severity, message, remedy = found
            yield Finding(severity, "lengths", f"reward '{name}' has {message}", remedy, name)


def _limit(reward: FunctionReward, longest: int) -> tuple[Severity, str, str] | None:
    """How the limit that is bound in a reward does not fit the longest completion; ``None`` if it does."""
    options, function = reward.options, reward.function
    bound, both = options.get("max_tokens") or 0, "Give both the same number."
    none_longer = f"and no completion is longer than max_completion_length={longest}"
    if function is soft_overlong.function and bound != longest:
        what = "never costs the whole penalty" if bound > longest else "costs no more than a shorter one"
        limits = f"max_tokens={bound}, and the run max_completion_length={longest}"
        return "error" if bound > longest else "warning", f"{limits}: a completion that is cut off {what}.", both
    if function is max_length.function and bound >= longest:
        return "warning", f"max_tokens={bound}, {none_longer}: always 1.", "Give it a smaller number, or leave it out."
    if function is cosine_length.function and bound > longest:
        why = "its cosine never comes to its end, and length changes less than it should."
        return "warning", f"max_tokens={bound}, {none_longer}: {why}", both
    if function is target_length.function and options["target"] > longest:
        never = options["target"] - options["tolerance"] >= longest
        message = f"target={options['target']}, {none_longer}: {'always 0' if never else 'never 1'}."
        return "error" if never else "warning", message, "Lower the target, or allow longer completions."
    return None
