"""From a name, a spec or a dotted path to a reward.

A spec is how rewards with options, and composites, are spelled in YAML and on the command line. Options are literals;
nothing is evaluated.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import warnings
from collections.abc import Hashable
from typing import Any, NoReturn

from grpo_rewards.registry.errors import RewardError, did_you_mean, listed, shown
from grpo_rewards.registry.interface import Reward
from grpo_rewards.registry.names import COMPOSERS, REWARDS, load_own, load_plugins, qualified

SPEC_LIMIT = 10_000  # characters
HOW = 'Write a name, or a name with literal options: "soft_overlong(max_tokens=256, buffer=64)".'
MISREAD = re.compile(r"(?<!\\)(?:\\\\)*\\[abfv]")


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
    if not isinstance(spec, str) or not spec.strip():
        raise RewardError(f"a reward spec must be a non-empty string, not {shown(spec)}. {HOW}")
    if len(spec) > SPEC_LIMIT:
        raise RewardError(f"reward spec {shown(spec)} is {len(spec)} characters long; the limit is {SPEC_LIMIT}.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # '\\d' is no escape and stays as it is written
            node = ast.parse(spec.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        _malformed(
            spec, f"{(getattr(error, 'msg', None) or str(error) or type(error).__name__).splitlines()[0]}. {HOW}"
        )
    return _Spec(spec.strip()).reward(node)


def inner_reward(given: Any, what: str) -> Reward:
    """The reward that another one is made of, or depends on; ``what`` it is there is for the message."""
    if not isinstance(given, Reward | str):
        raise RewardError(
            f"{what} must be a reward or the spec of one, such as 'boxed_answer', not {shown(given)}. "
            "A plain function becomes a reward with @grpo_rewards.reward."
        )
    return get_reward(given)


def _malformed(spec: str, why: str) -> NoReturn:
    raise RewardError(f"malformed reward spec {shown(spec)}: {why}") from None


class _Spec:
    """Turns the parts of a parsed spec into rewards and values. Its text is for messages."""

    def __init__(self, text: str) -> None:
        self.text = text

    def reward(self, node: ast.expr) -> Reward:
        """The reward, or the composite, that a name or a call names."""
        call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
        path = self.written(call.func)
        if not all(map(str.isidentifier, path.split("."))):
            _malformed(self.text, f"{shown(path)} is not a reward's name. {HOW}")
        named = {str(keyword.arg): keyword.value for keyword in call.keywords}
        if len(named) < len(call.keywords) or "None" in named:  # None is what ** has in place of a name
            _malformed(self.text, f"give each option once, by name. {HOW}")
        load_own(path)
        if path in COMPOSERS:
            return self.composed(path, call.args, named)
        found = _by_dotted_path(path) if "." in path else _by_name(path)
        if call.args:
            _malformed(self.text, f"{shown(self.written(call.args[0]))} has no option name. {HOW}")
        options = {
            # an option that is a reward may be written without quotes
            name: self.argument(one, name) if name in found.dependencies else self.literal(one, name)
            for name, one in named.items()
        }
        return found.bind(**options) if options else found

    def composed(self, composer: str, positional: list[ast.expr], named: dict[str, ast.expr]) -> Reward:
        columns = self.literal(named.pop("columns"), "columns") if "columns" in named else None
        parts = [self.argument(one, "a part") for one in positional]
        arguments = {name: self.argument(one, name) for name, one in named.items()}
        signature = inspect.signature(COMPOSERS[composer])
        try:
            signature.bind(*parts, **arguments)
        except TypeError as error:
            plain = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
            taken = signature.replace(parameters=plain, return_annotation=inspect.Signature.empty)
            why = str(error).replace("keyword-only ", "")  # Python 3.12 and newer add it
            _malformed(self.text, f"{why}. It is {composer}{taken}.")
        made = COMPOSERS[composer](*parts, **arguments)
        return made if columns is None else made.bind(columns=columns)

    def argument(self, node: ast.expr, name: str) -> Any:
        """A reward, a mapping with rewards in it, or a literal."""
        if isinstance(node, ast.Name | ast.Attribute | ast.Call):
            try:
                return self.reward(node)
            except RewardError as error:
                if not isinstance(node, ast.Name) or not str(error).startswith(f"unknown reward '{node.id}'"):
                    raise
                raise RewardError(f"{error} If '{node.id}' is meant as a text, it needs quotes: '{node.id}'.") from None
        if not isinstance(node, ast.Dict) or None in node.keys:
            return self.literal(node, name)
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            resolved = self.argument(key, name)  # type: ignore[arg-type]  # None was looked for
            if not isinstance(resolved, Hashable) or resolved in made:
                what = "is there twice" if isinstance(resolved, Hashable) else "cannot be a key"
                _malformed(self.text, f"{shown(resolved)} {what}.")
            made[resolved] = self.argument(value, name)
        return made

    def literal(self, node: ast.expr, option: str) -> Any:
        written = self.written(node)
        try:
            value = ast.literal_eval(node)
        except (ValueError, TypeError, RecursionError, MemoryError):
            quote = (
                f"; a string needs quotes: {option}='{written}'" if isinstance(node, ast.Name | ast.Attribute) else ""
            )
            _malformed(self.text, f"option '{option}' must be a literal, not {shown(written)}{quote}.")
        if isinstance(value, str) and written[:1] not in "rR" and MISREAD.search(written):
            # '\\b' is a backspace to Python, and a word boundary to whoever writes a regex
            raise RewardError(
                f"option '{option}' in reward spec {shown(self.text)} has an escape; write {option}=r'…'."
            )
        return value

    def written(self, node: ast.expr) -> str:
        """The part of the spec that was parsed to this node. Not ``ast.unparse``, which deep nesting defeats."""
        return ast.get_source_segment(self.text, node) or self.text


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
