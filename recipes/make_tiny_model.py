"""Makes a tiny model of the recipes again: a Qwen3 of a few hundred kilobytes that can do its task, but often does not.

python recipes/make_tiny_model.py {algebra,calculator,countdown,word_problems} [FOLDER]
"""

import sys
from pathlib import Path

from embedded import algebra, calculator_problems, countdown_numbers, word_problems
from embedded.warm_up import make

KINDS = {
    "algebra": algebra.WARM_UP,
    "calculator": calculator_problems.WARM_UP,
    "countdown": countdown_numbers.WARM_UP,
    "word_problems": word_problems.WARM_UP,
}

if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in KINDS:
        sys.exit(f"usage: python recipes/make_tiny_model.py {'|'.join(KINDS)} [FOLDER]")
    make(KINDS[sys.argv[1]], Path(sys.argv[2]) if len(sys.argv) == 3 else None)
