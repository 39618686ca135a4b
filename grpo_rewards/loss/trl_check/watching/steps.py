"""A step from the tokens to the loss: the batch, its rows, and whose log-probabilities they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss.trl_check.findings import Finding
from grpo_rewards.loss.trl_check.generated import (
    OLD_LOGPS,
    REF_LOGPS,
    BatchSettings,
    batch_settings,
    compare_batch,
    expected_batch,
)
from grpo_rewards.loss.trl_check.micro_batches import Uses
from grpo_rewards.loss.trl_check.recording import Forward, Generation, LossCall, bare
from grpo_rewards.loss.trl_check.watching.log_probabilities import (
    Frozen,
    as_reference,
    compare_logps,
    own_logps,
    why_not_recomputed,
)
from grpo_rewards.loss.trl_check.watching.own_batches import known_rows
from grpo_rewards.loss.trl_check.watching.sight import Sight

__all__ = ["Steps"]


class Steps:
    """Follows one trainer's generation batches and micro-batches, and reports what is wrong with them.

    Args:
        trainer: a ``GRPOTrainer``; it is not held.
        sight: where what was seen is counted.
        scores_itself: whether the trainer's class has a way of its own to make a batch of completions, so that its
            rows, masks and advantages, and which tensors there are, follow from no setting.
    """

    def __init__(self, trainer: Any, sight: Sight, scores_itself: bool) -> None:
        self.sight, self.scores_itself = sight, scores_itself
        self.uses: Uses | None = None
        self.generated_at: int | None = None  # the step; the generation itself would keep images alive
        self.frozen = Frozen.of_reference(trainer) if trainer.beta else Frozen({})
        self._reference_then: Frozen | None = None  # as it was when the batch was made, where it is refreshed
        self._own: dict[str, Tensor] = {}
        self._row = 0

    def began(self) -> None:
        """Notes that a run begins: steps are counted anew, while TRL continues with the batch that it has."""
        self.generated_at = None

    def generated(self, trainer: Any, generation: Generation, checks: bool) -> list[Finding]:
        """Takes up a new generation batch, and returns what is wrong with it, and with the use of the one before."""
        findings: list[Finding] = []
        if generation.training:
            if self.uses is not None:
                findings = self.uses.left_over()
            self.uses = Uses(generation.batch, trainer.args.steps_per_generation, trainer.num_iterations)
            self.generated_at = generation.step
            refreshed = trainer.beta and trainer.args.sync_ref_model
            self._reference_then = Frozen.of_reference(trainer) if refreshed else None
        return findings + (self._of_batch(trainer, generation) if checks else [])

    def given(self, trainer: Any, inputs: Mapping[str, Any], checks: bool) -> list[Finding]:
        """Notes a micro-batch before its loss is computed; if it is checked, log-probabilities are computed again.

        They are compared in :meth:`computed`: nothing is found yet.
        """
        training = trainer.model.training
        if self.uses is not None and training:
            self.uses.add(inputs, trainer._step)
        self._own = {}
        if not checks:
            return []
        reason = why_not_recomputed(trainer, inputs)
        self.sight.saw_logps(reason)
        if reason is not None:
            return []
        self._row = trainer._step % len(inputs["completion_ids"])
        self._own["policy"] = own_logps(trainer, bare(trainer, trainer.model), inputs, self._row)
        if trainer.beta:
            with as_reference(trainer) as reference:
                self._own["reference"] = own_logps(trainer, reference, inputs, self._row)
        return []

    def computed(self, trainer: Any, called: LossCall) -> list[Finding]:
        """Returns what is wrong with a micro-batch that was checked: its rows, and whose log-probabilities it has."""
        inputs, row = called.inputs, self._row
        findings: list[Finding] = []
        if self.uses is not None and called.training:
            findings = self.uses.findings(inputs)
            self.sight.rows_compared += 1
        if called.training and self.generated_at is not None:
            self.sight.ages.add(called.step - self.generated_at)
        forward = called.forwards[0]
        if forward.whose != "policy":
            findings.append(Finding("the forward pass of the loss", None, None, f"{forward.whose} model", "the policy"))
        of: dict[str, tuple[Any, str]] = {"the policy's log-probabilities": (forward.logps, "policy")}
        if trainer.beta:
            findings += self._of_reference(trainer)
            if called.training and self._refreshed(trainer):
                self.sight.ref_refreshed += 1
            else:
                of[REF_LOGPS] = inputs.get(REF_LOGPS), "reference"
        if called.training and called.step == self.generated_at:
            of[OLD_LOGPS] = inputs.get(OLD_LOGPS), "policy"  # no step since they were computed
            self.sight.old_recomputed += OLD_LOGPS in inputs
        for name, (found, whose) in of.items():
            if found is not None and whose in self._own:
                findings += compare_logps(trainer, name, found[row], self._own[whose], inputs, row)
        if "reference" in self._own:
            self.sight.saw_reference(self._own["policy"], self._own["reference"], REF_LOGPS in of)
        return findings

    def _of_batch(self, trainer: Any, generation: Generation) -> list[Finding]:
        """What is wrong with a generation batch: tokens, masks, advantages, counts, whose log-probabilities."""
        settings = batch_settings(trainer, generation.training)
        if self.scores_itself:
            known = known_rows(generation.batch, generation.rows, settings.pad_id)
            self.sight.saw_own_batch(len(generation.batch["completion_ids"]), known)
            return self._of_forwards(trainer, generation)
        if generation.prompts is None or generation.completions is None or generation.rewards_per_func is None:
            self.sight.batches_not_seen += 1
            return []
        rewards = generation.rewards_per_func
        expected = expected_batch(
            settings,
            generation.prompts,
            generation.completions,
            rewards,
            generation.tool_masks,
            generation.sampling_logps,
        )
        own = expected["num_items_in_batch"].to(trainer.accelerator.device)
        expected["num_items_in_batch"] = trainer.accelerator.gather(own).sum()
        self.sight.saw_batch(settings, generation, expected)
        found = compare_batch(settings, generation.batch, expected, rewards)
        alike = (
            _of_groups(settings, generation) if trainer.environments is None and trainer.rollout_func is None else []
        )
        return found + alike + self._of_forwards(trainer, generation)

    def _of_forwards(self, trainer: Any, generation: Generation) -> list[Finding]:
        """Whether old and reference log-probabilities are what the right model returned for the batch's own tokens."""
        batch, findings = generation.batch, []
        for name, wanted in ((OLD_LOGPS, "policy"), (REF_LOGPS, "reference")):
            if batch.get(name) is None:
                continue
            sources = [one for one in generation.forwards if _same(one.logps, batch[name])]
            if not sources and self.scores_itself:
                continue  # rows that were put together from several forward passes, say
            if not sources:
                findings.append(Finding(name, None, None, "what no forward pass returned", f"those of the {wanted}"))
                continue
            if not any(_as_wanted(trainer, one, wanted) for one in sources):
                whose = f"those of {'the policy' if sources[0].whose == 'policy' else sources[0].whose + ' model'}"
                whose += "" if sources[0].adapters is None else f" with the adapters {sources[0].adapters}"
                findings.append(Finding(name, None, None, whose, f"those of the {wanted}"))
            tokens = torch.cat([batch["prompt_ids"], batch["completion_ids"]], dim=1)
            masks = torch.cat([batch["prompt_mask"], batch["completion_mask"]], dim=1)
            given = sources[0].given
            if not (_same(given.get("input_ids"), tokens) and _same(given.get("attention_mask"), masks)):
                findings.append(Finding(name, None, None, "a forward pass over other tokens", "over the batch's own"))
        return findings

    def _refreshed(self, trainer: Any) -> bool:
        """Whether ``sync_ref_model`` has changed the reference since it scored the batch, which keeps its numbers."""
        then = self._reference_then
        return then is not None and bool(then.changed(_reference_parameters(trainer)))

    def _of_reference(self, trainer: Any) -> list[Finding]:
        """Whether the reference is a model of its own, which no step changes."""
        reference, policy = bare(trainer, getattr(trainer, "ref_model", None)), bare(trainer, trainer.model)
        named = _reference_parameters(trainer)
        findings = [] if trainer.args.sync_ref_model else self.frozen.changed(named)
        if reference is None:
            if not hasattr(policy, "peft_config"):
                findings.append(Finding("the reference", None, None, "no model", "one, for beta is not 0"))
            return findings
        trained = {one.data_ptr() for one in policy.parameters() if one.requires_grad and one.numel()}
        shared = [name for name, one in named.items() if one.numel() and one.data_ptr() in trained]
        if shared:
            findings.append(Finding("the reference", None, None, f"the policy's own {shared[0]}", "a copy"))
        return findings


