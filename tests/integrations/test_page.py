"""Every block of docs/integrations.md as who copies it runs it: with the program, and, without one, with stand-ins."""

import re

import pytest
from places import ROOT
from stand_ins import KINDS, MODULES, STAND_IN, use

PAGE = (ROOT / "docs" / "integrations.md").read_text()
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
BLOCKS = [(match[1], block) for block in BLOCK.findall(PAGE) if (match := re.search(r"integrations\.(\w+)", block))]
NAMES = [f"{program}-{at}" for at, (program, _) in enumerate(BLOCKS)]


def test_every_block_is_known() -> None:
    assert len(BLOCKS) == len(BLOCK.findall(PAGE)) >= 6


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("program", "block"), BLOCKS, ids=NAMES)
def test_a_block_runs(program: str, block: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind != STAND_IN or program in MODULES:  # of a program without a stand-in nothing is imported
        use(kind, monkeypatch, program)
    if "import rubric" in block and not hasattr(__import__("verifiers"), "Rubric"):
        pytest.skip("this verifiers has tasks and no rubrics")
    exec(compile(block, f"integrations.md, {program}", "exec"), {"__name__": "our_module"})  # noqa: S102  # that is the test
