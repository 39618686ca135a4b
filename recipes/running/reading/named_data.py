"""Problems in a data set of the hub, or in a folder that holds one."""

from __future__ import annotations

import sys
from pathlib import Path

from datasets import Dataset, get_dataset_config_names, load_dataset
from datasets.exceptions import DatasetGenerationError, DatasetNotFoundError
from huggingface_hub import constants

from running.settings import TaskArguments

__all__ = ["read_named"]


def read_named(script: TaskArguments) -> tuple[Dataset, Dataset]:
    """The splits to train and to evaluate on, which may be the same one; ends the program where they are not there."""
    name = str(script.dataset_name)
    try:
        config = script.dataset_config or only_configuration(name)
        data = load_dataset(name, config)
    except (OSError, ValueError, DatasetGenerationError) as error:  # a ConnectionError is an OSError
        sys.exit(f"error: --dataset_name {name}: {why_not_loaded(name, error)}")
    for option in ("dataset_train_split", "dataset_test_split"):
        split = getattr(script, option)
        if split not in data:
            sys.exit(
                f"error: {name} has no split '{split}'. Splits: {', '.join(data)}. Pass --{option}; if the two are "
                "the same one, some of it are held out."
            )
    return data[script.dataset_train_split], data[script.dataset_test_split]


def only_configuration(name: str) -> str:
    """The configuration to take where none is named: the only one, or main."""
    names = get_dataset_config_names(name)
    if len(names) > 1 and "main" not in names:
        sys.exit(
            f"error: --dataset_name {name} has several configurations: pass --dataset_config {' or '.join(names)}."
        )
    return "main" if "main" in names else names[0]


def why_not_loaded(name: str, error: BaseException) -> str:
    """Why a data set could not be loaded, in one line and with what to do."""
    message = (str(error.__cause__ or error).strip() or type(error).__name__).splitlines()[0]
    if isinstance(error, DatasetNotFoundError) and "gated" in str(error):
        return (
            f"it is gated. Request access at {constants.ENDPOINT}/datasets/{name}, then hf auth login or set HF_TOKEN."
        )
    if isinstance(error, DatasetNotFoundError) and not Path(name).exists():
        return "there is no such data set on the hub, nor a folder of that name. Check the name, or hf auth login."
    if isinstance(error, ConnectionError) and constants.HF_HUB_OFFLINE:
        return (
            "it is not in the cache, and HF_HUB_OFFLINE forbids to fetch it. Unset that, or pass --dataset_path FILE."
        )
    if isinstance(error, ConnectionError):
        return f"{constants.ENDPOINT} cannot be reached. Check the network and its proxy, or pass --dataset_path FILE."
    return message
