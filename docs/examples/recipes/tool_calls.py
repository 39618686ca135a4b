"""Train a language model to call tools with GRPO. Copy this file into recipes/ and start it there.

    accelerate launch recipes/tool_calls.py                                       the tiny model, on generated requests
    accelerate launch recipes/tool_calls.py --dataset_path calls.jsonl --model_name_or_path MODEL            a real one

The data have the columns question, answer (the calls that are wanted, as JSON) and tools (their descriptions, as JSON).
"""

from __future__ import annotations

from running import Task, run  # isort: skip  # first: it says what is missing

import json
import random
from collections.abc import Mapping
from typing import Any

from embedded import TINY_WORD_PROBLEMS

TOOLS = json.dumps(
    [
        {"name": "weather", "parameters": {"city": "string", "day": "string"}},
        {"name": "timer", "parameters": {"minutes": "integer"}},
    ]
)
CITIES = {"train": ("Oslo", "Lima", "Kyiv", "Accra", "Quito"), "test": ("Bonn", "Pune")}


def requests(n: int, seed: int, split: str = "train") -> list[dict[str, Any]]:
    """n requests; a third wants the weather, a third a timer, and a third is small talk and wants no call."""
    draw = random.Random(f"{split} {seed}")
    return [row_of(draw.randrange(3), draw, split) for _ in range(n)]


def row_of(kind: int, draw: random.Random, split: str) -> dict[str, Any]:
    """One request, with the calls that it wants."""
    city, day = draw.choice(CITIES[split]), draw.choice(("today", "tomorrow"))
    minutes = 2 * draw.randint(1, 30) + (split == "test")
    question, calls = (
        (f"What will the weather be in {city} {day}?", [{"name": "weather", "arguments": {"city": city, "day": day}}]),
        (f"Set a timer for {minutes} minutes.", [{"name": "timer", "arguments": {"minutes": minutes}}]),
        (f"Greetings from {city}!", []),
    )[kind]
    return {"question": question, "answer": json.dumps(calls), "tools": TOOLS}


def user_turn(row: Mapping[str, Any]) -> str:
    """The tools, how a call is written, and the request."""
    return (
        f"Tools: {row['tools']}\nCall one as "
        '<tool_call>{"name": …, "arguments": {…}}</tool_call>, or answer in words where none is needed.\n'
        f"{row['question']}"
    )


TASK = Task(
    name="tool_calls",
    generate=requests,
    model=TINY_WORD_PROBLEMS,
    columns=("question", "answer", "tools"),
    ask=user_turn,
    rewards={"tool_calls": 1.0, 'tool_calls(credit="arguments", name="nearly_right")': 0.2},
    gold_reward="tool_calls",
    tiny={"learning_rate": 3e-4, "max_steps": 10, "max_completion_length": 48},
)

if __name__ == "__main__":
    run(TASK)
