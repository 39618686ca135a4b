"""A model as it lies there: a folder of a run or of one of its checkpoints, an adapter, or a name on the hub."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import AutoConfig, AutoTokenizer, PreTrainedTokenizerBase
from transformers.utils import find_adapter_config_file

__all__ = ["Checkpoint", "checkpoint"]


@dataclass(frozen=True)
class Checkpoint:
    """A model that can be loaded.

    Attributes:
        name: its folder, or its name on the hub.
        base: the model that it adapts, where it is an adapter.
        rank: of that adapter.
        tokenizer: its own, or that of the base.
        weights: tells its weights from those that lay there at another time.
    """

    name: str
    base: str | None
    rank: int
    tokenizer: PreTrainedTokenizerBase
    weights: str

    def merged(self, **options: Any) -> Any:
        """The model with its adapter merged into it; only of a checkpoint that is an adapter."""
        from peft import AutoPeftModelForCausalLM

        return AutoPeftModelForCausalLM.from_pretrained(self.name, **options).merge_and_unload()


def checkpoint(name: str, revision: str | None = None) -> Checkpoint:
    """What lies there; ends the program with a message where nothing does, or where it cannot be talked to."""
    folder = Path(name)
    if folder.exists() and not any((folder / file).is_file() for file in ("config.json", "adapter_config.json")):
        sys.exit(f"error: {name} holds no model: neither a config.json nor an adapter_config.json is in it.")
    try:
        found = find_adapter_config_file(name, revision=revision)
        adapter = {} if found is None else json.loads(Path(found).read_text())
        base = adapter.get("base_model_name_or_path")
        own = not folder.exists() or (folder / "tokenizer_config.json").is_file()
        tokenizer = AutoTokenizer.from_pretrained(name if own or base is None else base, revision=revision)
        weights = weights_of(name, revision, is_adapter=base is not None)
    except (OSError, ValueError) as error:
        sys.exit(f"error: cannot load {name}: {str(error).splitlines()[0]}")
    if tokenizer.chat_template is None:
        sys.exit(f"error: {name} has no chat template; use an instruct model.")
    return Checkpoint(name, base, adapter.get("r", 0), tokenizer, weights)


def weights_of(name: str, revision: str | None, *, is_adapter: bool) -> str:
    """The files of a folder with their sizes and times, or the commit on the hub."""
    folder = Path(name)
    if not folder.is_dir():
        commit = None if is_adapter else AutoConfig.from_pretrained(name, revision=revision)._commit_hash
        return f"{name}@{commit or revision}"
    files = sorted(path for kind in ("*.safetensors", "*.bin", "*config.json") for path in folder.glob(kind))
    return json.dumps([[path.name, path.stat().st_size, path.stat().st_mtime_ns] for path in files])
