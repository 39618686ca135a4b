"""Held-out problems, answered greedily and by sampling, and scored by the rewards that train."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from accelerate.utils import gather_object
from datasets import Dataset
from tqdm.auto import tqdm
from trl import GRPOTrainer
from trl.models import unwrap_model_for_generation

from grpo_rewards import Reward

__all__ = ["evaluate", "evaluated", "table"]

Means = dict[str, float | None]


def evaluate(
    trainer: GRPOTrainer, problems: Dataset, rewards: Sequence[Reward], samples: int, when: str
) -> dict[str, Means]:
    """Mean of each reward over greedy answers, and over ``samples`` sampled ones of each problem.

    Each process answers its share. Sampling is at the temperature of training.

    Returns:
        ``{"greedy": {name: mean}, "sampled": {name: mean}}``; a mean is ``None`` where nothing could be scored.
    """
    if not evaluated(trainer, problems):
        return {}
    args = trainer.args
    # generate() has a top_k of its own; training samples with these
    sampling = {"do_sample": True, "temperature": args.temperature, "top_k": args.top_k, "top_p": args.top_p}
    return {
        "greedy": _means(trainer, problems, rewards, {"do_sample": False}, 1, f"{when}, greedy"),
        "sampled": _means(trainer, problems, rewards, sampling, samples, f"{when}, sampled"),
    }


def evaluated(trainer: GRPOTrainer, problems: Dataset) -> int:
    """How many problems are answered: every process takes as many, so that sharded models generate in step."""
    processes: int = trainer.accelerator.num_processes
    return len(problems) - len(problems) % processes


def _means(
    trainer: GRPOTrainer, problems: Dataset, rewards: Sequence[Reward], how: dict[str, Any], samples: int, title: str
) -> Means:
    accelerator, batch = trainer.accelerator, trainer.args.per_device_train_batch_size
    share = evaluated(trainer, problems) // accelerator.num_processes
    first = accelerator.process_index * share
    scores: dict[str, list[float | None]] = {reward.name: [] for reward in rewards}
    rows = [problems[i] for i in range(first, first + share) for _ in range(samples)]
    for start in tqdm(range(0, len(rows), batch), desc=title, disable=not accelerator.is_main_process, leave=False):
        some = rows[start : start + batch]
        ids, completions = _answer(trainer, [row["prompt"] for row in some], how)
        columns: dict[str, Any] = {
            name: [row[name] for row in some] for name in problems.column_names if name != "prompt"
        }
        for reward in rewards:
            prompts = [row["prompt"] for row in some]
            scores[reward.name] += reward(
                completions, prompts=prompts, completion_ids=ids, trainer_state=trainer.state, **columns
            )
    return {name: _mean(gather_object(values)) for name, values in scores.items()}


def _answer(
    trainer: GRPOTrainer, prompts: list[Any], how: dict[str, Any]
) -> tuple[list[list[int]], list[list[dict[str, str]]]]:
    """Token ids and messages of one completion per prompt."""
    tokenizer = trainer.processing_class
    inputs = tokenizer.apply_chat_template(
        prompts, add_generation_prompt=True, padding=True, padding_side="left", return_tensors="pt", return_dict=True
    ).to(trainer.accelerator.device)
    model = trainer.model_wrapped
    with torch.no_grad(), unwrap_model_for_generation(model, trainer.accelerator) as unwrapped:
        training, _ = unwrapped.training, unwrapped.eval()
        output = unwrapped.generate(
            **inputs, **how, max_new_tokens=trainer.args.max_completion_length, pad_token_id=tokenizer.pad_token_id
        )
        unwrapped.train(training)
    ends = {tokenizer.eos_token_id, tokenizer.pad_token_id}
    ids = [_until(row, ends) for row in output[:, inputs["input_ids"].shape[1] :].tolist()]
    texts = tokenizer.batch_decode(ids, skip_special_tokens=True)
    return ids, [[{"role": "assistant", "content": text}] for text in texts]


def _until(ids: list[int], ends: set[int]) -> list[int]:
    """The tokens up to and with the first that ends a turn, as TRL hands them to rewards."""
    return next((ids[: i + 1] for i, token in enumerate(ids) if token in ends), ids)


def _mean(values: Sequence[float | None]) -> float | None:
    scored = [value for value in values if value is not None]
    return sum(scored) / len(scored) if scored else None


def table(results: dict[str, dict[str, Means]], samples: int) -> str:
    """Before and after, greedy and sampled, a row for each reward."""
    if not results["after"]:
        return "No held-out problems were evaluated."
    columns = [(when, how) for when in ("before", "after") for how in ("greedy", "sampled")]
    names = list(results["after"]["greedy"])
    width = max(map(len, [*names, "held-out mean"])) + 2
    lines = [
        " " * width + "".join(f"{when:>12}" for when, _ in columns),
        f"{'held-out mean':<{width}}" + "".join(f"{how:>12}" for _, how in columns),
    ]
    for name in names:
        cells = [results[when][how][name] for when, how in columns]
        lines.append(
            f"{name:<{width}}" + "".join(f"{'none':>12}" if cell is None else f"{cell:12.3f}" for cell in cells)
        )
    return "\n".join([*lines, f"(sampled: the mean of {samples} samples of each problem)"])
