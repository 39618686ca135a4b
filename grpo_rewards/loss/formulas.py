"""GRPO and its relatives: each loss type one function, with its equation, its gradient, its source and what is TRL's.

A loss type takes the ratio of each token from the loss of each token (``surrogates``) to one number (``aggregation``)::

    loss = aggregate(weights · surrogate(R, A, …) + penalty)

B completions of at most T tokens. ``ratio``: R = π_θ / π_old with its gradient, [B, T] by token, [B, 1] by completion.
``advantages``: A, [B, 1] or [B, T]. ``mask``: 1 for the tokens that count, [B, T]; completion i has |o_i| of them.
``logps``: log π_θ, [B, T]. ``weights``, ``penalty``: single numbers, [B, 1] or [B, T]; a KL is a penalty of β k3. What
is returned is minimised: where a paper has an objective, this is minus it, for the completions of one micro-batch.

Each "gradient" is that by log π_θ(o_it), with weights of 1 and no penalty. In it c_it is 0 where a bound decides, which
is where R > 1 + ε_high and A > 0, where R < 1 - ε and A < 0, and where R > δ ≥ 1 + ε_high; elsewhere c_it is 1.

``grpo_loss`` checks its arguments and gives a function those that the function names. To add a loss type, write its
function here, and name it once in ``loss_types.py``. GRPO in eight lines of torch, four completions of one prompt:

>>> import torch
>>> logps, old, ref = -torch.tensor([[[0.1], [0.9], [0.4], [0.6]], [[0.5]] * 4, [[0.7]] * 4]).expand(3, 4, 5)
>>> rewards, mask = torch.tensor([1.0, 0.0, 0.0, 1.0]), torch.tensor([[1.0] * 5, [1.0, 1, 1, 0, 0]] * 2)
>>> A = ((rewards - rewards.mean()) / (rewards.std() + 1e-4)).unsqueeze(1)
>>> R = (logps - old).exp()
>>> clipped = R.clip(1 - 0.2, 1 + 0.2)
>>> surrogate = torch.min(R * A, clipped * A)
>>> k3 = (ref - logps).exp() - (ref - logps) - 1
>>> of_tokens = -(surrogate - 0.04 * k3) * mask
>>> of_completions = of_tokens.sum(dim=1) / mask.sum(dim=1)
>>> loss = of_completions.mean()
>>> from grpo_rewards.loss import group_advantages, grpo_loss
>>> A = group_advantages(rewards, group_size=4)
>>> found = grpo_loss(logps, A, mask, old_logps=old, ref_logps=ref, loss_type="grpo", epsilon=0.2, beta=0.04).loss
>>> torch.testing.assert_close(loss, found)
"""

from torch import Tensor

from grpo_rewards.loss.aggregation import length_scaled, over_constant, over_window, per_sequence, per_token
from grpo_rewards.loss.ratios import log_ratio
from grpo_rewards.loss.shapes import checks_shapes
from grpo_rewards.loss.surrogates import (
    cispo_surrogate,
    clipped_surrogate,
    gamma_weights,
    sapo_surrogate,
    weighted_surrogate,
)

__all__ = ["bnpo", "cispo", "dapo", "dr_grpo", "grpo", "gspo", "gspo_token", "luspo", "sapo", "vespo"]

Some = Tensor | float


@checks_shapes
def grpo(
    ratio: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    epsilon: float = 0.2,
    epsilon_high: float | None = None,
    delta: float | None = None,
    weights: Some = 1.0,
    penalty: Some = 0.0,
) -> Tensor:
    """Returns GRPO's loss: -1/B Σ_i 1/|o_i| Σ_t min(R_it A_it, clip(R_it, 1 - ε, 1 + ε) A_it).

    Shao et al. 2024 (arXiv:2402.03300), equation 3; its KL, equation 4, is a ``penalty`` of β k3.
    Gradient: -R_it A_it c_it / (B |o_i|).
    TRL's: ε = 0.2, which is PPO's, for the paper gives none; an ``epsilon_high`` of its own is DAPO's, ``delta``
    INTELLECT-2's (see :func:`clipped_surrogate`).
    """
    tokens = clipped_surrogate(ratio, advantages, epsilon, epsilon_high, delta)
    return per_sequence(_adjusted(tokens, weights, penalty), mask)


@checks_shapes
def bnpo(
    ratio: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    epsilon: float = 0.2,
    epsilon_high: float | None = None,
    delta: float | None = None,
    weights: Some = 1.0,
    penalty: Some = 0.0,
) -> Tensor:
    """Returns what TRL calls BNPO: -Σ_it min(R_it A_it, clip(R_it, 1 - ε, 1 + ε_high) A_it) / Σ_i |o_i|.

    No paper: TRL's name for DAPO's mean over tokens, taken over one micro-batch. Beta Normalization Policy Optimization
    (arXiv:2506.02864), which is about advantages, is another thing.
    Gradient: -R_it A_it c_it / Σ_j |o_j|.
    """
    tokens = clipped_surrogate(ratio, advantages, epsilon, epsilon_high, delta)
    return per_token(_adjusted(tokens, weights, penalty), mask)


