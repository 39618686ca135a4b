"""Rewards tried on the rows of a run: golds that cannot be read or earn nothing, reward hacks, results of tools."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from grpo_rewards.checks.findings import Findings, Severity, finding_of
from grpo_rewards.checks.reward.calling import Caller, Columns, Failure, name_of, read_columns
from grpo_rewards.checks.reward.probing import Probed, probe
from grpo_rewards.checks.reward.problems import WAYS, Attempt, attempts, filled, problems_of
from grpo_rewards.checks.setup.names import SetUp, is_model
from grpo_rewards.errors import listed, nearest_column, shown
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.call import Call
from grpo_rewards.registry.interface import leaves
from grpo_rewards.registry.signature import parameters_of

ROW_AT_FAULT = ("bad_answer", "bad_instruction", "unknown_instruction")  # reasons for which nothing can be scored
DIFFERENT_SHOWN = 3  # golds of those that cannot be read
SECONDS_OF_HACKS = 20.0  # for the hacks on one reward
SECONDS_FOR_GOLDS = 120.0  # for the golds of all rows together
MOST_GOLDS = 20_000  # rows whose golds are written as answers
# A transcript with a tool's result, which is the last message where the next turn was cut off entirely.
LOOK_UP: dict[str, Any] = {"type": "function", "function": {"name": "look_up", "arguments": {}}}
TOOL_CALL: dict[str, Any] = {"role": "assistant", "content": "", "tool_calls": [LOOK_UP]}
NO_ANSWER: dict[str, Any] = {"role": "assistant", "content": "I do not know."}

PlainFunction: TypeAlias = Callable[..., Any]  # a reward as TRL takes it without this package


class CheckedAnswers(dict[str, list[int]]):
    """The rows whose gold a reward cannot read, by the reward's name.

    Attributes:
        as_spelled: the rows, by the reward's name, whose gold is not understood, such as a sentence. Only the same
            spelling earns a reward there, and anything else is not scored.
    """

    def __init__(self, unread: Mapping[str, set[int]], as_spelled: Mapping[str, set[int]]) -> None:
        super().__init__({name: sorted(rows) for name, rows in unread.items()})
        self.as_spelled = {name: sorted(rows) for name, rows in as_spelled.items()}


def check_answers(
    reward_funcs: Reward | PlainFunction | str | Sequence[Reward | PlainFunction | str], rows: Columns
) -> CheckedAnswers:
    """The rows whose gold a reward cannot read, so that these rows teach nothing, whatever a model writes.

    Its ``as_spelled`` has the rows whose gold is read, but not understood.

    Only rewards with a documented reason for that, such as ``bad_answer``, are called, also as parts of composites.

    Args:
        reward_funcs: rewards, or their specs; plain functions among them are passed over.
        rows: columns by name, each with one value per row, such as ``dataset[:]``.

    Returns:
        For each reward that cannot read some rows, their indices by its name; ``{}`` if all can be read.

    Raises:
        RewardError: a column that a reward reads is missing.
    """
    size = len(next(iter(rows.values()), ()))
    call = Call([""] * size, prompts=[""] * size, completion_ids=[[]] * size, columns=dict(rows))
    unread, as_spelled = defaultdict[str, set[int]](set), defaultdict[str, set[int]](set)
    rewards = [get_reward(one) if isinstance(one, str) else one for one in as_list(reward_funcs)]
    for one, its_call, its_rows in _with_calls(rewards, call):
        if one.parts or not set(ROW_AT_FAULT).intersection(one.reasons):
            continue
        for row, verdict in zip(its_rows, one.verdicts(its_call), strict=True):
            if verdict.reason in ROW_AT_FAULT:
                (as_spelled if verdict.details.get("answer_as_spelled") else unread)[one.name].add(row)
    return CheckedAnswers(unread, as_spelled)


def as_list(reward_funcs: Any) -> list[Any]:
    """One reward or several, as a fresh list."""
    return list(reward_funcs) if isinstance(reward_funcs, list | tuple) else [reward_funcs]


def triable(run: SetUp) -> tuple[list[Any], Columns]:
    """(the rewards that can be called on the rows, the columns of these).

    A column that a reward misses and that is probably called something else is there under both names, so that golds
    are looked at in the same check that finds them misnamed.
    """
    data = run.data or {}
    failing = {one.reward for one in run.findings if one.severity == "error" and one.check == "arguments"}
    called = [one for one in run.rewards if not is_model(one) and name_of(one) not in failing]
    missing = {column for one in called for column in read_columns(one)}.difference(data)
    near = {column: nearest_column(column, list(data)) for column in missing}
    seen = {**data, **{column: data[name] for column, name in near.items() if name is not None}}
    return [one for one in called if read_columns(one).keys() <= seen.keys()], seen


def golds_read(run: SetUp) -> Findings:
    """That there are rows, and that their golds can be read."""
    if not run.size:
        yield finding_of("answers.no_rows")
        return
    rewards, data = triable(run)
    try:
        at_fault = check_answers(rewards, data)
    except RewardError as error:  # such as a row for which there is no route
        yield finding_of("answers.failed", error=error)
        return
    kinds = {"answers.unread": at_fault, "spellings.not_understood": at_fault.as_spelled}
    for key, name, rows in [(key, *its) for key, of_rewards in kinds.items() for its in of_rewards.items()]:
        read = [column for one in leaves(*rewards) if one.name == name for column in one.columns if column in data]
        values = {column: dict.fromkeys(shown(data[column][row]) for row in rows) for column in read}
        held = [f"There, {column} is {' or '.join([*its][:DIFFERENT_SHOWN])}." for column, its in values.items()]
        all_at_fault = sum(len(of_rewards.get(name, ())) for of_rewards in kinds.values())
        severity: Severity | None = "error" if 2 * all_at_fault >= run.size else None
        yield finding_of(key, name, rows, severity, size=run.size, held=" ".join(held))
    if not any(kinds.values()) and any("bad_answer" in one.reasons for one in leaves(*rewards)):
        yield finding_of("answers.read", size=run.size)


def _with_calls(rewards: Sequence[Any], call: Call) -> Iterator[tuple[Reward, Call, Sequence[int]]]:
    """Yields (reward, its call, its row numbers) for each reward and each part of one, at any depth."""
    for one in rewards:
        if isinstance(one, Reward):
            yield one, call, range(call.size)
            for below, its_call, its_rows in one.parts_in(call):
                for part, part_call, part_rows in _with_calls([below], its_call):
                    yield part, part_call, [its_rows[row] for row in part_rows]


def spec_of(reward: Any) -> str:
    """A spec for settings and a command line, with the rewards and functions of other packages by their dotted paths.

    >>> import grpo_rewards as gr
    >>> spec_of(gr.think_format.bind(think_opened=True))
    'think_format(think_opened=True)'
    """
    written = repr(reward) if isinstance(reward, Reward) else name_of(reward)
    for function in _functions_in(reward):
        module, name = getattr(function, "__module__", ""), getattr(function, "__name__", "")
        if name and not f"{module}.".startswith("grpo_rewards."):
            written = re.sub(rf"(?<![\w./'\"]){re.escape(name)}\b(?!=)", f"{module}.{name}", written)
    return written


def _functions_in(reward: Any) -> list[Any]:
    """The functions of a reward and of those inside it; a plain function is its own."""
    return [one.function for one in leaves(reward)] or [reward]


def _reads_environments(reward: Any) -> bool:
    return any("environments" in parameters_of(one) for one in _functions_in(reward))


def hacks(run: SetUp) -> Findings:
    """Findings about what each reward gives to reward hacks and to golds that are written as answers."""
    rewards, data = triable(run)
    gates: list[str] = []  # those that separate right from wrong, or may do so with a form of their own
    lax: list[Probed] = []
    weights = {} if run.weights is None else dict(zip(map(name_of, run.rewards), run.weights, strict=True))
    most: dict[str, float] = {}  # what a reward can add to the total, by its name
    for one in rewards:
        try:
            its = probe(one, data, right=run.right, seconds=SECONDS_OF_HACKS)
        except RewardError as error:
            yield finding_of("cheats.untried", getattr(one, "name", None), error=error)
            continue
        most[its.name] = weights.get(its.name, 1.0) * (its.best or 0.0)
        # a reward that never gives a number ends a run at once, unless it misses what was not given here
        is_sure = its.always_fails and not _reads_environments(one)
        for finding in its.findings:
            if finding.check != "alone":  # of which there is one finding for all, below
                yield replace(finding, severity="error") if is_sure else finding
        if its.separates_right_from_wrong:
            gates.insert(0, its.name)
            yield from _unrewarded(one, its, data) if isinstance(one, Reward) else ()
        elif its.rewards_nothing and read_columns(one):
            gates.append(its.name)
        elif its.rewarded and not its.is_constant:
            lax.append(its)
    if lax:
        is_outweighed = sum(most[one.name] for one in lax) < max([most[name] for name in gates], default=0.0)
        kind = "outweighed" if is_outweighed else "held_back" if gates else "not_held_back"
        names = listed(one.name for one in lax)
        yield finding_of(f"cheats.{kind}", names=names, hack=lax[0].rewarded[0].hack, gate=listed(gates[:1]))


def _unrewarded(reward: Reward, probed: Probed, data: Columns) -> Findings:
    """A finding about rows in which the gold itself, written as an answer, earns less than half of what an answer does.

    Rows that cannot be scored at all are not among them, and do not count.
    """
    if probed.way not in WAYS or probed.right is None or probed.wrong is None:
        return
    problems = problems_of(data, reward, MOST_GOLDS, need_wrong=False)
    tried = attempts(problems, lambda one: one.answers[:1], partial(filled, WAYS[probed.way]))
    try:
        verdicts = Caller(reward, SECONDS_FOR_GOLDS).verdicts(tried)
    except Failure as failure:
        yield finding_of("golds.failed", reward.name, why=failure)
        return
    judged = zip(tried, verdicts, strict=True)
    scored = [(one, its.reward, its.reason) for one, its in judged if its.reward is not None]
    low = [(one, reason) for one, number, reason in scored if number < (probed.right + probed.wrong) / 2]
    if low:
        rows, (first, reason) = [one.problem.number for one, _ in low], low[0]
        severity: Severity = "error" if len(low) == len(scored) else "warning"
        size, gold, way = len(scored), shown(first.answer), probed.way
        yield finding_of("golds.unrewarded", reward.name, rows, severity, size=size, gold=gold, way=way, reason=reason)
    elif scored:
        yield finding_of("golds.rewarded", reward.name, size=len(scored), way=probed.way)


def tool_results(run: SetUp) -> Findings:
    """Warnings for rewards that take what a tool returned for the model's answer, or fail on a transcript with tools.

    Each reward that reads golds is called once, on transcripts in which a tool returns the first row's gold in all
    usual forms, or nothing, and the model gives no answer. Those that read environments are passed over.
    """
    rewards, data = triable(run)
    for one in rewards if run.has_tools else ():
        (problem,) = problems_of(data, one, 1)
        gold = problem.gold
        if gold is None or _reads_environments(one):
            continue
        results = ["", *filter(None, (filled(way, problem, gold) for way in WAYS.values()))]
        turns = [[TOOL_CALL, {"role": "tool", "name": "look_up", "content": result}] for result in results]
        transcripts = [[*its, *end] for its in turns for end in ([], [NO_ANSWER])]
        try:
            verdicts = Caller(one, SECONDS_OF_HACKS).verdicts([Attempt(problem, gold, its) for its in transcripts])
        except Failure as failure:
            yield finding_of("tools.failed", name_of(one), why=failure)
            continue
        points = [verdict.reward or 0.0 for verdict in verdicts]
        most, without = max(points), max(points[:2])
        if most > without:
            yield finding_of("tools.result_rewarded", name_of(one), gold=shown(gold), most=most, without=without)
