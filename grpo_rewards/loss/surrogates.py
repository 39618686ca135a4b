"""The loss of each token, before tokens are weighted, averaged and joined by a KL.

In the equations R is the ratio π_θ / π_old, A the advantage, and sg(x) is x without its gradient. Arguments have one
shape, [B, T], or [B, 1] where one value holds for a whole completion; single numbers are allowed. Other shapes are a
ValueError: one advantage per completion, [B], has to be written ``advantages.unsqueeze(1)``. What is returned is to be
minimised, and is [B, 1] if all arguments are, else [B, T]. No gradient goes through advantages and weights: a critic
that gave them does not learn from the policy's loss.
"""

import math

import torch
from torch import Tensor

from grpo_rewards.loss.shapes import checks_shapes, masked

__all__ = [
    "cispo_surrogate",
    "clipped_surrogate",
    "gamma_weights",
    "sapo_surrogate",
    "weighted_surrogate",
]

LOWEST, HIGHEST = math.log(1e-8), 20.0  # bounds on the logarithm of a completion's weight in VESPO
TOKEN_BOUND = 20.0  # and, to both sides, on that of one token


@checks_shapes
def clipped_surrogate(
    ratio: Tensor, advantages: Tensor, epsilon: float, epsilon_high: float | None = None, delta: float | None = None
) -> Tensor:
    """Returns PPO's clipped loss of each token: -min(min(R, δ) A, clip(R, 1 - ε, 1 + ε_high) A).

    Schulman et al. 2017 (arXiv:1707.06347), equation 7, which has no δ and one ε. A token that the clip decides has no
    gradient.

    Args:
        ratio: R, [B, T] or [B, 1].
        advantages: A, [B, 1] or [B, T].
        epsilon: ε; the ratio is clipped at 1 - ε.
        epsilon_high: ε_high; the ratio is clipped at 1 + ε_high; ``None``: ε. DAPO takes ε_high > ε (arXiv:2503.14476).
        delta: δ, a bound on the ratio outside the clip, without which the loss of a negative advantage has none;
            ``None``: no bound. INTELLECT-2's, with δ = 4 (arXiv:2505.07291, section 4.1).

    >>> clipped_surrogate(torch.tensor([[1.5]]), torch.tensor([[2.0]]), epsilon=0.2)  # -min(1.5 · 2, 1.2 · 2)
    tensor([[-2.4000]])
    """
    if epsilon < 0 or (epsilon_high is not None and epsilon_high < 0) or (delta is not None and delta <= 0):
        raise ValueError(
            f"epsilon and epsilon_high must be 0 or more and delta above 0, not {epsilon}, {epsilon_high} and {delta}."
        )
    clipped = ratio.clamp(1 - epsilon, 1 + (epsilon if epsilon_high is None else epsilon_high))
    advantages = _constant(advantages)
    bounded = ratio if delta is None else ratio.clamp(max=delta)
    return -torch.minimum(bounded * advantages, clipped * advantages)


@checks_shapes
def cispo_surrogate(ratio: Tensor, advantages: Tensor, logps: Tensor, ceiling: float) -> Tensor:
    """Returns CISPO's loss of each token: -sg(min(R, ε_max)) A log π_θ.

    The policy gradient of each token, weighted by its ratio, which is clipped: unlike in PPO a clipped token still has
    a gradient (MiniMax-M1, arXiv:2506.13585, equations 4 and 5, whose lower bound the paper itself never used).

    Args:
        ratio: R, [B, T] or [B, 1].
        advantages: A, [B, 1] or [B, T].
        logps: log π_θ of each token, [B, T], with the gradient.
        ceiling: ε_max, the greatest ratio, in the paper 1 + ε_high. TRL passes its ``epsilon_high`` here as it is.
    """
    return -ratio.clamp(max=ceiling).detach() * _constant(advantages) * logps


