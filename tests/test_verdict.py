"""What a verdict shows, and that it stays as it is."""

import pickle

import pytest

from grpo_rewards import Verdict


@pytest.mark.parametrize(
    ("verdict", "shown"),
    [
        (Verdict(1.0), "Verdict(reward=1.0, reason='')"),
        (Verdict(None, "bad_answer"), "Verdict(reward=None, reason='bad_answer')"),
        (
            Verdict(0.0, "wrong", "5", "4", {"step": "value"}),
            "Verdict(reward=0.0, reason='wrong', prediction='5', answer='4', step='value')",
        ),
    ],
)
def test_a_verdict_shows_what_it_holds(verdict: Verdict, shown: str) -> None:
    assert repr(verdict) == shown


@pytest.mark.parametrize("verdict", [Verdict(1.0), Verdict(0.0, "wrong", "5", "4", {"step": "value"})])
def test_a_verdict_survives_pickling(verdict: Verdict) -> None:
    assert pickle.loads(pickle.dumps(verdict)) == verdict


def test_a_verdict_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Verdict(1.0).reward = 2.0  # type: ignore[misc]  # that is what must fail
