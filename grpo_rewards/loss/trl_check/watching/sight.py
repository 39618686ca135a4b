"""What a watched run could see under its settings, and what not: counted, not assumed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from grpo_rewards.loss.grpo import GRPOLoss
from grpo_rewards.loss.trl_check.generated import BatchSettings
from grpo_rewards.loss.trl_check.recording import Generation, LossCall

__all__ = ["Sight"]


@dataclass
class Sight:
    """Counts of one rank. ``lines`` puts them into words.

    Attributes:
        ranks, steps_of_use, beta, masks_truncated, evaluates: of the settings, as :meth:`of` reads them.
        steps: the optimiser steps in which something was checked.
        micro_batches, evaluations: the micro-batches of training and of evaluation that were checked.
        worst, excess: the largest difference of a loss, as logged and in tolerances.
        doubts: mismatches that were small and did not repeat; ``mismatches``: those that did not end the run, by name.
        ages: how many optimiser steps after its generation a micro-batch was checked, of ``steps_of_use``.
    """

    ranks: int = 1
    steps_of_use: int = 1
    beta: float = 0.0
    masks_truncated: bool = False
    evaluates: bool = False
    steps: set[int] = field(default_factory=set)
    micro_batches: int = 0
    evaluations: int = 0
    worst: float = 0.0
    excess: float = 0.0
    doubts: int = 0
    mismatches: dict[str, int] = field(default_factory=dict)
    ages: set[int] = field(default_factory=set)
    rows_compared: int = 0
    batches: int = 0
    own_batches: int = 0
    own_rows: int = 0
    known_rows: int = 0
    batches_not_seen: int = 0
    zero_variance_batches: int = 0
    truncated: int = 0
    tool_tokens: int = 0
    unscored: int = 0
    completions: int = 0
    off_policy: int = 0
    clipped: int = 0
    farthest_ratio: float = 0.0
    ref_distance: float = 0.0
    ref_compared: int = 0
    ref_refreshed: int = 0
    old_recomputed: int = 0
    logps_compared: int = 0
    logps_not: dict[str, int] = field(default_factory=dict)
    not_finite: int = 0

    @classmethod
    def of(cls, trainer: Any) -> Sight:
        """Returns empty counts for a trainer, which it does not hold."""
        return cls(
            ranks=trainer.accelerator.num_processes,
            steps_of_use=_steps_of_use(trainer),
            beta=trainer.beta,
            masks_truncated=trainer.mask_truncated_completions,
            evaluates=trainer.eval_dataset is not None,
        )

    def saw_batch(self, settings: BatchSettings, generation: Generation, expected: dict[str, Tensor]) -> None:
        """Counts a generation batch that was computed again."""
        completions = generation.completions or []
        self.batches += 1
        self.completions += len(completions)
        self.zero_variance_batches += not bool(generation.batch["advantages"].ne(0).any())
        self.truncated += sum(row[-1] not in settings.end_ids for row in completions)
        self.tool_tokens += int((expected["tool_mask"] == 0).sum()) if "tool_mask" in expected else 0
        if generation.rewards_per_func is not None:
            self.unscored += int(generation.rewards_per_func.isnan().sum())

    def saw_own_batch(self, rows: int, known: int) -> None:
        """Counts a batch that a subclass made in a way of its own, and its rows that were generated for it."""
        self.own_batches += 1
        self.own_rows += rows
        self.known_rows += known

    def saw_logps(self, reason: str | None) -> None:
        """Counts a micro-batch whose log-probabilities were computed again, or why not."""
        if reason is None:
            self.logps_compared += 1
        else:
            self.logps_not[reason] = self.logps_not.get(reason, 0) + 1

    def saw_mismatches(self, names: list[str]) -> None:
        """Counts what was wrong and did not end the run, once for each check."""
        for name in dict.fromkeys(names):
            self.mismatches[name] = self.mismatches.get(name, 0) + 1

    def saw_reference(self, policy: Tensor, reference: Tensor, compared: bool) -> None:
        """Notes how far policy and reference are apart, without which one could be the other."""
        self.ref_compared += compared
        self.ref_distance = max(self.ref_distance, float((policy - reference).abs().max()))

    def saw_loss(self, called: LossCall, ours: GRPOLoss, worst: float, excess: float) -> None:
        """Counts a loss that was compared."""
        if not called.training:
            self.evaluations += 1
            return
        self.steps.add(called.step)
        self.micro_batches += 1
        self.worst, self.excess = max(self.worst, worst), max(self.excess, excess)
        self.clipped += bool(ours.clip_low > 0) or bool(ours.clip_high > 0)
        self.not_finite += not bool(ours.loss.isfinite())
        old = called.inputs.get("old_per_token_logps")
        if old is not None:
            mask = called.inputs["completion_mask"] * called.inputs.get("tool_mask", 1)
            apart = (called.forwards[0].logps.detach() - old).abs().masked_fill(mask == 0, 0.0)
            farthest = float(apart.nan_to_num().max()) if apart.numel() else 0.0
            self.off_policy += farthest > 0
            self.farthest_ratio = max(self.farthest_ratio, farthest)

    def lines(self) -> list[str]:
        """Returns what was seen and what could not be, one sentence each."""
        found = []
        if self.mismatches:
            listed = ", ".join(f"{name} ({count})" for name, count in self.mismatches.items())
            found.append(f"MISMATCHES, with how often each was found: {listed}")
        if not self.micro_batches:
            return [*found, self._of_evaluation() if self.evaluations else "no loss was checked"]
        found += [
            f"{self.micro_batches} micro-batches in {len(self.steps)} steps: no loss or gradient was off by more than "
            f"{self.excess:.2g} of its tolerance (relative difference at most {self.worst:.2g})",
            self._of_ratio(),
            self._of_reference(),
            self._of_advantages(),
            self._of_rows(),
            self._of_logps(),
        ]
        alone = "one rank: gathering and slicing could not go wrong"
        found.append(alone if self.ranks == 1 else f"{self.ranks} ranks, each checked; the counts are of the first")
        if self.masks_truncated:
            found.append(f"{self.truncated} of {self.completions} completions were truncated, and masked")
        if self.tool_tokens:
            found.append(f"{self.tool_tokens} tokens were of tools, and masked")
        found.append(self._of_evaluation())
        if self.doubts:
            found.append(f"{self.doubts} mismatches were small and did not repeat")
        if self.not_finite:
            found.append(f"{self.not_finite} losses were not finite: what is NaN on both sides passes")
        return found

    def _of_ratio(self) -> str:
        if not self.off_policy:
            return f"on policy: every ratio was 1 and the clip never active in {len(self.steps)} steps"
        active = f"active in {self.clipped}" if self.clipped else "never active"
        return (
            f"off policy in {self.off_policy} of {self.micro_batches} micro-batches, log-ratios up to "
            f"{self.farthest_ratio:.2g}: the clip was {active}"
        )

    def _of_reference(self) -> str:
        if not self.beta:
            return "beta is 0: no reference"
        refreshed = f"; not in {self.ref_refreshed}, for the reference was refreshed since it scored their batch"
        refreshed = refreshed if self.ref_refreshed else ""
        if not self.ref_compared:
            return f"the reference's log-probabilities were not computed again{refreshed}"
        return (
            f"reference computed again in {self.ref_compared} micro-batches, at most {self.ref_distance:.2g} nats from "
            f"the policy{'' if self.ref_distance else ': their numbers cannot be distinguished, only whose they are'}"
            f"{refreshed}"
        )

    def _of_advantages(self) -> str:
        if self.own_batches:
            return (
                f"{self.own_batches} batches were made in the trainer's own way, {self.known_rows} of their "
                f"{self.own_rows} rows generated for them: neither their advantages nor masks and counts were checked"
            )
        if not self.batches:
            reason = f": {self.batches_not_seen} batches came of methods that return other things than TRL's"
            return "no advantages were computed again" + (reason if self.batches_not_seen else "")
        unscored = f", {self.unscored} rewards were None" if self.unscored else ""
        unseen = f"; not in {self.batches_not_seen}" if self.batches_not_seen else ""
        if self.zero_variance_batches:
            return (
                f"all groups had equal rewards in {self.zero_variance_batches} of {self.batches} batches, where any "
                f"order of advantages is right{unscored}{unseen}"
            )
        return f"advantages computed again in {self.batches} batches, each with some that are not 0{unscored}{unseen}"

    def _of_rows(self) -> str:
        line = f"rows of {self.rows_compared} micro-batches found in their generation batch, and counted in every step"
        if self.steps_of_use == 1:
            return line
        return f"{line}; looked at in {len(self.ages)} of the {self.steps_of_use} steps that use a generation batch"

    def _of_logps(self) -> str:
        line = f"log-probabilities of one completion computed again in {self.logps_compared} micro-batches"
        line += f", old ones in {self.old_recomputed}" if self.old_recomputed else ""
        return line + "".join(f"; not in {count}, for {reason}" for reason, count in self.logps_not.items())

    def _of_evaluation(self) -> str:
        if self.evaluations:
            return f"{self.evaluations} evaluation batches checked: the loss's value, and the batch, but no gradient"
        return "evaluation batches: none was seen" if self.evaluates else "no evaluation"


def _steps_of_use(trainer: Any) -> int:
    """Returns in how many optimiser steps a generation batch is used at most."""
    window = trainer.args.gradient_accumulation_steps
    uses = trainer.args.steps_per_generation * trainer.num_iterations
    latest_start = window - math.gcd(window, uses)
    return int((latest_start + uses - 1) // window + 1)
