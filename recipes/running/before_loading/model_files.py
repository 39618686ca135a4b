"""Finds the model that is named, in a folder or on the hub, without loading it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from huggingface_hub import constants, try_to_load_from_cache
from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError
from transformers import AutoConfig, PretrainedConfig
from transformers.utils import find_adapter_config_file

__all__ = ["adapter_of", "configuration", "first_line", "why_not_found"]

WEIGHTS = (
    *("model.safetensors", "model.safetensors.index.json"),
    *("pytorch_model.bin", "pytorch_model.bin.index.json"),
)


def configuration(name: str, revision: str = "main") -> PretrainedConfig:
    """The configuration of the model in a folder or on the hub; ends the program where it, or its weights, are not."""
    folder = Path(name)
    if folder.is_dir() and not any((folder / file).is_file() for file in ("config.json", "adapter_config.json")):
        sys.exit(f"error: {name} is no model's folder, it has no config.json. Name the one that a run saved into.")
    try:
        adapter = adapter_of(name, revision)
        if adapter is not None:
            return configuration(adapter["base_model_name_or_path"], adapter.get("revision") or "main")
        found = AutoConfig.from_pretrained(name, revision=revision)
    except OSError as error:
        sys.exit(f"error: {why_not_found(name, revision, error)}")
    except ValueError as error:  # an architecture that this version of transformers does not have
        sys.exit(f"error: {name}: {first_line(error)}")
    if not has_weights(name, revision):
        sys.exit(f"error: {name} has a configuration and no weights ({', '.join(WEIGHTS)}): copy or download them.")
    return found


def adapter_of(name: str, revision: str | None = None) -> dict[str, Any] | None:
    """The ``adapter_config.json`` of a folder or of the hub; ``None`` without one, and in a whole model's folder."""
    if (Path(name) / "config.json").is_file():
        return None
    found = find_adapter_config_file(name, revision=revision)
    return None if found is None else json.loads(Path(found).read_text(encoding="utf-8"))


def has_weights(name: str, revision: str) -> bool:
    """Whether the weights are there, as far as is known without calling the hub."""
    folder = Path(name)
    if folder.is_dir():
        return any((folder / file).is_file() for file in WEIGHTS)
    if not constants.HF_HUB_OFFLINE:
        return True
    return any(isinstance(try_to_load_from_cache(name, file, revision=revision), str) for file in WEIGHTS)


def why_not_found(name: str, revision: str, error: BaseException) -> str:
    """Why transformers could not find a model, in one line and with what to do.

    The reason is in the error that the hub's client raised, which is a cause of the one that transformers raises.
    """
    causes = list(causes_of(error))
    if Path(name).exists():
        return f"{name} holds no model that can be read: {first_line(error)}"
    if name.startswith(("/", ".", "~")) or name.count("/") > 1:
        return f"--model_name_or_path {name}: there is no such folder (in {Path.cwd()})."
    if any(isinstance(one, GatedRepoError) for one in causes):
        return (
            f"{name} is gated: request access at {constants.ENDPOINT}/{name}, then log in with hf auth login or set "
            "HF_TOKEN."
        )
    if any(isinstance(one, RevisionNotFoundError) for one in causes):
        return f"{name} has no revision '{revision}'. Look at its branches and tags: {constants.ENDPOINT}/{name}."
    if any(isinstance(one, RepositoryNotFoundError) for one in causes):
        return (
            f"there is no model {name} on {constants.ENDPOINT}, or it is private and you are not logged in. Check the "
            "name, or log in with hf auth login."
        )
    if constants.HF_HUB_OFFLINE:
        return (
            f"{name} is neither a folder nor in the hub's cache ({constants.HF_HUB_CACHE}), and HF_HUB_OFFLINE forbids "
            f"to fetch it. Unset that, or run hf download {name} where there is a network."
        )
    return (
        f"{name} is neither a folder nor in the hub's cache ({constants.HF_HUB_CACHE}), and {constants.ENDPOINT} "
        f"cannot be reached. Check the network and its proxy, or run hf download {name} where there is one."
    )


def causes_of(error: BaseException) -> list[BaseException]:
    """The error, and those that led to it."""
    found: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in found:
        found.append(cause)
        cause = cause.__cause__ or cause.__context__
    return found


def first_line(error: BaseException) -> str:
    """The message of an error, up to the end of its first line."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
