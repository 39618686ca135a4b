"""Each loss type by the gradient that its docstring states, without autograd, and GSPO by what it promises."""

import inspect
import math

import pytest
import torch
from tables import each_row
from torch import tensor
from torch.testing import assert_close

from grpo_rewards.loss import aggregation as aggregations
from grpo_rewards.loss import formulas, grpo_loss, surrogates
from grpo_rewards.loss.loss_types import FORMULAS, LOSS_TYPES

B, T, LONGEST, W, N = 4, 5, 9, 2, 33.0
MASK = tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 1, 1, 0], [1, 0, 0, 0, 0]]).double()
LENGTHS = MASK.sum(dim=1, keepdim=True)
BOUNDS = {"epsilon": 0.2, "epsilon_high": 0.28, "delta": 1.5}
SEQUENCE = {"epsilon": 0.2, "epsilon_high": 0.28}
WINDOW = {"window_tokens": N, "world_size": W}
SURROGATES = {
    "clipped": surrogates.clipped_surrogate,
    "cispo": surrogates.cispo_surrogate,
    "sapo": surrogates.sapo_surrogate,
    "vespo": surrogates.weighted_surrogate,
}


def drawn():
    generator = torch.Generator().manual_seed(6)
    logps = -torch.rand(B, T, generator=generator, dtype=torch.float64) - 0.2
    old = logps + 0.4 * torch.randn(B, T, generator=generator, dtype=torch.float64)
    advantages = torch.randn(B, T, generator=generator, dtype=torch.float64)  # of both signs in every completion
    return logps, old, advantages


def passes(ratio, advantages, epsilon, epsilon_high, delta=math.inf):
    """c: 0 where a bound decides, read off the sentence in the docstring of the module."""
    above = (ratio > 1 + epsilon_high) & (advantages > 0)
    below = (ratio < 1 - epsilon) & (advantages < 0)
    return (~(above | below | (ratio > delta))).double()


def sigmoid(x):
    return 1 / (1 + (-x).exp())


def by_token(logps, old, advantages):
    ratio = (logps - old).exp()
    return ratio * advantages * passes(ratio, advantages, **BOUNDS)


def by_completion(logps, old, advantages):
    ratio = (((logps - old) * MASK).sum(dim=1, keepdim=True) / LENGTHS).exp()
    return ratio * advantages * passes(ratio, advantages, **SEQUENCE)


def softly(logps, old, advantages):
    ratio, heat = (logps - old).exp(), 1.0 + 0.05 * (advantages <= 0).double()
    p = sigmoid(heat * (ratio - 1))
    return 4 * p * (1 - p) * ratio * advantages


def kernel(logps, old, advantages):
    w = ((logps - old) * MASK).sum(dim=1, keepdim=True).exp()
    positive = (advantages > 0).double()
    k, rate = 3 - positive, 2 + positive
    return w**k * (rate * (1 - w)).exp() * advantages


