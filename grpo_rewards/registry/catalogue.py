"""The names: what is registered, by whom, and how a name, a spec or a dotted path becomes a Reward."""

from __future__ import annotations

import importlib
import inspect

from grpo_rewards.registry.errors import RewardError, did_you_mean, listed, shown
from grpo_rewards.registry.interface import Reward
from grpo_rewards.registry.names import _COMPOSERS, _REGISTRY, Composer
from grpo_rewards.registry.plugins import _load_plugins
from grpo_rewards.registry.spec import Spec, parse_spec

__all__ = ["get_reward", "list_rewards"]


def list_rewards() -> list[str]:
    """The names of all registered rewards, those of installed plugins included, sorted."""
    _load_plugins()
    return sorted(_REGISTRY)


def get_reward(spec: str | Reward) -> Reward:
    """The reward that a spec names.

    A spec is ``name``, ``name(option=literal, …)``, either with a dotted path for a name, or a composite of specs:
    ``gated(boxed_answer, by=think_format)``. Options are literals; nothing of a spec is ever evaluated. ``name='…'``
    among them renames the reward in the logs.

    Raises:
        RewardError: malformed spec, unknown reward or option, a path that cannot be imported or holds no Reward.

    >>> get_reward("soft_overlong(max_tokens=1024, buffer=256)")
    soft_overlong(max_tokens=1024, buffer=256)
    """
    return spec if isinstance(spec, Reward) else _found(parse_spec(spec))


def _found(spec: Spec) -> Reward:
    if spec.path in _COMPOSERS:
        return _composed(_COMPOSERS[spec.path], spec)
    found = _by_dotted_path(spec.path) if "." in spec.path else _by_name(spec.path)
    options = spec.options()
    return found.bind(**options) if options else found


def _composed(compose: Composer, spec: Spec) -> Reward:
    positional, named = spec.arguments(_found)
    signature = inspect.signature(compose)
    try:
        signature.bind(*positional, **named)
    except TypeError as error:
        plain = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
        taken = signature.replace(parameters=plain, return_annotation=inspect.Signature.empty)
        raise RewardError(f"malformed reward spec {shown(spec.text)}: {error}. It is {spec.path}{taken}.") from None
    return compose(*positional, **named)


def _by_name(name: str) -> Reward:
    if name not in _REGISTRY:
        _load_plugins()
    if name not in _REGISTRY:
        raise RewardError(
            f"unknown reward '{name}'{did_you_mean(name, [*_REGISTRY, *_COMPOSERS])} "
            f"Registered: {listed(list_rewards())}. Made of others: {listed(sorted(_COMPOSERS))}."
        )
    return _REGISTRY[name]


def _by_dotted_path(path: str) -> Reward:
    module_path, _, attribute = path.rpartition(".")
    try:
        module = importlib.import_module(module_path)
    except ModuleNotFoundError as error:
        if error.name is None or not (module_path == error.name or module_path.startswith(error.name + ".")):
            raise  # the module is there; something that it imports is not, and the traceback says what
        raise RewardError(
            f"reward '{path}': there is no module '{error.name}'. Is it installed, or its folder on PYTHONPATH?"
        ) from error
    found = getattr(module, attribute, None)
    if isinstance(found, Reward):
        return found
    if found is None:
        theirs = [name for name, value in vars(module).items() if isinstance(value, Reward)]
        raise RewardError(
            f"module '{module_path}' has no '{attribute}'{did_you_mean(attribute, theirs)} "
            f"Rewards in it: {listed(theirs)}."
        )
    raise RewardError(
        f"'{path}' is {shown(found)}, not a Reward. Decorate it with @grpo_rewards.reward, "
        "or hand it to TRL's reward_funcs as it is."
    )
