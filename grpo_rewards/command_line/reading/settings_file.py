"""The settings of a training in a YAML file, as recipes and ``trl grpo --config`` read it, without importing torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grpo_rewards.command_line.printing import need
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import shown

__all__ = ["read_settings"]

# GRPOConfig's own, for what rewards and batches depend on.
SETTINGS_DEFAULTS: dict[str, Any] = {"num_generations": 8, "max_completion_length": 512, "reward_weights": None}


def read_settings(file: str) -> dict[str, Any]:
    """The settings by name, with GRPOConfig's defaults for what they leave out; numbers as numbers.

    Raises:
        RewardError: the file is not there, is no YAML, or holds no settings by name.
    """
    need("recipes", "yaml")
    import yaml

    path = Path(file)
    if not path.is_file():
        raise RewardError(f"--config {file}: there is no such file (in {Path.cwd()}).")
    try:
        held = yaml.safe_load(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise RewardError(f"--config {file} is nested too deeply; it must hold settings by name.") from None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise RewardError(f"--config {file} is no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(held, dict) or not all(isinstance(name, str) and name.isidentifier() for name in held):
        raise RewardError(f"--config {file} must hold settings by name, such as num_generations: 8.")
    settings = {**SETTINGS_DEFAULTS, **{name: _number(value) for name, value in held.items()}}
    if isinstance(settings.get("reward_funcs"), str):
        settings["reward_funcs"] = [settings["reward_funcs"]]
    if not isinstance(settings.get("reward_funcs", []), list):
        raise RewardError(f"--config {file}: reward_funcs must be a list, not {shown(settings['reward_funcs'])}.")
    batch = settings.get("completions_per_step")  # of recipes: it sets gradient_accumulation_steps
    if isinstance(batch, int) and "per_device_train_batch_size" in settings:
        settings.setdefault("gradient_accumulation_steps", max(batch // settings["per_device_train_batch_size"], 1))
    return settings


def _number(value: Any) -> Any:
    """The value, or the number that YAML 1.1 takes for a text: 1e-6, which the trainers' parsers do read."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value