# loss type: the sentence in its docstring; minus the gradient that this is; the call
STATED = {
    "grpo": (
        "-R_it A_it c_it / (B |o_i|)",
        lambda *x: by_token(*x) / (B * LENGTHS),
        lambda leaf, old, a: formulas.grpo((leaf - old).exp(), a, MASK, **BOUNDS),
    ),
    "bnpo": (
        "-R_it A_it c_it / Σ_j |o_j|",
        lambda *x: by_token(*x) / LENGTHS.sum(),
        lambda leaf, old, a: formulas.bnpo((leaf - old).exp(), a, MASK, **BOUNDS),
    ),
    "dr_grpo": (
        "-R_it A_it c_it / (B L)",
        lambda *x: by_token(*x) / (B * LONGEST),
        lambda leaf, old, a: formulas.dr_grpo((leaf - old).exp(), a, MASK, max_completion_length=LONGEST, **BOUNDS),
    ),
    "dapo": (
        "-W R_it A_it c_it / N",
        lambda *x: W * by_token(*x) / N,
        lambda leaf, old, a: formulas.dapo((leaf - old).exp(), a, MASK, **BOUNDS, **WINDOW),
    ),
    "luspo": (
        "-s_i A_i c_i / B",
        lambda logps, old, a: by_completion(logps, old, a[:, :1]) / B,
        lambda leaf, old, a: formulas.luspo(
            (((leaf - old) * MASK).sum(dim=1, keepdim=True) / LENGTHS).exp(), a[:, :1], MASK, **SEQUENCE
        ),
    ),
    "cispo": (
        "-W min(R_it, ε_max) A_it / N",
        lambda logps, old, a: W * (logps - old).exp().clamp(max=1.1) * a / N,
        lambda leaf, old, a: formulas.cispo((leaf - old).exp(), a, MASK, logps=leaf, epsilon_high=1.1, **WINDOW),
    ),
    "sapo": (
        "-4 p_it (1 - p_it) R_it A_it / (B |o_i|)",
        lambda *x: softly(*x) / (B * LENGTHS),
        lambda leaf, old, a: formulas.sapo((leaf - old).exp(), a, MASK),
    ),
    "vespo": (
        "-W φ(w_i) A_it / N",
        lambda *x: W * kernel(*x) / N,
        lambda leaf, old, a: formulas.vespo((leaf - old) * MASK, a, MASK, logps=leaf, **WINDOW),
    ),
    "gspo": (
        "-s_i A_i c_i / (B |o_i|)",
        lambda logps, old, a: by_completion(logps, old, a[:, :1]) / (B * LENGTHS),
        lambda leaf, old, a: formulas.gspo(leaf, old, a[:, :1], MASK, **SEQUENCE),
    ),
    "gspo_token": (
        "-s_i A_it c_it / (B |o_i|)",
        lambda *x: by_completion(*x) / (B * LENGTHS),
        lambda leaf, old, a: formulas.gspo_token(leaf, old, a, MASK, **SEQUENCE),
    ),
}


def gradient(call, logps, *others):
    leaf = logps.clone().requires_grad_()
    return torch.autograd.grad(call(leaf, *others), leaf)[0]


def test_there_is_a_gradient_for_every_function():
    assert set(STATED) == set(formulas.__all__)


@each_row("name", STATED)
def test_the_gradient_is_the_one_in_the_docstring(name):
    sentence, stated, call = STATED[name]
    assert f"Gradient: {sentence}" in getattr(formulas, name).__doc__
    logps, old, advantages = drawn()
    expected = -stated(logps, old, advantages) * MASK
    assert_close(gradient(call, logps, old, advantages), expected, atol=1e-13, rtol=0)


def test_the_numbers_drawn_reach_every_bound():
    logps, old, advantages = drawn()
    ratio, counted = (logps - old).exp(), MASK == 1
    assert ((ratio > 1.28) & (advantages > 0) & counted).any()
    assert ((ratio < 0.8) & (advantages < 0) & counted).any()
    assert ((ratio > 1.5) & (advantages < 0) & counted).any()
    mean = (((logps - old) * MASK).sum(dim=1, keepdim=True) / LENGTHS).exp()
    stopped = passes(mean, advantages, **SEQUENCE) == 0
    assert stopped.any()
    assert not stopped.all()
    assert (passes(mean, advantages[:, :1], **SEQUENCE) == 0).any()


@each_row("name", LOSS_TYPES)
def test_a_function_is_made_of_the_parts_that_its_row_names(name):
    surrogate, aggregation = LOSS_TYPES[name]
    names = inspect.unwrap(FORMULAS[name]).__code__.co_names
    assert SURROGATES[surrogate].__name__ in names
    assert [one for one in names if one in aggregations.__all__] == [aggregation]


