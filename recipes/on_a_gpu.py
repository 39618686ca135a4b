"""Measures on one large GPU, in under ten minutes and without a network, what the recipes cannot show on a CPU.

    python recipes/on_a_gpu.py                       everything, into outputs/on_a_gpu
    python recipes/on_a_gpu.py --only curve          one part, which then has all the time
    python recipes/on_a_gpu.py --small               the same code at a tiny scale, on a CPU as well: does it work?

Parts: the embedded default; rewards beside TRL's; a model of Qwen2.5-0.5B's shape with random weights, in bfloat16 with
gradient checkpointing, as an adapter, sharded by FSDP2, sampled by vLLM, and with all weights; and the learning curve
of a model of 27 million parameters that is made here. Each is a process of its own, and one that fails is reported and
the others go on. results.json and results.md say what was measured, on what; each part's log.txt is in its folder.
"""

from training import arguments  # isort: skip  # not found? Copy this beside gsm8k.py, or set PYTHONPATH

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean, median
from typing import Any

import gsm8k
import psutil
import torch
import yaml
from competition_math import boxed
from embedded import TINY_ALGEBRA, TINY_WORD_PROBLEMS, warm_up
from embedded.algebra import algebra
from embedded.word_problems import LONG_WARM_UP, long_word_problems
from peft import PeftModel
from torch.distributed.tensor import DTensor
from transformers import AutoTokenizer, TrainerCallback
from trl import GRPOTrainer

import grpo_rewards as gr

RECIPES = Path(__file__).resolve().parent
# The parts, and the share of the time that each has; what one leaves is for those after it.
PARTS = {
    "default": 0.11,
    "rewards": 0.05,
    "vllm": 0.12,
    "lora": 0.10,
    "fsdp2": 0.10,
    "all_weights": 0.26,
    "curve": 0.26,
}
PACKAGES = ("grpo-rewards", "torch", "transformers", "trl", "accelerate", "peft")
OF_QWEN = {  # 2.5-0.5B; the tiny models' shape is the small one
    **{"num_hidden_layers": 24, "hidden_size": 896, "intermediate_size": 4864},
    **{"num_attention_heads": 14, "num_key_value_heads": 2, "head_dim": 64, "initializer_range": 0.02},
}
LARGE = {"shape": OF_QWEN, "words": 151_936, "steps": 10, "batch": 256, "at_once": 32, "tokens": 512}
SMALL = {"shape": {}, "words": 600, "steps": 2, "batch": 16, "at_once": 8, "tokens": 24}
# What each part sets beside the usual, and what its run must then have been, whatever its exit status says.
RUNS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "vllm": ({"use_vllm": True, "vllm_mode": "colocate", "vllm_gpu_memory_utilization": 0.3}, {"vllm": True}),
    "lora": ({"use_peft": True, "lora_target_modules": "all-linear", "dtype": "bfloat16"}, {"adapter": True}),
    "fsdp2": ({}, {"sharded": True}),
    "all_weights": ({}, {"adapter": False}),
}
TIMES = {
    "step": "step_time",
    "generation": "seconds/generation",
    "rewards": "seconds/rewards",
    "tokens": "completions/mean_length",
}
REWARDS = ["boxed_answer", "think_format", "repetition", "soft_overlong(max_tokens={0}, buffer={1})"]


class Failed(Exception):
    """A part that did not do what it was to do, and why."""


class TimedGRPOTrainer(GRPOTrainer):
    """A ``GRPOTrainer`` that logs the seconds of generation and rewards beside TRL's ``step_time``."""

    def __init__(self, *given: Any, until: float | None = None, until_flat: bool = False, **options: Any) -> None:
        super().__init__(*given, **options)
        self.add_callback(EndsEarly(self, until, until_flat))

    def _timed(self, name: str, call: Callable[..., Any], *given: Any, **options: Any) -> Any:
        begun = when_done()
        found = call(*given, **options)
        self._log_metric(f"seconds/{name}", when_done() - begun)
        return found

    def _generate(self, *given: Any, **options: Any) -> Any:
        return self._timed("generation", super()._generate, *given, **options)

    def _calculate_rewards(self, *given: Any, **options: Any) -> Any:
        return self._timed("rewards", super()._calculate_rewards, *given, **options)


