"""What is suspected of a simulated policy: nothing of an honest one, and of each hack what it is."""

from __future__ import annotations

import pytest
from simulated_runs import HACKED, HONEST, simulated
from tables import each_row

from grpo_rewards.checks import alerts

# What is reported of each hack first, and of some by another rule as well.
RULES = {
    "format alone": "only proxies",
    "format and steps alone": "longer, not better",
    "terse": "shorter, not better",
    "terse, tags kept": "shorter, not better",
    "always A of four": "one answer",
    "always yes": "one answer",
    "always C of three": "one answer",
    "two of four": "one answer",
    "words of reflection": "keywords",
    "words of reflection, longer": "keywords",
    "repetition": "repetition",
    "one text": "same text",
    "many boxes": "many candidates",
    "the question again": "prompt copied",
    "silence": "empty",
    "filler": "longer, not better",
    "praise": "keywords",
}
NEW_HONEST = ("doubles in length", "quadruples in length", "learns to check")
NEW_RULES = ("format alone", "terse", "always A of four")


def suspicions(kind: dict[str, object], name: str) -> set[str]:
    run = kind[name]
    history, tables, gold = simulated(run)
    return {one.rule for one in alerts(history, tables, gold, [*run.rewards.values()]) if one.kind == "cheating"}


@each_row("name", NEW_HONEST)
def test_an_honest_run_is_not_suspected(name: str) -> None:
    assert suspicions(HONEST, name) == set()


@each_row("name", NEW_RULES)
def test_a_hack_is_suspected_by_its_name(name: str) -> None:
    assert RULES[name] in suspicions(HACKED, name)


@pytest.mark.full
@each_row("name", [one for one in HONEST if one not in NEW_HONEST])
def test_no_honest_run_is_suspected(name: str) -> None:
    assert suspicions(HONEST, name) == set()


@pytest.mark.full
@each_row("name", [one for one in HACKED if one not in NEW_RULES])
def test_each_hack_is_suspected_by_its_name(name: str) -> None:
    assert RULES[name] in suspicions(HACKED, name)
