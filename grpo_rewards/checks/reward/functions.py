"""What a stranger's function takes, by its signature and its code: columns of the data, and what the model did."""

from __future__ import annotations

import dis
import functools
import inspect
import re
import types
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.coroutines import wait_for
from grpo_rewards.registry.errors import (
    ANSWER_SYNONYMS,
    GIVEN_BY_TRAINER,
    GOLD_NAMES,
    TAKEN_BY_TRAINER,
    listed,
    words_in,
)
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.registry.model_arguments import FROM_MODEL, completion_argument, parameters_of

PASSED = ("completions", "completion_ids", "environments")  # of what the model did, by trainers, to plain functions
MAKES_SEVERAL = re.compile(r"list|tuple|sequence|iterable|tensor|array", re.IGNORECASE)
OF_ROLLOUTS = frozenset(("env", "environment", "episode", "rollout", "trajectory"))  # words in names of what it returns
PASS_ROLLOUT = "Pass that as well: check_rewards(…, rollout_func=…)."
READ_ANYTHING = frozenset(("locals", "vars", "eval", "exec"))
PROMPT_NAMES = ("prompt", "question", "problem", "query", "instruction")
FOR_VERL = {"data_source": "probe", "extra_info": None}  # what verl passes to its compute_score


@dataclass(frozen=True)
class Signature:
    """What a function takes.

    Attributes:
        named: the parameters that can be passed by keyword.
        needed: those of them without a default.
        settings: those of them with a default that is not ``None``.
        takes_rest: whether it takes any other keyword, too: it has ``**kwargs``, or is a built-in without a signature.
        used: the parameters that its code uses; ``None`` if it is not written in Python, or if it uses its
            ``**kwargs``, in which all may be.
    """

    named: tuple[str, ...]
    needed: tuple[str, ...]
    settings: frozenset[str]
    takes_rest: bool
    used: frozenset[str] | None

    @property
    def takes_of_model(self) -> bool:
        """Whether it takes what the model did as trainers pass that, by name or from its ``**kwargs``."""
        return any(name in self.named for name in PASSED) or (self.takes_rest and self.used is None)


def signature_of(function: Callable[..., Any]) -> Signature:
    """What a function or another object that can be called takes."""
    parameters = parameters_of(function)
    named = {name: one for name, one in parameters.items() if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)}
    needed = tuple(name for name, one in named.items() if one.default is one.empty)
    optional = (name for name, one in named.items() if one.default is None)
    code = _code_of(function)
    return Signature(
        named=tuple(named),
        needed=needed,
        settings=frozenset(named).difference(needed, optional),
        takes_rest=any(one.kind is one.VAR_KEYWORD for one in parameters.values()) or not (parameters or code),
        used=None if code is None else _used_in(code),
    )


