"""Log-probabilities and entropies of tokens, from a model's logits. B completions, T tokens, a vocabulary of V."""

import torch
from torch import Tensor

from grpo_rewards.loss.shapes import check_dimensions, check_shape, quotes_its_call

__all__ = ["token_entropies", "token_logps"]


@quotes_its_call
def token_logps(logits: Tensor, ids: Tensor, temperature: float = 1.0) -> Tensor:
    """Returns the log-probability of each sampled token, log softmax(z / τ) with logits z. [B, T, V], [B, T] → [B, T]

    ``logits[:, t]`` must be those that token ``ids[:, t]`` was drawn from, which a model computes at the position
    *before* that token.

    Args:
        logits: z, [B, T, V].
        ids: the sampled tokens, integers in [0, V), [B, T].
        temperature: τ, above 0, the temperature at which the tokens were sampled.

    Raises:
        TypeError: what is no tensor.
        ValueError: shapes that do not fit, ids that are floats, a temperature of 0 or below.

    >>> token_logps(torch.zeros(1, 2, 4), torch.tensor([[0, 3]])).exp()
    tensor([[0.2500, 0.2500]])
    """
    _check(logits, temperature)
    check_shape("ids", ids, logits.shape[:2])
    if ids.is_floating_point():
        raise ValueError(f"ids must be integers, not {ids.dtype}; write ids.long() if they are ids.")
    logits = logits / temperature
    return logits.gather(2, ids.unsqueeze(2)).squeeze(2) - logits.logsumexp(dim=2)


@quotes_its_call
def token_entropies(logits: Tensor, temperature: float = 1.0) -> Tensor:
    """Returns the entropy of each token's distribution, -Σ_v p_v log p_v of p = softmax(z / τ). [B, T, V] → [B, T]

    In nats, between 0 and log V. Arguments and errors are those of :func:`token_logps`.

    >>> token_entropies(torch.zeros(1, 1, 4))  # log 4
    tensor([[1.3863]])
    """
    _check(logits, temperature)
    logs = (logits / temperature).log_softmax(dim=2)
    possible = torch.where(logs.isneginf(), 0.0, logs)  # 0 · log 0 is 0, but NaN and without a gradient in floats
    return -(logs.exp() * possible).sum(dim=2)


def _check(logits: Tensor, temperature: float) -> None:
    check_dimensions("logits", logits, "BTV")
    if temperature <= 0:
        raise ValueError(f"temperature must be above 0, not {temperature}.")
