"""What the settings need of the machine: packages, a precision, a folder to write into, and the model's files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from huggingface_hub import HfApi, constants
from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError
from transformers import PretrainedConfig
from transformers.integrations.integration_utils import INTEGRATION_TO_CALLBACK, get_available_reporting_integrations
from transformers.utils import is_bitsandbytes_available, is_flash_attn_2_available, is_liger_kernel_available
from trl import GRPOConfig, ModelConfig
from trl.import_utils import is_vllm_available

from running.before_loading.disk import require_writable
from running.before_loading.model_files import configuration, first_line

__all__ = ["checked_machine"]

# OSError, and the error of the library by which this version of the hub's client asks.
NOT_REACHED = cast("tuple[type[Exception], ...]", HfHubHTTPError.__bases__)
# What is installed under another name than report_to's.
PACKAGES = {"comet_ml": "comet-ml", "azure_ml": "azureml-mlflow"}


def checked_machine(training: GRPOConfig, model: ModelConfig, *, on_cpu_by_choice: bool) -> PretrainedConfig:
    """The model's configuration, if the machine has all that the settings need; else ends the program.

    Args:
        training: the settings of the run.
        model: which model, and how it is to be loaded.
        on_cpu_by_choice: whether ``use_cpu`` was set by the user, and not because there is no accelerator.
    """
    for message in (
        *no_steps(training),
        *missing_packages(training, model),
        *wrong_precision(training, on_cpu_by_choice),
    ):
        sys.exit(f"error: {message}")
    require_writable(Path(training.output_dir))
    if training.push_to_hub:
        require_hub(training.hub_token)
    return configuration(model.model_name_or_path, model.model_revision)


def no_steps(training: GRPOConfig) -> Iterator[str]:
    """A message where the settings want no step at all; too few problems for one are reported with the rewards."""
    if training.max_steps == 0:
        yield "--max_steps 0 is no number of steps: set 1 or more, or leave it out and set --num_train_epochs."
    elif training.max_steps < 0 and training.num_train_epochs <= 0:
        yield "--num_train_epochs 0 trains zero steps: set --max_steps, or more epochs."


def require_hub(token: str | None) -> None:
    """Ends the program where nothing could be pushed: the hub cannot be reached, or does not know who one is."""
    otherwise = "or pass --push_to_hub false and push the output folder later"
    if constants.HF_HUB_OFFLINE:
        sys.exit(f"error: --push_to_hub: HF_HUB_OFFLINE forbids it. Unset that, {otherwise}.")
    try:
        HfApi().whoami(token=token)
    except LocalTokenNotFoundError:
        sys.exit(f"error: --push_to_hub needs a token: hf auth login or HF_TOKEN, {otherwise}.")
    except HfHubHTTPError as error:
        sys.exit(f"error: --push_to_hub: {constants.ENDPOINT}: {first_line(error)} Log in: hf auth login, {otherwise}.")
    except NOT_REACHED as error:
        why = f"{constants.ENDPOINT} cannot be reached ({first_line(error)})"
        sys.exit(f"error: --push_to_hub: {why}. Check the network and its proxy, {otherwise}.")


def missing_packages(training: GRPOConfig, model: ModelConfig) -> Iterator[str]:
    """A message for each package that a setting needs and that is not installed."""
    available = get_available_reporting_integrations()
    for name in training.report_to:
        if name not in INTEGRATION_TO_CALLBACK:
            yield f"--report_to {name} is unknown. Known: none, {', '.join(sorted(INTEGRATION_TO_CALLBACK))}."
        elif name not in available:
            yield f"--report_to {name} needs a package: pip install {PACKAGES.get(name, name)}, or --report_to none."
    quantized = "pip install bitsandbytes"
    flash = model.attn_implementation == "flash_attention_2"
    requirements = [
        ("--use_vllm", training.use_vllm, is_vllm_available, ('pip install "trl[vllm]"', "leave it out")),
        ("--load_in_4bit", model.load_in_4bit, is_bitsandbytes_available, (quantized, "pass --load_in_4bit false")),
        ("--load_in_8bit", model.load_in_8bit, is_bitsandbytes_available, (quantized, "pass --load_in_8bit false")),
        (
            "--attn_implementation flash_attention_2",
            flash,
            is_flash_attn_2_available,
            ("pip install flash-attn --no-build-isolation", "take --attn_implementation sdpa"),
        ),
        (
            "--use_liger_kernel",
            training.use_liger_kernel,
            is_liger_kernel_available,
            ("pip install liger-kernel", "leave it out"),
        ),
    ]
    for setting, wanted, is_available, (install, otherwise) in requirements:
        if wanted and not is_available():
            yield f"{setting} needs a package that cannot be used here: {install}, or {otherwise}."


def wrong_precision(training: GRPOConfig, on_cpu_by_choice: bool) -> Iterator[str]:
    """A message where half precision is set and there is no accelerator to do it on."""
    if training.device.type != "cpu" or on_cpu_by_choice:
        return
    for name in ("bf16", "fp16"):
        if getattr(training, name):
            yield (
                f"{name} is set and there is no accelerator (torch finds none). Check the driver, or train in "
                f"float32 with --{name} false; --use_cpu true --{name} true does it on the CPU all the same."
            )
