"""Compares what a ``GRPOTrainer`` does from the tokens to the loss with this package's, while it trains."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable, Mapping
from importlib.metadata import version
from itertools import count, pairwise
from typing import Any, Literal

import torch
from torch import Tensor

from grpo_rewards.loss.loss_types import LOSS_TYPES
from grpo_rewards.loss.trl_check.contract import TESTED_TRL, Generation, LossCall, Recording, bare, is_within, verdict
from grpo_rewards.loss.trl_check.expected import (
    OLD_LOGPS,
    REF_LOGPS,
    SOMETIMES,
    as_reference,
    batch_settings,
    compare_batch,
    compare_logps,
    compare_loss,
    counted_tokens,
    equation,
    expected_batch,
    own_logps,
)
from grpo_rewards.loss.trl_check.report import Finding

METRIC = "loss_check/max_abs_diff"
AT_ONCE = 100.0  # tolerances, beyond which one mismatch is enough
REPEATS_WITHIN = 100  # steps in which a smaller one must come again
SAMPLED_ELEMENTS = 16  # of each parameter of the reference, or up to twice as many, by which a change is noticed
# The tensors that have a row for each completion; two rows are the same if they are in all of them.
BY_ROW = ("prompt_ids", "prompt_mask", "completion_ids", "completion_mask", "advantages", *SOMETIMES)
# What is counted in a run, in words, and the words where there was none of it.
SEEN = {
    "off_policy": "off policy in {off_policy} of {losses} micro-batches: the clip was active in {clipped}",
    "references": "reference computed again in {references} micro-batches",
    "batches": "advantages and masks computed again in {batches} batches: all groups had equal rewards in {equal}, and "
    "{unscored} rewards were None",
    "own_batches": "{own_batches} batches were made in the trainer's own way: their advantages, masks and counts were "
    "not checked",
    "rows": "rows of {rows} micro-batches found in their generation batch, and counted",
    "logps": "log-probabilities of one completion computed again in {logps} micro-batches",
    "truncated": "{truncated} of {completions} completions were truncated, and masked",
    "tool_tokens": "{tool_tokens} tokens were of tools, and masked",
    "evaluations": "{evaluations} evaluation batches checked: the loss's value, and the batch, but no gradient",
    "doubts": "{doubts} mismatches were small and did not repeat",
    "not_finite": "{not_finite} losses were not finite: what is NaN on both sides passes",
}
NOT_SEEN = {
    "off_policy": "on policy: every ratio was 1 and the clip never active",
    "references": "no log-probabilities of a reference were computed again",
    "batches": "no advantages were computed again",
    "logps": "no log-probabilities were computed again",
    "evaluations": "no evaluation was seen",
}
logger = logging.getLogger(__name__)


class LossMismatch(RuntimeError):
    """TRL computed a loss, a gradient, or what they are made of, that is not what its settings request."""


def watch_loss(trainer: Any, every: int = 10, on_mismatch: Literal["stop", "warn"] = "stop") -> LossWatch:
    """Makes a ``GRPOTrainer`` check itself in the first step that it trains, and then about every ``every``-th.

    Call it before ``train()``. On every rank, in each micro-batch of such a step, are computed again: the loss and its
    gradient by the log-probabilities and the entropies; the batch that the tokens and the rewards must give, with its
    masks, advantages and counts; which log-probabilities must be there; and those of one completion, by the policy and
    by the reference, from the logits. In every step the rows of each micro-batch are noted, so that each completion is
    used as often as it should be. Where a generation batch is used in several steps, the interval has no factor in
    common with their number, so that the checks take turns among them. Of each evaluation the first batch is checked,
    its gradient aside. The largest difference of a loss is logged as ``loss_check/max_abs_diff``.

    A TRL that has something in another form than the tested one is no mismatch: a warning says what is not compared.

    Args:
        trainer: a ``GRPOTrainer`` of TRL.
        every: the number of steps from one check to the next, at least 1; or the next greater one that gives turns.
        on_mismatch: whether a mismatch ends the run, or is a warning, as an error of a check then is. A difference of
            less than a hundred tolerances must come again in another step, within a hundred; until then the next step
            is checked as well.

    Returns:
        What was seen so far: ``print(watch)`` shows it in words, as the main process does at the end of the run.

    Raises:
        TypeError: the trainer is not one of TRL's GRPO, has a loss of its own, or is watched already.
        ValueError: ``every`` is not a whole number from 1 up, ``on_mismatch`` or the loss type is unknown.
        LossMismatch: later, during training, with the first number that differs, the settings and the formula.
    """
    from trl import GRPOTrainer

    if not isinstance(trainer, GRPOTrainer):
        raise TypeError(f"watch_loss takes a GRPOTrainer, not {type(trainer).__name__}.")
    for name in ("compute_loss", "_compute_loss"):
        if _has_its_own(trainer, name):
            raise TypeError(
                f"this trainer computes its loss in a way of its own, by {type(trainer).__name__}.{name} (or is "
                "watched already): there is nothing here to compare it with."
            )
    if not isinstance(every, int) or every < 1:
        raise ValueError(f"every must be a whole number of steps, 1 or more, not {every!r}.")
    if on_mismatch not in ("stop", "warn"):
        raise ValueError(f"on_mismatch must be 'stop' or 'warn', not {on_mismatch!r}.")
    if trainer.loss_type not in LOSS_TYPES:
        raise ValueError(f"the loss type {trainer.loss_type!r} is not known here, only {', '.join(LOSS_TYPES)}.")
    watch = LossWatch(trainer, every, on_mismatch == "stop")
    trainer.add_callback(_callback(watch))
    return watch


def _has_its_own(trainer: Any, name: str) -> bool:
    """Whether a trainer has a method of its own in the place of ``GRPOTrainer``'s."""
    from trl import GRPOTrainer

    return name in vars(trainer) or getattr(type(trainer), name, None) is not getattr(GRPOTrainer, name, None)


