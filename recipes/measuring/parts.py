"""The parts of recipes/on_a_gpu.py: each runs something in a process of its own, and reads what that left."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import torch
import yaml
from embedded.long_word_problems import long_word_problems
from memory import read
from on_paper.headers import Launch
from on_paper.memory import at_once, bytes_on_each
from trl.import_utils import is_vllm_available

from measuring.place import RECIPES, Failed, Place, Skipped
from measuring.random_model import long_system_prompt, write_random_model

__all__ = ["PARTS", "Part", "in_means"]

REWARDS = ["boxed_answer", "think_format", "repetition", "soft_overlong(max_tokens={tokens}, buffer={buffer})"]
# What runs a recipe: on one device, or with what accelerate is to do.
ALONE = (sys.executable, "-m", "measuring.timed")


def trained(place: Place, launch: Sequence[str | Path], *options: str | Path) -> dict[str, Any]:
    """Runs the timed recipe. Returns its steps, its state and its figures."""
    run = place.folder / "run"
    try:
        place.start(*launch, "--output_dir", run, "--save_strategy", "no", "--overwrite", *options)
    finally:
        for weights in place.folder.rglob("*.safetensors"):
            weights.unlink()  # gigabytes that nobody needs
    found: dict[str, Any] = json.loads((run / "timings.json").read_text())
    found["exams"] = json.loads((run / "eval.json").read_text())
    return found | in_means(found["steps"])


def configuration(place: Place, **settings: Any) -> Path:
    """Writes the file that a run is configured by. It is in bfloat16 on a CPU, too, where it is only slower."""
    path = place.folder / "run.yaml"
    here = {} if torch.accelerator.is_available() else {"use_cpu": True}
    path.write_text(yaml.safe_dump({"bf16": True, "beta": 0.0, "num_generations": 8, **here, **settings}))
    return path


def in_means(steps: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """The mean step and its parts, in seconds; without the first step, which allocates, if there are more."""
    counted = steps[1:] or steps
    names = sorted({name for step in counted for name in step})
    parts = {name: fmean(step.get(name, 0.0) for step in counted) for name in names}
    return {"step": sum(parts.values()), "parts": parts, "counted": len(counted)}


def embedded_default(place: Place) -> dict[str, Any]:
    """The default of recipes/gsm8k.py."""
    return trained(place, ALONE, *place.scale.default)


def random_run(place: Place, *, tokens: int, launch: Sequence[str | Path] = ALONE, **more: Any) -> dict[str, Any]:
    """A run of the random model as a configuration describes it, beside the memory that it takes on paper."""
    scale = place.scale
    tokenizer = write_random_model(place.folder / "model", scale.shape, scale.head)
    settings = {
        "model_name_or_path": str(place.folder / "model"),
        "system_prompt": long_system_prompt(tokenizer, scale.prompt),
        "reward_funcs": [spec.format(tokens=tokens, buffer=tokens // 4) for spec in REWARDS],
        "reward_weights": [1.0, 0.2, 0.2, 0.2],
        "max_completion_length": tokens,
        "per_device_train_batch_size": scale.at_once,
        "completions_per_step": scale.batch,
        "max_steps": scale.steps,
        "learning_rate": 1e-6,
        "gradient_checkpointing": True,
        "eval_size": 0,
    }
    config = configuration(place, **{**settings, **more})
    found = trained(place, launch, "--config", config, "--until", str(place.until))
    sharing = "sharded" if found["state"]["sharded"] else "copies"
    gigabytes = found["memory"]["total"] // 10**9 if found["memory"] else 0  # vLLM's share is of this
    all_settings = read(config)
    paper = bytes_on_each(all_settings, Launch((), {}, 1, sharing, 1, gigabytes), scale.shape)
    return found | {"on_paper": at_once(all_settings, paper), "tokens_at_most": tokens, "batch": scale.batch}


def requires(state: Mapping[str, Any], **wanted: Any) -> None:
    """Raises where a run was not what it was to be, whatever its exit status says."""
    for name, value in wanted.items():
        if state[name] != value:
            where = f"accelerate's state is {state['distributed']} on {state['device']}"
            raise Failed(f"not engaged: {name} is {state[name]!r} and not {value!r}; {where}")


def all_weights(place: Place) -> dict[str, Any]:
    """All weights of the random model, with gradient checkpointing."""
    found = random_run(place, tokens=place.scale.tokens)
    requires(found["state"], precision="bf16", checkpointed=True, adapter=False)
    return found


def lora(place: Place) -> dict[str, Any]:
    """An adapter on every matrix of it."""
    options: dict[str, Any] = {"use_peft": True, "lora_r": 16, "lora_target_modules": "all-linear", "dtype": "bfloat16"}
    found = random_run(place, tokens=place.scale.fewer, **options)
    requires(found["state"], precision="bf16", checkpointed=True, adapter=True)
    return found


def fsdp2(place: Place) -> dict[str, Any]:
    """All weights of it, sharded by FSDP2 among one process."""
    fsdp = RECIPES / "accelerate" / "fsdp2.yaml"
    accelerate = (sys.executable, "-m", "accelerate.commands.launch")
    launch = (*accelerate, "--config_file", fsdp, "--num_processes", "1", "-m", "measuring.timed")
    found = random_run(place, tokens=place.scale.fewer, launch=launch)
    try:
        requires(found["state"], distributed="FSDP", fsdp_version=2, sharded=True, precision="bf16", checkpointed=True)
    except Failed as failed:
        if found["state"]["device"] == "cpu":
            raise Skipped(str(failed)) from None
        raise
    return found


def vllm(place: Place) -> dict[str, Any]:
    """All weights of it, with completions and an evaluation by vLLM on the same GPU."""
    if not is_vllm_available():
        raise Skipped('vLLM is not installed: pip install "trl[vllm]"')
    options: dict[str, Any] = {"use_vllm": True, "vllm_mode": "colocate", "vllm_gpu_memory_utilization": 0.3}
    found = random_run(place, tokens=place.scale.fewer, **options, eval_size=32, eval_samples=1)
    requires(found["state"], precision="bf16", checkpointed=True, vllm=True)
    return found


def rewards(place: Place) -> dict[str, Any]:
    """What rewards cost for a batch of worked solutions, beside TRL's ``accuracy_reward``."""
    scale = place.scale
    sizes = scale.batch, scale.tokens, scale.batches
    printed = place.start(sys.executable, "-m", "measuring.rewards_cost", *map(str, sizes))
    found: dict[str, Any] = json.loads(printed.strip().splitlines()[-1])
    return found


