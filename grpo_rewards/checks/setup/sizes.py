"""The numbers of a run: its batches, its groups, and how long completions may become."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grpo_rewards.checks.findings import Finding, finding_of
from grpo_rewards.checks.setup.names import SetUp
from grpo_rewards.registry import Reward
from grpo_rewards.registry.interface import leaves
from grpo_rewards.rewards.length import cosine_length, max_length, soft_overlong, target_length

# What GRPOConfig has for each size that a file does not set.
USUAL_SIZES: dict[str, int | None] = {
    "num_generations": 8,
    "num_generations_eval": None,
    "per_device_train_batch_size": 8,
    "per_device_eval_batch_size": 8,
    "gradient_accumulation_steps": 1,
    "steps_per_generation": None,
    "generation_batch_size": None,
}


def batches(run: SetUp) -> Iterator[Finding]:
    """Findings about the sizes in a run's settings: what TRL refuses, and what silently trains no step."""
    args = run.args
    if not hasattr(args, "num_generations"):
        return  # no settings, or those of a trainer that does not generate in groups as GRPOTrainer does
    sizes: dict[str, Any] = {}
    for name, usual in USUAL_SIZES.items():
        given, least = getattr(args, name, None), 2 if name == "num_generations" else 1
        sizes[name] = usual if given is None else given
        if given is not None and not (isinstance(given, int) and given >= least):
            yield finding_of("batches.too_small", name=name, least=least, value=repr(given))
            return
    group = sizes["num_generations"]
    processes = getattr(args, "world_size", None) or getattr(args, "processes", 1)
    at_once = sizes["per_device_train_batch_size"] * processes
    steps_at_once = sizes["steps_per_generation"] or sizes["gradient_accumulation_steps"]
    batch = sizes["generation_batch_size"] or at_once * steps_at_once
    # (a number, what it is, what TRL demands that it is a multiple of); a GRPOConfig is never refused here
    whole = [(batch, "generation_batch_size", at_once), (batch, "generation_batch_size", group)]
    if _evaluates(args):
        evaluated = sizes["per_device_eval_batch_size"] * processes
        whole.append((evaluated, "the evaluation batch", sizes["num_generations_eval"] or group))
    refused = [one for one in whole if one[0] % one[2]]
    for number, name, divisor in refused:
        yield finding_of("batches.no_multiple", number=number, name=name, divisor=divisor, processes=processes)
    if not refused:
        prompts = batch // group
        yield finding_of("batches.fit", batch=batch, prompts=prompts, plural="" if prompts == 1 else "s")
        if run.size and run.size < prompts:
            yield finding_of("batches.too_few_rows", number=run.size, prompts=prompts, batch=batch, group=group)


def _evaluates(args: Any) -> bool:
    """Whether a run evaluates at intervals."""
    strategy = getattr(args, "eval_strategy", None) or "no"  # which YAML reads as False
    return bool(getattr(strategy, "value", strategy) != "no")


def group_size(run: SetUp) -> Iterator[Finding]:
    """Binds ``num_generations`` and ``num_generations_eval`` in rewards that compare the completions of one prompt.

    Bound by hand to another size than the run draws, they are an error.
    """
    size = getattr(run.args, "num_generations", None)
    if not isinstance(size, int):
        return
    drawn = {"num_generations": size}
    in_evaluation = getattr(run.args, "num_generations_eval", None)
    if in_evaluation and in_evaluation != size and (_evaluates(run.args) or getattr(run.args, "eval_on_start", False)):
        drawn["num_generations_eval"] = in_evaluation
    for one in leaves(*run.rewards):
        for option, its in drawn.items():
            if (bound := one.options.get(option)) is not None and bound != its:
                yield finding_of("groups.other_size", one.name, option=option, bound=bound, drawn=its)

    def sized(reward: Reward) -> Reward:
        unset: dict[str, Any] = {name: its for name, its in drawn.items() if reward.options.get(name, its) is None}
        return reward.bind(**unset) if unset else reward

    if changed := run.bind(sized):
        yield finding_of("groups.bound", size=size, changed=changed)


def length_limits(run: SetUp) -> Iterator[Finding]:
    """Findings about rewards of length, also inside composites, that do not fit the run's longest completion.

    ``soft_overlong`` with a ``max_tokens`` above it never gives the paper's -1 to what was cut off: an error. Below it,
    the last tokens cost nothing more, which a run with tools may want: a warning. ``max_length`` at or above it is
    always 1: a warning. ``target_length`` is 0 for everything if no completion comes within the tolerance: an error; if
    the target itself is out of reach, a warning. ``cosine_length`` with a ``max_tokens`` above it is one as well.
    """
    longest = getattr(run.args, "max_completion_length", None)
    if not isinstance(longest, int):
        return
    for one in {one.name: one for one in leaves(*run.rewards)}.values():
        if kind := _misfit(one, longest):
            bound: dict[str, Any] = {"limit": one.options.get("max_tokens"), "target": one.options.get("target")}
            yield finding_of(f"lengths.{kind}", one.name, longest=longest, **bound)


def _misfit(reward: Reward, longest: int) -> str | None:
    """How the limit that is bound in a reward does not fit the longest completion; ``None`` if it does."""
    options, function = reward.options, reward.function
    limit = options.get("max_tokens") or 0
    if function is soft_overlong.function and limit != longest:
        return "penalty_out_of_reach" if limit > longest else "penalty_before_end"
    if function is max_length.function and limit >= longest:
        return "always_short"
    if function is cosine_length.function and limit > longest:
        return "cosine_never_ends"
    if function is target_length.function and options["target"] > longest:
        return "never_near" if options["target"] - options["tolerance"] >= longest else "never_met"
    return None
