"""How many functions run between TRL's call and the number, and in how many files they stand.

    python tests/benchmarks/calls_of_a_reward.py
    python tests/benchmarks/calls_of_a_reward.py "think_format" --completion "<think>a</think>4" --list

The call is one as TRL makes it, of one completion, for the second time in a process: what is imported or made only
once is not counted, and neither are generator expressions and lambdas, which are a part of the function that they
stand in. A second completion is scored, so that nothing is found in a cache.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import grpo_rewards as gr

PACKAGE = Path(gr.__file__).parent


def functions_of(run: Callable[[], Any]) -> list[tuple[str, str]]:
    """(file, function) of each function of the package that runs, in the order of their first calls."""
    found: dict[tuple[str, str], None] = {}

    def entered(frame: FrameType, event: str, argument: Any) -> None:
        path, name = Path(frame.f_code.co_filename), frame.f_code.co_qualname
        if event == "call" and PACKAGE in path.parents and not name.endswith(">"):
            found[str(path.relative_to(PACKAGE)), name] = None

    sys.setprofile(entered)
    try:
        run()
    finally:
        sys.setprofile(None)
    return list(found)


def functions_between(reward: gr.Reward, completion: str, answer: str) -> list[tuple[str, str]]:
    """(file, function) of each function that runs between a trainer's call and the number."""
    reward(prompts=["?"], completions=[f"At first: {completion}"], answer=["17"])
    given = {"prompts": ["?"], "completions": [completion], "completion_ids": [[1]], "trainer_state": None}
    return functions_of(lambda: reward(**given, answer=[answer]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", nargs="?", default="boxed_answer")
    parser.add_argument("--completion", default=r"so it is \boxed{4}")
    parser.add_argument("--answer", default="5")
    parser.add_argument("--list", action="store_true", help="print the functions in the order of their first calls")
    settings = parser.parse_args()
    found = functions_between(gr.get_reward(settings.spec), settings.completion, settings.answer)
    folders = [Path(file).parts[0] for file, _ in found]
    for file, name in found if settings.list else ():
        print(f"{file}: {name}")
    in_folders = ", ".join(f"{folders.count(one)} in {one}" for one in dict.fromkeys(folders))
    print(f"{settings.spec}: {len(found)} functions of {len({file for file, _ in found})} files ({in_folders})")


if __name__ == "__main__":
    main()
