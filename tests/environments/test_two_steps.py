"""What is tried with every TRL works with the installed one: two steps of a real trainer, of messages and of text."""

import pytest

pytest.importorskip("trl", reason="trl is not installed")

import two_steps


def test_two_steps_find_all_that_a_trainer_should_offer() -> None:
    found = dict(two_steps.findings())
    assert found == dict.fromkeys(found, two_steps.YES)
    assert len(found) == 18
