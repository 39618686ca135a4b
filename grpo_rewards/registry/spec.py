"""Parses specs: the spelling of rewards with options, and of composites, in YAML and on the command line.

Options are literals; nothing is evaluated.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grpo_rewards.registry.errors import RewardError, shown

__all__ = ["Spec", "parse_spec"]

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
