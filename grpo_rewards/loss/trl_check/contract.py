"""What of TRL is hooked and read, and in which versions: the first thing that a check of TRL looks at.

A TRL that has something in another form than here is not wrong for that. What hangs on it is not compared, and named.
``Recording`` hooks one live ``GRPOTrainer``: what it generates, scores and makes a loss of, without changing it.
"""

import contextlib
import inspect
import weakref
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

import torch
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion
from torch import Tensor

# From the first version on, up to the second:
TESTED_TRL = ("1.16", "1.17.dev0")  # the series that everything here was run with
ACCEPTED_TRL = ("1.16", "2")  # what the extra [recipes] requires as well
FORWARD_PASS = "_get_per_token_logps_and_entropies"


class Hook(NamedTuple):
    """A method of ``GRPOTrainer`` that a check stands around, or in the place of.

    Attributes:
        parameters: what it takes, by position; others that have a default are passed on.
        returns: what it returns, in words: its type, or how many things its tuple has.
        hidden: what is not compared where the method is not so.
    """

    parameters: tuple[str, ...]
    returns: str
    hidden: str


HOOKS = {
    "_compute_loss": Hook(("model", "inputs"), "a Tensor", "losses and gradients"),
    FORWARD_PASS: Hook(
        ("model", "input_ids", "attention_mask", "logits_to_keep"),
        "a tuple of 3",
        "losses, gradients, log-probabilities",
    ),
    "_generate_and_score_completions": Hook(("inputs",), "a dict", "advantages and the other tensors of a batch"),
    "_calculate_rewards": Hook(("inputs", "prompts", "completions", "completion_ids_list"), "a Tensor", "advantages"),
    "_generate": Hook(("prompts",), "a tuple of 8", "the tokens, masks and advantages of a batch"),
}
OF_LOSS = {"_compute_loss", FORWARD_PASS}  # those that belong to a loss; the others belong to a generation
# The arguments of grpo_loss that are settings, and where a trainer has each: itself, or GRPOConfig in ``args``.
OF_TRAINER = "loss_type importance_sampling_level epsilon_high beta max_completion_length".split()
OF_CONFIG = """
    delta sapo_temperature_pos sapo_temperature_neg vespo_k_pos vespo_k_neg vespo_lambda_pos vespo_lambda_neg
""".split()
LOSS_SETTINGS = {
    **{name: name for name in OF_TRAINER},
    **{name: f"args.{name}" for name in OF_CONFIG},
    "epsilon": "epsilon_low",
    "bias_correction_kl": "args.use_bias_correction_kl",
    "off_policy_threshold": "off_policy_mask_threshold",
}
# What else is read of a trainer.
READ_ATTRIBUTES = """
    accelerator args model ref_model state temperature num_generations num_generations_eval num_iterations
    reward_weights scale_rewards multi_objective_aggregation mask_truncated_completions pad_to_multiple_of
    eos_token_ids use_vllm vllm_importance_sampling_correction
    top_entropy_quantile entropy_coef
    use_adaptive_entropy aux_loss_enabled environments rollout_func _metrics _step _tokenizer _entropy_bonus_enabled
    _last_world_entropy args.entropy_target args.gradient_accumulation_steps args.steps_per_generation
    args.sync_ref_model
""".split()


def is_within(trl: str, versions: tuple[str, str]) -> bool:
    """Returns whether a version of TRL is from the first version on, up to the second, as pip would take it.

    A version between the two counts before it is out, but not one ahead of the first.
    """
    try:
        return SpecifierSet(f">={versions[0]},<{versions[1]}").contains(trl, prereleases=True)
    except InvalidVersion:
        return False


