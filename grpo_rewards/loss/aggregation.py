"""From the loss of each token, [B, T], to one number.

All of them take ``per_token``, the loss of each token, [B, T], or [B, 1] where a completion's tokens share one, and
``mask``, [B, T], 1 for tokens that count; where it is 0 nothing counts, not even NaN. They return a scalar. In the
equations l_it is the loss of token t of completion i, and |o_i| the number of its tokens that count. Shapes that do not
fit are a ValueError that quotes the call.
"""

import torch
from torch import Tensor

from grpo_rewards.loss.shapes import checks_shapes, masked

__all__ = ["length_scaled", "over_constant", "over_window", "per_sequence", "per_token"]


@checks_shapes
def per_sequence(per_token: Tensor, mask: Tensor) -> Tensor:
    """Returns the mean over completions of the mean over each one's tokens: 1/B Σ_i 1/|o_i| Σ_t l_it.

    Every completion weighs the same, however long it is (GRPO, SAPO). One without a token that counts adds 0, and still
    counts in B.
    """
    lengths = mask.sum(dim=1).clamp(min=1)
    return (masked(per_token, mask).sum(dim=1) / lengths).mean()


@checks_shapes
def per_token(per_token: Tensor, mask: Tensor) -> Tensor:
    """Returns the mean over all tokens of the micro-batch: Σ_it l_it / Σ_i |o_i|.

    Every token weighs the same as the others of its micro-batch (BNPO). Without a token that counts it is 0.
    """
    return masked(per_token, mask).sum() / mask.sum().clamp(min=1)


@checks_shapes
def over_constant(per_token: Tensor, mask: Tensor, length: int) -> Tensor:
    """Returns the sum over all tokens, divided by a constant: Σ_it l_it / (B · L) with L the greatest length.

    L is the ``length`` that a completion may have at most, so that no token's weight depends on how long its completion
    is (Dr. GRPO, arXiv:2503.20783).
    """
    return masked(per_token, mask).sum() / (mask.shape[0] * length)


@checks_shapes
def over_window(
    per_token: Tensor, mask: Tensor, window_tokens: Tensor | float | None = None, world_size: int = 1
) -> Tensor:
    """Returns a micro-batch's part of a mean: W Σ_it l_it / N with N the tokens of the whole accumulation window.

    Every token of the window weighs the same (DAPO, CISPO, VESPO): a trainer adds up the parts of the window's
    micro-batches, and DDP takes the mean over ranks, which the factor W turns into a sum. So the loss does not depend
    on how a batch is cut into micro-batches.

    Args:
        per_token: the loss of each token.
        mask: 1 for tokens that count.
        window_tokens: N, how many tokens count in the whole window, on all ranks together; above 0. ``None``: those of
            this micro-batch. TRL's, in 1.16, is the mean over the windows of a generation batch, which holds the tokens
            of all of them: its tokens times accumulation steps / ``steps_per_generation``.
        world_size: W, the number of ranks.
    """
    if window_tokens is not None and not torch.compiler.is_compiling() and window_tokens <= 0:
        raise ValueError(f"window_tokens must be above 0, not {float(window_tokens):g}.")
    window = mask.sum().clamp(min=1) if window_tokens is None else window_tokens
    return masked(per_token, mask).sum() * world_size / window


@checks_shapes
def length_scaled(per_token: Tensor, mask: Tensor) -> Tensor:
    """Returns the mean over completions of the sum over each one's tokens: 1/B Σ_i Σ_t l_it.

    A completion weighs in proportion to its length (LUSPO, arXiv:2602.05261).
    """
    return masked(per_token, mask).sum(dim=1).mean()
