"""The loss by numbers worked by hand, by its limits, and on bad input."""

import math
from itertools import product

import pytest
import torch
from plain_oracle import plain_advantages, plain_gradient, plain_loss
from torch import tensor
from torch.testing import assert_close

from grpo_rewards import loss as of

ONES = torch.ones(2, 3)
A = tensor([1.0, -1.0])
NAN = math.nan


def test_weights_of_missing_rewards_are_not_passed_on():
    rewards = tensor([[1.0, 0.5], [NAN, 0.5], [NAN, NAN]])
    assert_close(of.combine_rewards(rewards, [1.0, 0.2]), tensor([1.1, 0.1, NAN]), equal_nan=True)


@pytest.mark.parametrize(
    ("rewards", "size", "scale", "expected"),
    [
        ([1, 0, 0, 1], 4, "group", [0.8660, -0.8660, -0.8660, 0.8660]),
        ([1, 0, 0, 1], 4, "none", [0.5, -0.5, -0.5, 0.5]),
        ([1, 0, 0, 1], 2, "group", [0.7071, -0.7071, -0.7071, 0.7071]),
        ([2, 0, 1, 1], 2, "batch", [1.2247, -1.2247, 0, 0]),  # 1 / sqrt(2 / 3)
        ([1, 1, 1, 1], 4, "group", [0, 0, 0, 0]),
        ([1, NAN, 0, NAN], 4, "group", [0.7071, 0, -0.7071, 0]),  # of two: ±0.5 / 0.7071
        ([1, NAN, NAN, NAN], 4, "group", [0, 0, 0, 0]),  # alone
        ([NAN, NAN, 1, 0], 2, "group", [0, 0, 0.7071, -0.7071]),
        ([3], 1, "group", [0]),
    ],
)
def test_advantages_by_hand(rewards, size, scale, expected):
    found = of.group_advantages(tensor(rewards, dtype=torch.float64), size, scale, eps=0.0 if scale != "none" else 1e-4)
    if rewards == [1, 1, 1, 1] or len(rewards) == 1:
        found = of.group_advantages(tensor(rewards, dtype=torch.float64), size, scale)
    assert_close(found, tensor(expected, dtype=torch.float64), atol=5e-5, rtol=0)


def test_separate_advantages_keep_the_weights_of_rewards_of_different_spread():
    # the second reward varies a hundredth as much; normalised by itself it counts as much as the first
    rewards = tensor([[1.0, 0.01], [0.0, 0.0], [1.0, 0.0], [0.0, 0.01]])
    found = of.separate_advantages(rewards, [1.0, 1.0], 4, eps=0.0)
    assert_close(found[2], found[3], atol=1e-4, rtol=0)
    together = of.group_advantages(of.combine_rewards(rewards, [1.0, 1.0]), 4, eps=0.0)
    assert together[2] - together[3] > 1.5


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


def test_clipping_by_hand():
    # clipped at 1.2: -min(1.5 · 2, 1.2 · 2) = -2.4; two-sided with delta 1.3: -min(1.3 · -2, 1.2 · -2) = 2.6
    assert_close(of.clipped_surrogate(tensor([[1.5]]), tensor([[2.0]]), 0.2), tensor([[-2.4]]))
    assert_close(of.clipped_surrogate(tensor([[1.5]]), tensor([[-2.0]]), 0.2), tensor([[3.0]]))
    assert_close(of.clipped_surrogate(tensor([[1.5]]), tensor([[-2.0]]), 0.2, delta=1.3), tensor([[2.6]]))
    assert_close(of.clipped_surrogate(tensor([[1.5]]), tensor([[2.0]]), 0.2, 0.28), tensor([[-2.56]]))


def test_cispo_keeps_the_gradient_of_what_it_clips():
    logps = tensor([[-1.0]], requires_grad=True)
    loss = of.cispo_surrogate(tensor([[9.0]]), tensor([[2.0]]), logps, ceiling=3.0).sum()
    assert loss == 6.0  # - 3 · 2 · -1
    assert torch.autograd.grad(loss, logps)[0] == -6.0


