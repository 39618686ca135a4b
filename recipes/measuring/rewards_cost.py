"""What rewards cost for one batch of worked solutions, beside TRL's ``accuracy_reward``.

python -m measuring.rewards_cost COMPLETIONS TOKENS BATCHES
"""

from __future__ import annotations

from running import needed  # noqa: F401  # isort: skip  # first: it says what is missing

import json
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from competition_math import boxed
from embedded import TINY_ALGEBRA
from embedded.algebra import algebra
from transformers import AutoTokenizer, PreTrainedTokenizerBase

import grpo_rewards as gr

__all__ = ["batch", "cost"]

Batch = dict[str, list[Any]]


def batch(tokenizer: PreTrainedTokenizerBase, completions: int, tokens: int, seed: int) -> Batch:
    """Solutions of as many tokens each, of which every other one has the answer of another problem in its box."""
    rows: list[dict[str, Any]] = [{**row, "answer": boxed(row["solution"])} for row in algebra(completions, seed)]
    found: Batch = {"completions": [], "answer": []}
    for number, row in enumerate(rows):
        answered = row if number % 2 else rows[number - 1]
        end = f"</think>\\boxed{{{answered['answer']}}}"
        wanted = tokens - len(tokenizer(end)["input_ids"])
        solved = row["solution"].replace(r"\boxed", "")  # only the last box counts, and there is to be no other
        worked = f"{row['problem']}\n{solved}\n"
        ids = tokenizer(worked * (wanted // len(tokenizer(worked)["input_ids"]) + 1))["input_ids"][:wanted]
        content = f"<think>{tokenizer.decode(ids, skip_special_tokens=True)}{end}"
        found["completions"].append([{"role": "assistant", "content": content}])
        found["answer"].append(row["answer"])
    return found


def cost(completions: int, tokens: int, batches: int) -> dict[str, Any]:
    """Seconds a batch, the first one apart: it starts the process that does computer algebra, and imports."""
    from trl.rewards import accuracy_reward

    overlong = gr.soft_overlong.bind(max_tokens=tokens, buffer=tokens // 4)
    tokenizer = AutoTokenizer.from_pretrained(TINY_ALGEBRA)
    made = [batch(tokenizer, completions, tokens, seed) for seed in range(batches + 1)]

    def ours(one: Batch) -> list[Any]:
        ids = [[0] * tokens] * completions
        for reward in (gr.think_format, gr.repetition, overlong):
            reward(completions=one["completions"], answer=one["answer"], completion_ids=ids)
        return list(gr.boxed_answer(completions=one["completions"], answer=one["answer"]))

    def theirs(one: Batch) -> list[Any]:
        return list(accuracy_reward(one["completions"], [f"${answer}$" for answer in one["answer"]]))

    return {"completions": completions, "tokens": tokens} | {
        name: timed(rewards, made)
        for name, rewards in (("boxed_answer and three more", ours), ("accuracy_reward", theirs))
    }


def timed(rewards: Callable[[Batch], list[Any]], made: list[Batch]) -> dict[str, Any]:
    seconds, scored = [], []
    for one in made:
        begun = time.perf_counter()
        scored.append(rewards(one))
        seconds.append(time.perf_counter() - begun)
    last = [value for values in scored for value in values if value is not None]
    return {"first": seconds[0], "median": median(seconds[1:]), "right": sum(last) / len(last)}


if __name__ == "__main__":
    print(json.dumps(cost(*map(int, sys.argv[1:]))))
