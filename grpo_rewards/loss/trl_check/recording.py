"""Records what one live ``GRPOTrainer`` generates, scores and makes a loss of, without changing any of it."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from torch import Tensor

from grpo_rewards.loss.trl_check.contract import FORWARD_PASS, changes, returned_otherwise
from grpo_rewards.loss.trl_check.expected import loss_settings

__all__ = ["Forward", "Generation", "LossCall", "Recording", "bare"]

# What TRL's _generate returns, by position; the texts and images beside it are not looked at.
GENERATED = {"prompts": 0, "completions": 1, "tool_masks": 2, "sampling_logps": 4}


class Forward(NamedTuple):
    """What one forward pass of the policy returned.

    Attributes:
        logps: the log-probability of each token, [B, T], with the graph where there is one.
        entropies: [B, T], or ``None``.
        auxiliary: the load-balancing loss of a mixture of experts, or ``None``.
    """

    logps: Tensor
    entropies: Tensor | None
    auxiliary: Tensor | None


@dataclass
class Generation:
    """What was generated and scored at once on this rank: B completions of W · B on all ranks.

    Attributes:
        step: the optimiser steps made before it; ``micro_step``: the micro-batches.
        training: whether it is to be trained on, not an evaluation.
        prompts: the tokens of each prompt, without padding; so are ``completions``.
        tool_masks: 1 for a token of the model, 0 for one of a tool; ``None``: no tools.
        sampling_logps: log-probabilities by the engine that sampled, ``None`` in place of one that it has not.
        rewards_per_func: the rewards on all ranks, [W · B, K].
        batch: what TRL made of it all, [B, ...].

    What TRL did not call, or returned in another way, is ``None``. Where it called ``_generate`` several times, the
    lists are those of the last one.
    """

    step: int
    micro_step: int
    training: bool
    prompts: list[list[int]] | None = None
    completions: list[list[int]] | None = None
    tool_masks: list[list[int]] | None = None
    sampling_logps: list[list[float | None]] | None = None
    rewards_per_func: Tensor | None = None
    batch: dict[str, Any] = field(default_factory=dict)


@dataclass
class LossCall:
    """One micro-batch, and the loss that TRL made of it.

    Attributes:
        step, micro_step, training: as of a ``Generation``.
        inputs: what ``_compute_loss`` was given; tensors are copies, made before it ran.
        settings: what ``loss_settings`` had before it ran.
        forwards: the forward passes, in order, with the graph.
        loss: TRL's loss, a scalar with the graph.
    """

    step: int
    micro_step: int
    training: bool
    inputs: dict[str, Any]
    settings: dict[str, Any]
    forwards: list[Forward] = field(default_factory=list)
    loss: Tensor | None = None


class Recording:
    """Shows a trainer's generations and losses on request.

    It takes the place of methods of this one trainer, and calls what was there, be it the class's or another wrapper;
    those that are not as they were are left alone. The trainer is held by a weak reference, so that it can be freed.

    Args:
        trainer: a ``GRPOTrainer``.
        on_generation: called with each ``Generation``, in training and in evaluation.
        on_loss: called with each wanted ``LossCall``. It holds the graph: keep no reference to it.
        wants_loss: called with the inputs of each micro-batch before its loss is computed; whether to record that.

    Attributes:
        changed: what of TRL is not as it was, in words by its name; it may grow while the trainer runs.
    """

    def __init__(
        self,
        trainer: Any,
        on_generation: Callable[[Generation], None],
        on_loss: Callable[[LossCall], None],
        wants_loss: Callable[[Mapping[str, Any]], bool] = lambda _: True,
    ) -> None:
        self.on_generation, self.wants_loss, self.on_loss = on_generation, wants_loss, on_loss
        self.changed = changes(trainer)
        self._trainer = weakref.ref(trainer)
        self._open: Generation | LossCall | None = None
        around: dict[str, Callable[..., Any]] = {
            "_generate": self._generated,
            "_calculate_rewards": self._rewarded,
            "_generate_and_score_completions": self._scored,
            "_compute_loss": self._computed,
            FORWARD_PASS: self._passed,
        }
        for name, method in around.items():
            if name not in self.changed:
                setattr(trainer, name, self._chained(name, method, vars(trainer).get(name)))

    @property
    def trainer(self) -> Any:
        """The trainer. ReferenceError if it no longer exists."""
        trainer = self._trainer()
        if trainer is None:
            raise ReferenceError("the trainer whose loss was watched no longer exists.")
        return trainer

    def _chained(self, name: str, around: Callable[..., Any], before: Any) -> Callable[..., Any]:
        """Returns a method for the trainer that calls ``around`` with what it replaces: ``before``, or the class's."""

        def method(*given: Any, **named: Any) -> Any:
            # the class's method is looked up at each call, so that a later replacement is used
            trainer = self.trainer
            call = before if before is not None else getattr(type(trainer), name).__get__(trainer)
            return around(call, *given, **named)

        return method

    def _is_as_before(self, name: str, returned: Any) -> bool:
        """Returns whether a method returned what it always did; notes it if not."""
        change = returned_otherwise(name, returned)
        if change is not None:
            self.changed[name] = change
        return change is None

    @contextlib.contextmanager
    def _opened(self, what: Generation | LossCall) -> Iterator[None]:
        """While it is entered, what is recorded belongs to this generation or loss."""
        before, self._open = self._open, what
        try:
            yield
        finally:
            self._open = before

    def _generated(self, call: Callable[..., Any], *given: Any, **named: Any) -> Any:
        found = call(*given, **named)
        if isinstance(self._open, Generation) and self._is_as_before("_generate", found):
            for name, place in GENERATED.items():
                setattr(self._open, name, _lists(found[place]))
        return found

    def _rewarded(self, call: Callable[..., Any], *given: Any, **named: Any) -> Any:
        found = call(*given, **named)
        if isinstance(self._open, Generation) and self._is_as_before("_calculate_rewards", found):
            self._open.rewards_per_func = found.detach().clone()
        return found

    def _scored(self, call: Callable[..., Any], *given: Any, **named: Any) -> Any:
        trainer = self.trainer
        generation = Generation(trainer.state.global_step, trainer._step, trainer.model.training)
        with self._opened(generation):
            found = call(*given, **named)
        if self._is_as_before("_generate_and_score_completions", found):
            generation.batch = {**found, "advantages": found["advantages"].clone()}
            self.on_generation(generation)
        return found

    def _computed(
        self, call: Callable[..., Any], model: Any, inputs: Mapping[str, Any], *given: Any, **named: Any
    ) -> Any:
        if not self.wants_loss(inputs):
            return call(model, inputs, *given, **named)
        trainer = self.trainer
        copies = {name: one.clone() if isinstance(one, Tensor) else one for name, one in inputs.items()}
        training = trainer.model.training
        called = LossCall(trainer.state.global_step, trainer._step, training, copies, loss_settings(trainer))
        with self._opened(called):
            called.loss = loss = call(model, inputs, *given, **named)
        if self._is_as_before("_compute_loss", loss) and called.forwards:
            self.on_loss(called)
        return loss

    def _passed(self, call: Callable[..., Any], *given: Any, **named: Any) -> Any:
        found = call(*given, **named)
        if isinstance(self._open, LossCall) and self._is_as_before(FORWARD_PASS, found):
            self._open.forwards.append(Forward(*found))
        return found


def bare(trainer: Any, model: Any) -> Any:
    """Returns the model itself, without what ranks, compilation or mixed precision wrapped around it."""
    if model is None:
        return None
    if not hasattr(trainer.accelerator, "unwrap_model"):
        return model
    unwrapped = trainer.accelerator.unwrap_model(model, keep_torch_compile=False)
    return getattr(unwrapped, "_orig_mod", unwrapped)


def _lists(rows: Any) -> Any:
    """Returns a copy of a list of lists, in which tensors are lists too; ``None`` of ``None``."""
    return None if rows is None else [one.tolist() if isinstance(one, Tensor) else list(one) for one in rows]
