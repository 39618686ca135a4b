"""Writes the repository's address wherever the repository repeats it.

python docs/set_address.py https://github.com/you/grpo-rewards

The address stands in ``[project.urls]`` of pyproject.toml. It is repeated in the README, the
citation, the tutorial's badge and notebook, and the links of the issue forms, which nothing fills in.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REPEATED = ("pyproject.toml", "README.md", "CITATION.cff", "docs/tutorial.md", "docs/make_notebook.py")
REPEATED += (".github/ISSUE_TEMPLATE/config.yml",)


def address() -> str:
    """The address that pyproject.toml has."""
    found: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Repository"]
    return found


def main(words: list[str]) -> None:
    """Replaces the address in all files that have it, and makes the notebook again."""
    if len(words) != 1 or not re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+", words[0].rstrip("/")):
        raise SystemExit("name one address, such as https://github.com/you/grpo-rewards")
    before, after = (one.removeprefix("https://") for one in (address(), words[0].rstrip("/")))
    for name in REPEATED:
        file = ROOT / name
        text = file.read_text(encoding="utf-8")
        # Colab's links have the address without its host: github/you/grpo-rewards
        text = text.replace(before, after).replace(
            f"github/{before.partition('/')[2]}", f"github/{after.partition('/')[2]}"
        )
        file.write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, ROOT / "docs" / "make_notebook.py"], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
