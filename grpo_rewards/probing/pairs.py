"""Graders of one completion and its gold, ``f(completion, reference)``, called as TRL calls rewards."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from grpo_rewards.completion.text import completion_text
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.errors import ANSWER_SYNONYMS, listed
from grpo_rewards.registry.functions.model_arguments import completion_argument

__all__ = ["OfPairs", "as_trl_calls"]

GOLD_NAMES = (
    "reference",
    "gold",
    "ground_truth",
    "target",
    "expected",
    "label",
    "solution",
    "reference_answer",
    "answer",
)
PROMPT_NAMES = ("prompt", "question", "problem", "query", "instruction")
FOR_VERL = {"data_source": "probe", "extra_info": None}  # what verl passes to its compute_score


def as_trl_calls(grader: Any) -> Any:
    """The grader itself if TRL could call it, else what calls it for each completion.

    Raises:
        RewardError: it is not known what its parameters are for.
    """
    if isinstance(grader, Reward):
        return grader
    try:
        parameters = inspect.signature(grader).parameters
    except (TypeError, ValueError):  # a built-in without a signature
        return grader
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    return grader if takes_any or "completions" in parameters else OfPairs(grader, parameters)


class OfPairs:
    """Calls a function for each completion with its gold, by the names of its parameters or else in this order.

    Attributes:
        column: the dataset column of the golds.
    """

    def __init__(self, grader: Any, parameters: Mapping[str, inspect.Parameter]) -> None:
        self.grader, self.__name__ = grader, str(getattr(grader, "__name__", type(grader).__name__))
        by_position = [name for name, one in parameters.items() if one.kind is one.POSITIONAL_ONLY]
        needed = [name for name, one in parameters.items() if one.default is one.empty]
        free = [name for name in needed if name not in (*PROMPT_NAMES, *FOR_VERL)]
        gold = next((name for name in GOLD_NAMES if name in parameters), None)
        meant = completion_argument(name for name in free if name != gold)
        text = None if meant is None else meant[0]
        left = [name for name in free if name not in (text, gold)]
        pair = [name or (left.pop(0) if left else None) for name in (text, gold)]
        if None in pair or left or by_position:
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
        return [
            _number_in(
                self.grader(
                    **{self._text: completion_text(completion), self._gold: gold},
                    **({} if self._prompt is None else {self._prompt: prompt}),
                    **self._more,
                )
            )
            for completion, gold, prompt in zip(completions, golds, prompts, strict=True)
        ]


def _number_in(value: Any) -> Any:
    """What a grader returned: a number, or an object of which one entry is the number."""
    if isinstance(value, Mapping):
        return next((value[name] for name in ("score", "reward", "acc") if name in value), value)
    return value
