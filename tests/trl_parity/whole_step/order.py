"""Which prompts come when, what the model is asked, and which settings the trainer holds."""

import itertools
import sys
from collections.abc import Iterator
from typing import Any

import torch

from whole_step.comparing import Findings
from whole_step.configured import HELD_SETTINGS, seeded_states
from whole_step.engines import VLLM_ASKED
from whole_step.environment import names_of_tools, observed
from whole_step.live import Generated, Seen
from whole_step.runs import CONTEXT_WITH_TOOLS, USUAL_SETTINGS, Run
from whole_step.tiny import END_TOKEN, EVALUATED_PROMPTS, PAD_TOKEN, STOP_TOKEN, questions, tokens_of
from whole_step.tools import prompt_with_tools
from whole_step.turns import Limits, Said, Turns, turns_of

OF_SETTINGS, OF_PROMPTS, OF_GENERATION = "settings held", "prompts in order", "generation"
OF_RANDOM, OF_RESUMPTION = "random states", "taken up from a checkpoint"


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
    instead["max_tool_calling_iterations"] = sys.maxsize
    for held, name in HELD_SETTINGS.items():
        wanted = instead.get(held) if config[name] is None else config[name]
        findings.same(OF_SETTINGS, held, seen.held[held], wanted)
    weights = [*asked["reward_weights"], *([1.0] if run.environment else [])]
    findings.same(OF_SETTINGS, "reward_weights", seen.held["reward_weights"], weights)
    has_model = config["beta"] != 0 and run.adapter == "none"  # an adapter's reference is the same model without it
    wanted = (torch.float64, False) if has_model else None
    findings.same(OF_SETTINGS, "the policy's precision", seen.held["policy"], torch.float64)
    findings.same(OF_SETTINGS, "the reference's precision, and whether it trains", seen.held["reference"], wanted)
    for generated in seen.generated:
        settings = generated.settings
        findings.same(
            OF_SETTINGS, "the tokens that end", settings.end_ids, frozenset((PAD_TOKEN, END_TOKEN, STOP_TOKEN))
        )
        findings.same(OF_SETTINGS, "the padding token", settings.pad_id, PAD_TOKEN)


def check_random_states(findings: Findings, ranks: list[Seen]) -> None:
    """Compares where randomness starts, and that no rank samples what another does."""
    for seen in ranks:
        wanted = seeded_states(seen.config["seed"] + seen.rank)
        findings.same(OF_RANDOM, f"rank {seen.rank} starts from the seed and its number", seen.random_states, wanted)
    for at, events in enumerate(zip(*(seen.generated for seen in ranks), strict=False)):
        apart = len({one.random_state for one in events})
        findings.same(OF_RANDOM, f"how many states the ranks have before generation {at}", apart, len(ranks))


def check_resumption(findings: Findings, seen: Seen) -> None:
    """Compares what a trainer that goes on from a checkpoint has with what the one that saved it had."""
    findings.same(OF_RESUMPTION, "what is restored", sorted(seen.restored), sorted(seen.saved))
    for name in seen.saved.keys() & seen.restored.keys():
        findings.near(OF_RESUMPTION, name, seen.restored[name], seen.saved[name])


def check_order(findings: Findings, run: Run, ranks: list[Seen]) -> None:
    """Compares the rows that the data loaders of all ranks gave with those that a sampler must give."""
    config = ranks[0].config
    size, repeats = config["num_generations"], config["steps_per_generation"] * config["num_iterations"]
    many = config["generation_batch_size"] // size
    order = iter(_epochs(config, run, many))
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
        prompts = _stream(EVALUATED_PROMPTS, config["seed"], 0) if run.streamed else prompts
        asked = [group[0] for group in groups]
        findings.same(OF_PROMPTS, f"each prompt once, evaluation {step}", asked, prompts)


def _epochs(config: dict[str, Any], run: Run, many: int) -> Iterator[list[int]]:
    """Yields the rows of each generation: epoch after epoch all prompts, shuffled by the seed, without an odd rest."""
    generator = torch.Generator().manual_seed(config["seed"])
    for epoch in itertools.count():
        rows = list(range(run.prompts))
        if config["shuffle_dataset"] and run.streamed:
            rows = _stream(run.prompts, config["seed"], epoch)
        elif config["shuffle_dataset"]:
            rows = torch.randperm(run.prompts, generator=generator).tolist()
        for start in range(0, run.prompts - many + 1, many):
            yield rows[start : start + many]


