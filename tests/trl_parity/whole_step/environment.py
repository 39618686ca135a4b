"""An environment of the tiny model: it adds to some prompts, has one of the tools, and judges what was called."""

from typing import Any

from whole_step.runs import Run
from whole_step.tools import TOOLS

TOOL_OF_ROOM = "p"


class Room:
    """What TRL makes one of for each completion; it counts the calls of its tool since it was last reset."""

    def reset(self, prompt: list[dict[str, Any]], row: int, wanted: str) -> str | None:
        """Returns what is added to the prompt of a row."""
        self.row, self.calls = row, 0
        return _observation(row)

    def p(self, word: str) -> str:
        """
        Says a word twice.

        Args:
            word: a letter.
        """
        self.calls += 1
        said: str = TOOLS[TOOL_OF_ROOM](word)
        return said

    def get_reward(self) -> float | None:
        """Returns what the calls since the last reset earn; ``None`` for some rows."""
        return _earned(self.row, self.calls)


def _observation(row: int) -> str | None:
    return " d" if row % 4 == 0 else None  # one of the shortest prompts, so that the longest is as long as without


def _earned(row: int, calls: int) -> float | None:
    return None if row % 5 == 0 else calls + row / 8


def observed(run: Run, row: dict[str, Any]) -> Any:
    """Returns the prompt of a row of the dataset, with what an environment adds to it."""
    prompt = row["prompt"]
    added = _observation(row["row"]) if run.environment else None
    return prompt if added is None else [{**prompt[0], "content": prompt[0]["content"] + added}]


def reward_of_room(row: int, messages: list[dict[str, Any]]) -> float:
    """Returns what an environment's reward must be of a completion, by its messages; NaN where it is ``None``."""
    calls = [call["function"] for one in messages for call in one.get("tool_calls", []) if "function" in call]
    earned = _earned(row, sum(one["name"] == TOOL_OF_ROOM for one in calls))
    return float("nan") if earned is None else earned


def names_of_tools(run: Run) -> list[str]:
    """Returns the names of a run's tools in the order of the prompt: an environment's come after the others."""
    return sorted(TOOLS, key=lambda name: run.environment and name == TOOL_OF_ROOM)


def given_tools(run: Run) -> dict[str, Any]:
    """Returns what a trainer is given of a run's tools and environment."""
    if not run.tools:
        return {}
    if not run.environment:
        return {"tools": list(TOOLS.values())}
    return {"tools": [tool for name, tool in TOOLS.items() if name != TOOL_OF_ROOM], "environment_factory": Room}