def learning_curve(place: Place) -> dict[str, Any]:
    """A model that is made here, warmed up on long word problems, and trained until its evaluations stop rising."""
    scale, model, problems = place.scale, place.folder / "model", place.folder / "problems.jsonl"
    begun = time.time()
    place.start(sys.executable, "-m", "measuring.warmed_up", model, *scale.warm_up)
    warm_up = time.time() - begun
    # of calculations that the model was not warmed up on; some of them are held out from the training, too
    rows = long_word_problems(scale.problems, 1, "test")
    problems.write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = {
        "model_name_or_path": str(model),
        "dataset_path": str(problems),
        "max_completion_length": 112,
        "learning_rate": 5e-5,
        "lr_scheduler_type": "constant",
        "gradient_checkpointing": False,
    }
    config = configuration(place, **settings, **scale.curve)
    found = trained(place, ALONE, "--config", config, "--until", str(place.until), "--until_flat")
    return found | {"warm_up": warm_up}


@dataclass(frozen=True)
class Part:
    """A part: what measures it, and its share of the time. What a part leaves is for those after it."""

    measure: Callable[[Place], dict[str, Any]]
    share: float


PARTS = {
    "default": Part(embedded_default, 0.11),
    "rewards": Part(rewards, 0.05),
    "vllm": Part(vllm, 0.12),
    "lora": Part(lora, 0.10),
    "fsdp2": Part(fsdp2, 0.10),
    "all_weights": Part(all_weights, 0.26),
    "curve": Part(learning_curve, 0.26),
}
