"""The numbers of a run: its batches, its groups, and how long completions may become."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from grpo_rewards.checks.findings import Finding, Severity
from grpo_rewards.registry import Reward
from grpo_rewards.registry.errors import listed
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.rewards.length import cosine_length, max_length, soft_overlong, target_length

__all__ = [
    "batches",
    "length_limits",
    "with_group_size",
]

# GRPOConfig's own defaults, for settings that were read from a file and do not set these.
BATCH_DEFAULTS: Mapping[str, Any] = {
    "num_generations": 8,
    "per_device_train_batch_size": 8,
    "per_device_eval_batch_size": 8,
    "gradient_accumulation_steps": 1,
    "num_train_epochs": 3.0,
    "max_steps": -1,
}
WHAT = "batches"


def batches(args: Any, rows: int | None) -> Iterator[Finding]:
    """Findings about the sizes in a run's settings.

    Args:
        args: the run's ``GRPOConfig``, which TRL has looked at already, or what was read from a file.
        rows: how many rows the training data has; ``None`` if that is not known.
    """
    if args is None or (hasattr(args, "world_size") and not hasattr(args, "steps_per_generation")):
        return  # no settings, or those of a trainer that does not generate in groups as GRPOTrainer does
    numbers = {name: _set(args, name) for name in (*BATCH_DEFAULTS, "steps_per_generation", "generation_batch_size")}
    impossible = list(_impossible(numbers, is_checked=hasattr(args, "world_size")))
    yield from impossible
    if impossible:
        return
    yield from _few_steps(numbers)
    group, (batch, refused) = numbers["num_generations"], _generation_batch(numbers, _processes(args))
    if refused is not None:
        yield refused
        return
    yield from _whole_groups(batch, group, numbers, _processes(args))
    yield from _evaluation(args, numbers)
    if rows is not None and batch % group == 0 and 0 < rows < batch // group:
        message = (
            f"{rows} rows are fewer than the {batch // group} of one generation batch (generation_batch_size {batch} / "
            f"num_generations {group}); TRL would train zero steps."
        )
        yield Finding("error", WHAT, message, "Lower the batch size, or bring more rows.")


def _impossible(numbers: Mapping[str, Any], is_checked: bool) -> Iterator[Finding]:
    """Errors after which there is nothing to compute with.

    ``is_checked`` is whether the settings are a GRPOConfig's, which fills in both sizes from one of them.
    """
    wrong = [name for name, value in numbers.items() if value is not None and not _is_number(value)]
    for name in wrong:
        yield Finding("error", WHAT, f"{name} must be a number, not {numbers[name]!r}.", "Mend it in the settings.")
    if wrong:
        return
    for name in ("per_device_train_batch_size", "gradient_accumulation_steps"):
        if numbers[name] < 1:
            yield Finding("error", WHAT, f"{name} is {numbers[name]}.", "Set it to 1 or more.")
    if numbers["num_generations"] < 2:
        message = f"num_generations {numbers['num_generations']} leaves nothing to compare an answer with."
        yield Finding("error", WHAT, message, "Set num_generations to 2 or more; 8 is usual.")
    if not is_checked and numbers["steps_per_generation"] and numbers["generation_batch_size"]:
        message = "generation_batch_size and steps_per_generation are both set, and TRL refuses that."
        yield Finding("error", WHAT, message, "Leave one of them out.")


def _set(args: Any, name: str) -> Any:
    value = getattr(args, name, None)
    return BATCH_DEFAULTS.get(name) if value is None else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _processes(args: Any) -> int:
    size = getattr(args, "world_size", None) or getattr(args, "processes", None) or os.environ.get("WORLD_SIZE", "1")
    return int(size) if str(size).isdecimal() and int(size) else 1


def _few_steps(numbers: Mapping[str, Any]) -> Iterator[Finding]:
    if numbers["max_steps"] <= 0 and numbers["num_train_epochs"] <= 0:
        message = (
            f"max_steps {numbers['max_steps']} and num_train_epochs {numbers['num_train_epochs']:g} train zero steps."
        )
        yield Finding("error", WHAT, message, "Set max_steps, or epochs above 0.")
    elif numbers["max_steps"] == 0:
        epochs = f"{numbers['num_train_epochs']:g}"
        message = f"max_steps 0 sets no limit: the run takes num_train_epochs {epochs}."
        yield Finding("warning", WHAT, message, "Set max_steps to the steps that you want, or to -1 for epochs.")


def _generation_batch(numbers: Mapping[str, Any], processes: int) -> tuple[int, Finding | None]:
    """(completions drawn at once on all processes, or 0, why TRL refuses the settings)."""
    at_once = int(numbers["per_device_train_batch_size"]) * processes
    size = numbers["generation_batch_size"]
    if size is None:
        steps = numbers["steps_per_generation"] or numbers["gradient_accumulation_steps"]
        return at_once * int(max(steps, 1)), None
    if size % at_once:
        nearest = max(round(size / at_once), 1) * at_once
        message = f"generation_batch_size {size} is no multiple of the {at_once} of one batch on {_on(processes)}."
        return 0, Finding("error", WHAT, message, f"Set generation_batch_size {nearest}, or leave it out.")
    return int(size), None


def _whole_groups(batch: int, group: int, numbers: Mapping[str, Any], processes: int) -> Iterator[Finding]:
    if batch % group == 0:
        prompts = batch // group
        message = f"a generation batch is {batch} completions of {prompts} prompt{'' if prompts == 1 else 's'}."
        yield Finding("fine", WHAT, message)
        return
    per_device = int(numbers["per_device_train_batch_size"])
    needed = group // math.gcd(group, batch // per_device)
    fits = max(round(per_device / needed), 1) * needed
    others = [size for size in range(2, batch + 1) if batch % size == 0]
    nearest = min(others, key=lambda size: abs(size - group), default=None)
    remedy = f"Set per_device_train_batch_size {fits}" + (f", or num_generations {nearest}." if nearest else ".")
    message = (
        f"{batch} completions on {_on(processes)} are no whole groups of num_generations {group}; TRL refuses that."
    )
    yield Finding("error", WHAT, message, remedy)


def _evaluation(args: Any, numbers: Mapping[str, Any]) -> Iterator[Finding]:
    strategy = getattr(args, "eval_strategy", None) or "no"
    if str(getattr(strategy, "value", strategy)) in ("no", "False"):
        return
    group = getattr(args, "num_generations_eval", None) or numbers["num_generations"]
    size = int(numbers["per_device_eval_batch_size"]) * _processes(args)
    if size % int(group):
        fits = int(group) // math.gcd(int(group), _processes(args))
        message = (
            f"an evaluation batch of {size} is no multiple of the {group} completions of a prompt; TRL refuses that."
        )
        yield Finding("error", WHAT, message, f"Set per_device_eval_batch_size {fits}, or num_generations_eval.")


def _on(processes: int) -> str:
    return f"{processes} process{'' if processes == 1 else 'es'}"


def with_group_size(rewards: Sequence[Any], args: Any) -> tuple[list[Any], list[Finding]]:
    """The rewards with ``num_generations`` and ``num_generations_eval`` bound, unless they were, and what was found.

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
    sizes: dict[str, Any] = {
        "num_generations": size,
        "num_generations_eval": None if in_evaluation == size else in_evaluation,
    }

    def configured(reward: Reward) -> Reward:
        unknown = {name: one for name, one in sizes.items() if one and reward.options.get(name, one) is None}
        return reward.bind(**unknown) if unknown else reward

    findings = list(_contradicted(rewards, size, in_evaluation))
    new = [one.mapped(configured) if isinstance(one, Reward) else one for one in rewards]
    changed = [one.name for old, one in zip(rewards, new, strict=True) if old != one]
    if not changed:
        return new, findings
    findings += [Finding("fine", "groups", f"a group is {size} completions; bound in: {listed(changed)}.")]
    if in_evaluation and in_evaluation != size and in_evaluation % size == 0:
        message = f"an evaluation draws {in_evaluation} completions of a prompt, and a training {size}."
        remedy = f"In evaluations {listed(changed)} compares {size} with each other. Draw as many in both."
        findings.append(Finding("warning", "groups", message, remedy))
    return new, findings


