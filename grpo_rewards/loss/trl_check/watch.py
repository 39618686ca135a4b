"""Compares what a ``GRPOTrainer`` does from the tokens to the loss with this package's, while it trains."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from typing import Any, Literal

import torch

from grpo_rewards.loss.loss_types import LOSS_TYPES
from grpo_rewards.loss.trl_check.findings import Finding
from grpo_rewards.loss.trl_check.recording import Generation, LossCall, Recording
from grpo_rewards.loss.trl_check.watching.loss_values import compare_loss, formulas
from grpo_rewards.loss.trl_check.watching.sight import Sight
from grpo_rewards.loss.trl_check.watching.steps import Steps

__all__ = ["LossMismatch", "LossWatch", "watch_loss"]

METRIC = "loss_check/max_abs_diff"
AT_ONCE = 100.0  # tolerances, beyond which one mismatch is enough
REPEATS_WITHIN = 100  # steps in which a smaller one must come again
logger = logging.getLogger(__name__)


class LossMismatch(RuntimeError):
    """TRL computed a loss, a gradient, or what they are made of, that is not what its settings request."""


def watch_loss(trainer: Any, every: int = 10, on_mismatch: Literal["stop", "warn"] = "stop") -> LossWatch:
    """Makes a ``GRPOTrainer`` check itself in the first step that it trains, and then about every ``every``-th.

    Call it before ``train()``. On every rank, in each micro-batch of such a step, are computed again: the loss and its
    gradient by the log-probabilities and the entropies; the batch that the tokens and the rewards must give, with its
    masks, advantages and counts; which log-probabilities must be there, and which model they are of; and those
    of one completion, by the policy and by the reference, from the logits. In every step the rows of each micro-batch
    are noted, so that each completion is used as often as it should be. Where a generation batch is used in several
    steps, the checks take turns among them. Of each evaluation the first batch is checked, its gradient aside. The
    largest difference of a loss is logged as ``loss_check/max_abs_diff``.

    Args:
        trainer: a ``GRPOTrainer`` of TRL.
        every: the number of steps from one check to the next, at least 1; the turns move a check by a few steps.
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
    _check_trainer(trainer)
    if not isinstance(every, int) or every < 1:
        raise ValueError(f"every must be a whole number of steps, 1 or more, not {every!r}.")
    if on_mismatch not in ("stop", "warn"):
        raise ValueError(f"on_mismatch must be 'stop' or 'warn', not {on_mismatch!r}.")
    if trainer.loss_type not in LOSS_TYPES:
        raise ValueError(f"the loss type {trainer.loss_type!r} is not known here, only {', '.join(LOSS_TYPES)}.")
    watch = LossWatch(trainer, every, on_mismatch == "stop")
    trainer.add_callback(_callback(watch))
    return watch


def _check_trainer(trainer: Any) -> None:
    """Raises TypeError for a trainer whose loss does not come from ``GRPOTrainer._compute_loss``."""
    from trl import GRPOTrainer, RLOOTrainer

    if isinstance(trainer, RLOOTrainer):
        raise TypeError("watch_loss takes a GRPOTrainer; RLOO has another loss and other advantages, not checked here.")
    if not isinstance(trainer, GRPOTrainer):
        raise TypeError(f"watch_loss takes a GRPOTrainer, not {type(trainer).__name__}.")
    for name in ("compute_loss", "_compute_loss"):
        if getattr(type(trainer), name) is not getattr(GRPOTrainer, name) or name in vars(trainer):
            raise TypeError(
                f"this trainer computes its loss in a way of its own, by {type(trainer).__name__}.{name} (or is "
                "watched already): there is nothing here to compare it with."
            )
    fused = [name for name in ("compute_liger_loss", "_compute_liger_loss") if hasattr(trainer, name)]
    if fused and any(getattr(trainer, name, False) for name in ("use_liger_kernel", "use_liger_loss")):
        raise TypeError("Liger's fused loss goes past _compute_loss: set use_liger_kernel=False to watch the loss.")


