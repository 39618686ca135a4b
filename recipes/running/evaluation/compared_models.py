"""The models that are evaluated beside each other: each prompted as in its own run, all on the same problems."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from running.command_line import peek
from running.recorded import HALF, HOW_PROMPTED, PROBLEMS, QUANTIZATION, recorded, shown, taken
from running.reward_setup import named_rewards
from running.settings import TaskArguments
from running.task import Task

__all__ = ["from_runs", "settings_note", "trained_on"]

SAMPLES_AND_REWARDS = ("eval_samples", "reward_funcs")
DATA = ("dataset_path", "dataset_name")  # whoever names one of them does not mean a run's problems


def from_runs(names: Sequence[str], task: Task, options: Sequence[str]) -> list[dict[str, Any]]:
    """For each model the settings that it is evaluated with where the options do not say otherwise.

    They are those of the run that made it. A model that no run left here is prompted as the other one is, for they
    are compared. The problems, the rewards and the number of samples are of the first model that a run of this task
    made; the program ends where the other was trained on other problems.
    """
    runs = [recorded(name) for name in names]
    of_task = [run for run in runs if run.get("task") == task.name]
    how = (*HOW_PROMPTED, *HALF, *(() if by_vllm(options) else QUANTIZATION))
    any_run = next((run for run in runs if run), {})
    shared = problems_of(names, of_task, options) | samples_and_rewards_of(of_task)
    return [{**taken(run or any_run, how), **shared} for run in runs]


def problems_of(names: Sequence[str], runs: Sequence[Mapping[str, Any]], options: Sequence[str]) -> dict[str, Any]:
    """Which problems the runs of this task held out; nothing where the options name others."""
    if not runs or any(peek(options, DATA).values()):
        return {}
    first, *others = [taken(run, PROBLEMS) for run in runs]
    for other in others:
        if different := [name for name in PROBLEMS if name in first and other.get(name, first[name]) != first[name]]:
            given = peek(options, different)
            if missing := [name for name in different if given[name] is None]:
                sys.exit(
                    f"error: {' and '.join(names)} were trained on other problems ({', '.join(missing)} differ). Name "
                    "those on which they are compared: --dataset_path or --dataset_name, and --eval_size."
                )
    if first.get("eval_size") == 0:  # it was not evaluated; this evaluation is as large as any
        del first["eval_size"]
    return first


def samples_and_rewards_of(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The samples of the first run, and the rewards of all, of those with the same name the first."""
    specs = [spec for run in runs for spec in run.get("reward_funcs") or ()]
    rewards: dict[str, str] = {}
    for spec, reward in zip(specs, named_rewards(specs), strict=True):
        rewards.setdefault(reward.name, spec)
    return (taken(runs[0], SAMPLES_AND_REWARDS) if runs else {}) | (
        {"reward_funcs": list(rewards.values())} if rewards else {}
    )


def settings_note(name: str, settings: Mapping[str, Any], options: Sequence[str]) -> str:
    """The settings of a model that no option names, and where they are from; empty if there are none."""
    named = [one for one, value in peek(options, list(settings)).items() if value is not None]
    differing = shown(settings, named)
    run = recorded(name)
    whose = "its" if run else "the other's"
    lines = [f"{name}: {differing} (from {whose} run.json; options override it)"] if differing else []
    if by_vllm(options) and (run.get("load_in_4bit") or run.get("load_in_8bit")):
        lines.append(f"{name}: trained quantized, and evaluated unquantized, as vLLM loads it")
    return "\n".join(lines)


def trained_on(name: str, script: TaskArguments, problems: int) -> str:
    """A warning where some of the problems were trained on: they are more than the run held out of the same data."""
    run = recorded(name)
    splits = {run.get("dataset_train_split"), run.get("dataset_test_split")}
    is_same_file = script.dataset_path is not None and script.dataset_path == run.get("dataset_path")
    is_same_split = script.dataset_name is not None and script.dataset_name == run.get("dataset_name")
    is_same_split &= splits == {script.dataset_test_split}
    held_out = run.get("eval_size", problems)
    if not (is_same_file or (is_same_split and script.dataset_path is None)) or problems <= held_out:
        return ""
    rest = problems - held_out
    return (
        f"warning: of these {problems} problems the run of {name} held out {held_out}; it trained on the other {rest}."
    )


def by_vllm(options: Sequence[str]) -> bool:
    return str(peek(options, ("use_vllm",))["use_vllm"]).lower() == "true"
