"""Makes the model that the learning curve begins with: python -m measuring.warmed_up FOLDER [--small]"""

from __future__ import annotations

from running import needed  # noqa: F401  # isort: skip  # first: it says what is missing

import sys
from dataclasses import replace
from pathlib import Path

import torch
from embedded.long_word_problems import WARM_UP
from embedded.warm_up import make

if __name__ == "__main__":
    kind = replace(WARM_UP, shape={}, steps=10, batch=16) if "--small" in sys.argv else WARM_UP
    make(kind, Path(sys.argv[1]), "cuda" if torch.cuda.is_available() else "cpu")
