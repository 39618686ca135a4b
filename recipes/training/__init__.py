"""What several recipes need: arguments, data, checks before a model is loaded, evaluation, progress, resuming."""

import sys
from importlib.util import find_spec
from traceback import extract_tb
from typing import Any

PACKAGES = "grpo_rewards torch trl transformers datasets accelerate peft tqdm yaml jinja2 plotly"

if missing := [name for name in PACKAGES.split() if find_spec(name) is None]:
    sys.exit(f"error: the recipes need {', '.join(missing)}: pip install -c constraints.txt -e '.[recipes]'")

from grpo_rewards import RewardError  # noqa: E402  # once it is known to be there


def show(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """Prints what is wrong with a reward that a script declares with its line, and any other error as Python does."""
    if isinstance(error, RewardError):
        at = extract_tb(trace)[0]
        print(f"error: {at.filename}, line {at.lineno}: {error}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = show
