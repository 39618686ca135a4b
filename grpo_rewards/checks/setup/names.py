"""A run before a model is loaded, and the names in it: its rewards' in the logs, and its columns'."""

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from grpo_rewards.checks.findings import Finding, Findings, finding_of
from grpo_rewards.checks.reward.calling import (
    PASS_ROLLOUT,
    Columns,
    Signature,
    is_of_rollout,
    name_of,
    read_columns,
    unseeing,
)
from grpo_rewards.errors import listed, missing_column, nearest_column, shown
from grpo_rewards.registry import Reward
from grpo_rewards.registry.call import LOGGERS, TAKEN_BY_TRAINER
from grpo_rewards.registry.interface import leaves

# TRL overwrites a column of one of these names with its own, or passes an argument of that name.
HARMFUL_COLUMNS = TAKEN_BY_TRAINER - {"completion_ids"}
# TRL passes these by keyword to every function; environments only in runs that have some.
ALWAYS_PASSED = ("completions", "prompts", "completion_ids", "trainer_state", *LOGGERS)
# TRL removes these columns, or passes them under another name.
HELD_BACK = ("prompt", "completion", "completion_ids")
# What data sets call their prompts.
PROMPT_SYNONYMS = ("question", "q", "problem", "query", "instruction", "input", "messages", "text")


@dataclass
class SetUp:
    """A run as far as it is known before a model is loaded. Each check reads it, and yields what it finds.

    Attributes:
        rewards: rewards, plain functions and models. A check that binds an option puts the new rewards in their place.
        data: the columns of the training data by name; ``None`` if there is no data set at hand.
        columns: the names of the columns; ``None`` if they are not known.
        tokenizer: the model's, or its processor; ``None`` if it is not known.
        args: the run's ``GRPOConfig``, or what was read from a file; ``None`` if it is not known.
        weights: of the rewards; ``None`` if they are not known, and 1 each.
        tools: the functions that the model may call.
        environment_factory: what makes the run's environments.
        environments: one of each kind, as far as they could be made.
        has_rollout: whether a ``rollout_func`` may return what is no column.
        right: from a row to a right completion, for rewards that none of the usual forms earns.
        findings: what the checks before this one found.
    """

    rewards: list[Any]
    data: Columns | None = None
    columns: Sequence[str] | None = None
    tokenizer: Any = None
    args: Any = None
    weights: Any = None
    tools: Sequence[Any] = ()
    environment_factory: Any = None
    environments: list[Any] = field(default_factory=list)
    has_rollout: bool = False
    right: Callable[[dict[str, Any]], str] | None = None
    findings: list[Finding] = field(default_factory=list)

    @property
    def has_tools(self) -> bool:
        """Whether the run is known to have tools or environments."""
        return bool(self.tools or self.environment_factory)

    @property
    def prompts(self) -> Sequence[Any] | None:
        """The column ``prompt``; ``None`` if it is not there."""
        return None if self.data is None else self.data.get("prompt")

    @property
    def size(self) -> int | None:
        """How many rows the training data has; ``None`` if that is not known."""
        return None if self.data is None else len(next(iter(self.data.values()), ()))

    @property
    def inner_tokenizer(self) -> Any:
        """The tokenizer itself, also that of a processor."""
        return getattr(self.tokenizer, "tokenizer", self.tokenizer)

    @property
    def with_template(self) -> Any:
        """The one that has the chat template: a processor may leave it to its tokenizer. ``None`` if neither has."""
        both = (self.tokenizer, self.inner_tokenizer)
        return next((one for one in both if getattr(one, "chat_template", None) is not None), None)

    @property
    def template_options(self) -> dict[str, Any]:
        """With what the run calls the chat template."""
        return dict(getattr(self.args, "chat_template_kwargs", None) or {})

    def bind(self, change: Callable[[Reward], Reward]) -> str:
        """Applies ``change`` to each reward, also inside composites. Returns the names of those that it changed."""
        before = self.rewards
        self.rewards = [one.mapped(change) if isinstance(one, Reward) else one for one in before]
        return ", ".join(new.name for old, new in zip(before, self.rewards, strict=True) if old != new)


