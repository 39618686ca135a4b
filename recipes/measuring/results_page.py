"""What was measured, as tables of markdown."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import torch

__all__ = ["machine", "page"]

PACKAGES = ("grpo-rewards", "torch", "transformers", "trl", "accelerate", "peft", "vllm")
TIMES = ("generation", "rewards", "preparing", "forward", "backward", "optimizer")
Results = Mapping[str, Any]


def machine() -> dict[str, Any]:
    """On what it is measured, and with which versions."""
    gpu = torch.cuda.get_device_properties(0) if torch.cuda.is_available() else None
    return {
        "gpu": None if gpu is None else f"{gpu.name}, {gpu.total_memory / 1e9:.0f} GB",
        "cpu": f"{os.cpu_count()} cores, {platform.machine()}",
        "python": platform.python_version(),
        "cuda": torch.version.cuda,
        **{package: installed(package) for package in PACKAGES},
    }


def installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def page(found: Results) -> str:
    """The whole page."""
    return "\n".join(_page(found)) + "\n"


def _page(found: Results) -> Iterator[str]:
    parts: Results = found["parts"]
    yield f"# {'Measured, at a small scale to see that it works' if found['small'] else 'Measured'}\n"
    yield from (f"- {name}: {value}" for name, value in found["machine"].items() if value is not None)
    yield f"\n{found['seconds']:.0f} s in all.\n"
    runs = {name: part for name, part in parts.items() if "steps" in part}
    if runs:
        yield "Seconds of a step and of its parts; memory in GB.\n"
        yield from table(
            ["", "steps", "tokens", "step", *TIMES, "rewards' share", "tensors at most", "torch at most", "on paper"],
            [[name, *run_cells(one)] for name, one in runs.items()],
        )
    if "completions" in (cost := parts.get("rewards", {})):
        yield f"Seconds for {cost['completions']} worked solutions of {cost['tokens']} tokens.\n"
        step = parts.get("all_weights", {}).get("step")
        yield from table(
            ["", "first batch", "later ones", "of a step of all_weights"],
            [[name, *cost_cells(one, step)] for name, one in cost.items() if isinstance(one, dict)],
        )
    if "exams" in (curve := parts.get("curve", {})):
        yield from curve_of(curve)
    for name, part in parts.items():
        if part["outcome"] != "done":
            yield f"{name}: {part['outcome']}.\n\n```\n{part['reason']}\n```\n"


def run_cells(one: Results) -> list[str]:
    memory = one["memory"] or {}
    bytes_ = [memory.get("allocated"), memory.get("reserved"), one.get("on_paper")]
    return [
        str(len(one["steps"])),
        f"{sum(one['tokens']) / len(one['tokens']):.0f}",
        f"{one['step']:.3f}",
        *(f"{one['parts'].get(name, 0.0):.3f}" for name in TIMES),
        f"{one['parts']['rewards'] / one['step']:.2%}",
        *("-" if value is None else f"{value / 1e9:.1f}" for value in bytes_),
    ]


def cost_cells(one: Results, step: float | None) -> list[str]:
    share = "-" if step is None else f"{one['median'] / step:.2%}"
    return [f"{one['first']:.3f}", f"{one['median']:.3f}", share]


def curve_of(curve: Results) -> Iterator[str]:
    """The evaluations of the learning curve, with their intervals."""
    state = curve["state"]
    size = f"{state['parameters']:,} parameters"
    yield f"A model of {size}, warmed up in {curve['warm_up']:.0f} s; training ended by: {curve['ended']}.\n"
    rows = []
    for step, figures in curve["exams"]["by_step"].items():
        rows.append([step, interval_cell(figures["sampled"].get("boxed_answer", {}))])
    yield from table(["step", "sampled, right"], rows)


def interval_cell(one: Results) -> str:
    if one.get("mean") is None:
        return "-"
    low_high = one["interval"]
    return f"{one['mean']:.3f}" + ("" if low_high is None else f" [{low_high[0]:.3f}, {low_high[1]:.3f}]")


def table(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    """A table, and a blank line."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""
