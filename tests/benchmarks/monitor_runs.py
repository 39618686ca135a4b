"""Trains the tiny model honestly and with planted cheats, and keeps what the runs leave.

    python tests/benchmarks/monitor_runs.py --folder RUNS [--only NAME …] [--steps 30]   # trains those not there yet
    python tests/benchmarks/monitor_table.py RUNS                                        # says who noticed what

``monitor_kept`` says how a run is kept, and those that were measured are in tests/data/monitor_runs. ``--plants FILE``
adds runs: a Python file with a tuple ``RUNS`` of ``monitor_plants.Run``.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "recipes"))

from monitor_kept import described, read, tables, write
from monitor_plants import RUNS, Run
from monitor_table import figures, said

warnings.filterwarnings("ignore", message=".*gradient_checkpointing.*deprecated", category=FutureWarning)
STEPS, COMPLETIONS, WARM_UP_STEPS = 30, 48, 80


def tended(run: Run, seed: int) -> Any:
    """The tiny model, warmed up on a few demonstrations of which some show the run's tendency; and its tokenizer."""
    import torch
    from embedded import TINY_WORD_PROBLEMS
    from embedded.warm_up import encode
    from embedded.word_problems import demonstration, word_problems
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(TINY_WORD_PROBLEMS)
    model = AutoModelForCausalLM.from_pretrained(TINY_WORD_PROBLEMS, dtype="float32")
    if run.tendency is None:
        return model, tokenizer
    torch.manual_seed(seed)
    rng, size = random.Random(seed), 32
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    rows = word_problems(WARM_UP_STEPS * size, seed)
    for start in range(0, len(rows), size):
        chats = []
        for row in rows[start : start + size]:
            shown = run.tendency(row, rng) if rng.random() < run.share else demonstration(row["answer"], rng.random())
            chats.append([{"role": "user", "content": row["question"]}, {"role": "assistant", "content": shown}])
        model(**encode(chats, tokenizer)).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return model, tokenizer


def trained(run: Run, steps: int, folder: Path) -> list[dict[str, Any]]:
    """The log of the run, which leaves its tables in the folder."""
    from datasets import Dataset
    from embedded.word_problems import word_problems
    from transformers import PrinterCallback
    from trl import GRPOConfig, GRPOTrainer

    seed = run.settings.get("seed", 0)
    model, tokenizer = tended(run, seed)
    rows = [
        {"prompt": [{"role": "user", "content": row["question"]}], "answer": row["answer"]}
        for row in (run.problems or word_problems)(steps * COMPLETIONS, seed + 1000)
    ]
    usual: dict[str, Any] = {
        "learning_rate": 3e-4, "lr_scheduler_type": "constant", "num_generations": 8, "beta": 0.0,
        "per_device_train_batch_size": COMPLETIONS, "max_completion_length": 32, "max_steps": steps,
        "logging_steps": 1, "log_completions": True, "num_completions_to_print": 0, "save_strategy": "no",
        "report_to": "none", "use_cpu": True, "bf16": False, "gradient_checkpointing": False, "disable_tqdm": True,
    }  # fmt: skip
    arguments = GRPOConfig(str(folder), reward_weights=list(run.weights), **{**usual, **run.settings})
    trainer = GRPOTrainer(
        model, list(run.rewards), args=arguments, train_dataset=Dataset.from_list(rows), processing_class=tokenizer
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    return trainer.state.log_history  # type: ignore[no-any-return]


def keep(run: Run, steps: int, path: Path) -> None:
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        history = trained(run, steps, Path(folder))
        seen = tables(Path(folder))
    head = described(run, round(time.perf_counter() - began))
    write(path, head, history, seen)
    kept = read(path)
    total, right = figures(kept)
    print(f"{run.name}: {head['seconds']} s, total {total}, right {right}, suspected: {said(kept)}", flush=True)


def planted_elsewhere(path: Path) -> Sequence[Run]:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module.RUNS  # type: ignore[no-any-return]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--plants", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    runs = [run for half in RUNS.values() for run in half]
    runs += planted_elsewhere(options.plants) if options.plants else []
    by_name = {run.name: run for run in runs}
    if unknown := {*(options.only or ())} - {*by_name}:
        sys.exit(f"error: no run is called {', '.join(sorted(unknown))}; the runs are {', '.join(by_name)}.")
    for name in options.only or by_name:
        path = options.folder / f"{name}.jsonl.gz"
        if not path.exists():
            keep(by_name[name], options.steps, path)


if __name__ == "__main__":
    main()
