"""The loss once more, token by token in Python's floats, written without looking at tensors: an oracle for the oracle.

``frozen`` are the log-probabilities at which weights without a gradient are taken: with these held, the function can be
differentiated numerically.
"""

import math
from typing import Any

Rows = list[list[float]]


def plain_loss(
    logps: Rows,
    advantages: list[float],
    mask: Rows,
    old_logps: Rows | None,
    ref_logps: Rows,
    *,
    frozen: Rows,
    loss_type: str,
    importance_sampling_level: str,
    epsilon: float,
    epsilon_high: float,
    delta: float | None,
    beta: float,
    bias_correction_kl: bool,
    max_completion_length: int,
    window_tokens: float,
    world_size: int,
    accumulation_steps: int,
) -> float:
    rows, level = len(logps), importance_sampling_level
    sums, lengths = [], []
    for i in range(rows):
        counted = [t for t in range(len(logps[i])) if mask[i][t]]
        before = frozen[i] if old_logps is None else old_logps[i]
        mean = sum(logps[i][t] - before[t] for t in counted) / max(len(counted), 1)
        still = sum(min(max(frozen[i][t] - before[t], -20.0), 20.0) for t in counted)
        total = 0.0
        for t in counted:
            at_rest = sum(frozen[i][u] - before[u] for u in counted) / len(counted)
            ratio = math.exp(mean if level == "sequence" else logps[i][t] - before[t])
            if level == "sequence_token":
                ratio = math.exp(at_rest) * math.exp(logps[i][t]) / math.exp(frozen[i][t])
            weight = math.exp(frozen[i][t] - before[t] if level == "token" else at_rest)
            a = advantages[i]
            if loss_type == "cispo":
                token = -min(weight, epsilon_high) * a * logps[i][t]
            elif loss_type == "sapo":
                heat = 1.0 if a > 0 else 1.05
                token = -a * 4 / heat / (1 + math.exp(-heat * (ratio - 1)))
            elif loss_type == "vespo":
                k, rate = (2.0, 3.0) if a >= 0 else (3.0, 2.0)
                w = math.exp(min(max(still, math.log(1e-8)), 20.0))
                phi = w**k * math.exp(rate * (1 - w))
                token = -phi * a * logps[i][t]
            else:
                inside = min(max(ratio, 1 - epsilon), 1 + epsilon_high)
                outside = ratio if delta is None else min(ratio, delta)
                token = -min(outside * a, inside * a)
            gap = ref_logps[i][t] - logps[i][t]
            token += beta * (math.exp(gap) - gap - 1) * (ratio if bias_correction_kl else 1.0)
            total += token
        sums.append(total)
        lengths.append(len(counted))
    if loss_type in ("grpo", "sapo"):
        return sum(one / max(length, 1) for one, length in zip(sums, lengths, strict=True)) / rows / accumulation_steps
    if loss_type == "bnpo":
        return sum(sums) / max(sum(lengths), 1) / accumulation_steps
    if loss_type == "dr_grpo":
        return sum(sums) / (rows * max_completion_length) / accumulation_steps
    if loss_type == "luspo":
        return sum(sums) / rows / accumulation_steps
    return sum(sums) * world_size / window_tokens


def plain_gradient(logps: Rows, step: float = 1e-6, **settings: Any) -> Rows:
    """Central differences by each log-probability; what has no gradient stays where it is."""
    frozen = [list(row) for row in logps]
    gradient = [[0.0] * len(row) for row in logps]
    for i, row in enumerate(logps):
        for t in range(len(row)):
            ends = []
            for sign in (1, -1):
                moved = [list(one) for one in logps]
                moved[i][t] += sign * step
                ends.append(plain_loss(moved, frozen=frozen, **settings))
            gradient[i][t] = (ends[0] - ends[1]) / (2 * step)
    return gradient
