"""One reward, described: what it does, reads and can be configured with, its reasons, and where it is written."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from grpo_rewards.compose.composite import Composite
from grpo_rewards.compose.weighing import Weighted
from grpo_rewards.describing.docstrings import Docstring, read_docstring
from grpo_rewards.describing.listing import COMPOSITES, family_of
from grpo_rewards.describing.reading import Reads, reads_of, stated_range
from grpo_rewards.registry import Reward, get_reward
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.registry.interface import every_reward
from grpo_rewards.registry.names import COMPOSERS, load_own
from grpo_rewards.registry.signature import REQUIRED, spoken, where

__all__ = ["Description", "Option", "Part", "described", "parts_of"]


@dataclass(frozen=True)
class Option:
    """An option of a reward.

    Attributes:
        name: its name.
        takes: which values it takes, in words; ``""`` if that is not stated.
        default: the default as Python writes it; ``None`` if it must be given, ``""`` if it is not known.
        value: the current value in the same way; ``None`` if it must still be given.
        description: the docstring's sentence about it.
    """

    name: str
    takes: str
    default: str | None
    value: str | None
    description: str

    @property
    def says(self) -> str:
        """The former name of ``description``."""
        return self.description

    @property
    def is_bound(self) -> bool:
        """Whether it has another value than its default."""
        return self.default != "" and self.value != self.default


@dataclass(frozen=True)
class Part:
    """A reward inside another one: as what, by which weight if it has a fixed one, and which."""

    role: str
    weight: float | None
    reward: Reward


@dataclass(frozen=True)
class Description:
    """What is known of a reward before it sees a completion.

    Attributes:
        name: in the logs.
        spec: that makes it.
        family, package, place: where it is from; the place is ``file:line``, or ``""`` if that is unknown.
        docstring: its docstring, taken apart; of a composite that of the function that makes it.
        reads: what it reads.
        options: those that it has itself, in the order of its signature.
        reasons: the meaning of each reason that it may give; ``""`` where none is documented.
        range: (lowest, highest) with the current options; ``None`` if it is not stated.
        parts: the rewards that it is made of, or depends on.
    """

    name: str
    spec: str
    family: str
    package: str
    place: str
    docstring: Docstring
    reads: Reads
    options: tuple[Option, ...]
    reasons: Mapping[str, str]
    range: tuple[float, float] | None
    parts: tuple[Part, ...]


def described(spec: str | Reward) -> Description:
    """Describes the reward of a spec, or a function that makes a reward of rewards, by its bare name.

    Raises:
        RewardError: as ``get_reward``.
    """
    load_own()
    if isinstance(spec, str) and spec.strip() in COMPOSERS:
        return _of_composer(spec.strip(), COMPOSERS[spec.strip()])
    reward = get_reward(spec)
    made_by: Any = reward.compose if isinstance(reward, Composite) else reward
    docstring = read_docstring(made_by.__doc__)
    module = str(getattr(made_by, "__module__", None) or type(reward).__module__)
    return Description(
        name=reward.name,
        spec=repr(reward),
        family=COMPOSITES if isinstance(reward, Composite) else family_of(module),
        package=module.partition(".")[0],
        place=_place_of(reward),
        docstring=docstring,
        reads=reads_of(reward),
        options=tuple(_options(reward, docstring)),
        reasons={reason: _meaning_of(reason, reward, docstring) for reason in reward.reasons},
        range=stated_range(reward),
        parts=tuple(parts_of(reward)),
    )


def parts_of(reward: Reward) -> list[Part]:
    """The rewards directly inside a reward, with what each is there for."""
    if isinstance(reward, Weighted):
        return [Part("part", weight, one) for one, weight in zip(reward.funcs, reward.weights, strict=True)]
    dependencies = [Part(f"dependency '{option}'", None, one) for option, one in reward.dependencies.items()]
    roles = _roles(reward.settings) if isinstance(reward, Composite) else {}
    return [*(Part(roles.get(one, "part"), None, one) for one in reward.parts), *dependencies]


def _roles(settings: Mapping[str, Any]) -> dict[Reward, str]:
    """What each reward among a composite's arguments is there for: the argument's name, or a route's key."""
    roles: dict[Reward, str] = {}
    for name, value in settings.items():
        if isinstance(value, Reward):
            roles[value] = {"by": "gate"}.get(name, name)
        elif isinstance(value, Mapping):
            roles |= {one: f"for {key!r}" for key, one in value.items() if isinstance(one, Reward)}
    return roles


def _of_composer(name: str, compose: Callable[..., Reward]) -> Description:
    docstring = read_docstring(compose.__doc__)
    parameters = inspect.signature(compose, eval_str=False).parameters.values()
    options = []
    for one in parameters:
        is_several = one.kind is one.VAR_KEYWORD
        written, default = (f"**{one.name}", {}) if is_several else (one.name, one.default)
        options.append(Option(written, str(one.annotation), *_twice(default), docstring.arguments.get(one.name, "")))
    package = compose.__module__.partition(".")[0]
    reads = Reads((), (), ())
    return Description(
        name, name, COMPOSITES, package, where(compose), docstring, reads, tuple(options), docstring.reasons, None, ()
    )


def _twice(default: Any) -> tuple[str | None, str | None]:
    written = None if default is REQUIRED else repr(default)
    return written, written


def _options(reward: Reward, docstring: Docstring) -> list[Option]:
    """The options of a reward itself, and its dependencies."""
    if not isinstance(reward, FunctionReward):
        documented, defaults = docstring.arguments, _defaults_of(reward)
        return [
            Option(name, "", defaults.get(name), repr(value), documented.get(name, ""))
            for name, value in reward.options.items()
        ]
    found = []
    for name, default in reward.signature.options.items():
        takes = _in_words(reward.signature.annotations[name]) if name in reward.signature.annotations else ""
        written = None if default is REQUIRED else repr(default)
        value = repr(reward.own_options[name]) if name in reward.own_options else None
        found.append(Option(name, takes, written, value, docstring.arguments.get(name, "")))
    for name, spec in reward.dependency_specs.items():
        description = docstring.arguments.get(name, "")
        default_reward = repr(get_reward(spec))
        found.append(Option(name, "a reward", default_reward, repr(reward.dependencies[name]), description))
    return found


def _in_words(annotation: Any) -> str:
    """What an option takes, with the names of types as people write them."""
    return spoken(annotation).replace("collections.abc.", "").replace("typing.", "").replace("of type ", "")


def _defaults_of(reward: Reward) -> dict[str, str | None]:
    """The defaults of a composite's options; of another class's nothing is known."""
    if not isinstance(reward, Composite):
        return dict.fromkeys(reward.options, "")
    return {name: _twice(one.default)[0] for name, one in inspect.signature(reward.compose).parameters.items()}


def _meaning_of(reason: str, reward: Reward, docstring: Docstring) -> str:
    """The documented meaning of a reason, of the reward itself or of the first below it that has one."""
    below = (read_docstring(one.__doc__).reasons.get(reason, "") for one in every_reward(reward))
    return docstring.reasons.get(reason) or next(filter(None, below), "")


def _place_of(reward: Reward) -> str:
    if isinstance(reward, FunctionReward):
        return where(reward.function)
    if isinstance(reward, Composite):
        return where(reward.compose)
    try:
        return f"{inspect.getsourcefile(type(reward))}:{inspect.getsourcelines(type(reward))[1]}"
    except (OSError, TypeError):  # a class of a notebook, or of a file that is gone
        return ""
