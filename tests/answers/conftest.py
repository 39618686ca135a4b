"""Each test of a reader or a formula begins with a full budget, as each pair of answers does."""

import pytest

from grpo_rewards.answers.formulas import formula


@pytest.fixture(autouse=True)
def full_budget() -> None:
    formula.start()
