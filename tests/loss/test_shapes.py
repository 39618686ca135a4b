"""Bad input is told what is wrong; what stands under the mask is not looked at."""

import math

import pytest

pytest.importorskip("torch", reason="torch is not installed")

import torch
from torch import tensor

from grpo_rewards import loss as of

ONES = torch.ones(2, 3)
A = tensor([1.0, -1.0])
NAN = math.nan


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: of.combine_rewards(torch.ones(4), [1.0]), r"must be \[B, K\]"),
        (lambda: of.combine_rewards(torch.ones(4, 2), [1.0]), r"weights must have the shape \[2\], not \[1\]"),
        (lambda: of.group_advantages(torch.ones(5), 2), "5 rewards do not divide into groups of 2"),
        (lambda: of.group_advantages(torch.ones(4), 0), "do not divide into groups of 0"),
        (lambda: of.group_advantages(torch.ones(4, 1), 2), r"rewards must be \[B\]"),
        (lambda: of.group_advantages(torch.ones(4), 2, "rows"), "scale must be"),
        (lambda: of.grpo_loss(torch.ones(2), A, ONES), r"logps must be \[B, T\]"),
        (lambda: of.grpo_loss(ONES, A, torch.ones(2, 4)), r"mask must have the shape \[2, 3\], not \[2, 4\]"),
        (lambda: of.grpo_loss(ONES, torch.ones(3), ONES), r"advantages must have the shape \[2, 1\] or \[2, 3\]"),
        (lambda: of.grpo_loss(ONES, A, ONES, old_logps=torch.ones(3, 2)), "old_logps must have the shape"),
        (lambda: of.grpo_loss(ONES * NAN, A, ONES), "logps is NaN at completion 0, token 0, where the mask is 1"),
        (lambda: of.grpo_loss(ONES, A, ONES, beta=0.1), "beta is 0.1, so the KL needs ref_logps"),
        (lambda: of.grpo_loss(ONES, A, ONES, loss_type="ppo"), "loss_type must be one of grpo, bnpo"),
        (lambda: of.grpo_loss(ONES, A, ONES, loss_type="dr_grpo"), "give max_completion_length"),
        (lambda: of.grpo_loss(ONES, A, ONES, entropy_coef=0.1), "needs the entropies"),
        (lambda: of.grpo_loss(ONES, A, ONES, importance_sampling_level="word"), "must be 'token' or 'sequence'"),
        (lambda: of.high_entropy_mask(ONES, ONES, 0.0), "must be above 0 and at most 1"),
        (lambda: of.importance_sampling_ratio(ONES, ONES, ONES, "clip"), "correction must be one of"),
        (lambda: of.importance_sampling_ratio(ONES, ONES, ONES, "token_truncate"), "a truncation needs a bound"),
        (lambda: of.token_logps(torch.ones(2, 3), torch.ones(2, 3).long()), r"logits must be \[B, T, V\]"),
        (lambda: of.token_logps(torch.ones(2, 3, 4), torch.ones(2, 3).long(), temperature=0), "temperature must be"),
        (lambda: of.token_entropies(torch.ones(2, 3, 4), chunk=0), "chunk must be at least 1"),
    ],
)
def test_bad_input_is_told_what_is_wrong(call, said):
    with pytest.raises(ValueError, match=said):
        call()


@pytest.mark.parametrize("name", ["importance_ratio", "entropy_mask", "entropies", "sampling_logps"])
@pytest.mark.parametrize("shape", [(1, 3), (3,), (), (2, 2), (3, 2, 3)])
def test_no_tensor_is_broadcast_by_accident(name, shape):
    with pytest.raises(ValueError, match=f"{name} must have the shape"):
        of.grpo_loss(ONES, A, ONES, **{name: torch.ones(shape)})


@pytest.mark.parametrize("name", ["advantages", "importance_ratio", "entropies", "entropy_mask"])
def test_nan_at_a_place_that_counts_is_an_error_and_under_the_mask_nothing(name):
    mask = tensor([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    given = {"advantages": torch.ones(2, 3), name: torch.ones(2, 3)}
    rubbish = given[name].masked_fill(mask == 0, NAN)
    results = []
    for held in (given[name], rubbish):
        for level in ("token", "sequence"):
            leaf = torch.full((2, 3), -1.0, requires_grad=True)
            arguments = {**given, name: held, "entropy_coef": 0.1, "entropies": held if name == "entropies" else ONES}
            loss = of.grpo_loss(
                leaf, mask=mask, old_logps=ONES * -1.1, importance_sampling_level=level, **arguments
            ).loss
            (gradient,) = torch.autograd.grad(loss, leaf)
            assert gradient.isfinite().all()
            results.append(loss.item())
    assert results[:2] == results[2:]
    broken = given[name].clone()
    broken[0, 1] = NAN
    with pytest.raises(ValueError, match=f"{name} is NaN at completion 0, token 1"):
        of.grpo_loss(torch.full((2, 3), -1.0), mask=mask, **{**given, name: broken})