def _contradicted(rewards: Sequence[Any], size: int, in_evaluation: int | None) -> Iterator[Finding]:
    """Errors for rewards that were bound by hand to groups of another size than the run draws."""
    drawn = {"num_generations": size, "num_generations_eval": in_evaluation}
    found: dict[tuple[str, str], Any] = {}

    def looked_at(reward: Reward) -> Reward:
        found.update({(reward.name, option): reward.options.get(option) for option in drawn})
        return reward

    for one in rewards:
        if isinstance(one, Reward):
            one.mapped(looked_at)
    for (name, option), bound in found.items():
        if bound is not None and drawn[option] is not None and bound != drawn[option]:
            message = f"reward '{name}' is bound with {option}={bound}, but the run draws {drawn[option]}."
            remedy = f"Leave {option} at its default, and check_rewards binds it."
            yield Finding("error", "groups", message, remedy, name)


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
    found: dict[str, FunctionReward] = {}

    def looked_at(reward: Reward) -> Reward:
        if isinstance(reward, FunctionReward):
            found[reward.name] = reward
        return reward

    for one in rewards:
        if isinstance(one, Reward):
            one.mapped(looked_at)
    for reward in found.values():
        for function, check in CHECKS:
            if reward.function is function:
                yield from check(reward, longest)


