"""Which reward has which name, and the way from a name, a spec or a dotted path to a reward.

A spec is how rewards with options, and composites, are spelled in YAML and on the command line. Options are literals;
nothing is evaluated.
"""

import ast
import importlib
import keyword
import os
import re
import sys
import warnings
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any, NamedTuple, NoReturn, TypeVar

from grpo_rewards.errors import RewardError, did_you_mean, listed, shown
from grpo_rewards.public_names import OWN_REWARDS
from grpo_rewards.registry.interface import Reward
from grpo_rewards.registry.signature import where

Composer = TypeVar("Composer", bound=Callable[..., Reward])

ENTRY_POINT_GROUP = "grpo_rewards"
HOW = 'Write a name, or a name with literal options: "soft_overlong(max_tokens=256, buffer=64)".'
MISREAD = re.compile(r"(?<!\\)(?:\\\\)*\\[abfv]")

DOTTED_LIMIT = 30  # words between dots; Python imports one inside the other, until its stack is full
REWARDS: dict[str, Reward] = {}  # by their names
MODULES: dict[str, str] = {}  # in which each of them was written
COMPOSERS: dict[str, Callable[..., Reward]] = {}  # functions that make a reward of rewards


def register(reward: Reward, *, name: str | None = None) -> Reward:
    """Puts a reward that no decorator made under a name, so that specs, ``list_rewards`` and YAML know it.

    A decorated function is registered already. This is for an object of a class of your own that derives from
    ``Reward``, for one with options bound, and for a composite.

    Args:
        reward: the reward.
        name: the name, an identifier; the reward's own by default.

    Returns:
        The reward under that name.

    Raises:
        RewardError: it is no Reward, its name is no identifier, or another reward has the name.

    >>> import grpo_rewards as gr
    >>> short = gr.register(gr.max_length.bind(max_tokens=256), name="at_most_256")
    >>> gr.get_reward("at_most_256").score("", completion_ids=range(300))
    0.0
    """
    if not isinstance(reward, Reward):
        raise RewardError(
            f"{shown(reward)} is no Reward. Decorate a function with @grpo_rewards.reward, or make an object of a "
            "class that derives from grpo_rewards.Reward."
        )
    caller = str(sys._getframe(1).f_globals.get("__name__", ""))
    new = reward if name is None or name == reward.name else reward.bind(name=name)
    add(new, caller)
    return new


def add(new: Reward, module: str) -> None:
    """Puts a reward that was written in ``module`` under its own name.

    It replaces the one that the same module registered before. If the name is taken by another module, a plug-in's
    reward is skipped with a warning, and stays reachable by its dotted path; any other raises RewardError.
    """
    load_own(new.name)
    if not new.name.isidentifier() or keyword.iskeyword(new.name):
        raise RewardError(
            f"a reward cannot be registered as {shown(new.name)}: a spec could not name it. Give it an identifier, "
            f'@reward(name="my_reward") ({_place(new)}).'
        )
    old = COMPOSERS.get(new.name, REWARDS.get(new.name))
    # the same again, or what a cell that is run again, a module reloaded or a script imported as well makes of it
    if old is None or old == new or _file(module) == _file(MODULES.get(new.name, "")):
        REWARDS[new.name], MODULES[new.name] = new, module
    elif module.partition(".")[0] in {point.module.partition(".")[0] for point in _offered()}:
        warnings.warn(
            f"the reward '{new.name}' of '{module}' ({_place(new)}) is not listed under that name, which is taken "
            f"({_place(old)}). In specs it is '{module}.{new.name}'.",
            stacklevel=4,
        )
    else:
        raise RewardError(
            f"reward '{new.name}' is defined twice: at {_place(old)} and at {_place(new)}. "
            f'Rename one function, or give it another name: @reward(name="…"), register(…, name="…").'
        )


def _place(one: Reward | Callable[..., Reward]) -> str:
    function = one.function if isinstance(one, Reward) else one
    return repr(one) if function is None else where(function)


def _file(module: str) -> str:
    """Where a module was written; its name, if it has no file."""
    path = getattr(sys.modules.get(module), "__file__", None)
    return module if path is None else os.path.realpath(path)


def register_composer(compose: Composer) -> Composer:
    """Makes a function that makes a reward of rewards known to specs, under its own name."""
    COMPOSERS[compose.__name__] = compose
    return compose


def load_own(name: str | None = None) -> None:
    """Imports this package's own reward, or composer, of this name if there is one; without a name all of them.

    They are imported by name when they are first needed, as a plug-in's are. In a second thread it waits until the
    first one is done with that.
    """
    for own, module in OWN_REWARDS.items():
        if name in (None, own):
            importlib.import_module(module)


class Plugin(NamedTuple):
    """An entry point of an installed package, and what became of it.

    Attributes:
        plugin: the package that offers it, with its version.
        entry: what it names: a module, or a reward in one.
        why: why it could not be loaded; ``""`` if it could.
    """

    plugin: str
    entry: str
    why: str = ""


_PLUGINS: dict[str, Plugin] = {}  # by what an entry point names


