"""The weights of a run's rewards, as given and as its log tells them."""

from __future__ import annotations

import pytest
from tables import tables_beside

from grpo_rewards.checks.run.contents import adds_up, given_weights, logged_weights

TABLES = tables_beside(__file__)

LOG = {"reward": 1.5, "rewards/a/mean": 1.0, "rewards/b/mean": 0.5}


def test_weights_that_are_given_are_one_for_each() -> None:
    assert given_weights([1, 0.2], ["a", "b"]) == {"a": 1.0, "b": 0.2}
    assert given_weights([1.0], ["a", "b"]) is None
    assert given_weights(None, []) is None


def test_a_log_adds_up_if_its_total_is_the_sum_of_its_parts() -> None:
    assert adds_up(LOG, ["a", "b"])
    assert not adds_up({**LOG, "reward": 1.1}, ["a", "b"])
    assert adds_up({"reward": 1.1, "rewards/a/mean": 1.0}, ["a", "b"])  # what b gave is not there


def test_weights_are_1_where_the_log_adds_up_so() -> None:
    assert logged_weights([LOG], ["a", "b"]) == {"a": 1.0, "b": 1.0}
    assert logged_weights([], ["a"]) == {"a": 1.0}
    assert logged_weights([{**LOG, "reward": 1.1}], ["a", "b"]) is None


@pytest.mark.parametrize(
    "logs",
    TABLES["weights_that_a_log_does_not_tell_are_unknown"],
    ids=["alike", "too few", "no sum"],
)
def test_weights_that_a_log_does_not_tell_are_unknown(logs: list[dict[str, float]]) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    assert logged_weights(logs, ["a", "b"]) is None
