"""``check_rewards``: what one run's rewards need, looked at before a model is loaded."""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, TypeAlias

from grpo_rewards.answers import symbolic_failure, symbolic_warnings
from grpo_rewards.checks.findings import Findings, Report, finding_of
from grpo_rewards.checks.reward.calling import name_of
from grpo_rewards.checks.reward.problems import columns_of
from grpo_rewards.checks.setup import names, template, trials
from grpo_rewards.checks.setup.names import SetUp
from grpo_rewards.checks.setup.trials import PlainFunction
from grpo_rewards.errors import listed, shown
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.catalogue import COMPOSERS
from grpo_rewards.registry.interface import leaves
from grpo_rewards.rewards.length import cosine_length, max_length, soft_overlong, target_length

# Checks whose errors leave the rewards and the rows as they are, so that these can be looked at all the same.
LEAVE_ROWS = ("arguments", "batches", "columns", "prompts", "weights", "lengths", "groups", "tools")
Check: TypeAlias = Callable[[SetUp], Findings]


def check_rewards(
    reward_funcs: Reward | PlainFunction | str | Sequence[Reward | PlainFunction | str] | None,
    dataset: Any = None,
    *,
    columns: Iterable[str] | None = None,
    tokenizer: Any = None,
    args: Any = None,
    weights: Sequence[float] | None = None,
    thorough: bool = False,
    right: Callable[[dict[str, Any]], str] | None = None,
    tools: Sequence[Callable[..., Any]] | None = None,
    environment_factory: Callable[[], Any] | Mapping[str, Callable[[], Any]] | None = None,
    rollout_func: Callable[..., Any] | None = None,
) -> Report:
    """Checks the rewards of one run, and reports each problem with what to do about it.

    Args:
        reward_funcs: rewards, specs of some, or plain functions as TRL takes them; ``None`` if an environment gives
            the reward.
        dataset: the training data: a ``datasets.Dataset``, columns by name, or a list of rows. Its columns and its gold
            answers are looked at.
        columns: the names of the columns, if there is no data set at hand.
        tokenizer: the model's, or its processor. If its chat template opens ``<think>`` or another delimiter, and the
            prompts are message lists, ``think_opened=True`` and ``reasoning`` are bound in rewards that depend on them:
            message lists do not show what a template adds. Rewards that count tokens get its name, so that those of
            tools and environments do not count.
        args: the run's ``GRPOConfig``, for its weights, its batch sizes, the longest completion, and the number of
            completions of a prompt, which is bound in rewards that compare these.
        weights: ``GRPOConfig.reward_weights``, if there is no ``args``.
        thorough: whether the rewards are also tried: called on the gold of every row written as an answer, and on the
            reward hacks of ``probe``. It takes seconds, and is what the command ``grpo-rewards check`` does.
        right: from a row to a right completion, with which a thorough check tries rewards that want answers in a form
            of their own, as ``probe`` takes it.
        tools: the functions that the model may call, as they are given to the trainer. They, the tokenizer's chat
            template and the prompts are checked against what TRL demands of a run with tools. Each reward that reads
            golds is called once, to see whether it takes what a tool returned for the answer.
        environment_factory: what makes the run's environments, as it is given to the trainer. One of each is made.
        rollout_func: what generates the completions, as it is given to the trainer. What it returns beside them is
            passed to rewards, so that what is no column may come from it. It is not called.

    Returns:
        A report. Pass ``report.rewards`` to ``reward_funcs``; ``report.raise_for_errors()`` stops a script that cannot
        work; ``print(report)`` shows all findings.

    Raises:
        RewardError: an argument is of a kind that cannot be checked.

    >>> import grpo_rewards as gr
    >>> report = gr.check_rewards([gr.boxed_answer], [{"prompt": "1 + 1?", "solution": "2"}])
    >>> [finding.remedy[:40] for finding in report.errors]
    ['Rename one with dataset.rename_column("s']
    """
    if isinstance(args, Mapping):
        raise RewardError("args must be the GRPOConfig of the run, not a mapping; give weights=… by themselves.")
    if isinstance(tokenizer, str):
        raise RewardError(f"tokenizer must be one that is loaded: AutoTokenizer.from_pretrained({tokenizer!r}).")
    if isinstance(columns, str):
        raise RewardError(f"columns must be a list of names, not the string {shown(columns)}.")
    data = None if dataset is None else columns_of(dataset)
    known = data if columns is None else columns
    run = SetUp(
        rewards=[] if reward_funcs is None else trials.as_list(reward_funcs),
        data=data,
        columns=None if known is None else list(known),
        tokenizer=tokenizer,
        args=args,
        weights=getattr(args, "reward_weights", None) if weights is None else weights,
        tools=tools or (),
        environment_factory=environment_factory,
        has_rollout=rollout_func is not None,
        right=right,
    )
    stages = [WHAT_IS_GIVEN, HOW_IT_FITS]
    if data is not None:
        stages += [(trials.golds_read,), (trials.tool_results,), *([(trials.hacks,)] if thorough else ())]
    for checks in stages:
        if any(one.severity == "error" and one.check not in LEAVE_ROWS for one in run.findings):
            break
        for check in checks:
            run.findings += [*check(run)]
    return Report(run.rewards).add(run.findings)