@each_row("name", LOSS_TYPES)
def test_weights_multiply_the_surrogate_and_the_penalty_is_added(name):
    # the loss is linear in both: twice that of w and p, less that of 2 w without p, is that of 2 p alone
    logps, old, advantages = drawn()
    given = {"ratio": (logps - old).exp(), "log_ratio": (logps - old) * MASK, "logps": logps, "epsilon_high": 0.3}
    given = {**given, "max_completion_length": LONGEST, "window_tokens": N}
    function = FORMULAS[name]
    names = inspect.signature(function).parameters
    given = {key: value for key, value in given.items() if key in names}
    weights, penalty = tensor([[0.5], [2.0], [1.0], [0.0]]).double(), old.abs()
    both = function(**given, advantages=advantages, mask=MASK, weights=weights, penalty=penalty)
    weighted = function(**given, advantages=advantages, mask=MASK, weights=2 * weights)
    alone = getattr(aggregations, LOSS_TYPES[name][1])
    more = {"length": LONGEST} if name == "dr_grpo" else {"window_tokens": N} if "window_tokens" in names else {}
    assert_close(2 * both - weighted, 2 * alone(penalty, MASK, **more))


@pytest.mark.parametrize(("function", "level"), [(formulas.gspo, "sequence"), (formulas.gspo_token, "sequence_token")])
def test_gspo_is_a_level_of_grpo_loss(function, level):
    logps, old, advantages = drawn()
    bounds = {"epsilon": 0.1, "epsilon_high": 0.2}
    found = grpo_loss(
        logps, advantages[:, 0], MASK, old_logps=old, loss_type="grpo", importance_sampling_level=level, **bounds
    )
    assert_close(found.loss, function(logps, old, advantages[:, :1], MASK, **bounds))


@each_row("name", FORMULAS)
def test_no_gradient_goes_through_what_is_not_the_policy(name):
    logps, old, advantages = drawn()
    given = {
        "advantages": advantages,
        "old_logps": old,
        "ref_logps": old + 0.1,
        "sampling_logps": old - 0.1,
        "importance_ratio": (0.1 * old).exp(),
    }
    leaves = {key: value.clone().requires_grad_() for key, value in given.items()}
    leaf = logps.clone().requires_grad_()
    options = {"loss_type": name, "beta": 0.1, "off_policy_threshold": 0.5, "max_completion_length": LONGEST}
    loss = grpo_loss(leaf, mask=MASK, **leaves, **options).loss
    found = torch.autograd.grad(loss, [leaf, *leaves.values()], allow_unused=True)
    assert found[0].abs().sum() > 0
    assert all(one is None for one in found[1:])


def test_old_logps_that_were_not_detached_leave_the_policys_gradient_alone():
    advantages, mask = tensor([[3.0]]), torch.ones(1, 2)
    calls = (
        lambda leaf: grpo_loss(leaf, advantages, mask, old_logps=leaf, loss_type="grpo").loss,
        lambda leaf: formulas.gspo(leaf, leaf, advantages, mask),
        lambda leaf: formulas.gspo_token(leaf, leaf, advantages, mask),
    )
    for call in calls:
        assert_close(gradient(call, torch.full((1, 2), -1.0)), torch.full((1, 2), -1.5))  # -1 · 3 / 2, and not 0


def test_a_surrogate_lets_no_gradient_through_the_advantages():
    logps, old, advantages = drawn()
    leaf = advantages.clone().requires_grad_()
    ratio = (logps - old).exp().requires_grad_()
    calls = (
        SURROGATES["clipped"](ratio, leaf, 0.2),
        SURROGATES["cispo"](ratio.detach(), leaf, ratio, 3.0),
        SURROGATES["sapo"](ratio, leaf, 1.0, 1.05),
        SURROGATES["vespo"](ratio.detach(), leaf, ratio),
    )
    for loss in calls:
        assert torch.autograd.grad(loss.sum(), [leaf], allow_unused=True) == (None,)
