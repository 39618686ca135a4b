"""What a run wrote down of itself in ``run.json``, so that its model is prompted as it was trained."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import torch
from trl import GRPOConfig, ModelConfig

from running.resuming.same_run import of_settings
from running.settings import TaskArguments

__all__ = ["HALF", "HOW_PROMPTED", "PROBLEMS", "QUANTIZATION", "recorded", "shown", "taken"]

HOW_PROMPTED = (
    *("system_prompt", "chat_template_kwargs", "max_completion_length", "temperature", "top_p", "top_k", "min_p"),
    *("repetition_penalty", "generation_kwargs", "dtype"),
)
HALF = ("bf16", "fp16")
QUANTIZATION = ("load_in_4bit", "load_in_8bit", "bnb_4bit_quant_type", "use_bnb_nested_quant")
# Which problems there are: of data that are named otherwise none of these holds.
PROBLEMS = (
    *("dataset_path", "dataset_name", "dataset_config", "dataset_train_split", "dataset_test_split"),
    *("prompt_column", "answer_column", "eval_size"),
)
LONGEST = 60  # characters of a value that is shown


def recorded(model: str) -> Mapping[str, Any]:
    """The settings of the run that made a model; nothing if none wrote them down in its folder.

    ``model`` is the folder that the run left, one of its checkpoints, or a name of the hub, which has none.
    """
    return of_settings(record_of_model(model))


def record_of_model(model: str) -> dict[str, Any]:
    """The whole ``run.json`` of the run that made a model; nothing if there is none."""
    folder = Path(model)
    if folder.name.startswith("checkpoint-") and not (folder / "run.json").is_file():
        folder = folder.parent
    record = folder / "run.json"
    if not record.is_file():
        return {}
    try:
        found = json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        sys.exit(f"error: {record} cannot be read ({error}). Mend it or move it away.")
    if not isinstance(found, dict):
        sys.exit(f"error: {record} is no record of a run: it holds no JSON object. Mend it or move it away.")
    return found


def record_merged(adapter: str, folder: Path) -> None:
    """Writes the record of an adapter's run beside the model into which the adapter was merged.

    That model is prompted as in the run, and unquantized, for so it was merged. Nothing is written of an adapter that
    no run left here.
    """
    record = record_of_model(adapter)
    if record:
        prompting = {name: value for name, value in of_settings(record).items() if name not in QUANTIZATION}
        merged = {**(record if "settings" in record else {}), "settings": prompting, "merged_from": adapter}
        (folder / "run.json").write_text(json.dumps(merged, indent=2), encoding="utf-8")


def taken(run: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Of what a run wrote down the fields of these names; half precision only where there is an accelerator."""
    off = () if torch.accelerator.is_available() else HALF
    return {name: run[name] for name in names if name in run and name not in off}


def shown(settings: Mapping[str, Any], named: Sequence[str] = ()) -> str:
    """The settings that are not those which hold anyhow and that no option names, as 'temperature 0.7, …'."""
    usual = {field.name: field.default for kind in (TaskArguments, GRPOConfig, ModelConfig) for field in fields(kind)}
    return ", ".join(
        f"{name} {brief(value)}"
        for name, value in settings.items()
        if name not in named and usual.get(name, MISSING) != value
    )


def brief(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