class EndsEarly(TrainerCallback):
    """Ends a training after ``until``, a time, or when evaluations stop rising; then writes on what it really ran."""

    def __init__(self, trainer: TimedGRPOTrainer, until: float | None, until_flat: bool) -> None:
        self.trainer, self.until, self.until_flat = trainer, until, until_flat
        self.right: list[float] = []

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        control.should_training_stop |= self.until is not None and time.time() > self.until

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: dict[str, float], **_: Any) -> None:
        self.right.append(metrics[f"eval_sampled/{gsm8k.CORRECT}"])
        control.should_training_stop |= self.until_flat and is_flat(self.right)

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.is_world_process_zero:
            (Path(args.output_dir) / "state.json").write_text(json.dumps(state_of(self.trainer)))


def when_done() -> float:
    """The time, in seconds, once an accelerator has done all that it was given."""
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()
    return time.perf_counter()


def is_flat(right: Sequence[float], last: int = 3, least: float = 0.01) -> bool:
    """Whether none of the last evaluations is better, by more than that, than the best one before them."""
    return len(right) > last and max(right[-last:]) <= max(right[:-last]) + least


def state_of(trainer: GRPOTrainer) -> dict[str, Any]:
    """On what a run really runs, from its state and not from its settings, and the most bytes of the GPU it took."""
    model = trainer.accelerator.unwrap_model(trainer.model_wrapped)
    weights = list(trainer.model_wrapped.parameters())
    return {
        "device": trainer.accelerator.device.type,
        "distributed": trainer.accelerator.state.distributed_type.value,
        "sharded": all(isinstance(one, DTensor) for one in weights),
        "precision": trainer.accelerator.mixed_precision,
        "checkpointed": model.is_gradient_checkpointing,
        "adapter": isinstance(model, PeftModel),
        "vllm": getattr(trainer, "vllm_generation", None) is not None,
        "parameters": sum(one.numel() for one in weights),
        "memory": torch.cuda.max_memory_allocated() if torch.cuda.is_available() else None,
    }


def write_random_model(folder: Path, shape: Mapping[str, int], words: int) -> None:
    """Writes a Qwen3 of that shape, in bfloat16, and a tokenizer that has a made-up text for each of its words."""
    tokenizer = AutoTokenizer.from_pretrained(TINY_WORD_PROBLEMS)
    tokenizer.save_pretrained(folder)
    written = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    known = tokenizer.get_vocab()
    written["model"]["vocab"] = known | {f"Ġw{word}": word for word in range(len(known), words)}
    (folder / "tokenizer.json").write_text(json.dumps(written, ensure_ascii=False), encoding="utf-8")
    torch.manual_seed(0)
    model = warm_up.new_model(replace(LONG_WARM_UP, vocabulary=words, shape=shape), tokenizer)
    model.to(torch.bfloat16).save_pretrained(folder)


