"""What rewards mean beyond their names: the code of those that neither the package nor an installed one brings."""

from __future__ import annotations

import ast
import hashlib
import inspect
import re
import sysconfig
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from grpo_rewards.registry.interface import Reward, leaves

INSTALLED = tuple(Path(path).resolve() for path in {*sysconfig.get_paths().values()})
PACKAGE_FOLDER = Path(__file__).resolve().parents[1]


def reward_code(rewards: Iterable[Reward]) -> dict[str, str]:
    """By name a hash of what each reward does, of those that neither the package nor an installed one brings.

    It is of the source of its function, and of all of one's own that this calls or reads: functions, classes and
    constants, also of other modules. Comments, docstrings and layout do not count. A function whose source cannot be
    had, such as one that was typed in, is left out.
    """
    found = {}
    for one in leaves(*rewards):
        hashed = hashlib.blake2b(digest_size=6)
        if texts := dict(sources(plain_function(one), {})):
            hashed.update("\n".join(texts[name] for name in sorted(texts)).encode())
            found[str(getattr(one, "registered_name", one.name))] = hashed.hexdigest()
    return found


def plain_function(reward: Any) -> Any:
    """The function that a reward calls, or the class of an object that is called or is a reward itself."""
    found = getattr(reward, "function", None) or type(reward)
    while isinstance(found, partial):
        found = found.func
    found = inspect.unwrap(found) if callable(found) else found
    if inspect.ismethod(found):
        return type(found.__self__)
    return found if inspect.isfunction(found) or inspect.isclass(found) else type(found)


def sources(thing: Any, seen: dict[int, Any]) -> Iterator[tuple[str, str]]:
    """By name the source of a function or class of one's own, and of all that it uses."""
    if id(thing) in seen or not is_own(thing):
        return
    seen[id(thing)] = thing
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    except (OSError, TypeError, SyntaxError):
        return
    name = f"{thing.__module__}.{thing.__qualname__}"
    yield name, ast.unparse(without_docstrings(tree))
    for used, value in values_used(tree, names_seen_by(thing)):
        if isinstance(value, Reward):
            value = plain_function(value)
        if inspect.isfunction(value) or inspect.isclass(value):
            yield from sources(value, seen)
        elif (constant := written(value)) is not None:
            yield f"{name}: {used}", constant


def written(value: Any) -> str | None:
    """A plain value as a text that is the same in every process; ``None`` for an object, whose state may change."""
    if value is None or isinstance(value, bool | int | float | str | bytes | re.Pattern):
        return repr(value)
    is_set = isinstance(value, set | frozenset)  # whose order is another one in each process
    if isinstance(value, Mapping):
        value = [*value.items()]
    texts = [written(one) for one in value] if is_set or isinstance(value, list | tuple) else [None]
    known = [one for one in texts if one is not None]
    return f"{type(value).__name__} {sorted(known) if is_set else known}" if len(known) == len(texts) else None


def is_own(thing: Any) -> bool:
    """Whether it stands in a file that is neither the package's nor installed."""
    try:
        path = Path(inspect.getsourcefile(thing) or "").resolve()
    except (OSError, TypeError):
        return False
    return path.is_file() and not any(folder in path.parents for folder in (PACKAGE_FOLDER, *INSTALLED))


def names_seen_by(thing: Callable[..., Any] | type) -> dict[str, Any]:
    """The globals of a function or of the module of a class, and what the function closes over."""
    if inspect.isclass(thing):
        module = inspect.getmodule(thing)
        return {} if module is None else dict(vars(module))
    cells = zip(thing.__code__.co_freevars, thing.__closure__ or (), strict=True)
    return {**thing.__globals__, **{name: cell.cell_contents for name, cell in cells}}


def values_used(tree: ast.AST, known: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What the names in a source stand for, those behind the name of a module too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in known and not isinstance(known[node.id], ModuleType):
            yield node.id, known[node.id]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = known.get(node.value.id)
            if isinstance(module, ModuleType) and hasattr(module, node.attr):
                yield f"{node.value.id}.{node.attr}", getattr(module, node.attr)


def without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return tree
