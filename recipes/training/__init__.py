"""What several recipes need: arguments, data, checks before a model is loaded, evaluation, progress, resuming."""

from __future__ import annotations

import sys
from importlib.util import find_spec

PACKAGES = "grpo_rewards torch trl transformers datasets accelerate peft tqdm yaml jinja2 plotly"

if missing := [name for name in PACKAGES.split() if find_spec(name) is None]:
    sys.exit(f"error: the recipes need {', '.join(missing)}: pip install -c constraints.txt -e '.[recipes]'")
