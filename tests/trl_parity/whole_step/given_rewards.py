"""Which rewards a run of the tiny model has: the functions, and with them the judges where it is judged."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from whole_step.environment import Room, observed, reward_of_room
from whole_step.judges import JUDGES, OwnJudge, model_of, tokenizer_of
from whole_step.reward_functions import TINY_REWARDS, by_functions
from whole_step.runs import Run
from whole_step.tiny import text_of

# A judge is among the functions, and another is the last: none is where its number among the judges says.
PLACES_OF_JUDGES = (1, 4)


def _with(run: Run, functions: list[Any], judges: list[Any]) -> list[Any]:
    """Returns what belongs to each reward of a run, in TRL's order."""
    found = list(functions)
    for place, judge in zip(PLACES_OF_JUDGES, judges if run.judged else [], strict=False):
        found.insert(place, judge)
    return found


def given_rewards(run: Run, folder: Path) -> dict[str, Any]:
    """Returns what a trainer is given: the first judge as a model with its tokenizer, the second by its name alone."""
    if not run.judged:
        return {"reward_funcs": list(TINY_REWARDS)}
    first, second = JUDGES
    judges = [model_of(first, folder), str(folder / second.name)]
    tokenizers = _with(run, [None] * len(TINY_REWARDS), [tokenizer_of(first), None])
    return {"reward_funcs": _with(run, list(TINY_REWARDS), judges), "reward_processing_classes": tokenizers}


def names_of_rewards(run: Run) -> list[str]:
    """Returns the name that each reward must have in the metrics."""
    names = _with(run, [one.__name__ for one in TINY_REWARDS], [judge.name for judge in JUDGES])
    return [*names, Room.__name__] if run.environment else names


def own_rewards(run: Run, folder: Path) -> Callable[[dict[str, Any], list[int]], list[float]]:
    """Returns what says the rewards that a completion's tokens must have in a row; NaN where one says ``None``."""
    judges = [OwnJudge(judge, folder) for judge in JUDGES] if run.judged else []
    closing = run.settings.get("chat_template_kwargs", {}).get("closing", "")

    def rewards(row: dict[str, Any], tokens: list[int]) -> list[float]:
        judged = [judge(row["prompt"], text_of(tokens), closing) for judge in judges]
        of_room = [reward_of_room(row["row"], row["messages"])] if run.environment else []
        return [*_with(run, by_functions({**row, "prompt": observed(run, row)}, tokens), judged), *of_room]

    return rewards
