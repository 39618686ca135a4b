"""Which completions each micro-batch has, the policy's log-probabilities for them, the loss, and the gradient."""

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss.ratios import high_entropy_mask
from grpo_rewards.loss.trl_check.contract import loss_settings
from grpo_rewards.loss.trl_check.expected import expected_loss
from whole_step.batches import Own, compare_tensors
from whole_step.by_type import other_types, own_losses_by_type
from whole_step.comparing import FUSED, FUSED_GRADIENT, Findings
from whole_step.configured import Control, configured, mean_entropy
from whole_step.forward import Policy
from whole_step.live import Seen, Used, Weights

OF_ORDER, OF_FORWARD, OF_CONTROL = "micro-batches", "log-probs and entropies", "entropy bonus"
OF_LOSS, BY_TYPE, OF_GRADIENT = "loss of a micro-batch", "its loss by each other type", "gradient of a step"


@dataclass
class Micro:
    """One micro-batch on one rank, as it must be.

    Attributes:
        used: as TRL had it.
        inputs: as they must be, [b, T].
        prompts, completions: of its rows.
        logps, entropies: of the policy, [b, T].
        counted: 1 for tokens that count, [b, T].
        active: of these, the ones that a quantile of the entropy leaves.
        loss: as it must be; ``by_type``: by each other loss type.
        policy_loss: the loss before it is divided for accumulation, and without the entropy bonus.
        control_after: the coefficient of the entropy bonus after it, where a step of training ends with it.
    """

    used: Used
    inputs: Own
    prompts: list[list[int]]
    completions: list[list[int]]
    logps: Tensor
    entropies: Tensor
    counted: Tensor
    active: Tensor
    loss: Tensor
    by_type: dict[str, Tensor] = field(default_factory=dict)
    policy_loss: float = 0.0
    control_after: float | None = None


