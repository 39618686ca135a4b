"""Surrogates, KLs and aggregations take shapes that fit, and refuse others instead of broadcasting them."""

import pytest
from tables import each_row

pytest.importorskip("torch", reason="torch is not installed")

import torch
from torch import tensor
from torch.testing import assert_close

from grpo_rewards import loss as of
from grpo_rewards.loss import formulas

B, T = 3, 4
# of what one of its arguments is, the other is [B, T]; each returns a number for each token
OF_TWO = {
    "clipped, of advantages": lambda wide, other: of.clipped_surrogate(wide, other, 0.2, 0.3, 2.0),
    "clipped, of ratios": lambda wide, other: of.clipped_surrogate(other, wide, 0.2),
    "cispo, of advantages": lambda wide, other: of.cispo_surrogate(wide, other, wide, 3.0),
    "cispo, of ratios": lambda wide, other: of.cispo_surrogate(other, wide, wide, 3.0),
    "cispo, of logps": lambda wide, other: of.cispo_surrogate(wide, wide, other, 3.0),
    "sapo, of advantages": lambda wide, other: of.sapo_surrogate(wide, other, 1.0, 1.05),
    "sapo, of ratios": lambda wide, other: of.sapo_surrogate(other, wide, 1.0, 1.05),
    "weighted, of weights": lambda wide, other: of.weighted_surrogate(other, wide, wide),
    "weighted, of advantages": lambda wide, other: of.weighted_surrogate(wide, other, wide),
    "gamma weights, of advantages": lambda wide, other: of.gamma_weights(wide, other, torch.ones_like(wide)),
    "k1": lambda wide, other: of.kl_k1(wide, other),
    "k2": lambda wide, other: of.kl_k2(wide, other),
    "k3": lambda wide, other: of.kl_k3(wide, other),
    "k3, the other way": lambda wide, other: of.kl_k3(other, wide),
}
AGGREGATIONS = {
    "per_sequence": of.per_sequence,
    "per_token": of.per_token,
    "over_constant": lambda losses, mask: of.over_constant(losses, mask, 9),
    "over_window": lambda losses, mask: of.over_window(losses, mask, 7.0, 2),
    "length_scaled": of.length_scaled,
}


def drawn(*shape):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(0)) + 0.5


@each_row("shape", [(B, T), (B, 1), ()])
@each_row("call", OF_TWO.values())
def test_shapes_that_fit_are_what_they_are_when_written_out(call, shape):
    wide, other = drawn(B, T), drawn(*shape) if shape else tensor(0.7)
    assert_close(call(wide, other).expand(B, T), call(wide, other.expand(B, T)))


@each_row("shape", [(B,), (T,), (1,), (1, T), (1, 1), (B + 1, 1), (B, T + 1), (1, B, T)])
@each_row("call", OF_TWO.values())
def test_other_shapes_are_refused(call, shape):
    with pytest.raises(ValueError, match=r" must be .* to fit .*, not "):
        call(drawn(B, T), drawn(*shape))


@each_row("shape", [(T,), (1, B, T)])
@each_row("kl", [of.kl_k1, of.kl_k2, of.kl_k3])
def test_equal_shapes_of_any_kind_fit(kl, shape):
    assert kl(drawn(*shape), drawn(*shape)).shape == shape


def test_single_numbers_give_a_single_number():
    # clipped at 1.2: -min(1.5 · 2, 1.2 · 2) = -2.4, which is the house's example
    ratio, advantage = tensor(1.5), tensor(2.0)
    assert_close(of.clipped_surrogate(ratio, advantage, epsilon=0.2), tensor(-2.4))
    assert_close(of.clipped_surrogate(tensor([1.5]), tensor([2.0]), epsilon=0.2), tensor([-2.4]))
    assert_close(of.clipped_surrogate(ratio, 2.0, epsilon=0.2), tensor(-2.4))