def _soft_overlong(reward: FunctionReward, longest: int) -> Iterator[Finding]:
    bound = reward.options["max_tokens"]
    if bound != longest:
        what = "never costs the whole penalty" if bound > longest else "costs no more than a shorter one"
        message = (
            f"has max_tokens={bound}, and the run max_completion_length={longest}: a completion that is cut off {what}."
        )
        yield _finding("error" if bound > longest else "warning", reward, message, "Give both the same number.")


def _max_length(reward: FunctionReward, longest: int) -> Iterator[Finding]:
    bound = reward.options["max_tokens"]
    if bound >= longest:
        message = f"has max_tokens={bound}, and no completion is longer than max_completion_length={longest}: always 1."
        yield _finding("warning", reward, message, "Give it a smaller number, or leave it out.")


def _target_length(reward: FunctionReward, longest: int) -> Iterator[Finding]:
    target, tolerance = reward.options["target"], reward.options["tolerance"]
    if target > longest:
        never = target - tolerance >= longest
        what = "always 0" if never else "never 1"
        message = f"has target={target}, and no completion is longer than max_completion_length={longest}: {what}."
        yield _finding(
            "error" if never else "warning", reward, message, "Lower the target, or allow longer completions."
        )


def _cosine_length(reward: FunctionReward, longest: int) -> Iterator[Finding]:
    bound = reward.options["max_tokens"]
    if bound > longest:
        message = (
            f"has max_tokens={bound}, and no completion is longer than max_completion_length={longest}: its cosine "
            "never comes to its end, and length changes less than it should."
        )
        yield _finding("warning", reward, message, "Give both the same number.")


def _finding(severity: Severity, reward: FunctionReward, message: str, remedy: str) -> Finding:
    return Finding(severity, "lengths", f"reward '{reward.name}' {message}", remedy, reward.name)


CHECKS: Sequence[tuple[Any, Callable[[FunctionReward, int], Iterator[Finding]]]] = (
    (soft_overlong.function, _soft_overlong),
    (max_length.function, _max_length),
    (target_length.function, _target_length),
    (cosine_length.function, _cosine_length),
)
