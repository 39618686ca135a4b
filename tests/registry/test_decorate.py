"""What a decorator makes of a function, and what it does not take."""

from __future__ import annotations

from typing import Any

import pytest
from tables import each_row

from grpo_rewards import RewardError, batch_reward, get_reward, list_rewards, reward


@each_row("thing, shown", [(3, "3"), ("a_name", "'a_name'"), (dict, "<class 'dict'>"), (len, "<built-in")])
def test_only_a_function_can_be_decorated(thing: Any, shown: str) -> None:
    with pytest.raises(RewardError, match="@reward goes on a function, not on") as error:
        reward(thing)
    assert shown in str(error.value)
    with pytest.raises(RewardError, match="@batch_reward goes on a function, not on"):
        batch_reward(thing)


def test_a_decorator_with_a_name_registers_under_that_name_alone() -> None:
    @reward(name="named_by_hand")
    def some_function(completion: str) -> float:
        """What it does."""
        return 1.0

    assert some_function.__doc__ == "What it does."
    assert some_function.__name__ == "named_by_hand"
    assert get_reward("named_by_hand") is some_function
    assert "some_function" not in list_rewards()
