"""The output folder: whether it can be written into, and whether the checkpoints fit on its disk."""

from __future__ import annotations

import math
import shutil
import sys
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import torch
import transformers
from peft import PeftConfig, get_peft_model
from transformers import PretrainedConfig
from trl import GRPOConfig, ModelConfig, get_peft_config

__all__ = ["checkpoint_bytes", "require_space", "require_writable", "sizes"]

BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}


def require_writable(folder: Path, option: str = "--output_dir") -> None:
    """Ends the program where the folder of an option, or what would have to be made for it, cannot be written into."""
    there = existing_part(folder)
    if not there.is_dir():
        sys.exit(f"error: {option} {folder}: {there} is a file. Move it away, or pass another {option}.")
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        sys.exit(f"error: {option} {folder} cannot be written ({error.strerror}). Pass another {option}.")


def existing_part(path: Path) -> Path:
    """The path itself, or the nearest above it that exists."""
    return next(part for part in (path.absolute(), *path.absolute().parents) if part.exists())


def require_space(
    training: GRPOConfig, model: ModelConfig, config: PretrainedConfig, rows: int, staying: Collection[Path] = ()
) -> None:
    """Ends the program where the disk has less room than the checkpoints of the run will take at the same time.

    That is one checkpoint more than ``save_total_limit``, for the oldest is removed once the newest is written, and the
    model itself at the end. Where the run saves fewer, or there is no limit, it is as many as it saves. What
    checkpoints in the folder take already is counted as free, for they are among these or are removed before, but not
    that of those that are put aside. A model whose size is unknown is not checked.

    Args:
        training: the settings of the run.
        model: how the model is loaded and trained.
        config: the model's configuration.
        rows: how many problems an epoch has.
        staying: checkpoints in the folder that are put aside.
    """
    found = sizes(config, get_peft_config(model))
    if found is None:
        return
    parameters, trained = found
    one = checkpoint_bytes(parameters, trained, training, model, config)
    folder = Path(training.output_dir)
    kept = checkpoints_at_once(training, rows)
    needed = one * kept + weights_bytes(trained, training, model, config)
    going = [path for path in folder.glob("checkpoint-*") if path not in staying]
    taken = sum(file.stat().st_size for path in going for file in path.glob("**/*") if file.is_file())
    free = shutil.disk_usage(existing_part(folder)).free + taken
    if free < needed:
        sys.exit(
            f"error: {folder} has {in_gb(free)} free, and {kept} checkpoints of {in_gb(one)} and the model need "
            f"{in_gb(needed)}. Pass another --output_dir, a lower --save_total_limit, or --save_only_model, which "
            "cannot be resumed."
        )


def sizes(config: PretrainedConfig, lora: PeftConfig | None) -> tuple[int, int] | None:
    """How many parameters the model has, and how many of them, or of its adapter, are trained and saved.

    The model is built without memory for its weights, from its configuration.

    Returns:
        The two numbers, or ``None`` where the architecture is not one of transformers. Ends the program where the
        adapter does not fit the model.
    """
    architecture = getattr(transformers, (config.architectures or [""])[0], None)
    if architecture is None:
        return None
    with torch.device("meta"):
        model = architecture(config)
        parameters = model.num_parameters()
        if lora is None:
            return parameters, parameters
        try:
            return parameters, get_peft_model(model, lora).num_parameters(only_trainable=True)
        except ValueError as error:  # no module of the model has such a name
            # TRL makes a pattern of a name that stands alone
            sys.exit(f"error: {error} Name several --lora_target_modules, or a pattern such as '.*q_proj'.")


def checkpoint_bytes(
    parameters: int, trained: int, training: GRPOConfig, model: ModelConfig, config: PretrainedConfig
) -> int:
    """How much disk one checkpoint takes, from below: the weights that are trained, and AdamW's two numbers for each.

    With W bytes for a weight (4 for float32, 2 for bfloat16), n weights that are trained (of an adapter, those of the
    adapter) and N in the whole model: W·n, and 2·W·n for AdamW (2·n if it keeps 8 bits, nothing with
    ``save_only_model`` or with another optimizer), and W·N for a reference that is refreshed (``sync_ref_model``).
    """
    weights = weights_bytes(trained, training, model, config)
    states = 0
    if not training.save_only_model and "adamw" in str(training.optim.value):
        states = 2 * trained if "8bit" in str(training.optim.value) else 2 * weights
    reference = weights // max(trained, 1) * parameters if training.sync_ref_model else 0
    return weights + states + reference


def weights_bytes(trained: int, training: GRPOConfig, model: ModelConfig, config: PretrainedConfig) -> int:
    """The bytes of the weights that are saved. Adapters are kept in float32, and on quantized models in bfloat16."""
    if model.use_peft:
        return trained * (2 if model.load_in_4bit or model.load_in_8bit else 4)
    dtype: Any = (training.model_init_kwargs or {}).get("dtype", model.dtype)
    name = str(config.dtype if dtype in (None, "auto") else dtype).removeprefix("torch.")
    return trained * BYTES.get(name, 2)


def checkpoints_at_once(training: GRPOConfig, rows: int) -> int:
    """How many checkpoints are on the disk at the same time, at the most."""
    if training.save_strategy.value == "no":
        return 0
    steps = training.max_steps
    batch = training.per_device_train_batch_size * training.world_size * training.gradient_accumulation_steps
    an_epoch = rows * training.num_generations * training.num_iterations / batch
    if steps <= 0:
        steps = math.ceil(training.num_train_epochs * an_epoch)
    every = an_epoch if training.save_strategy.value == "epoch" else training.save_steps
    if every < 1:  # a share of all steps
        every = math.ceil(every * steps)
    saves: int = math.ceil(steps / max(every, 1))
    limit: int | None = training.save_total_limit
    return min(saves, limit + 1) if limit else saves


def in_gb(size: float) -> str:
    return f"{size / 1e9:.2f} GB"
