"""What shows when rewards are asked: those that are constant, golds that are not paid, and cheats that are."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from grpo_rewards.preflight.distinct_names import is_model
from grpo_rewards.preflight.report import Finding, Severity, some_rows
from grpo_rewards.probing.probed import Probed
from grpo_rewards.probing.specs import spec_of
from grpo_rewards.probing.trying import probe
from grpo_rewards.probing.written_golds import unpaid_golds
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.errors import listed, shown

__all__ = ["tried_out"]

SECONDS_OF_CHEATS = 20.0  # for the cheats on one reward
MOST_GOLDS = 20_000  # rows whose golds are written as answers
NEARLY_ALL = 0.75  # of the way to the best reward: above it, junk is as good as an answer


def tried_out(
    rewards: Sequence[Any],
    data: Mapping[str, Sequence[Any]],
    weights: Mapping[str, float] | None = None,
    right: Callable[[dict[str, Any]], str] | None = None,
) -> Iterator[Finding]:
    """Findings about what each reward gives to cheats and to golds that are written as answers.

    Args:
        rewards: rewards and plain functions; models are passed over.
        data: the columns of the training data, by name.
        weights: of the rewards, by name, if they are known.
        right: from a row to a right completion, for rewards that are paid for none of the usual forms.
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
        if its.tells_right_from_wrong and isinstance(one, Reward):
            yield from _unpaid(one, its, data)
    yield from _of_all(found, weights)


def _probed(reward: Any, data: Mapping[str, Sequence[Any]], right: Callable[[dict[str, Any]], str] | None) -> Probed:
    """What was found of a reward: with the usual forms, or with one of its own where those earn nothing."""
    usual = probe(reward, data, seconds=SECONDS_OF_CHEATS)
    if not usual.pays_nothing or right is None:
        return usual
    own = probe(reward, data, right=right, seconds=SECONDS_OF_CHEATS)
    return own if own.tells_right_from_wrong else usual


def _failures(reward: Any, found: Probed) -> Iterator[Finding]:
    """A warning for each way to fail; an error where the reward never gave a number, which ends a run at once.

    Rewards that read environments or the trainer's state were given none here, or one that is made up.
    """
    is_sure = found.always_fails and not {"environments", "trainer_state"}.intersection(_arguments(reward))
    for why, cheats in found.failures.items():
        said = f"{found.name}: {why} (for '{cheats[0]}'{' and others' if cheats[1:] else ''})."
        if found.always_fails:
            said = f"{found.name} gave no number to anything: {why}."
        yield Finding("error" if is_sure else "warning", "cheats", said, found.remedy_of(why), found.name)


def _arguments(reward: Any) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(getattr(reward, "function", reward)).parameters)
    except (TypeError, ValueError):  # a built-in without a signature
        return ()


def _probed_by(reward: Any) -> str:
    """What shows all cheats: the command where the reward has a spec, and the call where it has none."""
    spec = spec_of(reward)
    return "grpo_rewards.probe(…)" if spec is None else f"grpo-rewards probe {shlex.quote(spec)}"


def _of_one(found: Probed, probed_by: str) -> Iterator[Finding]:
    if found.pays_nothing:
        said = (
            f"{found.name} gave {found.earned[0].reward:g}, its least, to all of {len(found.earned)} texts, also to "
            "golds in all usual forms."
        )
        remedy = (
            "If it wants a form of its own, that is fine: give right=…, which writes one from a row, and it is tried."
        )
        yield Finding("note", "golds", said, remedy, found.name)
    elif found.is_constant and found.best is not None:
        said = (
            f"{found.name} gave {found.earned[0].reward:g} to all of {len(found.earned)} texts, right, wrong and "
            "empty: it is constant, and a constant teaches nothing."
        )
        yield Finding("warning", "constant", said, "Look at its options, or leave it out.", found.name)
    elif found.reads_gold and found.right is not None and not found.tells_right_from_wrong:
        said = f"{found.name} reads golds, and pays right answers no more than wrong ones in all usual forms."
        remedy = f"If it wants a form of its own, that is fine; else look at {probed_by}, with its rows."
        yield Finding("note", "golds", said, remedy, found.name)
    if found.tells_right_from_wrong and found.paid:
        first = found.paid[0]
        is_much = first.share is not None and first.share > NEARLY_ALL
        said = (
            f"{found.name} pays {len(found.paid)} of {len(found.earned)} cheats, the most {first.reward:g} of "
            f"{found.best:g} for '{first.cheat}'."
        )
        remedy = f"See all with {probed_by}; tighten it, or gate it by a reward that pays none."
        yield Finding("warning" if is_much else "note", "cheats", said, remedy, found.name)