def load_plugins() -> list[Plugin]:
    """Loads what entry points name, each once.

    A plug-in that cannot be loaded is a warning with its package's name; the others are still loaded.
    """
    for point in _offered():
        if point.value in _PLUGINS:
            continue
        package = f"{point.dist.name} {point.dist.version}" if point.dist else point.name
        _PLUGINS[point.value] = Plugin(package, point.value)  # here already, for who asks while it is imported
        try:
            loaded = point.load()  # importing its module registers what that decorates
            if not isinstance(loaded, Reward | ModuleType):
                raise RewardError(f"it is {shown(loaded)}, neither a Reward nor a module of rewards")
            if isinstance(loaded, Reward) and loaded.name not in REWARDS:
                add(loaded, point.module)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # foreign code: nothing in it may stop a run
            warnings.warn(f"plugin '{package}': rewards in '{point.value}' cannot be loaded: {error}", stacklevel=3)
            why = str(error) if isinstance(error, RewardError | ImportError) else f"{type(error).__name__}: {error}"
            _PLUGINS[point.value] = Plugin(package, point.value, why)
    return sorted(_PLUGINS.values())


@cache
def _offered() -> tuple[EntryPoint, ...]:
    """The entry points of the packages that were installed when the first one was looked for."""
    return tuple(sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda one: (one.value, one.name)))


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
    text = spec.strip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # '\\d' is no escape and stays as it is written
            node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = getattr(error, "msg", None) or str(error) or type(error).__name__
        _malformed(text, f"{why.splitlines()[0]}. {HOW}")
    return _reward(node, text)


def inner_reward(given: Any, what: str) -> Reward:
    """The reward that another one is made of, or depends on; ``what`` it is there is for the message."""
    if not isinstance(given, Reward | str):
        raise RewardError(
            f"{what} must be a reward or the spec of one, such as 'boxed_answer', not {shown(given)}. "
            "A plain function becomes a reward with @grpo_rewards.reward, one of completions with @batch_reward. It "
            "names the columns that it reads, without **kwargs."
        )
    return get_reward(given)


def _malformed(spec: str, why: str) -> NoReturn:
    raise RewardError(f"malformed reward spec {shown(spec)}: {why}") from None


def _written(node: ast.expr, spec: str) -> str:
    """The part of the spec that was parsed to this node. Not ``ast.unparse``, which deep nesting defeats."""
    return ast.get_source_segment(spec, node) or spec


def _reward(node: ast.expr, spec: str) -> Reward:
    """The reward, or the composite, that a name or a call names. ``spec`` is the whole one, for messages."""
    call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
    path = _written(call.func, spec)
    words = path.split(".")
    if len(words) > DOTTED_LIMIT or not all(map(str.isidentifier, words)):
        _malformed(spec, f"{shown(path)} is not a reward's name. {HOW}")
    parts = [_value(one, spec, "a part") for one in call.args]
    options = {str(one.arg): _value(one.value, spec, f"option '{one.arg}'") for one in call.keywords}
    if len(options) < len(call.keywords) or "None" in options:  # None is what ** has in place of a name
        _malformed(spec, f"give each option once, by name. {HOW}")
    if "." not in path and not _is_known(path):
        every = f" Registered: {listed(list_rewards())}. Made of others: {listed(sorted(COMPOSERS))}."
        near = _nearest(path)
        hint = every if near == "." else " grpo-rewards list shows all."
        raise RewardError(f"unknown reward {shown(path)}{near}{hint}")
    if path in COMPOSERS:
        columns = options.pop("columns", None)
        try:
            made = COMPOSERS[path](*parts, **options)
        except TypeError as error:
            _malformed(spec, f"{error}.")
        return made if columns is None else made.bind(columns=columns)
    if parts:
        _malformed(spec, f"{shown(_written(call.args[0], spec))} has no option name. {HOW}")
    found = _in_module(path) if "." in path else REWARDS[path]
    return found.bind(**options) if options else found


def _is_known(name: str) -> bool:
    """Whether a reward or a composer has the name. Plug-ins are loaded if nothing else has it."""
    load_own(name)
    if name not in COMPOSERS and name not in REWARDS:
        load_plugins()
    return name in COMPOSERS or name in REWARDS


def _nearest(name: str) -> str:
    return did_you_mean(name, [*list_rewards(), *COMPOSERS])


def _value(node: ast.expr, spec: str, what: str) -> Any:
    """A reward, a mapping with rewards in it, or a literal; ``what`` it is there is for the message."""
    if isinstance(node, ast.Name) and not _is_known(node.id):
        needs = f"If '{node.id}' is meant as a text, it needs quotes."
        _malformed(spec, f"{what} is no reward{_nearest(node.id)} {needs}")
    if isinstance(node, ast.Name | ast.Attribute | ast.Call):
        return _reward(node, spec)
    written = _written(node, spec)
    try:
        if isinstance(node, ast.Dict) and None not in node.keys:
            pairs = zip(node.keys, node.values, strict=True)
            made = {_value(key, spec, what): _value(one, spec, what) for key, one in pairs}  # type: ignore[arg-type]
            if len(made) < len(node.keys):
                _malformed(spec, f"{shown(written)} has a key twice.")
            return made
        value = ast.literal_eval(node)
    except RewardError:
        raise
    except (ValueError, TypeError, RecursionError, MemoryError):
        _malformed(spec, f"{what} must be a reward or a literal, not {shown(written)}.")
    if isinstance(value, str) and written[:1] not in "rR" and MISREAD.search(written):
        # '\b' is a backspace to Python, and a word boundary to whoever writes a regex
        raise RewardError(f"{what} in reward spec {shown(spec)} has an escape; write it as r'…'.")
    return value


def _in_module(path: str) -> Reward:
    module_path, _, attribute = path.rpartition(".")
    try:
        module = importlib.import_module(module_path)
    except ModuleNotFoundError as error:
        if not f"{module_path}.".startswith(f"{error.name}."):
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