def run(words: Sequence[Any], folder: Path, deadline: float) -> str:
    """What a process prints, with all that it starts stopped at the deadline; raises ``Failed`` with its last lines."""
    paths = filter(None, [str(RECIPES), os.environ.get("PYTHONPATH")])  # an empty one would be the working directory
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    with (folder / "log.txt").open("a") as log:
        process = psutil.Popen(list(map(str, words)), stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
        try:
            printed: str = process.communicate(timeout=max(deadline - time.time(), 1))[0]
        except subprocess.TimeoutExpired:
            for one in (*process.children(recursive=True), process):
                one.kill()
            process.communicate()
            raise Failed("it was stopped when its time was up; --minutes gives more, --only gives it all") from None
    if process.returncode:
        log_text = (folder / "log.txt").read_text(errors="replace")
        raise Failed(log_text[max(log_text.rfind("Traceback"), -800) :].strip()[-800:])
    return printed


def trained(folder: Path, deadline: float, settings: Mapping[str, Any], launch: Sequence[Any] = ()) -> dict[str, Any]:
    """Trains as recipes/gsm8k.py does with these settings; returns its times and its evaluations."""
    until = deadline - max(0.2 * (deadline - time.time()), 15)  # leaves time for an evaluation, and to save
    here = {} if torch.accelerator.is_available() else {"use_cpu": True}
    config, output = folder / "run.yaml", folder / "run"
    config.write_text(yaml.safe_dump({**here, "save_strategy": "no", "output_dir": str(output), **settings}))
    launch = launch or (sys.executable,)
    run([*launch, __file__, "--train", "--until", until, "--config", config, "--overwrite"], folder, deadline)
    for weights in folder.rglob("*.safetensors"):
        weights.unlink()  # gigabytes that nobody needs
    log = json.loads((output / "trainer_state.json").read_text())["log_history"]
    steps = [one for one in log if "step_time" in one]
    means = {
        name: fmean(one[key] for one in steps[1:] or steps)  # the first step allocates
        for name, key in TIMES.items()
    }
    state = json.loads((output / "state.json").read_text())
    evaluations = json.loads((output / "eval.json").read_text()).get("by_step", {})
    return {"steps": len(steps), **means, "state": state, "evaluations": evaluations}


def random_run(name: str, folder: Path, deadline: float, scale: Mapping[str, Any]) -> dict[str, Any]:
    """A part with the random model, in bfloat16 with gradient checkpointing; raises where that was not engaged."""
    more, wanted = RUNS[name]
    if name == "vllm" and find_spec("vllm") is None:
        return {"outcome": "skipped", "reason": 'vLLM is not installed: pip install "trl[vllm]"'}
    write_random_model(folder / "model", scale["shape"], scale["words"])
    tokens = scale["tokens"] if name == "all_weights" else max(scale["tokens"] // 8, 12)
    settings = {
        "model_name_or_path": str(folder / "model"),
        "reward_funcs": [spec.format(tokens, tokens // 4) for spec in REWARDS],
        "reward_weights": [1.0, 0.2, 0.2, 0.2],
        "max_completion_length": tokens,
        "per_device_train_batch_size": scale["at_once"],
        "completions_per_step": scale["batch"],
        "max_steps": scale["steps"],
        "learning_rate": 1e-6,
        **{"bf16": True, "beta": 0.0, "num_generations": 8, "gradient_checkpointing": True, "eval_size": 0, **more},
    }
    accelerate = (sys.executable, "-m", "accelerate.commands.launch", "--config_file")
    launch = (*accelerate, RECIPES / "accelerate" / "fsdp2.yaml", "--num_processes", "1") if name == "fsdp2" else ()
    found = trained(folder, deadline, settings, launch)
    for what, value in {"precision": "bf16", "checkpointed": True, **wanted}.items():
        if found["state"][what] != value:
            where = f"accelerate's state is {found['state']['distributed']} on {found['state']['device']}"
            raise Failed(f"not engaged: {what} is {found['state'][what]!r} and not {value!r}; {where}")
    return found


def default(folder: Path, deadline: float, scale: Mapping[str, Any]) -> dict[str, Any]:
    """The default of recipes/gsm8k.py."""
    few = {"max_steps": 2, "eval_size": 4, "per_device_train_batch_size": 16} if scale is SMALL else {}
    return trained(folder, deadline, few)


def curve(folder: Path, deadline: float, scale: Mapping[str, Any]) -> dict[str, Any]:
    """A model that is made here, warmed up on long word problems, and trained until its evaluations stop rising."""
    kind, few = LONG_WARM_UP, {"per_device_train_batch_size": 256, "max_steps": 2000, "eval_steps": 10}
    if scale is SMALL:
        kind = replace(kind, shape={}, steps=10, batch=16)
        few = {"per_device_train_batch_size": 16, "max_steps": 4, "eval_steps": 1, "eval_size": 10, "eval_samples": 1}
    warm_up.make(kind, folder / "model", "cuda" if torch.cuda.is_available() else "cpu")
    # of calculations that the model was not warmed up on; some of them are held out from the training, too
    rows = long_word_problems(60 if scale is SMALL else 4200, 1, "test")
    (folder / "problems.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings: dict[str, Any] = {
        "model_name_or_path": str(folder / "model"),
        "dataset_path": str(folder / "problems.jsonl"),
    }
    settings |= {"max_completion_length": 112, "learning_rate": 5e-5, "lr_scheduler_type": "constant"}
    settings |= {"bf16": True, "beta": 0.0, "gradient_checkpointing": False, "logging_steps": 1, **few}
    return trained(folder, deadline, settings)


def rewards(folder: Path, deadline: float, scale: Mapping[str, Any]) -> dict[str, Any]:
    """Seconds for a batch of worked solutions, half of them right, by our rewards and by TRL's ``accuracy_reward``."""
    from trl.rewards import accuracy_reward

    count, tokens = scale["batch"], scale["tokens"]
    tokenizer, ids = AutoTokenizer.from_pretrained(TINY_ALGEBRA), [[0] * tokens] * count
    formats = (gr.think_format, gr.repetition, gr.soft_overlong.bind(max_tokens=tokens, buffer=tokens // 4))

    def ours(completions: list[Any], answer: list[Any]) -> list[Any]:
        for one in formats:
            one(completions=completions, answer=answer, completion_ids=ids)
        return list(gr.boxed_answer(completions=completions, answer=answer))

    def theirs(completions: list[Any], answer: list[Any]) -> list[Any]:
        return list(accuracy_reward(completions, [f"${one}$" for one in answer]))

    found: dict[str, Any] = {"completions": count, "tokens": tokens}
    for name, score in (("boxed_answer and three more", ours), ("accuracy_reward", theirs)):
        seconds, scores = [], []
        for seed in range(2 if scale is SMALL else 6):
            batch = solutions(tokenizer, count, tokens, seed)
            begun = time.perf_counter()
            scores = score(**batch)
            seconds.append(time.perf_counter() - begun)
        right = sum(one for one in scores if one) / len(scores)
        found[name] = {"first": seconds[0], "median": median(seconds[1:]), "right": right}
    return found


def solutions(tokenizer: Any, count: int, tokens: int, seed: int) -> dict[str, list[Any]]:
    """Solutions of as many tokens each, of which every other one has the answer of another problem in its box."""
    rows = [{**row, "answer": boxed(row["solution"])} for row in algebra(count, seed)]
    completions = []
    for number, row in enumerate(rows):
        end = f"</think>\\boxed{{{rows[number - 1 + number % 2]['answer']}}}"
        worked = f"{row['problem']}\n{row['solution']}\n".replace(r"\boxed", "")  # only the last box counts
        wanted = tokens - len(tokenizer(end)["input_ids"])
        ids = tokenizer(worked * (wanted // len(tokenizer(worked)["input_ids"]) + 1))["input_ids"][:wanted]
        text = f"<think>{tokenizer.decode(ids, skip_special_tokens=True)}{end}"
        completions.append([{"role": "assistant", "content": text}])
    return {"completions": completions, "answer": [row["answer"] for row in rows]}


def measured(name: str, folder: Path, scale: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """What a part found, with its ``outcome``: ``done``, or ``skipped`` or ``failed`` with the reason."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    begun = time.time()
    try:
        if name in RUNS:
            found = random_run(name, folder, begun + seconds, scale)
        else:
            found = {"default": default, "rewards": rewards, "curve": curve}[name](folder, begun + seconds, scale)
    except Exception as error:  # noqa: BLE001  # whatever is wrong with one part, the others are measured
        found = {"outcome": "failed", "reason": f"{type(error).__name__}: {error}"}
    return {"outcome": "done", **found, "seconds": time.time() - begun}


def page(found: Mapping[str, Any]) -> Iterator[str]:
    """What was measured, as lines of markdown."""
    parts: Mapping[str, Any] = found["parts"]
    yield f"# Measured{', at a small scale to see that it works' if found['small'] else ''}\n"
    yield from (f"- {name}: {value}" for name, value in found["machine"].items())
    yield "\n| part | steps | tokens | step, s | generation | rewards | share of rewards | GPU memory, GB |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, one in parts.items():
        if "steps" in one:
            memory = "-" if one["state"]["memory"] is None else f"{one['state']['memory'] / 1e9:.1f}"
            times = f"{one['step']:.3f} | {one['generation']:.3f} | {one['rewards']:.3f}"
            share = f"{one['rewards'] / one['step']:.2%}"
            yield f"| {name} | {one['steps']} | {one['tokens']:.0f} | {times} | {share} | {memory} |"
    step = parts.get("all_weights", {}).get("step")
    for name, one in parts.get("rewards", {}).items():
        if isinstance(one, dict):
            share = "" if step is None else f", {one['median'] / step:.2%} of a step of all_weights"
            yield f"\n{name}: {one['first']:.3f} s for a first batch of solutions, then {one['median']:.3f}{share}."
    for step, figures in parts.get("curve", {}).get("evaluations", {}).items():
        one = figures["sampled"][gsm8k.CORRECT]
        yield f"\ncurve, step {step}: right {one['mean']:.3f} {one['interval'] or ''}".rstrip()
    for name, one in parts.items():
        if one["outcome"] != "done":
            yield f"\n{name}: {one['outcome']}.\n\n```\n{one['reason']}\n```"


def main(argv: Sequence[str] | None = None) -> int:
    """Measures the requested parts. Returns 0 if no part failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--minutes", type=float, default=9.5, help="for all parts together (default: 9.5)")
    parser.add_argument("--small", action="store_true", help="at a tiny scale")
    parser.add_argument("--output_dir", type=Path, default=Path("outputs") / "on_a_gpu")
    options = parser.parse_args(argv)
    deadline = time.time() + 60 * options.minutes
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "none"
    machine = {"GPU": gpu, "CPU": f"{os.cpu_count()} cores, {platform.machine()}", "Python": platform.python_version()}
    versions = {name: version(name) for name in PACKAGES}
    found: dict[str, Any] = {"small": options.small, "machine": {**machine, **versions}, "parts": {}}
    chosen = [name for name in PARTS if name in options.only]
    for at, name in enumerate(chosen):
        share = PARTS[name] / sum(PARTS[other] for other in chosen[at:])
        seconds = max(deadline - time.time(), 0.0) * share
        print(f"{name}: at most {seconds:.0f} s …", flush=True)
        one = measured(name, options.output_dir / name, SMALL if options.small else LARGE, seconds)
        found["parts"][name] = one
        print(f"{name}: {one['outcome']} in {one['seconds']:.0f} s")
        (options.output_dir / "results.json").write_text(json.dumps(found, indent=2))
        (options.output_dir / "results.md").write_text("\n".join(page(found)) + "\n", encoding="utf-8")
    print("\n" + "\n".join(page(found)))
    return int(any(part["outcome"] == "failed" for part in found["parts"].values()))


def train_timed(argv: Sequence[str]) -> None:
    """Trains in this process, for one of the parts."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--until", type=float)
    own, others = parser.parse_known_args(argv)
    with arguments.ends_with_one_message():
        gsm8k.main(others, TimedGRPOTrainer, until=own.until, until_flat="--eval_steps" in others)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--train"]:
        train_timed(sys.argv[2:])
    else:
        sys.exit(main())
