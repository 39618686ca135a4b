"""Specs: a reward with options as spelled in YAML and on the command line. Literals only; nothing is evaluated."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any

from grpo_rewards.registry.errors import RewardError, shown

__all__ = ["parse_spec"]

SPEC_LIMIT = 10_000  # characters
HOW = 'Write a name, or a name with literal options: "soft_overlong(max_tokens=256, buffer=64)".'
MISREAD = re.compile(r"(?<!\\)(?:\\\\)*\\[abfv]")


def parse_spec(spec: Any) -> tuple[str, dict[str, Any]]:
    """Splits ``name(option=literal, …)`` into its name, which may be dotted, and its options.

    Raises:
        RewardError: it is not of that form; the message quotes it and says which part is wrong.
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
    if not isinstance(node, ast.Call):
        return _path(node, spec), {}
    if node.args:
        raise RewardError(
            f"malformed reward spec {shown(spec)}: {shown(ast.unparse(node.args[0]))} has no option name. {HOW}"
        )
    options: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in options:
            raise RewardError(f"malformed reward spec {shown(spec)}: give each option once, by name. {HOW}")
        options[keyword.arg] = _literal(keyword.value, keyword.arg, spec)
    return _path(node.func, spec), options


def _path(node: ast.expr, spec: str) -> str:
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise RewardError(
            f"malformed reward spec {shown(spec)}: {shown(ast.unparse(node))} is not a reward's name. {HOW}"
        )
    return ".".join([node.id, *reversed(parts)])


def _literal(node: ast.expr, option: str, spec: str) -> Any:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        text = ast.unparse(node)
        quote = f"; a string needs quotes: {option}='{text}'" if isinstance(node, ast.Name | ast.Attribute) else ""
        raise RewardError(
            f"malformed reward spec {shown(spec)}: option '{option}' must be a literal, not {shown(text)}{quote}."
        ) from None
    written = ast.get_source_segment(spec.strip(), node) or ""
    if isinstance(value, str) and written[:1] not in "rR" and MISREAD.search(written):
        # '\\b' is a backspace to Python, and a word boundary to whoever writes a regex
        raise RewardError(f"option '{option}' in reward spec {shown(spec)} has an escape; write {option}=r'…'.")
    return value


def _first_line(error: BaseException) -> str:
    return (getattr(error, "msg", None) or str(error) or type(error).__name__).splitlines()[0]