class LossWatch(Recording):
    """A watched run: what was checked so far, and what there was to see.

    ``str`` of it is the report that is printed at the end of the run, and ``lines`` its sentences.

    Attributes:
        counts: of what was seen, by the names in ``SEEN``.
        mismatches: those that did not end the run, by name; ``reasons``: why log-probabilities were not recomputed.
        steps: the optimiser steps in which a loss was compared.
        worst, excess: the largest difference of a loss, as logged and in tolerances.
        changed: what of TRL is not as it was tested, in words by its name; what hangs on it is not checked.
    """

    def __init__(self, trainer: Any, every: int, stops: bool) -> None:
        # how many micro-batches make a window, and for how many a generation batch is used
        self._window = trainer.args.gradient_accumulation_steps
        self._uses = trainer.args.steps_per_generation * trainer.num_iterations
        # steps after which generation is at the same place of a window
        period = self._uses // math.gcd(self._uses, self._window)
        self.every, self.stops = next(one for one in count(every) if math.gcd(one, period) == 1), stops
        self.counts: Counter[str] = Counter()
        self.mismatches: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.steps: set[int] = set()
        self.worst = self.excess = 0.0
        self._ranks = trainer.accelerator.num_processes
        # a subclass with a way of its own to make a batch: its rows, masks and advantages follow from no setting
        self._scores_itself = _has_its_own(trainer, "_generate_and_score_completions")
        self._frozen = _fingerprints(_reference_parameters(trainer)) if trainer.beta else {}
        self.began()
        super().__init__(trainer)
        if self.changed:
            logger.warning("watch_loss: %s", verdict(version("trl"), self.changed))

    @property
    def lines(self) -> list[str]:
        """What was seen, and what could not be under these settings, one sentence each."""
        found = []
        if self.changed:
            found.append(verdict(version("trl"), self.changed).rstrip("."))
        if self.mismatches:
            listed = ", ".join(f"{name} ({count})" for name, count in self.mismatches.items())
            found.append(f"MISMATCHES, with how often each was found: {listed}")
        counts = self.counts
        if not counts["losses"]:
            seen = SEEN["evaluations"].format_map(counts) if counts["evaluations"] else "no loss was checked"
            return [*found, seen]
        found.append(
            f"{counts['losses']} micro-batches in {len(self.steps)} steps: no loss or gradient was off by more than "
            f"{self.excess:.2g} of its tolerance (relative difference at most {self.worst:.2g})"
        )
        for name, seen in SEEN.items():
            found += [seen.format_map(counts)] if counts[name] else [NOT_SEEN[name]] if name in NOT_SEEN else []
        found += [f"log-probabilities not in {count}, for {reason}" for reason, count in self.reasons.items()]
        several = f"{self._ranks} ranks, each checked; the counts are of the first"
        return [*found, several if self._ranks > 1 else "one rank: gathering and slicing could not go wrong"]

    def __str__(self) -> str:
        return "\n".join(["watch_loss:", *(f"- {line}." for line in self.lines)])

    def began(self) -> None:
        """Forgets what belongs to an earlier run of the same trainer: its steps are not those of this one."""
        self._unused: Counter[int] | None = None  # how often each row of the generation batch is still to be used
        self._generated_at: int | None = None  # the step; the generation itself would keep images alive
        self._first: int | None = None  # the step at which the run began or was resumed
        self._doubted: int | None = None  # the step of a small mismatch
        self._evaluated: int | None = None
        self._losses = 0

    def evaluated(self) -> None:
        """Notes the end of an evaluation; another one may follow in the same step, on another set."""
        self._evaluated = None

    def stepped(self, step: int) -> None:
        """Raises LossMismatch, or warns, if an optimiser step was made without a loss of ``_compute_loss``."""
        if not self._losses and "_compute_loss" not in self.changed:
            name = "the loss was not computed by GRPOTrainer._compute_loss"
            self._end(f"step {step}: {name}; nothing is checked.", [name])
        self._losses = 0

    def _due(self, step: int) -> bool:
        if self._first is None:
            self._first = step
        return (step - self._first) % self.every == 0 or step - 1 == self._doubted

    def on_generation(self, generation: Generation) -> None:
        step = generation.step
        due = step != self._evaluated
        if generation.training:
            begins = generation.micro_step % self._window  # it may be late in a window
            windows = math.ceil((begins + self._uses) / self._window)
            due = any(self._due(one) for one in range(step, step + windows))
        self._conclude(step, lambda: self._of_generation(generation, due))

    def wants_loss(self, inputs: Mapping[str, Any]) -> bool:
        trainer = self.trainer
        step, training = trainer.state.global_step, trainer.model.training
        self._losses += training
        if training:
            self._conclude(step, lambda: self._of_rows(inputs))
        return self._due(step) if training else step != self._evaluated

    def on_loss(self, called: LossCall) -> None:
        if not called.training:
            self._evaluated = called.step
        self._conclude(called.step, lambda: [*self._of_inputs(called), *self._of_loss(called)], called.settings)

    def _of_generation(self, generation: Generation, due: bool) -> list[Finding]:
        """Takes up a new generation batch, and returns what is wrong with it, and with the use of the one before."""
        findings: list[Finding] = []
        if generation.training:
            left = 0 if self._unused is None else (+self._unused).total()
            if left:
                findings.append(Finding("uses", f"{left} too few of completions", "none"))
            if "_compute_loss" not in self.changed:  # by which micro-batches are seen
                self._unused = Counter(rows_of(generation.batch) * self.trainer.num_iterations)
            self._generated_at = generation.step
        if due and self._scores_itself:
            self.counts["own_batches"] += 1
        elif due:
            findings += self._of_batch(generation)
        return findings

    def _of_rows(self, inputs: Mapping[str, Any]) -> list[Finding]:
        """Notes the rows of a micro-batch, and returns one that its generation batch has not, or not so often."""
        if self._unused is None:
            return []
        self.counts["rows"] += 1
        for row, key in enumerate(rows_of(inputs)):
            self._unused[key] -= 1
            if self._unused[key] < 0:
                values = "one that its generation batch has not, or not so often", "each as often as num_iterations"
                return [Finding("the row", *values, (row,))]
        return []

    def _of_batch(self, generation: Generation) -> list[Finding]:
        """What is wrong with a batch: tokens, masks, advantages, counts; and whether each group has one prompt."""
        trainer, rewards = self.trainer, generation.rewards_per_func
        prompts, completions = generation.prompts, generation.completions
        if not (prompts and completions and len(rewards)):  # of a TRL that is not as it was
            return []
        settings = batch_settings(trainer, generation.training)
        expected = expected_batch(settings, generation)
        own = expected["num_items_in_batch"].to(trainer.accelerator.device)
        expected["num_items_in_batch"] = trainer.accelerator.gather(own).sum()
        self.counts += Counter(
            batches=1,
            completions=len(completions),
            equal=not generation.batch["advantages"].ne(0).any(),
            truncated=settings.drops_truncated * sum(row[-1] not in settings.end_ids for row in completions),
            tool_tokens=int((expected["tool_mask"] == 0).sum()) if "tool_mask" in expected else 0,
            unscored=int(rewards.isnan().sum()),
        )
        findings = compare_batch(settings, generation, expected)
        if trainer.environments is None and trainer.rollout_func is None:  # which may write prompts of their own
            for row, (before, prompt) in enumerate(pairwise(prompts), start=1):
                if prompt != before and (settings.rank * len(prompts) + row) % settings.group_size:
                    values = "another one than its group", "one prompt for each group"
                    return [*findings, Finding("the prompt", *values, (row,))]
        return findings

    def _of_inputs(self, called: LossCall) -> list[Finding]:
        """What is wrong with the log-probabilities of a micro-batch, and with the reference."""
        trainer, inputs = self.trainer, called.inputs
        findings = self._of_reference() if trainer.beta else []
        row = called.micro_step % len(inputs["completion_ids"])
        own = own_logps(trainer, bare(trainer, trainer.model), inputs, row)
        if isinstance(own, str):
            self.reasons[own] += 1
            return findings
        self.counts["logps"] += 1
        is_fresh = called.training and called.step == self._generated_at  # no step since its batch was made
        compared: list[tuple[str, Any, Any]] = [("the policy's log-probabilities", called.forwards[0].logps, own)]
        if is_fresh:
            compared.append((OLD_LOGPS, inputs.get(OLD_LOGPS), own))
        if trainer.beta and (is_fresh or not trainer.args.sync_ref_model):
            self.counts["references"] += 1
            with as_reference(trainer) as reference:
                compared.append((REF_LOGPS, inputs.get(REF_LOGPS), own_logps(trainer, reference, inputs, row)))
        for name, found, expected in compared:
            if found is not None and isinstance(expected, Tensor):
                findings += compare_logps(trainer, name, found[row], expected, inputs, row)
        return findings

    def _of_reference(self) -> list[Finding]:
        """Whether the reference is a model of its own, which no step changes."""
        trainer, named = self.trainer, _reference_parameters(self.trainer)
        findings, now = [], {} if trainer.args.sync_ref_model else _fingerprints(named)
        changed = [name for name, one in now.items() if name in self._frozen and not one.equal(self._frozen[name])]
        if changed:
            findings.append(Finding(f"the reference's parameter {changed[0]}", "changed by a step", "frozen"))
        policy = bare(trainer, trainer.model)
        trained = {one.data_ptr() for one in policy.parameters() if one.requires_grad and one.numel()}
        shared = [name for name, one in named.items() if one.numel() and one.data_ptr() in trained]
        if shared:
            findings.append(Finding("the reference", f"the policy's own {shared[0]}", "a copy"))
        return findings

    def _of_loss(self, called: LossCall) -> list[Finding]:
        compared = compare_loss(self.trainer, called)
        self.trainer._metrics["train" if called.training else "eval"][METRIC].append(compared.worst)
        self.worst, self.excess = max(self.worst, compared.worst), max(self.excess, compared.excess)
        if not called.training:
            self.counts["evaluations"] += 1
            return compared.findings
        self.steps.add(called.step)
        ours, counted = compared.ours, counted_tokens(called.inputs) != 0
        logps, old = called.forwards[0].logps.detach(), called.inputs.get(OLD_LOGPS)
        self.counts += Counter(
            losses=1,
            clipped=bool(ours.clip_low + ours.clip_high > 0),
            off_policy=old is not None and bool((logps - old)[counted].nan_to_num().any()),
            not_finite=not ours.loss.isfinite(),
        )
        return compared.findings

    def _end(self, message: str, names: list[str]) -> None:
        """Raises LossMismatch, or warns and remembers what was wrong."""
        if self.stops:
            raise LossMismatch(message)
        self._warn(message, names)

    def _warn(self, message: str, names: list[str]) -> None:
        self.mismatches.update(dict.fromkeys(names, 1))
        logger.warning("watch_loss: %s", message)

    def _conclude(
        self, step: int, check: Callable[[], list[Finding]], settings: Mapping[str, Any] | None = None
    ) -> None:
        """Stops or warns for a mismatch on any rank that is large or comes again; remembers one that is neither.

        An error of the check itself is a warning where mismatches are, or for another TRL.
        """
        findings: list[Finding] = []
        try:
            findings = check()
        except Exception as error:
            if self.stops and is_within(version("trl"), TESTED_TRL) and not self.changed:
                raise
            self._warn(f"a check failed itself, with {type(error).__name__}: {error}", ["a check that failed itself"])
        own = max((finding.excess for finding in findings), default=0.0)
        ranks = self.trainer.accelerator
        worst = float(ranks.gather(torch.tensor([own], device=ranks.device, dtype=torch.float32)).max())
        if not worst:
            return
        message = f"step {step}: " + (_message_of(findings, settings) if findings else "another rank found a mismatch.")
        repeats = self._doubted is not None and 0 < step - self._doubted <= REPEATS_WITHIN
        if worst < AT_ONCE and not repeats:
            self._doubted = step
            self.counts["doubts"] += 1
            logger.warning("watch_loss: %s It is small; the run goes on unless it comes again.", message)
        else:
            self._end(message, [one.name for one in findings] or ["what another rank found"])


