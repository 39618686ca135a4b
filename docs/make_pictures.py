"""Makes the pictures in docs/pictures by running what they show: commands in a terminal, and the tutorial's curve.

python docs/make_pictures.py
"""

import io
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMMANDS = {
    "explain": r"grpo-rewards explain boxed_answer --answer 0.5 'so \boxed{\frac{2}{3}}'",
}
WIDTH = 100


def photographed(command: str) -> str:
    """A terminal with the command and what it printed, as SVG that fetches nothing."""
    program = [sys.executable, "-m", "grpo_rewards", *shlex.split(command)[1:]]
    settings = {"COLUMNS": str(WIDTH), "FORCE_COLOR": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(program, env=os.environ | settings, stdout=subprocess.PIPE, text=True)
    console = Console(record=True, width=WIDTH, file=io.StringIO())
    console.print(Text.assemble(("$ ", "green"), command))
    printed = done.stdout.replace(str(ROOT), "…").replace(sys.prefix, "…").replace(platform.release(), "…")
    console.print(Text.from_ansi(printed))
    picture = console.export_svg(title="grpo-rewards", unique_id=command.split()[1])
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)


def tutorial() -> bytes:
    """The curve that docs/tutorial.md draws, from a run of its blocks."""
    blocks = BLOCK.findall((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "recipes").symlink_to(ROOT / "recipes")
        (Path(folder) / "tutorial.py").write_text("\n".join(blocks), encoding="utf-8")
        subprocess.run(
            [sys.executable, "tutorial.py"], cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True
        )
        return (Path(folder) / "outputs" / "tutorial" / "reasons.png").read_bytes()


def main() -> None:
    """Makes all of them."""
    PICTURES.mkdir(exist_ok=True)
    for name, command in COMMANDS.items():
        (PICTURES / f"{name}.svg").write_text(photographed(command), encoding="utf-8")
    (PICTURES / "tutorial.png").write_bytes(tutorial())


if __name__ == "__main__":
    main()
