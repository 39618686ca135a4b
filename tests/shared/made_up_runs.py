"""Logs and tables of runs that were never made: a policy that writes what a function says, step by step."""

import random
from collections.abc import Callable
from typing import Any

from grpo_rewards.completion.boxes import last_box

Writer = Callable[[random.Random, str, int, int], str]  # (rng, question, answer, step) → the completion

STEPS, PROMPTS, GENERATIONS = 30, 8, 4


def honest(rng: random.Random, question: str, answer: int, step: int) -> str:
    """Reasons, and is right more and more often."""
    said = answer if rng.random() < 0.4 + step / 60 else rng.randint(1, 40)
    first, second = rng.randint(2, 9), rng.randint(2, 9)
    return f"<think>{first} * {second} = {first * second}\nso {said}</think>\\boxed{{{said}}}"


def from_now_and_then(cheat: Callable[[random.Random, str, int], str]) -> Writer:
    """A policy that cheats in one of ten completions at first, and in nearly all after ten steps."""

    def write(rng: random.Random, question: str, answer: int, step: int) -> str:
        if rng.random() < (0.1 if step <= 10 else 0.95):
            return cheat(rng, question, answer)
        return honest(rng, question, answer, 0)

    return write


def table(write: Writer, step: int) -> dict[str, list[Any]]:
    """What TRL would write of a step with ``boxed_answer``."""
    rng = random.Random(step)
    names = "prompt completion advantage boxed_answer boxed_answer/prediction boxed_answer/answer".split()
    rows: dict[str, list[Any]] = {name: [] for name in names}
    for _ in range(PROMPTS):
        one, other = rng.randint(1, 20), rng.randint(1, 20)
        question = f"Ana has {one} red stones and finds {other} blue ones. How many stones does she have by now?"
        for _ in range(GENERATIONS):
            text = write(rng, question, one + other, step)
            prediction = last_box(text)
            rows["prompt"].append([{"role": "user", "content": question}])
            rows["completion"].append([{"role": "assistant", "content": text}])
            rows["boxed_answer"].append(float(prediction == str(one + other)))
            rows["boxed_answer/prediction"].append(prediction)
            rows["boxed_answer/answer"].append(f"{one} + {other} = {one + other}\n#### {one + other}")
            rows["advantage"].append(0.5)
    return rows


def log(step: int, **other: float | None) -> dict[str, float | None]:
    """A step of a run that learns, with a little noise."""
    noise = random.Random(step).uniform(-0.02, 0.02)
    right = 0.4 + step / 60 + noise
    return {
        "step": step,
        "reward": right + 0.1,
        "rewards/boxed_answer/mean": right,
        "rewards/boxed_answer/std": 0.4,
        "rewards/think_format/mean": 0.5 + step / 100 - noise,
        "rewards/think_format/std": 0.4,
        "completions/mean_length": 100 + step + 50 * noise,
        "completions/clipped_ratio": 0.02,
        "frac_reward_zero_std": 0.2 + noise,
        "boxed_answer/timeout": 0.0,
        "boxed_answer/bad_answer": 0.0,
        **other,
    }


def tables(write: Writer = honest) -> dict[int, dict[str, list[Any]]]:
    return {step: table(write, step) for step in range(1, STEPS + 1)}


def history(change: Callable[[int], dict[str, float | None]] = lambda step: {}) -> list[dict[str, float | None]]:
    """The log of a run that learns, with other numbers where ``change`` gives some."""
    return [log(step, **change(step)) for step in range(1, STEPS + 1)]