def _reference_parameters(trainer: Any) -> dict[str, Tensor]:
    reference = bare(trainer, getattr(trainer, "ref_model", None))
    return dict((bare(trainer, trainer.model) if reference is None else reference).named_parameters())


def _of_groups(settings: BatchSettings, generation: Generation) -> list[Finding]:
    """Whether the completions of a group, as far as they are on this rank, have one prompt."""
    prompts = generation.prompts or []
    first = settings.rank * len(prompts)
    for row in range(1, len(prompts)):
        same_group = (first + row) // settings.group_size == (first + row - 1) // settings.group_size
        if same_group and prompts[row] != prompts[row - 1]:
            return [Finding("the prompt", row, None, "another one than its group", "one prompt for each group")]
    return []


def _as_wanted(trainer: Any, forward: Forward, wanted: str) -> bool:
    if wanted == "policy" or getattr(trainer, "ref_model", None) is not None:
        return forward.whose == wanted and forward.adapters != ()
    names = getattr(bare(trainer, trainer.model), "peft_config", {})
    return forward.whose == "policy" and forward.adapters == (("ref",) if "ref" in names else ())


def _same(one: Any, other: Any) -> bool:
    """Whether both are tensors with the same numbers; NaN equals NaN."""
    if not isinstance(one, Tensor) or not isinstance(other, Tensor) or one.shape != other.shape:
        return False
    return bool(torch.equal(one, other) or torch.equal(one.nan_to_num(nan=7.0), other.nan_to_num(nan=7.0)))