def changes(trainer: Any = None) -> dict[str, str]:
    """Returns what of TRL is not as it was, in words by its name; nothing if all is.

    Args:
        trainer: a ``GRPOTrainer``, whose attributes are looked at as well; ``None``: methods alone.
    """
    from trl import GRPOTrainer

    found = {name: change for name, hook in HOOKS.items() if (change := _changed(GRPOTrainer, name, hook))}
    for path in () if trainer is None else (*LOSS_SETTINGS.values(), *READ_ATTRIBUTES):
        owner, _, name = path.rpartition(".")
        if not hasattr(trainer.args if owner else trainer, name):
            found[name] = f"`{'GRPOConfig' if owner else 'GRPOTrainer'}` has no `{name}`"
    return found


def _changed(owner: type, name: str, hook: Hook) -> str | None:
    method = getattr(owner, name, None)
    if method is None:
        return f"`GRPOTrainer` has no `{name}`"
    signature = inspect.signature(method)
    with contextlib.suppress(TypeError):  # it takes less, or needs more
        _, *bound = signature.bind(None, *hook.parameters).arguments.items()
        if all(parameter == given or isinstance(given, tuple) for parameter, given in bound):  # a tuple of *args
            return None
    takes, wanted = ", ".join([*signature.parameters][1:]), ", ".join(hook.parameters)
    return f"`GRPOTrainer.{name}` takes ({takes}), not ({wanted})"


def returned_otherwise(name: str, value: Any) -> str | None:
    """Returns in words how what a hooked method returned is not what it did; ``None``: it is."""
    kinds = [f"a {one.__name__}" for one in type(value).__mro__]
    if isinstance(value, tuple):
        kinds = [f"a tuple of {len(value)}"]
    wanted = HOOKS[name].returns
    return None if wanted in kinds else f"`GRPOTrainer.{name}` returns {kinds[0]}, not {wanted}"


def verdict(trl: str, changed: dict[str, str]) -> str:
    """Returns the sentence about a TRL that is not as it was: what changed, and what is not compared for that."""
    hidden = dict.fromkeys(HOOKS[name].hidden if name in HOOKS else name for name in changed)
    return (
        f"{introduced(trl)}: {', '.join(changed.values())}; nothing is known to be wrong, "
        f"what could not be compared is {', '.join(hidden)}."
    )


def introduced(trl: str) -> str:
    """Returns the beginning of a sentence that says how a TRL stands beside the tested one."""
    if is_within(trl, TESTED_TRL):
        return f"TRL {trl} is not as it was when it was tested"
    is_older = not is_within(trl, (TESTED_TRL[0], "1000"))
    return f"TRL {trl} is {'older' if is_older else 'newer'} than what was tested ({TESTED_TRL[0]})"