def rewards_named(run: SetUp) -> Findings:
    """Puts rewards in place of their specs, and yields errors for what cannot be called as a reward."""
    given, run.rewards = run.rewards, []
    for one in given:
        if isinstance(one, str) and "/" not in one.partition("(")[0]:  # with one, it is on the hub, or in a folder
            spec = shown(one)
            try:
                one = get_reward(one)
            except RewardError as error:
                yield finding_of("rewards.unknown", spec=spec, error=error)
                continue
            yield finding_of("rewards.spec", one.name, spec=spec)
        run.rewards.append(one)
        if isinstance(one, str):
            yield finding_of("rewards.model_id", spec=shown(one))
        elif not callable(one):
            yield finding_of("rewards.not_called", what=shown(one))
        elif inspect.isclass(one) or one in COMPOSERS.values():
            yield finding_of("rewards.makes", name=one.__name__, signature=inspect.signature(one))
        elif isinstance(one, Reward):
            try:
                one.check_ready()
            except RewardError as error:
                yield finding_of("options.unbound", one.name, error=error)


def weights_given(run: SetUp) -> Findings:
    """An error for weights that are not one finite number for each reward, or are all 0. They are then forgotten."""
    given, run.weights = run.weights, None
    if given is None or given == run.rewards == []:
        return
    numbers = isinstance(given, Sequence) and all(isinstance(one, Real) and math.isfinite(one) for one in given)
    if numbers and len(given) == len(run.rewards) and any(given):
        run.weights = given
    else:
        of = listed(map(name_of, run.rewards))
        yield finding_of("weights.unfit", weights=shown(given), rewards=len(run.rewards), names=of)


def symbolic_workers(run: SetUp) -> Findings:
    """An error if rewards compare symbolically and no process can; warnings if this machine cannot do all of that.

    It is tried here, because a training may come to its first integral only after hours.
    """
    comparing = [one for one in leaves(*run.rewards) if "worker_killed" in getattr(one, "own_reasons", one.reasons)]
    wanted = {one.name: workers for one in comparing if (workers := one.options.get("workers")) != 0}
    if not wanted:
        return
    if failure := symbolic_failure(next(iter(wanted.values()))):
        yield finding_of("symbolic.none", listed(wanted), failure=failure)
    for message in symbolic_warnings() if None in wanted.values() else ():
        yield finding_of("symbolic.limited", listed(wanted), message=message)


# The numbers of a run: its batches, its groups, and how long completions may become.


def batches(run: SetUp) -> Findings:
    """How many prompts a generation batch has, and an error where they are more than the rows, or groups do not fit in.

    What is no number TRL refuses itself as soon as its configuration is made.
    """

    def size(name: str, usual: int) -> int:
        given = getattr(run.args, name, None)
        return given if isinstance(given, int) and given > 0 else usual

    if not hasattr(run.args, "num_generations"):
        return  # no settings, or those of a trainer that does not generate in groups as GRPOTrainer does
    group, steps = size("num_generations", 8), size("gradient_accumulation_steps", 1)
    at_once = size("per_device_train_batch_size", 8) * size("world_size", size("processes", 1))
    batch = size("generation_batch_size", at_once * size("steps_per_generation", steps))
    prompts, drawn = batch // group, run.args.num_generations
    if batch % group or (isinstance(drawn, int) and drawn < 2):
        yield finding_of("batches.unfit", batch=batch, group=drawn)
    else:
        yield finding_of("batches.fit", batch=batch, prompts=prompts, plural="" if prompts == 1 else "s")
        if run.size and run.size < prompts:
            yield finding_of("batches.too_few_rows", number=run.size, prompts=prompts, batch=batch, group=group)


def group_size(run: SetUp) -> Findings:
    """Binds ``num_generations`` in rewards that compare the completions of one prompt.

    Bound by hand to another size than the run draws, it is an error.
    """
    size = getattr(run.args, "num_generations", None)
    if not isinstance(size, int):
        return
    for one in leaves(*run.rewards):
        if one.options.get("num_generations") not in (None, size):
            yield finding_of("groups.other_size", one.name, bound=one.options["num_generations"], drawn=size)

    def sized(reward: Reward) -> Reward:
        return reward.bind(num_generations=size) if reward.options.get("num_generations", size) is None else reward

    if changed := run.bind(sized):
        yield finding_of("groups.bound", size=size, changed=changed)


def length_limits(run: SetUp) -> Findings:
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


# What is looked at, in this order, where no error is known for which it could not be.
WHAT_IS_GIVEN: tuple[Check, ...] = (rewards_named, template.environments_made)
HOW_IT_FITS: tuple[Check, ...] = (
    names.distinct_names,
    template.opened_reasoning,
    group_size,
    template.counted_tokens,
    names.columns_read,
    template.tools_called,
    length_limits,
    batches,
    weights_given,
    symbolic_workers,
    names.prompt_column,
)