class LossWatch:
    """A watched run: what was checked so far, and what there was to see.

    ``str`` of it is the report that is printed at the end of the run, and ``lines`` its sentences.
    """

    def __init__(self, trainer: Any, every: int, stops: bool) -> None:
        from trl import GRPOTrainer

        self.every, self.stops = every, stops
        self._sight = Sight.of(trainer)
        scores = "_generate_and_score_completions"
        own = getattr(type(trainer), scores) is not getattr(GRPOTrainer, scores) or scores in vars(trainer)
        self._steps = Steps(trainer, self._sight, own)
        self._first: int | None = None  # the step at which the run began or was resumed
        self._doubted: int | None = None  # the step of a small mismatch
        self._evaluated: int | None = None
        self._losses = 0
        window = trainer.args.gradient_accumulation_steps
        uses = trainer.args.steps_per_generation * trainer.num_iterations
        self._period = uses // math.gcd(uses, window)  # steps after which generation is at the same place of a window
        self._recording = Recording(trainer, self._generated, self._wants, self._computed)

    @property
    def lines(self) -> list[str]:
        """What was seen, and what could not be under these settings, one sentence each."""
        return self._sight.lines()

    def __str__(self) -> str:
        return "\n".join(["watch_loss:", *(f"- {line}." for line in self.lines)])

    def began(self) -> None:
        """Forgets what belongs to an earlier run of the same trainer: its steps are not those of this one."""
        self._first = self._doubted = self._evaluated = None
        self._losses = 0
        self._steps.began()

    def evaluated(self) -> None:
        """Notes the end of an evaluation; another one may follow in the same step, on another set."""
        self._evaluated = None

    def stepped(self, step: int) -> None:
        """Raises LossMismatch, or warns, if an optimiser step was made without a loss of ``_compute_loss``."""
        if not self._losses:
            name = "the loss was not computed by GRPOTrainer._compute_loss"
            self._end(f"step {step}: {name}; nothing is checked.", [name])
        self._losses = 0

    def _due(self, step: int) -> bool:
        if self._first is None:
            self._first = step
        return in_turn(step - self._first, self.every, self._period) or (
            self._doubted is not None and step == self._doubted + 1
        )

    def _generated(self, generation: Generation) -> None:
        trainer, step = self._recording.trainer, generation.step
        if generation.training:
            uses = trainer.args.steps_per_generation * trainer.num_iterations
            window = trainer.args.gradient_accumulation_steps
            last = step + -(-(generation.micro_step % window + uses) // window)  # it may begin late in a window
            due = any(self._due(one) for one in range(step, max(last, step + 1)))
        else:
            due = step != self._evaluated
        findings = self._attempt(lambda: self._steps.generated(trainer, generation, due))
        self._conclude(trainer, step, findings, None)

    def _wants(self, inputs: Mapping[str, Any]) -> bool:
        trainer = self._recording.trainer
        step, training = trainer.state.global_step, trainer.model.training
        due = self._due(step) if training else step != self._evaluated
        self._losses += training
        self._attempt(lambda: self._steps.given(trainer, inputs, due))
        return due

    def _computed(self, called: LossCall) -> None:
        trainer = self._recording.trainer
        if not called.training:
            self._evaluated = called.step
        findings = self._attempt(lambda: [*self._steps.computed(trainer, called), *self._of_loss(trainer, called)])
        self._conclude(trainer, called.step, findings, called.settings)

    def _of_loss(self, trainer: Any, called: LossCall) -> list[Finding]:
        compared = compare_loss(trainer, called)
        self._sight.saw_loss(called, compared.ours, compared.worst, compared.excess)
        trainer._metrics["train" if called.training else "eval"][METRIC].append(compared.worst)
        return compared.findings

    def _attempt(self, check: Callable[[], list[Finding]]) -> list[Finding]:
        """Returns what a check finds; an error of the check itself is a warning where mismatches are."""
        try:
            return check()
        except Exception as error:
            if self.stops:
                raise
            self._end(f"a check failed itself, with {type(error).__name__}: {error}", ["a check that failed itself"])
            return []

    def _end(self, message: str, names: list[str]) -> None:
        """Raises LossMismatch, or warns and remembers what was wrong."""
        if self.stops:
            raise LossMismatch(message)
        self._sight.saw_mismatches(names)
        logger.warning("watch_loss: %s", message)

    def _conclude(self, trainer: Any, step: int, findings: list[Finding], settings: Mapping[str, Any] | None) -> None:
        """Stops or warns for a mismatch on any rank that is large or comes again; remembers one that is neither."""
        own = max((finding.excess for finding in findings), default=0.0)
        device = trainer.accelerator.device
        worst = float(trainer.accelerator.gather(torch.tensor([own], device=device, dtype=torch.float32)).max())
        if not worst:
            return
        message = f"step {step}: " + (
            _message_of(trainer, findings, settings) if findings else "another rank found a mismatch."
        )
        repeats = self._doubted is not None and 0 < step - self._doubted <= REPEATS_WITHIN
        if worst < AT_ONCE and not repeats:
            self._doubted = step
            self._sight.doubts += 1
            logger.warning("watch_loss: %s It is small; the run goes on unless it comes again.", message)
        else:
            self._end(message, [one.name for one in findings] or ["what another rank found"])


def in_turn(step: int, every: int, period: int) -> bool:
    """Returns whether a step is to be checked: one in every ``every``, each time at the next place of a period.

    Without the turns, every tenth step would always be the first of two that use a generation batch, on policy.

    Args:
        step: how many there were before it in this run.
        every: check k is of the first step from k · ``every`` on
        period: that is at place k modulo ``period``.
    """
    checks = range(max(0, -(-(step - period + 1) // every)), step // every + 1)
    return any(step - check * every == (check - check * every) % period for check in checks)


def _message_of(trainer: Any, findings: list[Finding], settings: Mapping[str, Any] | None) -> str:
    """Returns the findings in words; for a wrong loss with the formula that its settings stand for."""
    listed = "; ".join(map(str, findings))
    if settings is None or not any(one.name.startswith(("the loss", "the gradient")) for one in findings):
        return f"{listed}."
    return (
        f"the loss is not that of {formulas(trainer.loss_type, settings)} Largest difference "
        f"{max(one.excess for one in findings):.3g} tolerances. {listed}."
    )


def _callback(watch: LossWatch) -> Any:
    """Returns a callback that notices a step without a loss, and prints the report at the end."""
    from transformers import TrainerCallback

    class Ends(TrainerCallback):  # type: ignore[misc]
        """Tells a watch where runs begin, and where steps, evaluations and runs end."""

        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            watch.began()

        def on_evaluate(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            watch.evaluated()

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            watch.stepped(state.global_step)

        def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.is_world_process_zero:
                print(watch)

    return Ends()
