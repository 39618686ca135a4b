"""The whole loss: by its limits, by a second oracle in plain Python, and by finite differences."""

import math
from itertools import product

import torch
from plain_oracle import plain_gradient, plain_loss
from tables import each_row
from torch import tensor
from torch.testing import assert_close

from grpo_rewards import loss as of

ONES = torch.ones(2, 3)
A = tensor([1.0, -1.0])
NAN = math.nan


def test_what_stands_where_the_mask_is_0_counts_for_nothing():
    mask = tensor([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    for name in of.LOSS_TYPES:
        results = []
        for rubbish in (0.0, NAN, math.inf, -1e30):
            logps = torch.where(mask == 1, tensor(-0.5), tensor(rubbish)).requires_grad_()
            old, ref = (torch.where(mask == 1, tensor(one), tensor(rubbish)) for one in (-0.6, -0.7))
            found = of.grpo_loss(
                logps, A, mask, old_logps=old, ref_logps=ref, beta=0.1, loss_type=name, max_completion_length=9
            )
            (gradient,) = torch.autograd.grad(found.loss, logps)
            assert (gradient[mask == 0] == 0).all()
            results.append((found.loss.item(), gradient.nan_to_num().sum().item()))
        assert len(set(results)) == 1
        assert all(map(math.isfinite, results[0]))


def test_a_batch_that_is_masked_altogether_is_a_loss_of_zero():
    for name in of.LOSS_TYPES:
        logps = torch.full((2, 3), -1.0, requires_grad=True)
        loss = of.grpo_loss(logps, A, torch.zeros(2, 3), loss_type=name, max_completion_length=9).loss
        (gradient,) = torch.autograd.grad(loss, logps)
        assert loss == 0
        assert (gradient == 0).all()


def test_accumulating_over_a_window_is_the_loss_of_the_whole_batch():
    generator = torch.Generator().manual_seed(1)
    logps = -torch.rand(8, 5, generator=generator)
    mask = (torch.rand(8, 5, generator=generator) > 0.3).float()
    advantages = torch.randn(8, generator=generator)
    old = logps + 0.2 * torch.randn(8, 5, generator=generator)
    for name in ("dapo", "cispo", "vespo"):
        whole = of.grpo_loss(logps, advantages, mask, old_logps=old, loss_type=name).loss
        # two ranks of two micro-batches each; DDP takes the mean over ranks
        parts = [
            of.grpo_loss(
                logps[at : at + 2],
                advantages[at : at + 2],
                mask[at : at + 2],
                old_logps=old[at : at + 2],
                loss_type=name,
                window_tokens=mask.sum(),
                world_size=2,
                accumulation_steps=2,
            ).loss
            for at in range(0, 8, 2)
        ]
        assert_close(sum(parts) / 2, whole)


def test_the_entropy_bonus_raises_the_entropy():
    logits = torch.randn(2, 3, 7, generator=torch.Generator().manual_seed(0)).requires_grad_()
    entropies = of.token_entropies(logits)
    loss = of.grpo_loss(torch.zeros(2, 3), A * 0, ONES, entropies=entropies, entropy_coef=0.5).loss
    assert_close(loss, -0.5 * entropies.mean())
    (gradient,) = torch.autograd.grad(loss, logits)
    assert of.token_entropies(logits - gradient).mean() > entropies.mean()


SETTINGS = list(
    product(
        of.LOSS_TYPES,
        ("token", "sequence", "sequence_token"),
        ((0.2, 0.2, None), (0.1, 0.4, 1.8)),
        ((0.0, False), (0.05, False), (0.05, True)),
        (False, True),
    )
)


def drawn(on_policy):
    generator = torch.Generator().manual_seed(11)

    def normal(scale):
        return scale * torch.randn(4, 5, generator=generator, dtype=torch.float64)

    logps = -normal(1.0).abs() - 0.2
    mask = tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 0, 0, 0, 0], [1, 0, 1, 1, 0]]).double()
    return (
        logps,
        tensor([1.3, -0.8, 0.5, -1.1]).double(),
        mask,
        None if on_policy else logps + normal(0.4),
        logps + normal(0.3),
    )


@each_row("name, level, bounds, kl, on_policy", SETTINGS)
def test_plain_python_agrees_in_value_and_finite_differences_in_gradient(name, level, bounds, kl, on_policy):
    logps, advantages, mask, old, ref = drawn(on_policy)
    tensors = {"advantages": advantages, "mask": mask, "old_logps": old, "ref_logps": ref}
    settings = {"loss_type": name, "importance_sampling_level": level, "beta": kl[0], "bias_correction_kl": kl[1]}
    settings |= dict(zip(("epsilon", "epsilon_high", "delta"), bounds, strict=True))
    settings |= {"max_completion_length": 9, "window_tokens": 33.0, "world_size": 2, "accumulation_steps": 3}
    leaf = logps.clone().requires_grad_()
    found = of.grpo_loss(leaf, **tensors, **settings)
    plain = {**settings, **{name: None if one is None else one.tolist() for name, one in tensors.items()}}
    expected = plain_loss(logps.tolist(), frozen=logps.tolist(), **plain)
    assert abs(found.loss.item() - expected) <= 1e-12 * max(1, abs(expected))
    (gradient,) = torch.autograd.grad(found.loss, leaf)
    assert_close(gradient, tensor(plain_gradient(logps.tolist(), **plain), dtype=torch.float64), atol=1e-9, rtol=0)
