"""Estimates of KL(π_θ ‖ π_ref) from tokens that π_θ sampled (Schulman 2020, "Approximating KL divergence").

Each takes log π_θ and log π_ref of the sampled tokens, both [B, T], and returns an estimate for each token, [B, T], in
nats. In the equations δ = log π_ref - log π_θ. Shapes that do not fit are a ValueError.

The last function is what the reference of iterative GRPO is between rounds.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from grpo_rewards.loss.shapes import checks_shapes

__all__ = ["kl_k1", "kl_k2", "kl_k3", "refreshed_reference"]


@checks_shapes
def kl_k1(logps: Tensor, ref_logps: Tensor) -> Tensor:
    """Returns -δ for each token: unbiased, but negative wherever π_ref is the greater. [B, T] × 2 → [B, T]

    As a loss it teaches nothing: its gradient is zero on average.
    """
    return logps - ref_logps


@checks_shapes
def kl_k2(logps: Tensor, ref_logps: Tensor) -> Tensor:
    """Returns δ² / 2 for each token: biased, but never negative. [B, T] × 2 → [B, T]

    As a loss it has the gradient of the KL, without bias.
    """
    return (ref_logps - logps).square() / 2


@checks_shapes
def kl_k3(logps: Tensor, ref_logps: Tensor) -> Tensor:
    """Returns exp(δ) - δ - 1 for each token: unbiased and never negative. [B, T] × 2 → [B, T]

    It is the KL of GRPO (Shao et al. 2024, arXiv:2402.03300, equation 4) and of TRL. As a loss its gradient by log π_θ
    is 1 - π_ref / π_θ, on average that of the *other* KL, KL(π_ref ‖ π_θ); multiplied by the ratio, as
    ``bias_correction_kl`` of ``grpo_loss`` has it, it is that of KL(π_θ ‖ π_ref).
    """
    delta = ref_logps - logps
    return delta.exp() - delta - 1


def refreshed_reference(
    policy: Mapping[str, Tensor], reference: Mapping[str, Tensor], alpha: float = 1.0
) -> dict[str, Tensor]:
    """Returns the weights of the next reference, θ_ref ← α θ + (1 - α) θ_ref, of each name.

    With α = 1 it is iterative GRPO's (Shao et al. 2024, arXiv:2402.03300, section 4.1.4 and line 3 of algorithm 1):
    each round begins with π_ref ← π_θ. With α below 1 it is the soft update of TR-DPO (Gorbatovski et al. 2024,
    arXiv:2404.09656), which TRL has as ``sync_ref_model``, with α as ``ref_model_mixup_alpha``, every
    ``ref_model_sync_steps`` steps.

    Args:
        policy: θ, weights by name, such as a ``state_dict()``.
        reference: θ_ref, the same names and shapes.
        alpha: α, above 0 and up to 1.

    Returns:
        New tensors of the reference's dtypes: a later step of the policy does not change them. Tensors that are no
        floats, such as a count, are taken from the policy.

    Raises:
        ValueError: an α outside its range, names or shapes that differ.

    >>> weights = {"w": torch.tensor([1.0, 2.0])}, {"w": torch.tensor([0.0, 0.0])}
    >>> refreshed_reference(*weights)["w"], refreshed_reference(*weights, alpha=0.6)["w"]
    (tensor([1., 2.]), tensor([0.6000, 1.2000]))
    """
    if not 0.0 < alpha <= 1.0:
        raise ValueError(f"alpha must be above 0 and at most 1, not {alpha}.")
    if unlike := sorted(policy.keys() ^ reference.keys()):
        raise ValueError(f"policy and reference must have the same weights; only one of them has {', '.join(unlike)}.")
    mixed = {}
    with torch.no_grad():
        for name, old in reference.items():
            new = policy[name]
            if new.shape != old.shape:
                raise ValueError(f"{name} is {list(new.shape)} in the policy and {list(old.shape)} in the reference.")
            soft = alpha < 1.0 and old.is_floating_point()
            mixed[name] = alpha * new.to(old) + (1 - alpha) * old if soft else new.to(old, copy=True)
    return mixed