def loss_settings(trainer: Any) -> dict[str, Any]:
    """Returns the arguments of ``grpo_loss`` that follow from a trainer's settings.

    Call it before TRL computes its loss, for TRL may then change the entropy bonus of the next step.
    """
    found: dict[str, Any] = {}
    for name, path in LOSS_SETTINGS.items():
        with contextlib.suppress(AttributeError):  # of a TRL that has no such setting
            found[name] = attrgetter(path)(trainer)
    bonus = trainer.entropy_coef if getattr(trainer, "_entropy_bonus_enabled", False) else 0.0
    if getattr(trainer, "use_adaptive_entropy", False) and trainer._last_world_entropy > trainer.args.entropy_target:
        bonus = 0.0
    steps = trainer.current_gradient_accumulation_steps if trainer.model.training else 1
    world_size = trainer.accelerator.num_processes
    return {**found, "world_size": world_size, "accumulation_steps": steps, "entropy_coef": bonus}


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

    What TRL did not call, or returned in another way, is ``None`` or empty. Where it called ``_generate`` several
    times, the lists are those of the last one.
    """

    step: int
    micro_step: int
    training: bool
    prompts: list[list[int]] = field(default_factory=list)
    completions: list[list[int]] = field(default_factory=list)
    tool_masks: list[list[int]] | None = None
    sampling_logps: list[list[float | None]] | None = None
    rewards_per_func: Tensor = field(default_factory=lambda: torch.empty(0, 0))
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
    """Shows a trainer's generations and losses to the methods of a subclass.

    It takes the place of methods of this one trainer, and calls what was there, be it the class's or another wrapper;
    those that are not as they were are left alone. The trainer is held by a weak reference, so that it can be freed.

    Args:
        trainer: a ``GRPOTrainer``.

    Attributes:
        changed: what of TRL is not as it was, in words by its name; it may grow while the trainer runs.
    """

    def __init__(self, trainer: Any) -> None:
        self.changed = changes(trainer)
        self._trainer = weakref.ref(trainer)
        self._open: Generation | LossCall | None = None  # to which what is called meanwhile belongs
        for name in HOOKS.keys() - self.changed.keys():
            setattr(trainer, name, self._around(name, vars(trainer).get(name)))

    @property
    def trainer(self) -> Any:
        """The trainer, as long as it exists."""
        return self._trainer()

    @abstractmethod
    def on_generation(self, generation: Generation) -> None:
        """Called with what was generated and scored at once, in training and in evaluation."""

    @abstractmethod
    def on_loss(self, called: LossCall) -> None:
        """Called with each wanted loss. It holds the graph: keep no reference to it."""

    def wants_loss(self, inputs: Mapping[str, Any]) -> bool:
        """Whether to record the loss of a micro-batch, called with its inputs before the loss is computed."""
        return True

    def _around(self, name: str, before: Any) -> Callable[..., Any]:
        """Returns a method for the trainer that notes what the one before it returns: ``before``, or the class's."""

        def method(*given: Any, **named: Any) -> Any:
            trainer, outer = self.trainer, self._open
            # the class's method is looked up at each call, so that a later replacement is used
            call = before if before is not None else getattr(type(trainer), name).__get__(trainer)
            if name == "_generate_and_score_completions":
                self._open = Generation(*_now(trainer))
            elif name == "_compute_loss":
                self._open = self._loss_call(trainer, *given, **named)
            opened = self._open
            try:
                returned = call(*given, **named)
            finally:
                self._open = outer
            # old log-probabilities are a forward pass of no loss
            if opened is not None and isinstance(opened, LossCall) == (name in OF_LOSS):
                if change := returned_otherwise(name, returned):
                    self.changed[name] = change
                else:
                    self._note(name, opened, returned)
            return returned

        return method

    def _loss_call(self, trainer: Any, model: Any, inputs: Mapping[str, Any], *_: Any, **__: Any) -> LossCall | None:
        """Returns a new record of a loss, if it is wanted."""
        if not self.wants_loss(inputs):
            return None
        copies = {name: one.clone() if isinstance(one, Tensor) else one for name, one in inputs.items()}
        return LossCall(*_now(trainer), copies, loss_settings(trainer))

    def _note(self, name: str, opened: Any, returned: Any) -> None:
        """Notes what a method returned in the generation or loss that it belongs to, and shows one that is complete."""
        if name == "_generate":
            for key, place in GENERATED.items():
                setattr(opened, key, _lists(returned[place]))
        elif name == "_calculate_rewards":
            opened.rewards_per_func = returned.detach().clone()
        elif name == FORWARD_PASS:
            opened.forwards.append(Forward(*returned))
        elif name == "_generate_and_score_completions":
            opened.batch = {**returned, "advantages": returned["advantages"].clone()}
            self.on_generation(opened)
        elif opened.forwards:
            opened.loss = returned
            self.on_loss(opened)


def _now(trainer: Any) -> tuple[int, int, bool]:
    """Returns the optimiser steps and the micro-batches so far, and whether the model is in training."""
    return trainer.state.global_step, trainer._step, trainer.model.training


def bare(trainer: Any, model: Any) -> Any:
    """Returns the model itself, without what ranks, compilation or mixed precision wrapped around it."""
    unwrapped = trainer.accelerator.unwrap_model(model, keep_torch_compile=False)
    return getattr(unwrapped, "_orig_mod", unwrapped)


def _lists(rows: Any) -> Any:
    """Returns a copy of a list of lists, in which tensors are lists too; ``None`` of ``None``."""
    return None if rows is None else [one.tolist() if isinstance(one, Tensor) else list(one) for one in rows]
