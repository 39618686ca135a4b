"""The names of settings that ``trl grpo`` and recipes read, without importing them, to find those that are misspelt."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from grpo_rewards.checks.findings import Finding

__all__ = ["misspelt"]

# The files with the classes whose fields are settings: of the trainer, the model, the data and the script.
DEFINED_IN = {
    "transformers": ("training_args.py",),
    "trl": (
        "trainer/grpo_config.py",
        "trainer/base_config.py",
        "trainer/model_config.py",
        "scripts/grpo.py",
        "scripts/utils.py",
    ),
}
# Of recipes, which the package does not bring; a setting of theirs is not misspelt.
OF_RECIPES = (
    "completions_per_step",
    "dataset_path",
    "prompt_column",
    "answer_column",
    "reward_funcs",
    "reward_weights",
)
ALIKE = 0.85  # of difflib: one letter of ten in another place, or missing


def misspelt(names: Iterable[str]) -> Iterator[Finding]:
    """Warnings about settings that no one reads, where one is nearly called so; other names may be a recipe's own."""
    known = {*OF_RECIPES, *_fields()}
    if len(known) == len(OF_RECIPES):
        return
    for name in names:
        near = difflib.get_close_matches(name, known, n=1, cutoff=ALIKE) if name not in known else []
        if near:
            message = f"the settings have '{name}', which nothing reads; did you mean '{near[0]}'?"
            yield Finding(
                "warning", "settings", message, f"Write {near[0]}: trl grpo passes over what it does not know."
            )


def _fields() -> Iterator[str]:
    """The fields of all classes in these files, as far as their packages are installed."""
    for package, files in DEFINED_IN.items():
        spec = find_spec(package)
        for folder in () if spec is None else spec.submodule_search_locations or ():
            for file in files:
                path = Path(folder, file)
                if path.is_file():
                    yield from _fields_in(ast.parse(path.read_text(encoding="utf-8")))


def _fields_in(tree: ast.Module) -> Iterator[str]:
    for one in ast.walk(tree):
        if isinstance(one, ast.ClassDef):
            for line in one.body:
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                    yield line.target.id
