"""A model as it lies there: a folder of a run or of one of its checkpoints, an adapter, or a name on the hub."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerBase
from transformers.utils import find_adapter_config_file
from transformers.utils.hub import extract_commit_hash

from running.before_loading.model_files import adapter_of, configuration

__all__ = ["Checkpoint", "checkpoint"]


@dataclass(frozen=True)
class Checkpoint:
    """A model that can be loaded.

    Attributes:
        name: its folder, or its name on the hub.
        revision: which one of the hub; ``None`` is its newest.
        base: the model that it adapts, where it is an adapter.
        base_revision: which one of that.
        rank: of that adapter.
        tokenizer: its own, or that of the base.
        weights: an identity of its weights, other than of those that lay there at another time.
    """

    name: str
    revision: str | None
    base: str | None
    base_revision: str | None
    rank: int
    tokenizer: PreTrainedTokenizerBase
    weights: str

    def model(self, **options: Any) -> Any:
        """The model, an adapter upon its base. The options are those of transformers' ``from_pretrained``."""
        if self.base is None:
            return AutoModelForCausalLM.from_pretrained(self.name, **{"revision": self.revision, **options})
        from peft import AutoPeftModelForCausalLM

        return AutoPeftModelForCausalLM.from_pretrained(self.name, **{"revision": self.revision, **options})

    def merged(self, **options: Any) -> Any:
        """The model with its adapter merged into it; only of a checkpoint that is an adapter."""
        return self.model(**options).merge_and_unload()


def checkpoint(name: str, revision: str | None = None) -> Checkpoint:
    """What lies there; ends the program with a message where nothing does, or where it cannot be talked to."""
    configuration(name, revision or "main")
    try:
        adapter = adapter_of(name, revision) or {}
        base, base_revision = adapter.get("base_model_name_or_path"), adapter.get("revision")
        tokenizer = tokenizer_of(name, revision, base, base_revision)
        weights = weights_of(name, revision)
        if base is not None:
            weights = f"{weights} on {weights_of(base, base_revision)}"
    except (OSError, ValueError) as error:
        sys.exit(f"error: cannot load {name}: {str(error).splitlines()[0]}")
    if tokenizer.chat_template is None:
        sys.exit(f"error: {name} has no chat template; use an instruct model.")
    return Checkpoint(name, revision, base, base_revision, adapter.get("r", 0), tokenizer, weights)


def tokenizer_of(
    name: str, revision: str | None, base: str | None, base_revision: str | None
) -> PreTrainedTokenizerBase:
    """Its own, which an adapter in a folder may not have; then that of the base."""
    own = base is None or not Path(name).is_dir() or (Path(name) / "tokenizer_config.json").is_file()
    found: PreTrainedTokenizerBase = (
        AutoTokenizer.from_pretrained(name, revision=revision)
        if own
        else AutoTokenizer.from_pretrained(base, revision=base_revision)
    )
    return found


def weights_of(name: str, revision: str | None) -> str:
    """The files of a folder with their sizes and times, or the commit on the hub."""
    folder = Path(name)
    if not folder.is_dir():
        adapter = find_adapter_config_file(name, revision=revision)
        commit = None if adapter is None else extract_commit_hash(adapter, None)
        if adapter is None:
            commit = AutoConfig.from_pretrained(name, revision=revision)._commit_hash
        return f"{name}@{commit or revision}"
    files = sorted(path for kind in ("*.safetensors", "*.bin", "*config.json") for path in folder.glob(kind))
    return json.dumps([[path.name, path.stat().st_size, path.stat().st_mtime_ns] for path in files])
