"""The contract of rewards as tests of pytest, one for each clause and reward. pytest finds it by an entry point.

In a test file, ``reward_clause`` is one clause of one of the rewards that the mark names::

    @pytest.mark.grpo_rewards("plain_speech.short_sentences(words=20)", "plain_speech.no_hedging")
    def test_contract(reward_clause):
        reward_clause()

What needs the package is imported where a test requests it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Collection

    from grpo_rewards.checks.contract import Case, Rows

MARK = "grpo_rewards"
FIXTURE = "reward_clause"
Check = Callable[[], None]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{MARK}(*rewards, rows=None, group=None, without=()): the rewards, or their specs, of which {FIXTURE} is a "
        "clause; arguments as of grpo_rewards.checks.check_reward",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if FIXTURE not in metafunc.fixturenames:
        return
    marks = [mark for mark in metafunc.definition.iter_markers(MARK) if mark.args]
    if not marks:
        pytest.fail(f'{FIXTURE} needs the rewards: @pytest.mark.{MARK}("my_package.my_reward")', pytrace=False)
    try:
        checks = [check for mark in marks for reward in mark.args for check in _checks(reward, **mark.kwargs)]
    except (TypeError, ValueError) as error:  # a RewardError is one of the latter
        pytest.fail(str(error), pytrace=False)
    metafunc.parametrize(FIXTURE, [check for _, check in checks], ids=[name for name, _ in checks])


def _checks(
    reward: Any, rows: Rows | None = None, group: int | None = None, without: Collection[str] = ()
) -> list[tuple[str, Check]]:
    """(name, test) for each clause of the contract of one reward."""
    from grpo_rewards.checks.contract import case_of, clauses_without

    case = case_of(reward, rows, group)
    return [(f"{case.name}-{name}", partial(_check, case, name)) for name in clauses_without(without)]


def _check(case: Case, clause: str) -> None:
    from grpo_rewards.checks.contract import CLAUSES, BrokenContract

    __tracebackhide__ = True
    breach = CLAUSES[clause].breach(case)
    if breach is not None:
        raise BrokenContract(case.name, [breach])