@each_row(
    "call, said",
    [
        # torch would have multiplied token t by the advantage of completion t
        (
            lambda: of.clipped_surrogate(torch.ones(3, 3), tensor([1.0, 2.0, 3.0]), 0.2),
            "advantages must be [B, 1] or [B, T] = [3, 1] or [3, 3] to fit ratio, which is [3, 3], not [3]; for one "
            "value per completion write advantages.unsqueeze(1).",
        ),
        # a ratio by sequence: torch would have made [2, 2] of them
        (
            lambda: of.clipped_surrogate(torch.ones(2, 1), torch.ones(2), 0.2),
            "advantages must be [B, 1] = [2, 1] to fit ratio, which is [2, 1], not [2]; for one value per completion "
            "write advantages.unsqueeze(1).",
        ),
        (
            lambda: of.sapo_surrogate(torch.ones(2), torch.ones(2, 3), 1.0, 1.0),
            "ratio must be [B, 1] or [B, T] = [2, 1] or [2, 3] to fit advantages, which is [2, 3], not [2]; for one "
            "value per completion write ratio.unsqueeze(1).",
        ),
        # as many numbers as tokens: unsqueeze would not help
        (
            lambda: of.weighted_surrogate(torch.ones(2, 1), torch.ones(3), torch.ones(2, 3)),
            "advantages must be [B, 1] or [B, T] = [2, 1] or [2, 3] to fit logps, which is [2, 3], not [3].",
        ),
        (
            lambda: of.kl_k3(torch.ones(4), torch.ones(3)),
            "ref_logps must be [4] or a single number to fit logps, not [3].",
        ),
        (
            lambda: of.gamma_weights(torch.ones(2, 3), torch.ones(2), torch.ones(2, 3)),
            "advantages must be [B, 1] or [B, T] = [2, 1] or [2, 3] to fit log_ratio_per_token, which is [2, 3], not "
            "[2]; for one value per completion write advantages.unsqueeze(1).",
        ),
        (
            lambda: of.gamma_weights(torch.ones(3), torch.ones(3), torch.ones(3)),
            "log_ratio_per_token must be [B, T], not [3].",
        ),
        (
            lambda: of.gamma_weights(torch.ones(2, 3), torch.ones(2, 1), torch.ones(2, 1)),
            "mask must have the shape [2, 3], not [2, 1].",
        ),
        (
            lambda: of.gamma_weights(
                torch.ones(2, 3), torch.ones(2, 1), torch.ones(2, 3), importance_ratio=torch.ones(2)
            ),
            "importance_ratio must have the shape [2, 1] or [2, 3], not [2]; for one value per completion write "
            "importance_ratio.unsqueeze(1).",
        ),
        (
            lambda: of.off_policy_mask(torch.ones(3, 3), torch.ones(3, 3), torch.ones(3), torch.ones(3), 0.1),
            "mask must have the shape [3, 3], not [3].",
        ),
        (
            lambda: of.grpo_loss(torch.ones(2, 3), torch.ones(3), torch.ones(2, 3)),
            "advantages must have the shape [2, 1] or [2, 3], not [3]; give one value per completion or one per token.",
        ),
        (
            lambda: of.grpo_loss(torch.ones(2, 3), torch.ones(2), torch.ones(2, 3), old_logps=torch.ones(3, 2)),
            "old_logps must have the shape [2, 3], not [3, 2]; it is the other way round, so write old_logps.T.",
        ),
        (
            lambda: of.grpo_loss(torch.ones(2, 3), torch.ones(2), torch.ones(2, 3), ref_logps=torch.ones(2, 4)),
            "ref_logps must have the shape [2, 3], not [2, 4]; it is off by one token: logits at a position are those "
            "of the next token, so shift ref_logps.",
        ),
        (
            lambda: of.kl_k3(torch.ones(2, 3), torch.ones(2, 2)),
            "ref_logps must be [B, 1] or [B, T] = [2, 1] or [2, 3] to fit logps, which is [2, 3], not [2, 2]; it is "
            "off by one token: logits at a position are those of the next token, so shift ref_logps.",
        ),
    ],
)
def test_both_shapes_and_the_way_out_are_in_the_message(call, said):
    with pytest.raises(ValueError) as error:  # noqa: PT011  # the whole message is compared
        call()
    assert str(error.value).partition("\n")[0] == said


