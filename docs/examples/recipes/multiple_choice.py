"""Train a language model on multiple choice with GRPO. Copy this file into recipes/ and start it there.

    accelerate launch recipes/multiple_choice.py                                 the tiny model, on generated questions
    accelerate launch recipes/multiple_choice.py --dataset_path quiz.jsonl --model_name_or_path MODEL     a real one

The data have the columns question, choices (a list of texts) and answer (a letter, a text, or an index from 0).
"""

from __future__ import annotations

from running import Task, run  # isort: skip  # first: it says what is missing

import random
from collections.abc import Mapping
from typing import Any

from embedded import TINY_WORD_PROBLEMS

LETTERS = "ABCDEFGHIJ"


def questions(n: int, seed: int, split: str = "train") -> list[dict[str, Any]]:
    """n sums with four results to choose from; those whose two numbers are equal are held out."""
    draw = random.Random(f"{split} {seed}")
    pairs = [(a, b) for a in range(2, 30) for b in range(2, 30) if (a == b) == (split == "test")]
    return [row_of(*draw.choice(pairs), draw) for _ in range(n)]


def row_of(a: int, b: int, draw: random.Random) -> dict[str, Any]:
    """One question, with the right result and three near it in any order."""
    near = draw.sample([one for one in range(a + b - 5, a + b + 6) if one not in (a + b, a, b)], 3)
    choices = draw.sample([a + b, *near], 4)
    return {
        "question": f"What is {a} + {b}?",
        "choices": [str(one) for one in choices],
        "answer": LETTERS[choices.index(a + b)],
    }


def user_turn(row: Mapping[str, Any]) -> str:
    """The question, its options with letters, and how the answer is to be written."""
    options = "\n".join(f"{letter}) {text}" for letter, text in zip(LETTERS, row["choices"], strict=False))
    return f"{row['question']}\n{options}\nReason first, then give the letter of one option in \\boxed{{}}."


TASK = Task(
    name="multiple_choice",
    generate=questions,
    model=TINY_WORD_PROBLEMS,
    columns=("question", "answer", "choices"),
    ask=user_turn,
    rewards={"multiple_choice": 1.0, "boxed_format": 0.1},
    gold_reward="multiple_choice",
    tiny={"learning_rate": 3e-4, "max_steps": 10, "max_completion_length": 32},
)

if __name__ == "__main__":
    run(TASK)