@checks_shapes
def dr_grpo(
    ratio: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    max_completion_length: int,
    epsilon: float = 0.2,
    epsilon_high: float | None = None,
    delta: float | None = None,
    weights: Some = 1.0,
    penalty: Some = 0.0,
) -> Tensor:
    """Returns Dr. GRPO's loss: -1/(B L) Σ_it min(R_it A_it, clip(R_it, 1 - ε, 1 + ε) A_it).

    Liu et al. 2025 (arXiv:2503.20783), section 3.2 and Listing 1, where L is a constant, the greatest length generated.
    The other half of it is advantages without a standard deviation, ``group_advantages(…, scale="none")``.
    Gradient: -R_it A_it c_it / (B L).
    TRL's: L is ``max_completion_length``, and advantages are divided by the deviation unless ``scale_rewards="none"``.
    """
    tokens = clipped_surrogate(ratio, advantages, epsilon, epsilon_high, delta)
    return over_constant(_adjusted(tokens, weights, penalty), mask, max_completion_length)


@checks_shapes
def dapo(
    ratio: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    epsilon: float = 0.2,
    epsilon_high: float | None = None,
    delta: float | None = None,
    window_tokens: Some | None = None,
    world_size: int = 1,
    weights: Some = 1.0,
    penalty: Some = 0.0,
) -> Tensor:
    """Returns DAPO's loss: -W/N Σ_it min(R_it A_it, clip(R_it, 1 - ε, 1 + ε_high) A_it).

    Yu et al. 2025 (arXiv:2503.14476), equation 8, where N is Σ_i |o_i| of a group, ε = 0.2 and ε_high = 0.28 (section
    4.1). Its dynamic sampling and its overlong rewards are no part of the loss.
    Gradient: -W R_it A_it c_it / N.
    TRL's: N is the tokens of an accumulation window on all W ranks, not of a group: those of the generation batch times
    accumulation steps / ``steps_per_generation``, the mean window of that batch. ε_high is ε unless it is given.
    """
    tokens = clipped_surrogate(ratio, advantages, epsilon, epsilon_high, delta)
    return over_window(_adjusted(tokens, weights, penalty), mask, window_tokens, world_size)


@checks_shapes
def luspo(
    ratio: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    epsilon: float = 0.2,
    epsilon_high: float | None = None,
    delta: float | None = None,
    weights: Some = 1.0,
    penalty: Some = 0.0,
) -> Tensor:
    """Returns LUSPO's loss: -1/B Σ_i |o_i| min(s_i A_i, clip(s_i, 1 - ε, 1 + ε_high) A_i), s_i the ratio of GSPO.

    Liu et al. 2026 (arXiv:2602.05261), equation 7, and 8 for the gradient; ε = 0.002 and ε_high = 0.0025 (section 5.1).
    Gradient: -s_i A_i c_i / B.
    TRL's: ε = 0.2; and it takes ratios by token too, with a warning: then |o_i| min(…) becomes a sum over the tokens.
    """
    tokens = clipped_surrogate(ratio, advantages, epsilon, epsilon_high, delta)
    return length_scaled(_adjusted(tokens, weights, penalty), mask)


@checks_shapes
def cispo(
    ratio: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    logps: Tensor,
    epsilon_high: float,
    window_tokens: Some | None = None,
    world_size: int = 1,
    weights: Some = 1.0,
    penalty: Some = 0.0,
) -> Tensor:
    """Returns CISPO's loss: -W/N Σ_it sg(min(R_it, ε_max)) A_it log π_θ(o_it).

    MiniMax-M1 2025 (arXiv:2506.13585), equations 4 and 5: the paper clips R to [1 - ε_low, 1 + ε_high] with an ε_low so
    large that there is no lower bound, and gives no ε_high.
    Gradient: -W min(R_it, ε_max) A_it / N, so that no token is without one.
    TRL's: ε_max is ``epsilon_high`` itself, a ratio and not a distance from 1: with 0.2 every token is bounded, on
    policy too, and has a fifth of its gradient; and N as for DAPO.
    """
    tokens = cispo_surrogate(ratio, advantages, logps, ceiling=epsilon_high)
    return over_window(_adjusted(tokens, weights, penalty), mask, window_tokens, world_size)