def micro_batches(findings: Findings, seen: Seen, batches: list[Own]) -> list[tuple[Used, int, list[int]]]:
    """Returns each micro-batch with its generation and its rows in it, after comparing which they must be.

    In training the k-th comes of generation k // (S · μ) and is its part k mod S, with S steps per generation and μ
    iterations: the S parts have each row once, in an order that was shuffled, and are the same in each iteration.
    """
    config = seen.config
    parts, uses = config["steps_per_generation"], config["steps_per_generation"] * config["num_iterations"]
    training = [at for at, one in enumerate(seen.generated) if one.training]
    evaluations = iter([at for at, one in enumerate(seen.generated) if not one.training])
    found: list[tuple[Used, int, list[int]]] = []
    shuffled: list[bool] = []
    first: dict[tuple[int, int], list[int]] = {}
    taken: dict[tuple[int, int], set[int]] = defaultdict(set)  # by generation and iteration
    used = [one for one in seen.used if one.training]
    starts = [seen.generated[at].micro_step for at in training]
    findings.same(OF_ORDER, "when completions are generated", starts, list(range(0, len(used), uses)))
    for at, one in enumerate(used):
        generation, part = at // uses, at % parts
        if generation >= len(training):
            break
        own = batches[training[generation]]
        rows = _rows(one.inputs, own, taken[generation, at % uses // parts])
        where = f"micro-batch {at} on rank {seen.rank}"
        findings.same(OF_ORDER, f"{where} has rows of its generation", None in rows, False)
        findings.same(OF_ORDER, f"{where}, how many rows", len(rows), config["per_device_train_batch_size"])
        known = [row for row in rows if row is not None]
        findings.same(
            OF_ORDER, f"{where} is the same in each iteration", known, first.setdefault((generation, part), known)
        )
        found.append((one, training[generation], known))
        if part == parts - 1:
            every = [row for each in range(parts) for row in first[generation, each]]
            findings.same(OF_ORDER, f"{where}: all rows were used", sorted(every), list(range(len(own["advantages"]))))
            distinct = len(set(map(tuple, own["completion_ids"].tolist()))) > 1
            shuffled += [every != sorted(every)] if distinct else []
    if shuffled:
        findings.same(OF_ORDER, "completions are shuffled", any(shuffled), True)
    for one in (one for one in seen.used if not one.training):
        generation = next(evaluations)
        own = batches[generation]
        found.append((one, generation, list(range(len(own["advantages"])))))
    return found


def _rows(inputs: dict[str, Any], own: Own, taken: set[int]) -> list[int | None]:
    """Returns which row of the generation each row of a micro-batch is, by its tokens, of those not yet taken."""

    def tokens(batch: dict[str, Any]) -> list[Any]:
        return list(zip(*(map(tuple, batch[name].tolist()) for name in ("prompt_ids", "completion_ids")), strict=True))

    known, found = tokens(own), []
    for row in tokens(inputs):
        free = [at for at, one in enumerate(known) if one == row and at not in taken]
        taken.update(free[:1])
        found.append(free[0] if free else None)
    return found


def replayed(findings: Findings, ranks: list[Seen], batches: list[list[Own]], policy: Policy) -> list[list[Micro]]:
    """Returns each rank's micro-batches as they must be, in order, after comparing TRL's with them."""
    found = [micro_batches(findings, seen, own) for seen, own in zip(ranks, batches, strict=True)]
    if len(ranks) > 1:
        orders = [[rows for used, _, rows in of_rank if used.training] for of_rank in found]
        findings.same(OF_ORDER, "each rank shuffles in an order of its own", orders[0] == orders[1], False)
    order = [{id(one): (one, *rest) for one, *rest in per_rank} for per_rank in found]
    control = Control(ranks[0].config)
    replay: list[list[Micro]] = [[] for _ in ranks]
    window: list[list[Micro]] = []
    gradient: Weights = {}
    for events in zip(*(seen.used for seen in ranks), strict=False):
        if any(id(one) not in known for one, known in zip(events, order, strict=True)):
            break
        which = [known[id(one)] for one, known in zip(events, order, strict=True)]
        micros, grads = _at_once(ranks, batches, policy, control, which)
        for rank, micro in enumerate(micros):
            _compare(findings, ranks[rank].rank, len(replay[rank]), micro)
            replay[rank].append(micro)
        if not events[0].training:
            continue
        gradient = {name: gradient.get(name, 0) + one / len(ranks) for name, one in grads.items()}
        window.append(micros)
        if len(window) == events[0].accumulation:
            _compare_gradient(findings, ranks, events[0].step, gradient)
            flat = [micro for some in window for micro in some]
            control.after(mean_entropy([one.entropies for one in flat], [one.active for one in flat]))
            if ranks[0].config["entropy_coef"] != 0 or ranks[0].config["use_adaptive_entropy"]:
                micros[0].control_after = control.coefficient
            window, gradient = [], {}
        for micro in micros:
            _compare_control(findings, micro, control)
    return replay


def _at_once(
    ranks: list[Seen], batches: list[list[Own]], policy: Policy, control: Control, which: list[Any]
) -> tuple[list[Micro], Weights]:
    """Returns the micro-batches that all ranks have at the same time, and the sum of their gradients."""
    policy.load(ranks[0].weights[which[0][0].step])
    prepared = [_prepared(seen, own, policy, *one) for seen, own, one in zip(ranks, batches, which, strict=True)]
    everywhere = torch.cat([one.entropies[one.counted != 0] for one in prepared])
    _ask_by_type(ranks, prepared, control)
    gradients: Weights = {}
    for seen, micro in zip(ranks, prepared, strict=True):
        used, config = micro.used, seen.config
        trainer = configured(config, len(ranks), used.training, control, used.accumulation, everywhere)
        computed = expected_loss(trainer, loss_settings(trainer), micro.inputs, micro.logps, micro.entropies)
        micro.loss, micro.policy_loss = computed.loss.detach(), float(computed.policy_loss)
        if config["top_entropy_quantile"] < 1:
            chosen = high_entropy_mask(
                micro.entropies.detach(), micro.counted, config["top_entropy_quantile"], everywhere
            )
            micro.active = micro.counted * chosen
        names = [name for name, weight in policy.model.named_parameters() if weight.requires_grad]
        weights = [weight for _, weight in policy.model.named_parameters() if weight.requires_grad]
        if used.training:
            found = torch.autograd.grad(computed.loss, weights, retain_graph=True, allow_unused=True)
            for name, one, weight in zip(names, found, weights, strict=True):
                gradients[name] = gradients.get(name, 0) + (torch.zeros_like(weight) if one is None else one)
        micro.logps, micro.entropies = micro.logps.detach(), micro.entropies.detach()
    return prepared, gradients


def _ask_by_type(ranks: list[Seen], micros: list[Micro], control: Control) -> None:
    """Computes the other types' losses, of TRL's log-probabilities and entropies, which are compared by themselves."""
    everywhere = torch.cat([one.used.entropies[one.counted != 0] for one in micros]).double()
    for seen, micro in zip(ranks, micros, strict=True):
        used, config = micro.used, seen.config
        trainer = configured(config, len(ranks), used.training, control, used.accumulation, everywhere)
        given = (used.inputs, used.logps, used.entropies)
        micro.by_type = own_losses_by_type(trainer, *given, other_types(config))


def _prepared(seen: Seen, own: list[Own], policy: Policy, used: Used, generation: int, rows: list[int]) -> Micro:
    batch, generated = own[generation], seen.generated[generation]
    inputs = {name: one[rows] if one.dim() else one for name, one in batch.items() if name != "rewards_per_func"}
    prompts, completions = ([some[row] for row in rows] for some in (generated.prompts, generated.completions))
    width = batch["completion_ids"].shape[1]
    logps, entropies = policy(prompts, completions, seen.config["temperature"], width)
    # in TRL's float32, or a token that is exactly at a quantile's threshold would be on the other side of it
    entropies = entropies + (entropies.float().to(entropies) - entropies).detach()
    counted = (inputs["completion_mask"] * inputs.get("tool_mask", 1)).to(logps.dtype)
    return Micro(used, inputs, prompts, completions, logps, entropies, counted, counted, logps.detach().sum())


def _compare(findings: Findings, rank: int, at: int, micro: Micro) -> None:
    used = micro.used
    where = f"{'micro-batch' if used.training else 'evaluation'} {at} on rank {rank}, "
    compare_tensors(findings, where, used.inputs, micro.inputs)
    counted = micro.inputs["completion_mask"] == 0
    for name, theirs, mine in (("log π", used.logps, micro.logps), ("entropy", used.entropies, micro.entropies)):
        if theirs.shape == counted.shape:
            theirs, mine = theirs.masked_fill(counted, 0.0), mine.masked_fill(counted, 0.0)
        findings.near(OF_FORWARD, where + name, theirs, mine, FUSED)
    findings.near(OF_LOSS, f"{where}loss", used.loss, micro.loss, FUSED)
    for one, theirs in used.by_type.items():
        findings.near(BY_TYPE, f"{where}loss by {one}", theirs, micro.by_type[one])


def _compare_control(findings: Findings, micro: Micro, control: Control) -> None:
    """The coefficient of the entropy bonus after a micro-batch, and the entropy that it was last moved by."""
    coefficient, last = micro.used.control
    where = f"micro-batch {micro.used.micro_step}, "
    findings.near(OF_CONTROL, f"{where}its coefficient", coefficient, control.coefficient)
    if math.isinf(control.last) or math.isinf(last):
        findings.same(OF_CONTROL, f"{where}no entropy yet", last, control.last)
    else:
        findings.near(OF_CONTROL, f"{where}entropy of the step before", last, control.last, FUSED)


def _compare_gradient(findings: Findings, ranks: list[Seen], step: int, mine: Weights) -> None:
    scale = max(float(one.abs().max()) for one in mine.values()) or 1.0  # 0 where no token counts
    for seen in ranks:
        where = f"step {step} on rank {seen.rank}"
        if step >= len(seen.gradients):
            findings.same(OF_GRADIENT, f"{where}: there is one", False, True)
            continue
        theirs = seen.gradients[step]
        findings.same(OF_GRADIENT, f"{where}, of which weights", sorted(theirs), sorted(mine))
        for name in theirs.keys() & mine.keys():
            findings.near(OF_GRADIENT, f"{where}, {name}", theirs[name] / scale, mine[name] / scale, FUSED_GRADIENT)