@each_row(
    "call, quoted",
    [
        (
            lambda: of.clipped_surrogate(torch.ones(3, 3), tensor([1.0, 2.0, 3.0]), 0.2, delta=4.0),
            "clipped_surrogate(ratio=Tensor[3, 3], advantages=Tensor[3], epsilon=0.2, delta=4.0)",
        ),
        # the outer of two: not kl_k3, log_ratio or grpo, which the user did not write
        (
            lambda: of.grpo_loss(torch.ones(2, 3), mask=torch.ones(2, 3), advantages=torch.ones(3), loss_type="grpo"),
            "grpo_loss(logps=Tensor[2, 3], advantages=Tensor[3], mask=Tensor[2, 3], loss_type='grpo')",
        ),
        (
            lambda: formulas.gspo(torch.ones(2, 3), torch.ones(2, 2), torch.ones(2, 1), torch.ones(2, 3)),
            "gspo(logps=Tensor[2, 3], old_logps=Tensor[2, 2], advantages=Tensor[2, 1], mask=Tensor[2, 3])",
        ),
        (
            lambda: formulas.grpo(torch.ones(3, 3), torch.ones(3, 1), torch.ones(3, 3), weights=torch.ones(3)),
            "grpo(ratio=Tensor[3, 3], advantages=Tensor[3, 1], mask=Tensor[3, 3], weights=Tensor[3])",
        ),
        (
            lambda: of.per_token(torch.ones(2, 2), torch.ones(2, 3)),
            "per_token(per_token=Tensor[2, 2], mask=Tensor[2, 3])",
        ),
        (
            lambda: of.group_advantages(torch.ones(5), 2, scale="none"),
            "group_advantages(rewards=Tensor[5], group_size=2, scale='none')",
        ),
        (
            lambda: of.token_logps(torch.ones(2, 3, 4), torch.ones(2, 4).long(), chunk=2),
            "token_logps(logits=Tensor[2, 3, 4], ids=Tensor[2, 4], chunk=2)",
        ),
    ],
)
def test_the_message_ends_with_the_call_that_was_made(call, quoted):
    with pytest.raises(ValueError, match=r"must |do not divide") as error:
        call()
    said, _, end = str(error.value).partition("\n")
    assert end == f"In the call {quoted}"
    assert "In the call" not in said


def test_what_is_wrong_with_something_else_than_a_shape_quotes_nothing():
    with pytest.raises(ValueError, match=r"^top_entropy_quantile must be above 0 and at most 1, not 0\.$"):
        of.high_entropy_mask(torch.ones(2, 3), torch.ones(2, 3), 0)


@each_row("shape", [(B, T), (B, 1), ()])
@each_row("aggregate", AGGREGATIONS.values())
def test_an_aggregation_takes_a_loss_per_token_or_per_completion(aggregate, shape):
    losses, mask = drawn(*shape) if shape else tensor(0.7), (drawn(B, T) > 0.8).float()
    assert_close(aggregate(losses, mask), aggregate(losses.expand(B, T), mask))


@each_row(
    "losses, mask, said",
    [
        ((B,), (B, T), r"per_token must be \[B, 1\] or \[B, T\] = .*, not \[3\]; .* per_token.unsqueeze\(1\)"),
        ((T,), (B, T), r"per_token must be \[B, 1\] or \[B, T\] = .*, not \[4\]\.\nIn the call "),
        ((B, T), (B, 1), r"per_token must be \[B, 1\] = \[3, 1\] to fit mask, which is \[3, 1\], not \[3, 4\]"),
        ((B, T), (1, T), r"per_token must be .*, not \[3, 4\]"),
        ((B, T), (T,), r"mask must be \[B, T\], not \[4\]; per_token is \[3, 4\]"),
        ((T,), (T,), r"mask must be \[B, T\], not \[4\]; per_token is \[4\]"),
    ],
)
@each_row("aggregate", AGGREGATIONS.values())
def test_an_aggregation_refuses_what_does_not_fit(aggregate, losses, mask, said):
    with pytest.raises(ValueError, match=said):
        aggregate(drawn(*losses), torch.ones(mask))
