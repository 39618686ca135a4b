"""The index of docs/loss.md has every public function, and no other."""

import re

from places import ROOT
from tables import each_row

from grpo_rewards import loss
from grpo_rewards.loss import formulas

PAGE = (ROOT / "docs" / "loss.md").read_text(encoding="utf-8")
INDEX = PAGE.partition("## Every function\n")[2].partition("\n## ")[0]


def rows():
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in INDEX.splitlines() if line[:3] == "| `"]


def test_the_index_is_of_what_is_public():
    listed = [re.fullmatch(r"`(.*)`", cells[0]).group(1) for cells in rows()]
    public = {*loss.__all__, *(f"formulas.{name}" for name in formulas.__all__)}
    assert sorted(listed) == sorted(public), "docs/loss.md: a row for each public name, under Every function"


@each_row("cells", rows())
def test_a_row_says_what_it_is_and_from_where_as_the_docstring_does(cells):
    name, _, what, source = cells
    assert what
    owner, _, last = name.strip("`").rpartition(".")
    said = getattr(formulas if owner else loss, last).__doc__ or ""
    for paper in re.findall(r"arXiv:[\d.]+\d", source):  # in the function itself, or, for BNPO, as what it is not
        assert paper in said, (name, paper)
    if owner:
        numbers = re.findall(r"\d+", source.partition("equation")[2])
        assert all(re.search(rf"equations? .*\b{number}\b", said) for number in numbers), (name, numbers)