def distinct_names(run: SetUp) -> Findings:
    """Gives the rewards of a run names that differ, and yields what was done about those that did not.

    A trainer overwrites or averages what has the same name. Of several rewards with one default name the second becomes
    ``name_2``, the third ``name_3``, in the order of the list. A part of a composite becomes ``composite/name`` if
    something else in the run has its name. A name that was given to a reward of the list is never changed: if it is
    there twice, or one reward is there twice, or two plain functions share a name, that is an error.
    """
    taken, seen, clashing = set(map(name_of, run.rewards)), set[str](), set[str]()
    renamed: list[Any] = []
    for one in run.rewards:
        name = name_of(one)
        if name in seen and isinstance(one, Reward) and one.name == one.usual_name and one not in renamed:
            new = next(free for number in count(2) if (free := f"{name}_{number}") not in taken)
            taken.add(new)
            one = one.bind(name=new)
            yield finding_of("names.renamed", new, old=name)
        elif name in seen:
            clashing.add(name)
        seen.add(name)
        renamed.append(one)
    seen = {name_of(one) for one in renamed}
    for place, one in enumerate(renamed):
        below = list(getattr(one, "metric_names", ()))[1:]
        new_names = {name: f"{one.name}/{name}" for name in below if name in seen}
        seen.update(below, new_names.values())
        if new_names:
            renamed[place] = one.renamed(lambda name, new=new_names: new.get(name, name))
        for name, new in sorted(new_names.items()):
            yield finding_of("names.renamed", new, old=name)
    run.rewards = renamed
    yield from (finding_of("names.clash", name) for name in sorted(clashing))


def is_model(one: Any) -> bool:
    """Whether it is a model that gives rewards, or the id of one: TRL tokenizes for these, and passes no columns."""
    return isinstance(one, str) or isinstance(getattr(getattr(one, "config", None), "_name_or_path", None), str)


def columns_read(run: SetUp) -> Findings:
    """Findings about what rewards and plain functions read, and errors for columns that TRL overwrites or refuses."""
    for one in run.rewards:
        if is_model(one) or isinstance(getattr(one, "func", None), Reward):
            continue  # a partial of a reward takes what the reward does
        name, blind = name_of(one), unseeing(one, run.columns, run.has_rollout)
        if blind is not None:  # a plain function, which is to be written in another way
            yield finding_of("model.unseen", name, message=blind[0], remedy=blind[1])
            continue
        if not isinstance(one, Reward):
            yield from _arguments(name, one, run.columns or ())
        if run.columns is not None:
            yield from _columns(name, one, run.columns, run.has_rollout)
    for column in sorted(HARMFUL_COLUMNS.intersection(run.columns or ())):
        yield finding_of("columns.harmful", column=column)


def _arguments(name: str, function: Any, columns: Sequence[str]) -> Findings:
    """Errors for what a plain function takes and TRL does not pass, and for what it passes and the function refuses."""
    its = Signature(function)
    for held in (held for held in read_columns(function) if held in HELD_BACK):
        yield finding_of("arguments.held_back", name, held=held)
    passed = dict.fromkeys([*ALWAYS_PASSED, *(column for column in columns if column not in HELD_BACK)])
    refused = [one for one in passed if one not in its.named]
    if refused and not its.takes_rest:
        yield finding_of("arguments.refused", name, refused=listed(refused))


def _columns(name: str, one: Any, columns: Sequence[str], has_rollout: bool) -> Findings:
    """An error for each column that is read and not there; a note where a rollout may return it."""
    is_reward, read = isinstance(one, Reward), read_columns(one)
    for column, own in read.items():
        if column in columns or (not is_reward and column in HELD_BACK):
            continue
        near = nearest_column(column, columns)
        if has_rollout or (near is None and is_of_rollout(column)):
            yield finding_of("columns.of_rollout", name, column=column, remedy="" if has_rollout else PASS_ROLLOUT)
            continue
        message, remedy = missing_column(name, column, columns, own, can_bind=is_reward)
        if not str(one.__module__).startswith("grpo_rewards.") and near is None:
            if is_reward:
                remedy += f" Is '{own}' a setting, the same for all rows? Write it behind the '*', and bind it."
            remedy += f" Does a rollout_func return it? {PASS_ROLLOUT}"
        yield finding_of("columns.missing", name, message=message, remedy=remedy)
    if is_reward and read and read.keys() <= set(columns):
        yield finding_of("columns.read", name, columns=listed(read))
    for leaf in leaves(one):
        for its in leaf.own_columns:
            if its.is_optional and its.name != its.read_as and its.name not in columns:
                yield finding_of("columns.renamed", leaf.name, own=its.read_as, column=its.name)


def prompt_column(run: SetUp) -> Findings:
    """An error where there is no column ``prompt`` and no environment may give it, or for rows that are no prompts."""
    if run.data is None:
        return
    if run.prompts is not None:
        if bad := [row for row, one in enumerate(run.prompts) if not _is_prompt(one)]:
            yield finding_of("prompts.neither", rows=bad, first=shown(run.prompts[bad[0]]))
    elif not run.environment_factory:
        near = [one for one in PROMPT_SYNONYMS if one in run.data] or difflib.get_close_matches("prompt", run.data, n=1)
        kind = "prompt_elsewhere" if near else "no_prompt"
        yield finding_of(f"columns.{kind}", columns=listed(run.data), near=listed(near[:1]))


def _is_prompt(value: Any) -> bool:
    if not isinstance(value, list | tuple):
        return isinstance(value, str) and bool(value.strip())
    return bool(value) and all(
        isinstance(one, Mapping) and "role" in one and ("content" in one or "tool_calls" in one) for one in value
    )
