"""Names are the words of the field: no module, class, function, parameter or variable of the package and of the recipes
has one of a private vocabulary. What each was replaced by is in docs/what-moved.md."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from places import ROOT

PRIVATE = set(
    """asked cheat cheats cheating exam exams examinee hear heard hears hearing junk lack lacks paid patience polarity
    resting said singling stance stances taste told trying""".split()
)
# Names that users may have written, which go on working beside the new ones.
ALIASES = {
    "grpo_rewards/answers/__init__.py": {"DEFAULT_TASTE", "Patience", "Taste", "find_said"},
    "grpo_rewards/registry/__init__.py": {"Asked"},
    "grpo_rewards/registry/interface.py": {"asked"},
}
SOURCES = [path for folder in ("grpo_rewards", "recipes") for path in sorted((ROOT / folder).rglob("*.py"))]


def words(name: str) -> set[str]:
    return set(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_"))


def names_in(path: Path) -> Iterator[tuple[int, str]]:
    for part in path.relative_to(ROOT).with_suffix("").parts:
        yield 0, part
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.arg(arg=name)
            ):
                yield node.lineno, name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name


def test_names_are_the_words_of_the_field() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in SOURCES
        for line, name in names_in(path)
        if PRIVATE & words(name) and name not in ALIASES.get(str(path.relative_to(ROOT)), ())
    }
    assert not found, "\n".join(sorted(found))
