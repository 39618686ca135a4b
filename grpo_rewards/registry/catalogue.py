"""From a name, a spec or a dotted path to a reward."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import replace

from grpo_rewards.registry.errors import RewardError, did_you_mean, listed, shown
from grpo_rewards.registry.interface import Reward
from grpo_rewards.registry.names import COMPOSERS, REWARDS, Composer, load_own, qualified
from grpo_rewards.registry.plugins import load_plugins
from grpo_rewards.registry.spec import Spec, parse_spec

__all__ = ["get_reward", "list_rewards"]

DEEPEST_PATH = 50  # parts of a dotted path; importing one of thousands exhausts the stack


def list_rewards() -> list[str]:
    """The names of all registered rewards, those of installed plug-ins included, sorted."""
    load_own()
    load_plugins()
    return sorted(REWARDS)


def get_reward(spec: str | Reward) -> Reward:
    """The reward that a spec names.

    A spec is ``name`` or ``name(option=literal, …)``, where the name may be a dotted path, or a composite of specs:
    ``gated(boxed_answer, by=think_format)``. Options are literals; nothing in a spec is ever evaluated. Two words are
    understood for every reward: ``name='…'`` renames it in the logs, ``columns={'answer': 'solution'}`` states what the
    dataset calls a column.

    Raises:
        RewardError: malformed spec, unknown reward or option, a path that cannot be imported or holds no Reward.

    >>> get_reward("soft_overlong(max_tokens=1024, buffer=256)")
    soft_overlong(max_tokens=1024, buffer=256)
    """
    if isinstance(spec, Reward):
        return spec
    return _found(parse_spec(spec))


def _found(spec: Spec) -> Reward:
    load_own(spec.path)
    if spec.path in COMPOSERS:
        return _composed(COMPOSERS[spec.path], spec)
    found = _by_dotted_path(spec.path) if "." in spec.path else _by_name(spec.path)
    options = spec.options(found.dependencies, _found)
    return found.bind(**options) if options else found


def _composed(compose: Composer, spec: Spec) -> Reward:
    renamed = {"columns": spec.named["columns"]} if "columns" in spec.named else {}
    named_arguments = {name: node for name, node in spec.named.items() if name not in renamed}
    positional, named = replace(spec, named=named_arguments).arguments(_found)
    signature = inspect.signature(compose)
    try:
        signature.bind(*positional, **named)
    except TypeError as error:
        plain = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
        taken = signature.replace(parameters=plain, return_annotation=inspect.Signature.empty)
        why = str(error).replace("keyword-only ", "")  # Python 3.12 and newer add it
        raise RewardError(f"malformed reward spec {shown(spec.text)}: {why}. It is {spec.path}{taken}.") from None
    made = compose(*positional, **named)
    return made.bind(**replace(spec, positional=(), named=renamed).options()) if renamed else made


def _by_name(name: str) -> Reward:
    if name not in REWARDS:
        load_plugins()
    if name not in REWARDS:
        raise RewardError(
            f"unknown reward '{name}'{did_you_mean(name, [*list_rewards(), *COMPOSERS])} "
            f"Registered: {listed(list_rewards())}. Made of others: {listed(sorted(COMPOSERS))}."
        )
    return REWARDS[name]


def _by_dotted_path(path: str) -> Reward:
    if path.count(".") >= DEEPEST_PATH:
        raise RewardError(f"reward {shown(path)}: no module path has {path.count('.') + 1:,} parts.")
    try:
        return _in_module(path)
    except RewardError:
        load_plugins()
        offered = qualified(path)  # a plug-in's reward whose bare name was taken
        if offered is None:
            raise
        return offered


def _in_module(path: str) -> Reward:
    module_path, _, attribute = path.rpartition(".")
    try:
        module = importlib.import_module(module_path)
    except ModuleNotFoundError as error:
        if error.name is None or not (module_path == error.name or module_path.startswith(error.name + ".")):
            raise  # the module is there; something that it imports is not, and the traceback names it
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
