"""Graders of one completion and its gold, ``f(completion, reference)``, called as TRL calls rewards."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from grpo_rewards.completion.text import completion_text
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.coroutines import wait_for
from grpo_rewards.registry.errors import ANSWER_SYNONYMS, GOLD_NAMES, listed
from grpo_rewards.registry.model_arguments import completion_argument, parameters_of

__all__ = ["OfPairs", "as_trl_calls"]

PROMPT_NAMES = ("prompt", "question", "problem", "query", "instruction")
FOR_VERL = {"data_source": "probe", "extra_info": None}  # what verl passes to its compute_score


def as_trl_calls(grader: Any) -> Any:
    """The grader itself if TRL could call it, else what calls it for each completion.

    Raises:
        RewardError: it is not known what its parameters are for.
    """
    if isinstance(grader, Reward):
        return grader
    parameters = parameters_of(grader)
    if not parameters and inspect.isbuiltin(grader):  # one without a signature
        return grader
    named = {name: one for name, one in parameters.items() if one.kind is not one.VAR_KEYWORD}
    is_of_trl = "completions" in named or (len(named) < len(parameters) and completion_argument(named) is None)
    return grader if is_of_trl else OfPairs(grader, named)


class OfPairs:
    """Calls a function for each completion with its gold, by the names of its parameters or else in this order.

    Attributes:
        column: the dataset column of the golds.
    """

    def __init__(self, grader: Any, parameters: Mapping[str, inspect.Parameter]) -> None:
        self.grader, self.__name__ = grader, str(getattr(grader, "__name__", type(grader).__name__))
        self._by_position = [name for name, one in parameters.items() if one.kind is one.POSITIONAL_ONLY]
        needed = [name for name, one in parameters.items() if one.default is one.empty]
        free = [name for name in needed if name not in (*PROMPT_NAMES, *FOR_VERL)]
        # The least likely first: of a gold and an answer the answer is the model's. An "a" is any argument.
        gold = next((name for name in reversed(GOLD_NAMES[:-1]) if name in parameters), None)
        meant = completion_argument(name for name in free if name != gold)
        text = None if meant is None else meant[0]
        left = [name for name in free if name not in (text, gold)]
        pair = [name or (left.pop(0) if left else None) for name in (text, gold)]
        if None in pair or left:
            raise RewardError(
                f"what {self.__name__}({', '.join(parameters)}) is to be called with is not known: it must take the "
                f"completion and its gold{f', and not {listed(left)}' if left else ''}. Give "
                f"a function f(completion, reference), or f(completions, answer, **kwargs) as TRL calls it."
            )
        self._text, self._gold = map(str, pair)
        self._prompt = next((name for name in PROMPT_NAMES if name in parameters), None)
        self._more = {name: value for name, value in FOR_VERL.items() if name in needed}
        self.column = self._gold if self._gold in ANSWER_SYNONYMS else "answer"
        keywords = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in ("completions", self.column)]
        self.__signature__ = inspect.Signature(keywords)

    def __call__(self, completions: Sequence[Any], prompts: Sequence[Any] = (), **given: Any) -> list[Any]:
        golds, prompts = given[self.column], prompts or [""] * len(completions)
        rows = zip(map(completion_text, completions), golds, prompts, strict=True)
        return [_number_in(self._graded(*row)) for row in rows]

    def _graded(self, text: str, gold: Any, prompt: Any) -> Any:
        given = {self._text: text, self._gold: gold, **self._more}
        if self._prompt is not None:
            given[self._prompt] = prompt
        returned = self.grader(*[given.pop(name) for name in self._by_position if name in given], **given)
        return wait_for(returned) if inspect.iscoroutine(returned) else returned


def _number_in(value: Any) -> Any:
    """The number in what a grader returned: itself, the first of several values, or one entry of a mapping."""
    if isinstance(value, Mapping):
        return next((_number_in(value[name]) for name in ("score", "reward", "acc") if name in value), value)
    if hasattr(value, "tolist"):  # of numpy or torch
        return _number_in(value.tolist())
    return _number_in(value[0]) if isinstance(value, list | tuple) and value else value
