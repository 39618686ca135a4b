"""Draws who imports whom, from the imports themselves, and writes the picture into CONTRIBUTING.md.

python docs/draw_imports.py
"""

import re
from pathlib import Path

import grimp

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"
BLOCK = re.compile(r"(<!-- imports -->\n).*?(<!-- /imports -->)", re.DOTALL)
PACKAGES = ("grpo_rewards", "grpo_rewards.answers")


def picture() -> str:
    """A Mermaid graph: an arrow from each part of the package, and of the answers, to what it imports.

    An arrow that follows from others (a to b and b to c make a to c) is left out.
    """
    lines = ["flowchart TD"]
    for package in PACKAGES:
        imports = _imports(package)
        implied = {(one, other) for one, between in imports for other in _reached(between, imports)}
        arrows = [f"  {one} --> {other}" for one, other in sorted(imports - implied)]
        lines += [f"  subgraph {package}", *(f"  {arrow}" for arrow in arrows), "  end"]
    return "\n".join(lines)


def _imports(package: str) -> set[tuple[str, str]]:
    """Which part of a package imports which other one."""
    graph = grimp.build_graph("grpo_rewards")
    pairs = {
        (_part(importer, package), _part(imported, package))
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
    }
    return {(one, other) for one, other in pairs if one and other and one != other}


def _reached(start: str, imports: set[tuple[str, str]]) -> set[str]:
    """All parts that a part imports, directly or through others."""
    found = {other for one, other in imports if one == start}
    return found.union(*(_reached(one, imports) for one in found))


def _part(module: str, package: str) -> str | None:
    """The part of a package that a module belongs to, such as ``latex``; ``None`` if it is outside, or the package."""
    inside = module.removeprefix(f"{package}.")
    return None if inside == module else inside.partition(".")[0]


def page() -> str:
    """The page as it should be."""
    block = f"```mermaid\n{picture()}\n```\n"
    return BLOCK.sub(lambda found: f"{found.group(1)}{block}{found.group(2)}", PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
