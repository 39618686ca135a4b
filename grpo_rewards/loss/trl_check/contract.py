"""What of TRL is hooked and read, and in which versions: the first thing that a check of TRL looks at.

A TRL that has something in another form than here is not wrong for that. What hangs on it is not compared, and named.
"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version
from torch import Tensor

__all__ = [
    "ACCEPTED_TRL",
    "FORWARD_PASS",
    "HOOKS",
    "LOSS_SETTINGS",
    "TESTED_TRL",
    "changes",
    "is_accepted",
    "is_tested",
]

TESTED_TRL = "1.16"  # the series that everything here was run with
ACCEPTED_TRL = ("1.16", "2")  # from the first on, up to the second; the extra [recipes] requires the same
FORWARD_PASS = "_get_per_token_logps_and_entropies"


class Hook(NamedTuple):
    """A method of ``GRPOTrainer`` that a check stands around, or in the place of.

    Attributes:
        parameters: what it takes, by position; others that have a default are passed on.
        returns: the type of what it returns, or how many things its tuple has.
        hidden: what is not compared where the method is not so.
    """

    parameters: tuple[str, ...]
    returns: type | int
    hidden: str


HOOKS = {
    "_compute_loss": Hook(("model", "inputs"), Tensor, "losses and gradients"),
    FORWARD_PASS: Hook(
        ("model", "input_ids", "attention_mask", "logits_to_keep"), 3, "losses, gradients, log-probabilities"
    ),
    "_generate_and_score_completions": Hook(("inputs",), dict, "advantages and the other tensors of a batch"),
    "_calculate_rewards": Hook(("inputs", "prompts", "completions", "completion_ids_list"), Tensor, "advantages"),
    "_generate": Hook(("prompts",), 8, "the tokens, masks and advantages of a batch"),
}
# The arguments of grpo_loss that are settings, and where a trainer has each: itself, or GRPOConfig in ``args``.
LOSS_SETTINGS = {
    "loss_type": "loss_type",
    "importance_sampling_level": "importance_sampling_level",
    "epsilon": "epsilon_low",
    "epsilon_high": "epsilon_high",
    "delta": "args.delta",
    "beta": "beta",
    "bias_correction_kl": "args.use_bias_correction_kl",
    "max_completion_length": "max_completion_length",
    "off_policy_threshold": "off_policy_mask_threshold",
    **{name: f"args.{name}" for name in ("sapo_temperature_pos", "sapo_temperature_neg", "vespo_k_pos", "vespo_k_neg")},
    **{name: f"args.{name}" for name in ("vespo_lambda_pos", "vespo_lambda_neg")},
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


def is_accepted(trl: str) -> bool:
    """Returns whether a version of TRL is one that the recipes allow; one ahead of the first is not."""
    return _within(trl, *ACCEPTED_TRL)


def is_tested(trl: str) -> bool:
    """Returns whether a version of TRL is of the series that was tested: there, what cannot be run has failed."""
    release = Version(TESTED_TRL).release
    return _within(trl, TESTED_TRL, f"{release[0]}.{release[1] + 1}.dev0")


def _within(trl: str, first: str, last: str) -> bool:
    try:  # what pip would take, and a version between the two before it is out
        return SpecifierSet(f">={first},<{last}").contains(trl, prereleases=True)
    except InvalidVersion:
        return False


def changes(trainer: Any = None) -> dict[str, str]:
    """Returns what of TRL is not as it was, in words by its name; nothing if all is.

    Args:
        trainer: a ``GRPOTrainer``, whose attributes are looked at as well; ``None``: methods alone.
    """
    from trl import GRPOTrainer

    found = {name: _changed(GRPOTrainer, name, hook) for name, hook in HOOKS.items()}
    for path in () if trainer is None else (*LOSS_SETTINGS.values(), *READ_ATTRIBUTES):
        owner, _, name = path.rpartition(".")
        if not hasattr(trainer.args if owner else trainer, name):
            found[name] = f"`{'GRPOConfig' if owner else 'GRPOTrainer'}` has no `{name}`"
    return {name: change for name, change in found.items() if change is not None}


def _changed(owner: type, name: str, hook: Hook) -> str | None:
    method = getattr(owner, name, None)
    if method is None:
        return f"`GRPOTrainer` has no `{name}`"
    parameters = list(inspect.signature(method).parameters.values())[1:]
    takes_any = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    named = [one for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    known, others = named[: len(hook.parameters)], named[len(hook.parameters) :]
    are_known = all(one.name == name for one, name in zip(known, hook.parameters, strict=False))
    is_whole = takes_any or len(known) == len(hook.parameters)
    if are_known and is_whole and all(one.default is not one.empty for one in others):
        return None
    names = (", ".join(some) for some in ([one.name for one in parameters], hook.parameters))
    return "`GRPOTrainer.{}` takes ({}), not ({})".format(name, *names)


def returned_otherwise(name: str, value: Any) -> str | None:
    """Returns in words how what a hooked method returned is not what it did; ``None``: it is."""
    wanted = HOOKS[name].returns
    if isinstance(wanted, int):
        shown, is_same = f"a tuple of {wanted}", isinstance(value, tuple) and len(value) == wanted
    else:
        shown, is_same = f"a {wanted.__name__}", isinstance(value, wanted)
    if is_same:
        return None
    found = f"a tuple of {len(value)}" if isinstance(value, tuple) else f"a {type(value).__name__}"
    return f"`GRPOTrainer.{name}` returns {found}, not {shown}"


def verdict(trl: str, changed: dict[str, str]) -> str:
    """Returns the sentence about a TRL that is not as it was: what changed, and what is not compared for that."""
    hidden = dict.fromkeys(HOOKS[name].hidden if name in HOOKS else name for name in changed)
    return (
        f"{introduced(trl)}: {', '.join(changed.values())}; nothing is known to be wrong, "
        f"what could not be compared is {', '.join(hidden)}."
    )


def introduced(trl: str) -> str:
    """Returns the beginning of a sentence that says how a TRL stands beside the tested one."""
    if is_tested(trl):
        return f"TRL {trl} is not as it was when it was tested"
    is_older = not _within(trl, TESTED_TRL, "1000")
    return f"TRL {trl} is {'older' if is_older else 'newer'} than what was tested ({TESTED_TRL})"