def _stream(prompts: int, seed: int, epoch: int) -> list[int]:
    """Returns the order that ``datasets`` itself gives a stream of prompts, by a generator of its own."""
    from datasets import Dataset

    stream = Dataset.from_dict({"row": list(range(prompts))}).to_iterable_dataset().shuffle(seed=seed)
    stream.set_epoch(epoch)
    return [one["row"] for one in stream]


def turns_of_run(run: Run, seen: Seen, generated: Generated) -> Turns:
    """Returns what must come of what was said in a generation."""
    config = seen.config
    names = names_of_tools(run)
    prompts = [
        prompt_with_tools(observed(run, row), names) if run.tools else tokens_of(row, run.marks)
        for row in generated.rows
    ]
    limits = Limits(config["max_tool_calling_iterations"], config["max_completion_length"], CONTEXT_WITH_TOOLS)
    return turns_of(prompts, [_said(asked) for asked in generated.asked], limits if run.tools else None)


def _said(asked: dict[str, Any]) -> Said:
    """Returns what was said by the model, vLLM or a rollout; the model's completions end at their first end."""
    if "said" not in asked:
        return Said(asked["completions"], asked["sampling_logps"], asked["tool_masks"])
    return Said([_cut(row) for row in asked["said"][:, asked["input_ids"].shape[1] :].tolist()], None)


def check_generation(findings: Findings, run: Run, seen: Seen, generated: Generated) -> None:
    """Compares what the model was asked, and what was made of its tokens, with what must be."""
    turns = generated.turns
    findings.same(OF_GENERATION, "the tokens of the prompts", generated.prompts, turns.prompts[0])
    known = {row["row"]: row["prompt"] for row in questions(run.prompts, run.chat)}
    findings.same(
        OF_GENERATION,
        "the rows",
        [row["prompt"] for row in generated.rows],
        [known[row["row"]] for row in generated.rows],
    )
    findings.same(OF_GENERATION, "how often completions are asked for", len(generated.asked), len(turns.prompts))
    for at, (asked, prompts) in enumerate(zip(generated.asked, turns.prompts, strict=False)):
        findings.same(OF_GENERATION, f"the prompts that are asked in turn {at}", _prompts(asked), prompts)
        if "said" in asked:
            _check_model(findings, seen, asked)
        elif "syncs" in asked:
            _check_engine(findings, seen, generated, asked, 1 if at else generated.settings.group_size)
    for name in ("completions", "tool_masks", "sampling_logps"):
        findings.same(
            OF_GENERATION, f"{name} are those of what was said", getattr(generated, name), getattr(turns, name)
        )


def _prompts(asked: dict[str, Any]) -> Any:
    if "prompts" in asked:
        return asked["prompts"]
    return [row[mask.bool()].tolist() for row, mask in zip(asked["input_ids"], asked["attention_mask"], strict=True)]


def _check_model(findings: Findings, seen: Seen, asked: dict[str, Any]) -> None:
    """How the model's own ``generate`` was asked."""
    config = seen.config
    wanted = {name: config[name] for name in VLLM_ASKED}
    wanted |= {"max_new_tokens": config["max_completion_length"], "do_sample": True, "pad_token_id": PAD_TOKEN}
    wanted |= config["generation_kwargs"] or {}
    findings.same(OF_GENERATION, "how to sample", {name: asked[name] for name in wanted}, wanted)
    findings.same(OF_GENERATION, "the tokens that end it", sorted(asked["eos_token_id"]), [END_TOKEN, STOP_TOKEN])
    ends = asked["attention_mask"][:, -1].tolist()
    findings.same(OF_GENERATION, "the padding is on the left", ends, [1] * len(ends))


def _check_engine(findings: Findings, seen: Seen, generated: Generated, asked: dict[str, Any], size: int) -> None:
    """How vLLM was asked, for ``size`` completions of each prompt."""
    told = {name: asked[name] for name in (*VLLM_ASKED, "max_completion_length", "num_generations")}
    wanted = {name: seen.config[name] for name in told} | {"num_generations": size}
    findings.same(OF_GENERATION, "how the engine is to sample", told, wanted)
    steps = {one.step for one in seen.generated if one.step <= generated.step}
    findings.same(OF_GENERATION, "how often the engine was given the weights", asked["syncs"], len(steps))


def _cut(tokens: list[int]) -> list[int]:
    ends = [at for at, token in enumerate(tokens) if token in (END_TOKEN, STOP_TOKEN)]
    return tokens[: ends[0] + 1] if ends else tokens
