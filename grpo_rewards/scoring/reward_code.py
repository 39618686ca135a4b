"""What rewards mean beyond their names: the code of those that neither the package nor an installed one brings."""

import ast
import hashlib
import inspect
import sysconfig
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from pprint import pformat
from types import ModuleType
from typing import Any

from grpo_rewards.registry.interface import Reward, leaves

INSTALLED = tuple(Path(path).resolve() for path in {*sysconfig.get_paths().values()})
MEMORY_ADDRESS = " at 0x"  # in how an object is written that has no text of its own
PACKAGE_FOLDER = Path(__file__).resolve().parents[1]


def reward_code(rewards: Iterable[Reward]) -> dict[str, str]:
    """By name a hash of what each reward does, of those that neither the package nor an installed one brings.

    It is of the source of its function, and of all of one's own that this calls or reads: functions, classes and
    constants, also of other modules. What comments and docstrings hold does not count. A function whose source cannot
    be had, such as one that was typed in, is left out.
    """
    found = {}
    for one in leaves(*rewards):
        texts: dict[str, str] = {}
        add_code(plain_function(one), texts)
        if texts:
            text = "\n".join(texts[name] for name in sorted(texts))
            found[one.name] = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
    return found


def plain_function(reward: Any) -> Any:
    """The function that a reward calls, or the class of an object that is called or is a reward itself."""
    found = inspect.unwrap(getattr(reward, "function", None) or type(reward))
    return found if inspect.isfunction(found) or inspect.isclass(found) else type(getattr(found, "__self__", found))


def add_code(thing: Any, texts: dict[str, str]) -> None:
    """Adds by name the source of a function or class of one's own, and of all that it uses.

    A constant is there as the text that is the same in every process; an object without one is left out.
    """
    name = f"{thing.__module__}.{thing.__qualname__}"
    if name in texts or not is_own(thing):
        return
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    except (OSError, TypeError, SyntaxError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body[0] = ast.Pass()
    texts[name] = ast.unparse(tree)
    known = names_seen_by(thing)
    for node in ast.walk(tree):
        value = None
        if isinstance(node, ast.Name):
            value = known.get(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = known.get(node.value.id)
            value = getattr(module, node.attr, None) if isinstance(module, ModuleType) else None
        if isinstance(value, Reward):
            value = plain_function(value)
        if inspect.isfunction(value) or inspect.isclass(value):
            add_code(value, texts)
        elif not isinstance(value, ModuleType | None) and MEMORY_ADDRESS not in (text := pformat(value, width=1)):
            texts[f"{name}: {ast.unparse(node)}"] = text  # so narrow that sets are written in order


def is_own(thing: Any) -> bool:
    """Whether it stands in a file that is neither the package's nor installed."""
    path = Path(getattr(inspect.getmodule(thing), "__file__", None) or "").resolve()
    return path.is_file() and not any(folder in path.parents for folder in (PACKAGE_FOLDER, *INSTALLED))


def names_seen_by(thing: Callable[..., Any] | type) -> dict[str, Any]:
    """The globals of a function or of the module of a class, and what the function closes over."""
    if inspect.isclass(thing):
        return getattr(inspect.getmodule(thing), "__dict__", {})
    cells = zip(thing.__code__.co_freevars, thing.__closure__ or (), strict=True)
    return {**thing.__globals__, **{name: cell.cell_contents for name, cell in cells}}
