"""Ends a recipe with what to install, if a package that it needs is missing. To be imported before any of them."""

from __future__ import annotations

import sys
from importlib.util import find_spec

PACKAGES = (
    *("grpo_rewards", "torch", "trl", "transformers", "datasets", "accelerate", "peft"),
    *("matplotlib", "psutil", "tqdm", "yaml"),
)

missing = [name for name in PACKAGES if find_spec(name) is None]
if missing:
    sys.exit(f"error: the recipes need {', '.join(missing)}: pip install -c constraints.txt -e '.[recipes]'")