def _code_of(function: Any) -> types.CodeType | None:
    """The code that runs when it is called; ``None`` if that is not written in Python."""
    while isinstance(function, functools.partial):
        function = function.func
    called = function if inspect.isroutine(function) else type(function).__call__
    code = getattr(called, "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def _used_in(code: types.CodeType) -> frozenset[str] | None:
    """The arguments that the code of a function loads, or that functions inside it refer to."""
    used = set(code.co_cellvars)
    for step in dis.get_instructions(code):
        if "LOAD_FAST" in step.opname:
            used.update(step.argval if isinstance(step.argval, tuple) else (step.argval,))
    count = code.co_argcount + code.co_kwonlyargcount
    takes_rest = bool(code.co_flags & inspect.CO_VARKEYWORDS)
    rest = [code.co_varnames[count + bool(code.co_flags & inspect.CO_VARARGS)]] if takes_rest else []
    if not used.isdisjoint(rest) or not READ_ANYTHING.isdisjoint(code.co_names):
        return None
    return frozenset(used.intersection(code.co_varnames[:count]))


def read_columns(reward: Any) -> dict[str, str]:
    """The columns that a reward must be given: what it calls each, by what the dataset calls it.

    Of a plain function, the arguments without a default that no trainer hands over.
    """
    if isinstance(reward, Reward):
        own = {name: mine for mine, several in reward.column_names.items() for name in several}
        return {name: own.get(name, name) for name in reward.columns}
    return {name: name for name in signature_of(reward).needed if name not in TAKEN_BY_TRAINER}


# A reward that looks at nothing of what the model did.


def unseeing(one: Any, columns: Collection[str] | None, rolled_out: bool = False) -> tuple[str, str] | None:
    """(message, remedy) for a reward that looks at nothing of what the model did; ``None`` for every other one.

    Args:
        one: a reward, or a plain function as TRL takes it.
        columns: the names of the dataset's columns, or ``None``. What is none of them may come from a
            ``rollout_func``, and so from the model.
        rolled_out: whether there is a ``rollout_func``.
    """
    columns = columns or ()
    if not isinstance(one, Reward):
        its = signature_of(one)
        if not its.takes_of_model:
            missing = set(its.named) - GIVEN_BY_TRAINER.union(columns)
            if its.takes_rest and any(rolled_out or is_of_rollout(name) for name in missing):
                return None
            does = f"reads nothing of what the model did: a trainer passes that as {listed(PASSED)}"
            return f"{does}, and it takes {listed(parameters_of(one))}.", _how_to_see(one, its)
    if not _ignores(one, columns):
        return None
    meant = completion_argument(name for name in read_columns(one) if name not in PASSED)
    hint = "" if meant is None else f"Did you mean '{meant[1]}' by '{meant[0]}'? "
    message = "takes what the model did and never uses it: a row earns the same whatever is written."
    return message, f"{hint}Use it, or leave the reward out."


def is_of_rollout(column: str) -> bool:
    """Whether a name is like those of what a ``rollout_func`` returns beside the completions, such as env_reward."""
    return not OF_ROLLOUTS.isdisjoint(words_in(column)) and column not in GIVEN_BY_TRAINER


def _ignores(one: Any, columns: Collection[str]) -> bool:
    """Whether it is certain that a reward, or each part of one, uses nothing but its row."""
    if isinstance(one, Reward) and one.parts:
        return all(_ignores(part, columns) for part in one.parts)
    function = one.function if isinstance(one, Reward) else one
    if function is None:
        return False  # a reward of a class of its own, which reads a call as it likes
    its = signature_of(function)
    if its.used is None or not its.used.isdisjoint((*FROM_MODEL, *getattr(one, "dependencies", ()))):
        return False
    read = its.used - its.settings - GIVEN_BY_TRAINER
    if isinstance(one, Reward):
        read = frozenset(column for name in read for column in one.column_names.get(name, ()))
    return read.issubset(columns)


def _how_to_see(function: Any, its: Signature) -> str:
    """What to do so that a plain function sees what the model did."""
    meant = completion_argument(its.named)
    if meant is None:
        rollout = f" Does a rollout_func return what it reads? {PASS_ROLLOUT}" if its.takes_rest else ""
        return (
            "If it makes a reward, call it, and give what it returns. Else have it take 'completion', the text of one, "
            f"and decorate it with @grpo_rewards.reward, or completions, a list, and **kwargs.{rollout}"
        )
    name, ours = meant
    returns = getattr(function, "__annotations__", {}).get("return")
    is_plural = name.endswith("s") and not name.endswith(("is", "ids", "messages"))
    many = is_plural or "prompts" in its.named if returns is None else MAKES_SEVERAL.search(str(returns)) is not None
    ours += "s" if many and ours == "completion" else ""
    renamed = "" if name == ours else f"Did you mean '{ours}' by '{name}'? Rename it. "
    rest = ", and leave out **kwargs" if its.takes_rest else ""
    return f"{renamed}Decorate the function with @grpo_rewards.{'batch_reward' if many else 'reward'}{rest}."


# A function that grades one completion, made a reward.


def as_trl_calls(grader: Any) -> Any:
    """The grader itself if TRL could call it, else a reward that calls it for each completion with its gold.

    What it calls these is known by their names, or else by their order.

    Raises:
        RewardError: it is not known what its parameters are for.
    """
    if isinstance(grader, Reward):
        return grader
    its, name = signature_of(grader), str(getattr(grader, "__name__", type(grader).__name__))
    if any(one in its.named for one in PASSED) or (its.takes_rest and completion_argument(its.named) is None):
        return grader
    both = [one for one in its.named if one in its.needed or one in GOLD_NAMES]
    both = [one for one in both if one not in (*PROMPT_NAMES, *FOR_VERL)]
    if len(both) != 2:
        raise RewardError(
            f"what {name}({', '.join(parameters_of(grader))}) is to be called with is not known: it must take the "
            "completion and its gold, and nothing else. Give a function f(completion, reference), or "
            "f(completions, answer, **kwargs) as TRL calls it."
        )
    # The least likely first: of a gold and an answer the answer is the model's. An "a" is any argument.
    known_gold = next((one for one in reversed(GOLD_NAMES[:-1]) if one in both), None)
    others = [one for one in both if one != known_gold]
    text, _ = completion_argument(others) or (others[0], "")
    (gold,) = (one for one in both if one != text)
    more = {one: value for one, value in FOR_VERL.items() if one in its.needed}
    of_prompt = [one for one in PROMPT_NAMES if one in its.named][:1]

    def graded(completion: str, prompt: Any, answer: Any) -> Any:
        given = {text: completion, gold: answer, **more, **dict.fromkeys(of_prompt, prompt)}
        return _number_in(awaited(grader(**given)))

    return FunctionReward.of(graded, name=name).bind(columns={"answer": gold if gold in ANSWER_SYNONYMS else "answer"})


def _number_in(value: Any) -> Any:
    """The number in what a grader returned: itself, the first of several values, or one entry of a mapping."""
    if isinstance(value, Mapping):
        return next((_number_in(value[name]) for name in ("score", "reward", "acc") if name in value), value)
    if hasattr(value, "tolist"):  # of numpy or torch
        return _number_in(value.tolist())
    return _number_in(value[0]) if isinstance(value, list | tuple) and value else value


def awaited(values: Any) -> Any:
    """What a reward returned, or what the coroutine that it returned gives."""
    return wait_for(values) if inspect.iscoroutine(values) else values
