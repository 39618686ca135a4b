"""Findings from probing the rewards: constant ones, golds that earn too little, and reward hacks that earn too much."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from grpo_rewards.preflight.distinct_names import is_model
from grpo_rewards.preflight.report import Finding, Severity, some_rows
from grpo_rewards.probing.probe_reward import probe
from grpo_rewards.probing.probed import Probed
from grpo_rewards.probing.specs import spec_of
from grpo_rewards.probing.written_golds import unrewarded_golds
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.errors import listed, shown
from grpo_rewards.registry.model_arguments import parameters_of

__all__ = ["probe_findings"]

SECONDS_OF_HACKS = 20.0  # for the hacks on one reward
MOST_GOLDS = 20_000  # rows whose golds are written as answers
NEARLY_ALL = 0.75  # of the way to the best reward: above it, a degenerate completion is as good as an answer


def probe_findings(
    rewards: Sequence[Any],
    data: Mapping[str, Sequence[Any]],
    weights: Mapping[str, float] | None = None,
    right: Callable[[dict[str, Any]], str] | None = None,
    noted: Collection[int] = (),
) -> Iterator[Finding]:
    """Findings about what each reward gives to reward hacks and to golds that are written as answers.

    Args:
        rewards: rewards and plain functions; models are passed over.
        data: the columns of the training data, by name.
        weights: of the rewards, by name, if they are known.
        right: from a row to a right completion, for rewards that none of the usual forms earns.
        noted: the rows about whose golds something was already found.
    """
    found: list[Probed] = []
    for one in rewards:
        if is_model(one):
            continue
        try:
            its = _probed(one, data, right)
        except RewardError as error:
            yield Finding("warning", "cheats", f"it could not be tried: {error}", reward=getattr(one, "name", None))
            continue
        found.append(its)
        yield from _failures(one, its)
        yield from _of_one(its, _probed_by(one))
        if its.separates_right_from_wrong and isinstance(one, Reward):
            yield from _unrewarded(one, its, data, noted)
    yield from _of_all(found, weights)


def _probed(reward: Any, data: Mapping[str, Sequence[Any]], right: Callable[[dict[str, Any]], str] | None) -> Probed:
    """What was found of a reward: with the usual forms, or with one of its own where those earn nothing."""
    usual = probe(reward, data, seconds=SECONDS_OF_HACKS)
    if not usual.rewards_nothing or right is None:
        return usual
    own = probe(reward, data, right=right, seconds=SECONDS_OF_HACKS)
    return own if own.separates_right_from_wrong else usual


def _failures(reward: Any, found: Probed) -> Iterator[Finding]:
    """A warning for each way to fail; an error where the reward never gave a number, which ends a run at once.

    Rewards that read environments or the trainer's state were given none here, or one that is made up.
    """
    is_sure = found.always_fails and not {"environments", "trainer_state"}.intersection(_arguments(reward))
    for why, hacks in found.failures.items():
        message = f"{found.name}: {why} (for '{hacks[0]}'{' and others' if hacks[1:] else ''})."
        if found.always_fails:
            message = f"{found.name} gave no number to anything: {why}."
        yield Finding("error" if is_sure else "warning", "cheats", message, found.remedy_of(why), found.name)


def _arguments(reward: Any) -> tuple[str, ...]:
    return tuple(parameters_of(getattr(reward, "function", reward)))


def _probed_by(reward: Any) -> str:
    """What shows all hacks: the command where the reward has a spec, and the call where it has none."""
    spec = spec_of(reward)
    return "grpo_rewards.probe(…)" if spec is None else f"grpo-rewards probe {shlex.quote(spec)}"


def _of_one(found: Probed, probed_by: str) -> Iterator[Finding]:
    if found.rewards_nothing:
        message = (
            f"{found.name} gave {found.earned[0].reward:g}, its least, to all of {len(found.earned)} texts, also to "
            "golds in all usual forms."
        )
        remedy = (
            "If it wants a form of its own, that is fine: give right=…, which writes one from a row, and it is tried."
        )
        yield Finding("note", "golds", message, remedy, found.name)
    elif found.is_constant and found.best is not None:
        message = (
            f"{found.name} gave {found.earned[0].reward:g} to all of {len(found.earned)} texts, right, wrong and "
            "empty: it is constant, and a constant teaches nothing."
        )
        yield Finding("warning", "constant", message, "Look at its options, or leave it out.", found.name)
    elif found.reads_gold and found.right is not None and not found.separates_right_from_wrong:
        message = f"{found.name} reads golds, and rewards right answers no more than wrong ones in all usual forms."
        remedy = f"If it wants a form of its own, that is fine; else look at {probed_by}, with its rows."
        yield Finding("note", "golds", message, remedy, found.name)
    if found.separates_right_from_wrong and found.rewarded:
        first = found.rewarded[0]
        is_much = first.share is not None and first.share > NEARLY_ALL
        message = (
            f"{found.name} rewards {len(found.rewarded)} of {len(found.earned)} hacks, the most {first.reward:g} of "
            f"{found.best:g} for '{first.hack}'."
        )
        remedy = f"See all with {probed_by}; tighten it, or gate it by a reward that rewards none."
        yield Finding("warning" if is_much else "note", "cheats", message, remedy, found.name)


def _of_all(found: Sequence[Probed], weights: Mapping[str, float] | None) -> Iterator[Finding]:
    separating = [one for one in found if one.separates_right_from_wrong]
    lax = [one for one in found if one.rewarded and not one.separates_right_from_wrong and not one.is_constant]
    names = listed(one.name for one in lax)
    may_separate = [*separating, *(one for one in found if one.rewards_nothing)]
    if lax and separating and weights is not None and _are_lighter(lax, may_separate, weights):
        message = f"{names}: cannot separate right from wrong, and weighs less than what can."
        yield Finding("fine", "cheats", message)
    elif lax and separating:
        message = (
            f"{names}: cannot separate right from wrong, and alone would reward hacks: '{lax[0].rewarded[0].hack}'."
        )
        yield Finding(
            "note", "cheats", message, f"Give them less weight than {separating[0].name}, or gate them by it."
        )
    elif lax and may_separate:
        own = may_separate[0].name
        why = f"whether {own} can is not known, for it rewarded nothing here"
        message = f"{names}: cannot separate right from wrong; {why}."
        yield Finding("note", "cheats", message, f"Give them less weight than {own}, or gate them by it.")
    elif lax:
        first = lax[0].rewarded[0].hack
        message = f"no reward of this run separates right from wrong, and hacks are rewarded, '{first}' for one."
        yield Finding(
            "warning", "cheats", message, "Add a reward that reads the gold, or mind what form alone teaches."
        )
    sound = [one.name for one in separating if one.is_sound]
    if sound:
        yield Finding("fine", "cheats", f"{listed(sound)} rewards none of {len(separating[0].earned)} hacks.")


def _are_lighter(lax: Sequence[Probed], others: Sequence[Probed], weights: Mapping[str, float]) -> bool:
    """Whether the most that the ones give together is less than the most of one of the others."""
    most = {one.name: weights.get(one.name, 1.0) * (one.best or 0.0) for one in (*lax, *others)}
    return sum(most[one.name] for one in lax) < max(most[one.name] for one in others)


def _unrewarded(
    reward: Reward, found: Probed, data: Mapping[str, Sequence[Any]], noted: Collection[int]
) -> Iterator[Finding]:
    """A finding about rows in which the gold itself, written as an answer, does not earn what an answer should."""
    try:
        rows, scored = unrewarded_golds(reward, data, found, MOST_GOLDS, noted)
    except RewardError as error:
        yield Finding("warning", "golds", f"golds written as answers: {error}", reward=reward.name)
        return
    if not rows and scored:
        rows_are = f"{scored} other rows" if noted else f"{scored} rows"
        yield Finding("fine", "golds", f"{reward.name} rewards the gold of each of {rows_are}, written {found.way}.")
    if not rows:
        return
    (first, text, reason), *_ = rows
    message = (
        f"{reward.name} does not reward the gold itself, written {found.way}, in {len(rows)} of {scored} rows: "
        f"{some_rows([row for row, _, _ in rows])} Row {first} has {shown(text)}: {reason}."
    )
    severity: Severity = "error" if len(rows) == scored else "warning"
    remedy = "No completion can earn the reward there: mend these golds, or leave the rows out."
    yield Finding(severity, "golds", message, remedy, reward.name, tuple(row for row, _, _ in rows))