def rows_of(batch: Mapping[str, Any]) -> list[int]:
    """Returns a key for each completion of a batch, the same for two that have the same numbers in all of ``BY_ROW``.

    TRL shuffles the completions of a generation batch and splits them: only what is in them shows which they are.
    """
    tensors = [batch[name].detach().cpu().double() for name in BY_ROW if batch.get(name) is not None]
    rows = torch.cat([one.reshape(len(one), -1) for one in tensors], dim=1).numpy()
    return [hash(row.tobytes()) for row in rows]


def _reference_parameters(trainer: Any) -> dict[str, Tensor]:
    """Those of ``ref_model``; under PEFT those of the policy that are not trained."""
    reference = getattr(trainer, "ref_model", None)
    if reference is not None:
        return dict(bare(trainer, reference).named_parameters())
    own = bare(trainer, trainer.model).named_parameters()
    return {name: one for name, one in own if not one.requires_grad}


def _fingerprints(named: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Returns a few elements of each parameter, and none of one whose elements are on other ranks."""
    return {
        name: one.detach().reshape(-1)[:: max(1, one.numel() // SAMPLED_ELEMENTS)].clone()
        for name, one in named.items()
    }


def _message_of(findings: list[Finding], settings: Mapping[str, Any] | None) -> str:
    """Returns the findings in words; for a wrong loss with the formula that its settings stand for."""
    listed = "; ".join(map(str, findings))
    if settings is None or not any(one.name.startswith(("the loss", "the gradient")) for one in findings):
        return f"{listed}."
    shown = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    worst, name = max(one.excess for one in findings), settings["loss_type"]
    return (
        f"the loss is not that of '{name}', {equation(name)}. Settings: {shown}. Largest difference {worst:.3g} "
        f"tolerances. {listed}."
    )


def _callback(watch: LossWatch) -> Any:
    """Returns a callback that notices a step without a loss, and prints the report at the end."""
    from transformers import TrainerCallback

    def ended(_: Any, state: Any, *__: Any, **___: Any) -> None:
        if state.is_world_process_zero:
            print(watch)

    callback: Any = TrainerCallback()
    callback.on_train_begin = lambda *_, **__: watch.began()
    callback.on_evaluate = lambda *_, **__: watch.evaluated()
    callback.on_step_end = lambda _, state, *__, **___: watch.stepped(state.global_step)
    callback.on_train_end = ended
    return callback