def _of_all(found: Sequence[Probed], weights: Mapping[str, float] | None) -> Iterator[Finding]:
    telling = [one for one in found if one.tells_right_from_wrong]
    paying = [one for one in found if one.paid and not one.tells_right_from_wrong and not one.is_constant]
    names = listed(one.name for one in paying)
    may_tell = [*telling, *(one for one in found if one.pays_nothing)]
    if paying and telling and weights is not None and _are_lighter(paying, may_tell, weights):
        said = f"{names}: cannot tell right from wrong, and weighs less than what can."
        yield Finding("fine", "cheats", said)
    elif paying and telling:
        said = f"{names}: cannot tell right from wrong, and alone would pay junk, '{paying[0].paid[0].cheat}' for one."
        yield Finding("note", "cheats", said, f"Give them less weight than {telling[0].name}, or gate them by it.")
    elif paying and may_tell:
        own = may_tell[0].name
        said = f"{names}: cannot tell right from wrong; whether {own} can is not known, for it paid nothing here."
        yield Finding("note", "cheats", said, f"Give them less weight than {own}, or gate them by it.")
    elif paying:
        said = f"no reward of this run tells right from wrong, and junk is paid: '{paying[0].paid[0].cheat}' for one."
        yield Finding("warning", "cheats", said, "Add a reward that reads the gold, or mind what form alone teaches.")
    sound = [one.name for one in telling if one.is_sound]
    if sound:
        yield Finding("fine", "cheats", f"{listed(sound)} pays none of {len(telling[0].earned)} cheats.")


def _are_lighter(paying: Sequence[Probed], others: Sequence[Probed], weights: Mapping[str, float]) -> bool:
    """Whether the most that the ones give together is less than the most of one of the others."""
    most = {one.name: weights.get(one.name, 1.0) * (one.best or 0.0) for one in (*paying, *others)}
    return sum(most[one.name] for one in paying) < max(most[one.name] for one in others)


def _unpaid(reward: Reward, found: Probed, data: Mapping[str, Sequence[Any]]) -> Iterator[Finding]:
    """A finding about rows in which the gold itself, written as an answer, does not earn what an answer should."""
    try:
        rows, asked = unpaid_golds(reward, data, found, MOST_GOLDS)
    except RewardError as error:
        yield Finding("warning", "golds", f"golds written as answers: {error}", reward=reward.name)
        return
    if not rows and asked:
        yield Finding("fine", "golds", f"{reward.name} pays the gold of each of {asked} rows, written {found.way}.")
    if not rows:
        return
    (first, text, reason), *_ = rows
    said = (
        f"{reward.name} does not pay the gold itself, written {found.way}, in {len(rows)} of {asked} rows: "
        f"{some_rows([row for row, _, _ in rows])} Row {first} has {shown(text)}: {reason}."
    )
    severity: Severity = "error" if len(rows) == asked else "warning"
    remedy = "Nothing that a model writes is paid there: mend these golds, or leave the rows out."
    yield Finding(severity, "golds", said, remedy, reward.name, tuple(row for row, _, _ in rows))
