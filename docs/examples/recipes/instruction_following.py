"""Train a language model to follow instructions that can be checked. Copy this file into recipes/ and start it there.

    accelerate launch recipes/instruction_following.py                           the tiny model, on generated requests
    accelerate launch recipes/instruction_following.py --dataset_path requests.jsonl --model_name_or_path MODEL

The data have IFEval's columns: prompt, instruction_id_list and kwargs.
"""

from __future__ import annotations

from running import Task, run  # isort: skip  # first: it says what is missing

import random
from typing import Any

from embedded import TINY_WORD_PROBLEMS

# an instruction's name, its arguments, and how a request words it
KINDS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("punctuation:no_comma", {}, "Use no commas."),
    ("length_constraints:number_words", {"num_words": 12, "relation": "at least"}, "Use at least 12 words."),
    ("detectable_format:number_bullet_lists", {"num_bullets": 3}, "Answer in exactly 3 bullet points, such as * this."),
    ("startend:quotation", {}, "Wrap the whole answer in double quotation marks."),
)
TOPICS = {
    "train": ("bread", "rivers", "chess", "bees", "maps", "tea", "clocks", "snow", "bridges", "owls"),
    "test": ("ships", "rain", "violins", "glass"),
}


def requests(n: int, seed: int, split: str = "train") -> list[dict[str, Any]]:
    """n requests with one or two instructions each, about topics that no other split has."""
    draw = random.Random(f"{split} {seed}")
    rows = []
    for _ in range(n):
        kinds = draw.sample(KINDS, draw.choice((1, 2)))
        rows.append(
            {
                "prompt": " ".join(
                    [f"Tell me about {draw.choice(TOPICS[split])}.", *(wording for *_, wording in kinds)]
                ),
                "instruction_id_list": [name for name, *_ in kinds],
                "kwargs": [arguments for _, arguments, _ in kinds],
            }
        )
    return rows


TASK = Task(
    name="instruction_following",
    generate=requests,
    model=TINY_WORD_PROBLEMS,
    columns=("prompt", "instruction_id_list", "kwargs"),
    # An instruction says nothing of the contents. A judge or a reward model for these stands beside them in a real run.
    rewards={"instructions": 1.0, "repetition(ngram=10)": 0.5},
    gold_reward="instructions",
    tiny={"learning_rate": 3e-4, "max_steps": 10, "max_completion_length": 48},
)

if __name__ == "__main__":
    run(TASK)
