"""Train a language model on Countdown with GRPO: combine the given numbers, each used once, to reach a target.

On a laptop, without a network: a tiny model on generated problems, in about a minute.

    accelerate launch recipes/countdown.py

The same model on a file of {"nums": [5, 2, 3], "target": 17} lines, or a real model on a GPU:

    accelerate launch recipes/countdown.py --dataset_path train.jsonl --max_steps 20
    accelerate launch recipes/countdown.py --model_name_or_path Qwen/Qwen2.5-1.5B-Instruct \\
        --dataset_name Jiayi-Pan/Countdown-Tasks-3to4 --dataset_config default --dataset_test_split train \\
        --max_completion_length 1024

Every field of GRPOConfig and ModelConfig is an option; the command line overrides the YAML. Run again to resume.
"""

from __future__ import annotations

from running import Task, run  # isort: skip  # first: it says what is missing

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations
from typing import Any

from embedded import TINY_COUNTDOWN
from embedded.countdown_numbers import countdown_numbers

from grpo_rewards import reward

MOST_NUMBERS = 5  # of which all expressions are looked through in seconds


def user_turn(row: Mapping[str, Any]) -> str:
    """The text of the user's turn."""
    numbers = str(row["nums"]).strip("[]")
    return (
        f"Reach {row['target']} with {numbers}, each used once, and + - * /. "
        "Reason in <think>, then give the expression in <answer>."
    )


# Only for the check before a run: expression_reaches rewards none of the usual forms of an answer, so try this.
def right(row: Mapping[str, Any]) -> str:
    """A completion that is right, for up to five numbers; empty where there is none."""
    numbers = re.findall("[0-9]+", str(row["nums"]))
    expression = reached([(Fraction(number), number) for number in numbers], int(row["target"]))
    return f"<think>{expression}</think><answer>{expression}</answer>" if expression else ""


def reached(parts: list[tuple[Fraction, str]], target: int) -> str | None:
    """An expression of all parts that comes to the target: two of them are made one until one is left."""
    if len(parts) < 2 or len(parts) > MOST_NUMBERS:
        return next((text for value, text in parts if value == target and len(parts) == 1), None)
    for (a, left), (b, other) in permutations(parts, 2):
        rest = list(parts)
        rest.remove((a, left))
        rest.remove((b, other))
        made = [(a + b, "+"), (a - b, "-"), (a * b, "*"), *([(a / b, "/")] if b else [])]
        for value, sign in made:
            if found := reached([*rest, (value, f"({left} {sign} {other})")], target):
                return found
    return None


# The decorator registers a reward under its function's name: TASK, --reward_funcs and a YAML find it by that, and the
# log calls it so. `completion` is given by the trainer, `nums` is a column of the data.
@reward(range=(0.0, 1.0))
def uses_each_number(completion: str, nums: Any) -> float | None:
    """1 if the last <answer>…</answer> has each given number once and no other number, else 0: a step on the way.

    ``None``, which blames the row, if it gives no number. ``nums`` is a list or, as in a CSV, its text.
    """
    given = re.findall("[0-9]+", str(nums))
    _, start, rest = completion.rpartition("<answer>")
    inside, end, _ = rest.partition("</answer>")
    if not given:
        return None
    return float(bool(start and end) and sorted(re.findall("[0-9]+", inside)) == sorted(given))


TASK = Task(
    name="countdown",
    generate=countdown_numbers,
    model=TINY_COUNTDOWN,
    columns=("nums", "target"),
    ask=user_turn,
    right=right,
    # What is rewarded: an expression that reaches the target; of the given numbers, even if it does not; and reasoning.
    rewards={"expression_reaches": 1.0, "uses_each_number": 0.1, "think_answer_format": 0.2},
    gold_reward="expression_reaches",
    tiny={"learning_rate": 3e-4, "max_steps": 60, "max_completion_length": 28},
    shows=(
        "sampling found answers that first work out how to reach the target and then give the expression,\n"
        "the rewards favoured them, and GRPO made them more frequent. That strategy was a third of what the tiny\n"
        "model was warmed up on; GRPO sharpened it. It did not teach arithmetic."
    ),
)

if __name__ == "__main__":
    run(TASK)
