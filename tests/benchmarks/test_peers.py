"""What functions of other projects pay otherwise: all has a name, each name has rows, and the page the figures."""

from collections.abc import Callable
from types import ModuleType

import pytest
from places import ROOT, labelled

pytest.importorskip("trl", reason="trl is not installed")


@pytest.fixture
def peers(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("peers")


def test_the_made_up_completions_show_every_difference_that_has_a_name(peers: ModuleType) -> None:
    made = peers.written([*peers.made_up(), *peers.made_up_once()])
    boxes = peers.written(list(peers.made_up_boxes()))
    judged = [*((pair, made) for pair in peers.pairs()), *((pair, boxes) for pair in peers.of_boxes())]
    for pair, completions in judged:
        found = peers.differences(pair, completions)
        assert set(found) == set(pair.names), pair.function


def test_an_early_answer_is_reported_from_one_in_another_form(peers: ModuleType) -> None:
    (pair,) = [one for one in peers.pairs() if one.function == "gsm8k, strict"]
    (early,) = [one for one in peers.made_up_once() if one[0].startswith("####")]
    found = peers.differences(pair, peers.written([early, ("#### 4.0", "4")]))
    (row,) = peers.lines(pair, found, 2)
    assert "reads the last 300 characters alone (1); wants `#### 4`, and 4.0 is not 4 (1)" in row


@pytest.mark.full
@labelled
def test_the_page_has_the_figures_of_the_command(peers: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert peers.main([]) == 0
    size, _, table = capsys.readouterr().out.partition("\n\n")
    page = (ROOT / "docs" / "graders-compared.md").read_text(encoding="utf-8")
    section = page.partition("## Reward functions of other libraries\n")[2].partition("\n## ")[0]
    assert section.rpartition("\n\n")[2].strip() == table.strip()
    made = len([*peers.made_up(), *peers.made_up_once()])
    # both as DAPO's equation 13 has it
    assert (
        "| `get_soft_overlong_punishment` | `soft_overlong(max_tokens=256, buffer=64)` | 100.0 % | nothing |" in table
    )
    for count in (made, int(size.split()[0].replace(",", "")) - made):
        assert f"{count:,}" in section
