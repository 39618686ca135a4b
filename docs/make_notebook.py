"""Writes docs/tutorial.ipynb: the blocks of docs/tutorial.md as cells.

python docs/make_notebook.py
"""

import json
import re
from pathlib import Path

PAGE = Path(__file__).with_name("tutorial.md")
# Where a notebook is opened by itself, as in Colab, there is no clone yet.
FETCH = """# Fetches the repository where this notebook was opened by itself, as in Colab.
import os
import subprocess
import sys
from pathlib import Path

if not any((folder / "recipes").is_dir() for folder in [Path.cwd(), *Path.cwd().parents]):
    subprocess.run(["git", "clone", "https://github.com/OWNER/grpo-rewards"], check=True)
    os.chdir("grpo-rewards")
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "-e", ".[recipes]"], check=True)
"""
BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.DOTALL | re.MULTILINE)


def notebook() -> str:
    """The page as a notebook without outputs, which change with every run."""
    text = PAGE.read_text(encoding="utf-8")
    words = re.sub(r"\[tutorial\.ipynb\]\S+\sis\sthis\spage\sas\sa\snotebook\.\sIt\s", "This notebook ", text)
    words = re.sub(r"\[!\[Open in Colab\].*\n\n", "", words)
    introduction, *rest = BLOCK.split(words)
    cells = []
    for number, piece in enumerate([introduction, FETCH, "", *rest]):
        if not piece:
            continue
        lines = piece.strip().splitlines(keepends=True)
        cell = {
            "cell_type": "code" if number % 2 else "markdown",
            "id": f"cell-{number}",
            "metadata": {},
            "source": lines,
        }
        cells.append(cell | ({"execution_count": None, "outputs": []} if number % 2 else {}))
    python = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": python}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    PAGE.with_suffix(".ipynb").write_text(notebook(), encoding="utf-8")
