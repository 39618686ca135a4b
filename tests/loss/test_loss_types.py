"""The tables of loss types: what is looked up in them, and that nothing unknown is taken for something known."""

import pytest

pytest.importorskip("torch", reason="torch is not installed")

import torch
from torch import tensor
from torch.testing import assert_close

from grpo_rewards.loss import grpo_loss
from grpo_rewards.loss.loss_types import (
    AGGREGATIONS,
    CLIPPED_ABOVE,
    CLIPPED_BELOW,
    LOSS_TYPES,
    SURROGATES,
    parts_of,
)
from grpo_rewards.loss.trl_check.watch import _formula

LOGPS = tensor([[-1.0, -2.0, -3.0], [-0.5, -0.5, -0.5]])
MASK = tensor([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
ADVANTAGES = tensor([2.0, -1.0])


@pytest.mark.parametrize("name", LOSS_TYPES)
def test_each_loss_type_has_its_parts(name):
    assert parts_of(name) == LOSS_TYPES[name]
    assert set(CLIPPED_BELOW) <= set(CLIPPED_ABOVE) <= set(SURROGATES)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (("unheard", "per_token"), "'mine' has the unknown surrogate 'unheard'. Known: clipped, cispo, sapo, vespo."),
        (
            ("vespo", "unheard"),
            "'mine' has the unknown aggregation 'unheard'. Known: per_sequence, per_token, length_scaled, "
            "over_constant, over_window.",
        ),
    ],
)
def test_a_loss_type_of_unknown_parts_is_refused_and_not_computed_as_another(parts, said, monkeypatch):
    monkeypatch.setitem(LOSS_TYPES, "mine", parts)
    with pytest.raises(ValueError) as error:  # noqa: PT011  # the whole message is compared
        grpo_loss(LOGPS, ADVANTAGES, MASK, loss_type="mine")
    assert str(error.value) == said


def test_a_new_loss_type_is_a_function_and_a_row(monkeypatch):
    monkeypatch.setitem(SURROGATES, "plain", lambda batch, options: -batch.advantages * batch.logps)
    monkeypatch.setitem(AGGREGATIONS, "plain_sum", lambda tokens, mask, options: (tokens * mask).sum())
    monkeypatch.setitem(LOSS_TYPES, "mine", ("plain", "plain_sum"))
    found = grpo_loss(LOGPS, ADVANTAGES, MASK, loss_type="mine", accumulation_steps=2)
    assert_close(found.loss, tensor(2.25))  # (-2 · (-1 - 2) + 1 · (-0.5 · 3)) / 2 = (6 - 1.5) / 2
    assert_close(found.policy_loss, tensor(4.5))
    assert (found.clip_low, found.clip_high) == (0, 0)  # it has no clip


@pytest.mark.parametrize("function", [*SURROGATES.values(), *AGGREGATIONS.values()], ids=lambda one: one.__name__)
def test_each_has_an_equation_for_the_message_of_a_mismatch(function):
    formula = _formula(function)
    assert any(sign in formula for sign in ("A", "Σ"))
    assert not formula.endswith(".")


def test_shares_of_clipped_tokens_by_hand():
    # ratios e^0.5 = 1.65 and e^-0.5 = 0.61; A = 1 for the first completion, -1 for the second
    steps, ones, signs = tensor([[0.5, 0.0], [-0.5, 0.0]]), torch.ones(2, 2), tensor([1.0, -1.0])

    def shares(**options):
        found = grpo_loss(steps, signs, ones, old_logps=torch.zeros(2, 2), **options)
        return found.clip_low.item(), found.clip_high.item()

    assert shares() == (0.25, 0.25)
    assert shares(epsilon=0.5) == (0.0, 0.25)
    assert shares(epsilon_high=0.7) == (0.25, 0.0)
    assert shares(delta=1.1) == (0.25, 0.0)  # a ratio of 1.1 is not above 1.2
    assert shares(loss_type="cispo", epsilon_high=1.0) == (0.0, 0.25)  # the one that is 1 is not above 1
    assert shares(loss_type="vespo") == (0.0, 0.0)
    # by sequence the ratios are e^0.25 = 1.28 and e^-0.25 = 0.78: each is a share of two completions
    assert shares(importance_sampling_level="sequence") == (0.5, 0.5)
