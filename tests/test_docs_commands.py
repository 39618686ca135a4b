"""Every command in a bash block of the README and the docs is one: its script is there, and its options are known.

Most of them are also run, with the Python of their page: tests/test_docs.py.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from page_blocks import PAGES
from places import RECIPES, ROOT
from tables import each_row

pytest.importorskip("trl", reason="trl is not installed")

BLOCK = re.compile(r"^```bash\n(.*?)^```", re.DOTALL | re.MULTILINE)
PLACEHOLDER = re.compile(r"[A-Z_]+")  # such as MODEL


def commands() -> Iterator[tuple[str, list[str]]]:
    for page in [*PAGES, RECIPES / "README.md"]:
        for block in BLOCK.findall(page.read_text()):
            for line in block.replace("\\\n", " ").splitlines():
                for part in line.split("&&"):
                    if words := shlex.split(part, comments=True):
                        yield f"{page.relative_to(ROOT)}: {' '.join(words)}", words


COMMANDS = dict(commands())
# what a command copies, by where to
COPIES = {
    to if to.endswith(".py") else f"{to}{Path(source).name}": source
    for _, source, to in (words for words in COMMANDS.values() if words[0] == "cp")
}


def test_there_are_commands() -> None:
    assert len(COMMANDS) > 20


@each_row("words", COMMANDS.values())
def test_the_files_that_a_command_names_are_there(words: list[str]) -> None:
    for word in words:
        if word.startswith(("recipes/", "tests/", "docs/")):
            assert (ROOT / COPIES.get(word, word)).exists(), word


@pytest.mark.parametrize("words", [words for words in COMMANDS.values() if words[0] == "grpo-rewards"], ids=" ".join)
def test_a_command_of_ours_takes_these_options(words: list[str], tmp_path: Path) -> None:
    from typer.main import get_command

    from grpo_rewards.command_line import app

    _, command, _ = get_command(app).resolve_command(None, words[1:])  # type: ignore[attr-defined]
    command.make_context(words[1], words[2:])  # parses, and runs nothing


def of_recipes() -> Iterator[list[str]]:
    for words in [words for words in COMMANDS.values() if words[0] != "cp"]:
        at = next((at for at, word in enumerate(words) if re.fullmatch(r"recipes/\w+\.py", word)), None)
        if at is not None:
            yield words[at:]


@each_row("words", list(of_recipes()))
def test_a_recipe_takes_these_options(words: list[str]) -> None:
    from training.arguments import ScriptArguments
    from trl import GRPOConfig, ModelConfig

    known = {field.name for kind in (ScriptArguments, GRPOConfig, ModelConfig) for field in fields(kind)} | {"config"}
    source = (ROOT / COPIES.get(words[0], words[0])).read_text()
    for word in words[1:]:
        if word.startswith("--") and not PLACEHOLDER.fullmatch(word):
            name = word.removeprefix("--").partition("=")[0]
            assert name in known or f'"--{name}"' in source or re.search(rf"^    {name}: ", source, re.MULTILINE), word
