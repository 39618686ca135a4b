"""Rewards tried on the rows of a run: unreadable golds, golds that earn nothing, reward hacks, other processes."""

from __future__ import annotations

import importlib
import json
import pickle
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any, TypeAlias

from grpo_rewards.checks.findings import Finding, Severity, some_rows
from grpo_rewards.checks.reward.calling import Caller, Failure
from grpo_rewards.checks.reward.hacks import WAYS, hints
from grpo_rewards.checks.reward.probed import Probed
from grpo_rewards.checks.reward.probing import probe
from grpo_rewards.checks.reward.problems import problems_of, spread
from grpo_rewards.checks.setup.names import is_model, logged_name
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.call import Call
from grpo_rewards.registry.errors import listed, shown
from grpo_rewards.registry.interface import leaves
from grpo_rewards.registry.model_arguments import parameters_of
from grpo_rewards.registry.names import ENTRY_POINT_GROUP

__all__ = ["ROW_AT_FAULT", "PlainFunction", "as_list", "check_answers", "pickling", "probe_findings", "spec_of"]

ROW_AT_FAULT = ("bad_answer", "bad_instruction", "unknown_instruction")  # reasons for which nothing can be scored

PlainFunction: TypeAlias = Callable[..., Any]  # a reward as TRL takes it without this package


class CheckedAnswers(dict[str, list[int]]):
    """The rows whose gold a reward cannot read, by the reward's name.

    Attributes:
        as_spelled: the rows, by the reward's name, whose gold is not understood, such as a sentence. Only the same
            spelling earns a reward there, and anything else is not scored.
    """

    def __init__(self) -> None:
        super().__init__()
        self.as_spelled: dict[str, list[int]] = {}


def check_answers(
    reward_funcs: Reward | PlainFunction | Sequence[Reward | PlainFunction], rows: Mapping[str, Sequence[Any]]
) -> CheckedAnswers:
    """The rows whose gold a reward cannot read, so that they teach nothing whatever a model writes.

    Its ``as_spelled`` has the rows whose gold is read, but not understood.

    Only rewards with a documented reason for that, such as ``bad_answer``, are called, also as parts of composites.

    Args:
        reward_funcs: rewards; plain functions among them are passed over.
        rows: columns by name, each with one value per row, such as ``dataset[:]``.

    Returns:
        For each reward that cannot read some rows, their indices by its name; ``{}`` if all can be read.

    Raises:
        RewardError: a column that a reward reads is missing.
    """
    size = len(next(iter(rows.values()), ()))
    call = Call([""] * size, prompts=[""] * size, completion_ids=[[]] * size, columns=dict(rows))
    at_fault: dict[tuple[str, bool], set[int]] = {}  # by the reward's name and whether the spelling is all that counts
    for one, its_call, its_rows in _with_calls(as_list(reward_funcs), call):
        if not one.parts and any(reason in one.reasons for reason in ROW_AT_FAULT):
            for row, verdict in zip(its_rows, one.verdicts(its_call), strict=True):
                if verdict.reason in ROW_AT_FAULT:
                    key = one.name, bool(verdict.details.get("answer_as_spelled"))
                    at_fault.setdefault(key, set()).add(row)
    checked = CheckedAnswers()
    for (name, as_spelled), found in at_fault.items():
        (checked.as_spelled if as_spelled else checked)[name] = sorted(found)
    return checked


def as_list(reward_funcs: Any) -> list[Any]:
    """One reward or several, as a fresh list."""
    return list(reward_funcs) if isinstance(reward_funcs, list | tuple) else [reward_funcs]


def _with_calls(rewards: Sequence[Any], call: Call) -> Iterator[tuple[Reward, Call, Sequence[int]]]:
    """Yields (reward, its call, its row numbers) for each reward and each part of one, at any depth."""
    for one in rewards:
        if isinstance(one, Reward):
            yield one, call, range(call.size)
            for below, its_call, its_rows in one.parts_in(call):
                for part, part_call, part_rows in _with_calls([below], its_call):
                    yield part, part_call, [its_rows[row] for row in part_rows]


SECONDS_TO_UNPICKLE = 60  # for a process to start and to import what the rewards need
REMEDY = (
    "GRPOTrainer does not send rewards to processes; asynchronous trainers, Ray and datasets' num_proc do. Define it "
    "at the top of a module, with its options bound instead of caught in a closure."
)
CHILD = """
import json, pickle, sys
path, rewards = pickle.load(sys.stdin.buffer)
sys.path[:] = path
failures = {}
for name, pickled in rewards:
    try:
        pickle.loads(pickled)
    except BaseException as error:
        failures[name] = f"{type(error).__name__}: {error}"
print("\\n" + json.dumps(failures))
"""


