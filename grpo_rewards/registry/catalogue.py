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
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from grpo_rewards.registry.errors import RewardError, did_you_mean, listed, shown
from grpo_rewards.registry.interface import Reward
from grpo_rewards.registry.names import COMPOSERS, REWARDS, Composer, load_own, load_plugins, qualified

__all__ = ["get_reward", "list_rewards"]

SPEC_LIMIT = 10_000  # characters
HOW = 'Write a name, or a name with literal options: "soft_overlong(max_tokens=256, buffer=64)".'
MISREAD = re.compile(r"(?<!\\)(?:\\\\)*\\[abfv]")


@dataclass(frozen=True)
class Spec:
    """A parsed spec: the name, and what stands in its parentheses, which is not evaluated yet."""

    text: str
    path: str
    positional: tuple[ast.expr, ...] = ()
    named: Mapping[str, ast.expr] = field(default_factory=dict)

    def options(self, rewards: Collection[str] = (), reward_of: Callable[[Spec], Any] | None = None) -> dict[str, Any]:
        """The arguments as options of a reward: each must have a name and be a literal.

        Those named in ``rewards`` may also be written as a reward, without quotes; ``reward_of`` looks it up.
        """
        if self.positional:
            first = shown(_as_written(self.positional[0], self.text))
            raise RewardError(f"malformed reward spec {shown(self.text)}: {first} has no option name. {HOW}")
        return {
            name: self._argument(node, name, reward_of)
            if name in rewards and reward_of
            else _literal(node, name, self.text)
            for name, node in self.named.items()
        }

    def arguments(self, reward_of: Callable[[Spec], Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments as those of a composite: literals and rewards, which ``reward_of`` looks up."""
        positional = [self._argument(node, "a part", reward_of) for node in self.positional]
        return positional, {name: self._argument(node, name, reward_of) for name, node in self.named.items()}

    def _argument(self, node: ast.expr, name: str, reward_of: Callable[[Spec], Any]) -> Any:
        if isinstance(node, ast.Name | ast.Attribute | ast.Call):
            return self._reward(node, name, reward_of)
        if isinstance(node, ast.Dict) and None not in node.keys:
            made: dict[Any, Any] = {}
            for key, value in zip(node.keys, node.values, strict=True):
                resolved = self._argument(key, name, reward_of)  # type: ignore[arg-type]  # None was looked for
                if not isinstance(resolved, Hashable) or resolved in made:
                    what = "is there twice" if isinstance(resolved, Hashable) else "cannot be a key"
                    raise RewardError(f"malformed reward spec {shown(self.text)}: {shown(resolved)} {what}.")
                made[resolved] = self._argument(value, name, reward_of)
            return made
        return _literal(node, name, self.text)

    def _reward(self, node: ast.expr, name: str, reward_of: Callable[[Spec], Any]) -> Any:
        try:
            return reward_of(_taken_apart(node, self.text))
        except RewardError as error:
            if not isinstance(node, ast.Name) or not str(error).startswith(f"unknown reward '{node.id}'"):
                raise
            raise RewardError(f"{error} If '{node.id}' is meant as a text, it needs quotes: '{node.id}'.") from None


def parse_spec(spec: Any) -> Spec:
    """Parses ``name`` or ``name(option=literal, …)``; the name may be a dotted path.

    Raises:
        RewardError: it is not of that form; the message quotes it and names the part that is wrong.
    """
    if not isinstance(spec, str) or not spec.strip():
        raise RewardError(f"a reward spec must be a non-empty string, not {shown(spec)}. {HOW}")
    if len(spec) > SPEC_LIMIT:
        raise RewardError(f"reward spec {shown(spec)} is {len(spec)} characters long; the limit is {SPEC_LIMIT}.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # '\\d' is no escape and stays as it is written
            node = ast.parse(spec.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RewardError(f"malformed reward spec {shown(spec)}: {_first_line(error)}. {HOW}") from None
    return _taken_apart(node, spec.strip())


def _taken_apart(node: ast.expr, text: str) -> Spec:
    if not isinstance(node, ast.Call):
        return Spec(text, _path(node, text))
    named: dict[str, ast.expr] = {}
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in named:
            raise RewardError(f"malformed reward spec {shown(text)}: give each option once, by name. {HOW}")
        named[keyword.arg] = keyword.value
    return Spec(text, _path(node.func, text), tuple(node.args), named)


def _path(node: ast.expr, spec: str) -> str:
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise RewardError(
            f"malformed reward spec {shown(spec)}: {shown(_as_written(node, spec))} is not a reward's name. {HOW}"
        )
    return ".".join([node.id, *reversed(parts)])


def _literal(node: ast.expr, option: str, spec: str) -> Any:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        text = _as_written(node, spec)
        quote = f"; a string needs quotes: {option}='{text}'" if isinstance(node, ast.Name | ast.Attribute) else ""
        raise RewardError(
            f"malformed reward spec {shown(spec)}: option '{option}' must be a literal, not {shown(text)}{quote}."
        ) from None
    written = _as_written(node, spec)
    if isinstance(value, str) and written[:1] not in "rR" and MISREAD.search(written):
        # '\\b' is a backspace to Python, and a word boundary to whoever writes a regex
        raise RewardError(f"option '{option}' in reward spec {shown(spec)} has an escape; write {option}=r'…'.")
    return value


def _as_written(node: ast.expr, spec: str) -> str:
    """The part of a spec that was parsed to this node. Not ``ast.unparse``, which deep nesting defeats."""
    return ast.get_source_segment(spec, node) or spec


def _first_line(error: BaseException) -> str:
    return (getattr(error, "msg", None) or str(error) or type(error).__name__).splitlines()[0]


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