@checks_shapes
def sapo_surrogate(ratio: Tensor, advantages: Tensor, temperature_pos: float, temperature_neg: float) -> Tensor:
    """Returns SAPO's loss of each token, a sigmoid in place of a clip: -4/τ σ(τ (R - 1)) A with τ by the sign of A.

    Gao et al. 2025 (arXiv:2511.20347), equations 5 and 6.

    Args:
        ratio: R, [B, T] or [B, 1].
        advantages: A, [B, 1] or [B, T].
        temperature_pos: τ where A is above 0; the greater it is, the sooner the gradient fades as R leaves 1.
        temperature_neg: τ where A is 0 or below.
    """
    temperature = torch.where(advantages > 0, ratio.new_tensor(temperature_pos), temperature_neg)
    return -4 / temperature * torch.sigmoid(temperature * (ratio - 1)) * _constant(advantages)


@checks_shapes
def gamma_weights(
    log_ratio_per_token: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    k_pos: float = 2.0,
    lambda_pos: float = 3.0,
    k_neg: float = 3.0,
    lambda_neg: float = 2.0,
    importance_ratio: Tensor | None = None,
) -> Tensor:
    """Returns VESPO's weight of each completion: φ(w) = w^k exp(λ (1 - w)) with w = Π_t π_θ / π_sampling.

    The weight is 1 for w = 1, greatest for w = k / λ, and never negative (Shen et al. 2026, arXiv:2602.10693, version
    3, section 3.3, where k is c_1 and λ is c_2). To keep it finite, the logarithm of a token's π_θ / π_old is clipped
    to [-20, 20], and those of π_old / π_sampling and of w to [log 1e-8, 20]: bounds of TRL. It has no gradient.

    Args:
        log_ratio_per_token: log π_θ - log π_old of each token, [B, T].
        advantages: A, [B, 1] or [B, T]; its sign decides between the two pairs of k and λ, and 0 counts as positive.
        mask: 1 for tokens that count, [B, T].
        k_pos, lambda_pos: k and λ where A is 0 or above; a λ below 1e-4 is taken as 1e-4.
        k_neg, lambda_neg: k and λ where A is below 0.
        importance_ratio: π_old / π_sampling, [B, T] or [B, 1]; ``None``: 1.

    Returns:
        φ, [B, 1]; [B, T] if the advantages are [B, T], for their signs may differ within a completion.
    """
    with torch.no_grad():
        log_w = masked(log_ratio_per_token.clamp(-TOKEN_BOUND, TOKEN_BOUND), mask).sum(dim=1, keepdim=True)
        if importance_ratio is not None:
            corrected = importance_ratio.log().clamp(LOWEST, HIGHEST)
            corrected = corrected if corrected.shape[1] == 1 else masked(corrected, mask)
            log_w = log_w + corrected.sum(dim=1, keepdim=True)
        log_w = log_w.clamp(LOWEST, HIGHEST)
        positive = advantages >= 0
        k = torch.where(positive, log_w.new_tensor(k_pos), k_neg)
        rate = torch.where(positive, log_w.new_tensor(lambda_pos), lambda_neg).clamp(min=1e-4)
        return (k * log_w + rate * (1 - log_w.exp())).exp()


@checks_shapes
def weighted_surrogate(weights: Tensor, advantages: Tensor, logps: Tensor) -> Tensor:
    """Returns a weighted policy-gradient loss of each token: -φ A log π_θ, for VESPO φ(w) = w^k exp(λ (1 - w)).

    Args:
        weights: φ, [B, 1] or [B, T]; for VESPO those of :func:`gamma_weights`.
        advantages: A, [B, 1] or [B, T].
        logps: log π_θ of each token, [B, T], with the gradient.
    """
    return -_constant(weights) * _constant(advantages) * logps


def _constant(values: Tensor) -> Tensor:
    return values.detach() if isinstance(values, Tensor) else values  # a single number may be a float