@checks_shapes
def sapo(
    ratio: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    sapo_temperature_pos: float = 1.0,
    sapo_temperature_neg: float = 1.05,
    weights: Some = 1.0,
    penalty: Some = 0.0,
) -> Tensor:
    """Returns SAPO's loss: -1/B Σ_i 1/|o_i| Σ_t 4/τ_it σ(τ_it (R_it - 1)) A_it, τ_it by the sign of A_it.

    Gao et al. 2025 (arXiv:2511.20347), equations 5 and 6, 7 and 8 for the gradient; τ = 1.0 where A > 0, else 1.05.
    Gradient: -4 p_it (1 - p_it) R_it A_it / (B |o_i|) with p_it = σ(τ_it (R_it - 1)).
    TRL's: nothing.
    """
    tokens = sapo_surrogate(ratio, advantages, sapo_temperature_pos, sapo_temperature_neg)
    return per_sequence(_adjusted(tokens, weights, penalty), mask)


@checks_shapes
def vespo(
    log_ratio: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    logps: Tensor,
    vespo_k_pos: float = 2.0,
    vespo_lambda_pos: float = 3.0,
    vespo_k_neg: float = 3.0,
    vespo_lambda_neg: float = 2.0,
    importance_ratio: Tensor | None = None,
    window_tokens: Some | None = None,
    world_size: int = 1,
    weights: Some = 1.0,
    penalty: Some = 0.0,
) -> Tensor:
    """Returns VESPO's loss: -W/N Σ_it sg(φ(w_i)) A_it log π_θ(o_it), φ(w) = w^k exp(λ (1 - w)).

    Shen et al. 2026 (arXiv:2602.10693, version 3), equation 20, with k = 2, λ = 3 where A > 0 and k = 3, λ = 2 where
    A < 0 (section 4.1), and w_i = Π_t π_θ / π_sampling. ``log_ratio`` is log π_θ - log π_old by token, [B, T],
    ``importance_ratio`` π_old / π_sampling.
    Gradient: -W φ(w_i) A_it / N.
    TRL's: the division by N, the tokens of the window, where the paper has the mean over completions; bounds on the
    logarithms (see :func:`gamma_weights`).
    """
    kernel = gamma_weights(
        log_ratio,
        advantages,
        mask,
        k_pos=vespo_k_pos,
        lambda_pos=vespo_lambda_pos,
        k_neg=vespo_k_neg,
        lambda_neg=vespo_lambda_neg,
        importance_ratio=importance_ratio,
    )
    tokens = weighted_surrogate(kernel, advantages, logps)
    return over_window(_adjusted(tokens, weights, penalty), mask, window_tokens, world_size)


@checks_shapes
def gspo(
    logps: Tensor,
    old_logps: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    epsilon: float = 3e-4,
    epsilon_high: float | None = 4e-4,
) -> Tensor:
    """Returns GSPO's loss: -1/B Σ_i min(s_i A_i, clip(s_i, 1 - ε, 1 + ε_high) A_i), s_i = (Π_t R_it)^(1/|o_i|).

    Zheng et al. 2025 (arXiv:2507.18071), equations 5 and 7, 10 for the gradient; ε and ε_high of section 5.1.
    Gradient: -s_i A_i c_i / (B |o_i|), the same for every token of a completion.
    TRL's: ``loss_type="grpo"`` with ``importance_sampling_level="sequence"``, and ε = 0.2 unless it is given.
    """
    ratio = log_ratio(logps, old_logps, mask, "sequence").exp()
    return grpo(ratio, advantages, mask, epsilon=epsilon, epsilon_high=epsilon_high)


@checks_shapes
def gspo_token(
    logps: Tensor,
    old_logps: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    epsilon: float = 3e-4,
    epsilon_high: float | None = 4e-4,
) -> Tensor:
    """Returns GSPO-token's loss: :func:`grpo`'s with R_it = s_it = sg(s_i) π_θ(o_it) / sg(π_θ(o_it)).

    Zheng et al. 2025 (arXiv:2507.18071), equations 13 and 14, and 17 for the gradient. Where a completion's tokens have
    one advantage, value and gradient are those of :func:`gspo`; it is for advantages that differ within a completion.
    Gradient: -s_i A_it c_it / (B |o_i|).
    TRL's: nothing; TRL 1.16 does not have it. In ``grpo_loss`` it is ``importance_sampling_level="sequence_token"``.
    """
    ratio = log_ratio(logps, old_logps, mask, "sequence_token").exp()
    return grpo(ratio, advantages, mask, epsilon=epsilon, epsilon_high=epsilon_high)


@checks_shapes
def _adjusted(tokens: Tensor, weights: Some, penalty: Some) -> Tensor:
    """Returns weights · tokens + penalty, of one shape, or [B, 1] beside [B, T], or single numbers."""
    return weights * tokens + penalty
