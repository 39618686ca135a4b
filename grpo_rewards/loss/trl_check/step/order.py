"""Which prompts come when, what the model is asked, and which settings the trainer holds."""

from __future__ import annotations

from typing import Any

import torch

from grpo_rewards.loss.trl_check.step.comparing import Findings
from grpo_rewards.loss.trl_check.step.configured import HELD_SETTINGS
from grpo_rewards.loss.trl_check.step.engines import VLLM_ASKED
from grpo_rewards.loss.trl_check.step.live import Generated, Seen
from grpo_rewards.loss.trl_check.step.runs import USUAL_SETTINGS, Run
from grpo_rewards.loss.trl_check.step.tiny import (
    END_TOKEN,
    EVALUATED_PROMPTS,
    PAD_TOKEN,
    REWARD_WEIGHTS,
    STOP_TOKEN,
    questions,
    tokens_of,
)

__all__ = ["check_generation", "check_order", "check_settings"]

OF_SETTINGS, OF_PROMPTS, OF_GENERATION = "settings held", "prompts in order", "generation"


def check_settings(findings: Findings, run: Run, seen: Seen) -> None:
    """Compares what the configuration and the trainer hold with what was asked for."""
    asked, config = {**USUAL_SETTINGS, **run.settings}, seen.config
    for name, value in asked.items():
        findings.same(OF_SETTINGS, name, config[name], value)
    at_once = asked["per_device_train_batch_size"] * seen.world_size
    steps = asked.get("steps_per_generation", asked["gradient_accumulation_steps"])
    steps = asked["generation_batch_size"] // at_once if "generation_batch_size" in asked else steps
    findings.same(OF_SETTINGS, "steps_per_generation", config["steps_per_generation"], steps)
    findings.same(OF_SETTINGS, "generation_batch_size", config["generation_batch_size"], steps * at_once)
    instead = {"epsilon_high": config["epsilon"], "num_generations_eval": config["num_generations"]}
    for held, name in HELD_SETTINGS.items():
        wanted = instead.get(held) if config[name] is None else config[name]
        findings.same(OF_SETTINGS, held, seen.held[held], wanted)
    findings.same(OF_SETTINGS, "reward_weights", seen.held["reward_weights"], REWARD_WEIGHTS)
    for generated in seen.generated:
        settings = generated.settings
        findings.same(
            OF_SETTINGS, "the tokens that end", settings.end_ids, frozenset((PAD_TOKEN, END_TOKEN, STOP_TOKEN))
        )
        findings.same(OF_SETTINGS, "the padding token", settings.pad_id, PAD_TOKEN)


def check_order(findings: Findings, run: Run, ranks: list[Seen]) -> None:
    """Compares the rows that the data loaders of all ranks gave with those that a sampler must give."""
    config = ranks[0].config
    size, repeats = config["num_generations"], config["steps_per_generation"] * config["num_iterations"]
    many = config["generation_batch_size"] // size
    order = iter(_epochs(config, run.prompts, many))
    given = zip(*(seen.asked_for for seen in ranks), strict=False)
    for at, parts in enumerate(given):
        if at % repeats == 0:
            chosen = next(order)
        wanted = [row for row in chosen for _ in range(size)]
        findings.same(OF_PROMPTS, f"the rows of micro-batch {at}", [row for part in parts for row in part], wanted)
    for seen in ranks:
        findings.same(OF_PROMPTS, "the length that the sampler gives", *seen.sampler)
    counts = [len(seen.asked_for) for seen in ranks]
    findings.same(OF_PROMPTS, "as many micro-batches on each rank", len(set(counts)), 1)
    _check_evaluation(findings, run, ranks)


def _check_evaluation(findings: Findings, run: Run, ranks: list[Seen]) -> None:
    """In an evaluation each prompt comes once, with as many completions as ``num_generations_eval`` says."""
    config = ranks[0].config
    size = config["num_generations_eval"] or config["num_generations"]
    steps = sorted({one.step for seen in ranks for one in seen.generated if not one.training})
    every = config["eval_steps"] if run.evaluates else None
    wanted = [step for step in range(1, config["max_steps"] + 1) if every and step % int(every) == 0]
    findings.same(OF_PROMPTS, "the steps with an evaluation", steps, wanted)
    for step in steps:
        events = [[one for one in seen.generated if one.step == step and not one.training] for seen in ranks]
        rows = [row["row"] for parts in zip(*events, strict=True) for part in parts for row in part.rows]
        groups = [rows[at : at + size] for at in range(0, len(rows), size)]
        findings.same(
            OF_PROMPTS, f"whole groups, evaluation {step}", all(len(set(group)) == 1 for group in groups), True
        )
        generator = torch.Generator().manual_seed(config["seed"])
        prompts = torch.randperm(EVALUATED_PROMPTS, generator=generator).tolist()
        findings.same(OF_PROMPTS, f"each prompt once, evaluation {step}", [group[0] for group in groups], prompts)