def test_sapo_has_the_slope_of_the_ratio_on_policy_and_fades_away_from_it():
    ratio = tensor([[1.0]], requires_grad=True)
    (slope,) = torch.autograd.grad(of.sapo_surrogate(ratio, tensor([[2.0]]), 1.0, 1.05).sum(), ratio)
    assert_close(slope, tensor([[-2.0]]))  # 4 σ'(0) = 1
    far = tensor([[9.0]], requires_grad=True)
    (slope,) = torch.autograd.grad(of.sapo_surrogate(far, tensor([[2.0]]), 1.0, 1.05).sum(), far)
    assert abs(slope) < 0.01


def test_gamma_weights_are_1_on_policy_and_peak_at_k_over_lambda():
    mask = torch.ones(1, 2)
    assert_close(of.gamma_weights(torch.zeros(1, 2), tensor([[1.0]]), mask), tensor([[1.0]]))
    weights = [
        of.gamma_weights(tensor([[math.log(w), 0.0]]), tensor([[1.0]]), mask).item() for w in (0.5, 2 / 3, 0.8, 1.5, 50)
    ]
    assert max(weights) == weights[1]  # k / λ = 2 / 3
    assert weights[4] < 1e-9
    # half and half as sampling ratio and as ratio is the same weight
    half = of.gamma_weights(
        tensor([[math.log(0.8), 0.0]]), tensor([[1.0]]), mask, importance_ratio=tensor([[0.625, 1.0]])
    )
    assert_close(half.item(), weights[0], atol=1e-6, rtol=0)


def test_the_sequence_ratio_is_the_geometric_mean():
    logps, old = tensor([[0.0, 0.4, 9.0]]), tensor([[0.2, 0.0, 0.0]])
    mask = tensor([[1.0, 1.0, 0.0]])
    assert_close(of.log_ratio(logps, old, mask, "sequence"), tensor([[0.1]]))  # (-0.2 + 0.4) / 2
    assert_close(of.log_ratio(logps, old, mask), tensor([[-0.2, 0.4, 0.0]]))


def test_off_policy_mask_drops_bad_completions_that_moved_away():
    logps, sampled = torch.full((3, 2), -1.0), tensor([[-0.5, -0.5], [-0.5, -0.5], [-0.99, NAN]])
    found = of.off_policy_mask(logps, sampled, tensor([1.0, -1.0, -1.0]), torch.ones(3, 2), threshold=0.1)
    assert_close(found, tensor([[1.0], [0.0], [1.0]]))


def test_high_entropy_mask_takes_the_share_that_is_asked_for():
    entropies = torch.arange(10.0).view(2, 5)
    found = of.high_entropy_mask(entropies, torch.ones(2, 5), 0.2)
    assert found.view(-1).nonzero().view(-1).tolist() == [8, 9]
    masked = of.high_entropy_mask(entropies, (entropies < 5).float(), 0.2)
    assert masked.view(-1).nonzero().view(-1).tolist() == [4]
    # with the other rank's entropies the threshold is another: 8.6 of 0 … 9 and ten times 100
    assert (
        of.high_entropy_mask(
            entropies, torch.ones(2, 5), 0.2, torch.cat([entropies.view(-1), torch.full((10,), 1e2)])
        ).sum()
        == 0
    )
    assert of.high_entropy_mask(entropies, torch.zeros(2, 5), 0.2).sum() == 0


