"""Every clause finds what breaks it: rewards with one planted fault each."""

import re
from typing import Any

import pytest
from places import ROOT
from planted_rewards import PLANTED, nested_quantifier

from grpo_rewards.checks import CLAUSES, find_breaches, growth
from grpo_rewards.checks.contract import Breach

ROWS = [{"completion": "It is 4.", "answer": "4"}, {"completion": "so 5", "answer": "4"}]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What never ends is given up early here."""
    monkeypatch.setattr("grpo_rewards.checks.contract.seconds_for", lambda size: 0.5)
    monkeypatch.setattr(growth, "ROUNDS", 2)


def found_by(reward: Any) -> list[Breach]:
    without = {"linear"} - {clause for clause, one in PLANTED if one is reward}
    return find_breaches(reward, ROWS, without=without)


@pytest.mark.parametrize(("clause", "reward"), PLANTED, ids=lambda one: getattr(one, "__name__", one))
def test_a_planted_fault_is_found_by_its_clause_and_by_no_other(clause: str, reward: Any) -> None:
    assert [breach.clause for breach in found_by(reward)] == [clause]


def test_what_stalls_is_reported_although_its_clause_is_left_out() -> None:
    found = find_breaches(nested_quantifier, ROWS, without=["linear"])
    assert [breach.clause for breach in found] == ["linear"]
    assert "stopped after 0.5 s of processor time" in found[0].seen


def test_every_clause_has_a_planted_fault() -> None:
    assert {clause for clause, _ in PLANTED} == set(CLAUSES)


def test_the_page_has_every_clause_and_no_other() -> None:
    page = (ROOT / "docs" / "write-a-reward.md").read_text().partition("## Test it")[2]
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(CLAUSES)
