"""All rewards that can be named, by family: this package's own, composites, and those of plug-ins."""

from __future__ import annotations

from dataclasses import dataclass

from grpo_rewards.describing.docstrings import plain, read_docstring
from grpo_rewards.describing.reading import Reads, reads_of, stated_range
from grpo_rewards.registry import Reward, RewardError, list_rewards
from grpo_rewards.registry.names import COMPOSERS, REWARDS, module_of, nameless

__all__ = ["COMPOSITES", "Entry", "entries", "family_of"]

COMPOSITES = "composite"  # the family of what makes rewards of rewards
OWN_FAMILIES = "grpo_rewards.rewards."
READS_NOTHING = Reads((), (), ())


@dataclass(frozen=True)
class Entry:
    """A reward in a list.

    Attributes:
        name: as specs name it.
        family: the folder of ``grpo_rewards.rewards`` that it is in, ``composite``, or a plug-in's package.
        package: the package that brings it.
        reads: what it reads; nothing for a composite, which reads what its parts read.
        range: (lowest, highest) reward; ``None`` if that is not stated, or depends on options or parts.
        line: what it does, in a sentence or two.
        failure: why it cannot be used, such as a reward that it depends on and that is not there; ``""`` if it can.
    """

    name: str
    family: str
    package: str
    reads: Reads
    range: tuple[float, float] | None
    line: str
    failure: str = ""


def entries() -> list[Entry]:
    """All rewards, by family and name: this package's families, then composites, then plug-ins.

    A plug-in's reward whose name is taken is there as ``package.name``. A plug-in that cannot be loaded is a warning,
    and among ``plugin_failures()``.
    """
    found = [_entry(name, REWARDS[name], module_of(name)) for name in list_rewards()]
    found += [_entry(path, one, path.partition(".")[0]) for path, one in nameless().items()]
    composites = [
        Entry(name, COMPOSITES, "grpo_rewards", READS_NOTHING, None, plain(read_docstring(compose.__doc__).line))
        for name, compose in sorted(COMPOSERS.items())
    ]
    return sorted(found + composites, key=_place)


def _place(entry: Entry) -> tuple[bool, bool, str, str]:
    return entry.package != "grpo_rewards", entry.family == COMPOSITES, entry.family, entry.name


def family_of(module: str) -> str:
    """The family of the rewards of a module: a folder of this package, or the name of another one."""
    return module.removeprefix(OWN_FAMILIES).partition(".")[0]


def _entry(name: str, reward: Reward, module: str) -> Entry:
    line, reads, failure = plain(read_docstring(reward.__doc__).line), READS_NOTHING, ""
    try:
        reads = reads_of(reward)
    # a plug-in's reward, which may be of a class of its own: nothing in it may keep the others from being listed
    except Exception as error:  # noqa: BLE001
        failure = str(error) if isinstance(error, RewardError) else f"{type(error).__name__}: {error}"
    return Entry(name, family_of(module), module.partition(".")[0], reads, stated_range(reward), line, failure)