def _epochs(config: dict[str, Any], prompts: int, many: int) -> Any:
    """Yields the rows of each generation: epoch after epoch all prompts, shuffled by the seed, without an odd rest."""
    generator = torch.Generator().manual_seed(config["seed"])
    while True:
        rows = list(range(prompts))
        if config["shuffle_dataset"]:
            rows = torch.randperm(prompts, generator=generator).tolist()
        for start in range(0, prompts - many + 1, many):
            yield rows[start : start + many]


def check_generation(findings: Findings, run: Run, seen: Seen, generated: Generated) -> None:
    """Compares what the model was asked, and what was made of its tokens, with what must be."""
    prompts = [tokens_of(row) for row in generated.rows]
    findings.same(OF_GENERATION, "the tokens of the prompts", generated.prompts, prompts)
    known = {row["row"]: row["prompt"] for row in questions(run.prompts, run.chat)}
    findings.same(
        OF_GENERATION,
        "the rows",
        [row["prompt"] for row in generated.rows],
        [known[row["row"]] for row in generated.rows],
    )
    if len(generated.asked) != 1:
        findings.same(OF_GENERATION, "how often completions are asked for", len(generated.asked), 1)
    elif "said" in generated.asked[0]:
        _check_model(findings, seen, generated, prompts)
    else:
        _check_engine(findings, seen, generated, prompts)


def _check_model(findings: Findings, seen: Seen, generated: Generated, prompts: list[list[int]]) -> None:
    """What the model's own ``generate`` was asked, and what was made of its tokens."""
    asked, config = generated.asked[0], seen.config
    wanted = {name: config[name] for name in VLLM_ASKED}
    wanted |= {"max_new_tokens": config["max_completion_length"], "do_sample": True, "pad_token_id": PAD_TOKEN}
    wanted |= config["generation_kwargs"] or {}
    findings.same(OF_GENERATION, "how to sample", {name: asked[name] for name in wanted}, wanted)
    findings.same(OF_GENERATION, "the tokens that end it", sorted(asked["eos_token_id"]), [END_TOKEN, STOP_TOKEN])
    ids = [row[mask.bool()].tolist() for row, mask in zip(asked["input_ids"], asked["attention_mask"], strict=True)]
    findings.same(OF_GENERATION, "the prompts that are asked", ids, prompts)
    ends = asked["attention_mask"][:, -1].tolist()
    findings.same(OF_GENERATION, "the padding is on the left", ends, [1] * len(prompts))
    said = [_cut(row) for row in asked["said"][:, asked["input_ids"].shape[1] :].tolist()]
    findings.same(OF_GENERATION, "a completion ends at its first end", generated.completions, said)


def _check_engine(findings: Findings, seen: Seen, generated: Generated, prompts: list[list[int]]) -> None:
    """What vLLM or a rollout was asked, and what was made of what it said."""
    asked, config = generated.asked[0], seen.config
    findings.same(OF_GENERATION, "the prompts that are asked", asked["prompts"], prompts)
    for name in ("completions", "tool_masks", "sampling_logps"):
        findings.same(OF_GENERATION, f"{name} are those of the engine", getattr(generated, name), asked[name])
    if "syncs" not in asked:
        return
    told = {name: asked[name] for name in (*VLLM_ASKED, "max_completion_length", "num_generations")}
    wanted = {name: config[name] for name in told}
    wanted["num_generations"] = generated.settings.group_size
    findings.same(OF_GENERATION, "how the engine is to sample", told, wanted)
    steps = {one.step for one in seen.generated if one.step <= generated.step}
    findings.same(OF_GENERATION, "how often the engine was given the weights", asked["syncs"], len(steps))


def _cut(tokens: list[int]) -> list[int]:
    ends = [at for at, token in enumerate(tokens) if token in (END_TOKEN, STOP_TOKEN)]
    return tokens[: ends[0] + 1] if ends else tokens