def pickling(rewards: Sequence[Any]) -> Iterator[Finding]:
    """Notes about rewards that cannot be sent to another process, which only some trainers do."""
    pickled: list[tuple[str, bytes]] = []
    failures: dict[str, str] = {}
    for one in rewards:
        name = logged_name(one)
        if isinstance(one, str):
            continue  # a model's id
        try:
            pickled.append((name, pickle.dumps(one)))
        except Exception as error:  # noqa: BLE001  # an object of a user's may raise anything here
            failures[name] = f"{type(error).__name__}: {error}"
    # of the script that runs; a process that looked for it there would run that script again
    in_script = [name for name, data in pickled if b"__main__" in data]
    there = [one for one in pickled if one[0] not in in_script]
    failures |= _sent(there) if there else {}
    for name, why in failures.items():
        yield Finding("note", "pickling", f"{name} cannot be sent to another process: {why[:200]}.", REMEDY, name)
    if in_script:
        message = f"{listed(in_script)}: defined in the script that runs, where other processes may not find it."
        yield Finding("note", "pickling", message, REMEDY)
    if pickled and not failures and not in_script:
        yield Finding("fine", "pickling", f"{listed(name for name, _ in pickled)} arrived in another process.")


def _sent(pickled: list[tuple[str, bytes]]) -> dict[str, str]:
    """Why rewards could not be unpickled in a process of their own, by name."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", CHILD],
            input=pickle.dumps((sys.path, pickled)),
            capture_output=True,
            timeout=SECONDS_TO_UNPICKLE,
        )
        found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return {name: f"the process did not end within {SECONDS_TO_UNPICKLE} s" for name, _ in pickled}
    except (OSError, IndexError, ValueError) as error:
        return {name: f"the process failed ({error})" for name, _ in pickled}
    return found


SECONDS_FOR_GOLDS = 120.0  # for all rows together


def unrewarded_golds(
    reward: Reward, data: Mapping[str, Sequence[Any]], found: Probed, most: int, noted: Container[int] = ()
) -> tuple[list[tuple[int, str, str]], int]:
    """The rows whose gold, written in the way that a probe found, earns less than half of what an answer does.

    Rows that cannot be scored at all are not among them, and do not count.

    Args:
        reward: the reward.
        data: columns by name.
        found: what ``probe`` found about it, on these rows.
        most: at most so many rows are used, evenly spread.
        noted: rows that are left out, since something was already found about their golds.

    Returns:
        ([(row, gold, reason), …], how many rows were scored).

    Raises:
        RewardError: the reward raised, or took too long.
    """
    write = WAYS.get(found.way)
    if write is None or found.right is None or found.wrong is None:
        return [], 0
    problems = problems_of(data, reward, hints(reward), most, need_wrong=False)
    at = spread(len(next(iter(data.values()))), most)
    tried = [
        (row, one, text)
        for row, one in zip(at, problems, strict=True)
        if row not in noted
        and one.scene.gold is not None
        and (text := write(one.scene, one.scene.gold, one.held)) is not None
    ]
    try:
        verdicts = Caller(reward, SECONDS_FOR_GOLDS).verdicts(
            [text for _, _, text in tried], [one for _, one, _ in tried]
        )
    except Failure as failure:
        raise RewardError(f"{reward.name}: {failure}") from None
    half = (found.right + found.wrong) / 2
    scored = [
        (row, str(one.scene.gold), verdict.reward, verdict.reason)
        for (row, one, _), verdict in zip(tried, verdicts, strict=True)
        if verdict.reward is not None
    ]
    return [(row, gold, reason) for row, gold, earned, reason in scored if earned < half], len(scored)


def spec_of(reward: Any) -> str | None:
    """A spec for a command line, or the dotted path of a plain function; ``None`` if no module holds it by its name.

    >>> import grpo_rewards as gr
    >>> spec_of(gr.think_format.bind(think_opened=True)), spec_of(lambda completions, **_: [0.0])
    ('think_format(think_opened=True)', None)
    """
    if not isinstance(reward, Reward):
        return _path_of(reward)
    written = repr(reward)
    for one in leaves(reward):
        if _is_listed(one):
            continue
        path = _path_of(one)
        if path is None:
            return None
        own = path.rpartition(".")[2]
        written = re.sub(rf"(?<![\w./'\"]){re.escape(own)}\b(?!=)", path, written)
    return written if _gives(written, reward) else None


def _is_listed(one: Reward) -> bool:
    """Whether every process knows it by its name: ours, and those that an installed package offers."""
    package = str(getattr(getattr(one, "function", one), "__module__", "")).partition(".")[0]
    offering = {point.module.partition(".")[0] for point in entry_points(group=ENTRY_POINT_GROUP)}
    return package in {"grpo_rewards", *offering}


def _gives(spec: str, reward: Reward) -> bool:
    try:
        return get_reward(spec) == reward
    except RewardError:
        return False


def _path_of(one: Any) -> str | None:
    """Where a reward or a function is found by its name, if another process would find it there."""
    function = getattr(one, "function", one)
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    if not module or module == "__main__" or not name.isidentifier():
        return None
    held = getattr(importlib.import_module(module), name, None)
    return f"{module}.{name}" if held is not None and getattr(held, "function", held) is function else None


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
