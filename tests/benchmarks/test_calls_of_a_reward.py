"""Few functions of few files run between a trainer's call and the number: a stranger can read them in one sitting."""

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import grpo_rewards as gr

MOST_FUNCTIONS, MOST_FILES = 30, 12
PACKAGE = Path(gr.__file__).parent


def functions_between(reward: gr.Reward, completion: str, answer: str) -> list[tuple[str, str]]:
    """(file, function) of each function that runs between a trainer's call and the number, in order.

    The call is the second one of a process, of another completion than the first: what is imported or made only once is
    not counted, and nothing is found in a cache. Lambdas and generator expressions are a part of where they stand.
    """
    found: dict[tuple[str, str], None] = {}

    def entered(frame: FrameType, event: str, argument: Any) -> None:
        path, name = Path(frame.f_code.co_filename), frame.f_code.co_qualname
        if event == "call" and PACKAGE in path.parents and not name.endswith(">"):
            found[str(path.relative_to(PACKAGE)), name] = None

    reward(prompts=["?"], completions=[f"At first: {completion}"], answer=["17"])
    given = {"prompts": ["?"], "completions": [completion], "completion_ids": [[1]], "trainer_state": None}
    sys.setprofile(entered)
    try:
        reward(**given, answer=[answer])
    finally:
        sys.setprofile(None)
    return list(found)


def test_few_functions_run_between_the_call_and_the_number() -> None:
    found = functions_between(gr.boxed_answer, r"so it is \boxed{4}", "5")
    assert found[0] == ("registry/interface.py", "Reward.__call__")
    assert ("rewards/correctness/mathematics.py", "boxed_answer") in found
    assert len(found) <= MOST_FUNCTIONS, found
    assert len({file for file, _ in found}) <= MOST_FILES, found