def test_importance_sampling_ratios_by_hand():
    old, sampled, mask = tensor([[0.0, 1.0, 5.0]]), tensor([[0.5, 0.0, 0.0]]), tensor([[1.0, 1.0, 0.0]])
    by_token = tensor([[math.exp(-0.5), math.e, 1.0]])
    assert_close(of.importance_sampling_ratio(old, sampled, mask, "token_truncate", high=2.0), by_token.clamp(max=2.0))
    dropped = of.importance_sampling_ratio(old, sampled, mask, "token_mask", low=0.7, high=2.0)
    assert_close(dropped, tensor([[0.0, 0.0, 1.0]]))
    assert_close(of.importance_sampling_ratio(old, sampled, mask, "sequence_mask", high=2.0), tensor([[math.exp(0.5)]]))
    assert of.importance_sampling_ratio(old, sampled, mask, "sequence_mask", high=1.5) == 0


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


def test_log_probabilities_and_entropies_are_those_of_torch_in_any_chunks():
    logits = torch.randn(2, 5, 11, generator=torch.Generator().manual_seed(0))
    ids = torch.randint(0, 11, (2, 5), generator=torch.Generator().manual_seed(1))
    for temperature in (1.0, 0.7):
        there = torch.distributions.Categorical(logits=logits / temperature)
        for chunk in (None, 1, 2, 9):
            assert_close(of.token_logps(logits, ids, temperature, chunk), there.log_prob(ids))
            assert_close(of.token_entropies(logits, temperature, chunk), there.entropy())
    certain = torch.where(torch.arange(4) == 2, 0.0, -math.inf).view(1, 1, 4)
    assert of.token_entropies(certain) == 0


@pytest.mark.parametrize("kl", [of.kl_k1, of.kl_k2, of.kl_k3])
def test_kl_of_a_policy_with_itself_is_0(kl):
    assert (kl(ONES, ONES) == 0).all()


# A second oracle, in plain Python, and finite differences.

SETTINGS = list(
    product(
        of.LOSS_TYPES,
        ("token", "sequence"),
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


@pytest.mark.parametrize(("name", "level", "bounds", "kl", "on_policy"), SETTINGS)
def test_plain_python_agrees_in_value_and_finite_differences_in_gradient(name, level, bounds, kl, on_policy):
    logps, advantages, mask, old, ref = drawn(on_policy)
    leaf = logps.clone().requires_grad_()
    found = of.grpo_loss(
        leaf,
        advantages,
        mask,
        old_logps=old,
        ref_logps=ref,
        loss_type=name,
        importance_sampling_level=level,
        epsilon=bounds[0],
        epsilon_high=bounds[1],
        delta=bounds[2],
        beta=kl[0],
        bias_correction_kl=kl[1],
        max_completion_length=9,
        window_tokens=33.0,
        world_size=2,
        accumulation_steps=3,
    )
    plain = {
        "advantages": advantages.tolist(),
        "mask": mask.tolist(),
        "old": None if old is None else old.tolist(),
        "ref": ref.tolist(),
        "loss_type": name,
        "level": level,
        "epsilon": bounds[0],
        "epsilon_high": bounds[1],
        "delta": bounds[2],
        "beta": kl[0],
        "corrected": kl[1],
        "longest": 9,
        "window": 33.0,
        "ranks": 2,
        "accumulation": 3,
    }
    expected = plain_loss(logps.tolist(), frozen=logps.tolist(), **plain)
    assert abs(found.loss.item() - expected) <= 1e-12 * max(1, abs(expected))
    (gradient,) = torch.autograd.grad(found.loss, leaf)
    assert_close(gradient, tensor(plain_gradient(logps.tolist(), **plain), dtype=torch.float64), atol=1e-9, rtol=0)


def test_plain_python_agrees_about_advantages():
    rewards = [1.0, 0.5, None, 0.0, 1.0, 1.0, 1.0, 1.0, None, None, None, 0.3, 0.1, 0.7, 0.2, 0.9]
    given = tensor([NAN if one is None else one for one in rewards], dtype=torch.float64)
    for size in (2, 4, 8):
        expected = plain_advantages(rewards, size, 1e-4)
        assert_close(of.group_advantages(given, size), tensor(expected, dtype=torch.float64), atol=1e-12, rtol=0)


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
