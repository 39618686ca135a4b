"""What is known of a reward, for people: what there is, what one does, and why a completion got its number."""

from __future__ import annotations

import inspect
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from grpo_rewards.compose.adjusting import Scheduled
from grpo_rewards.compose.composite import Composite
from grpo_rewards.compose.weighing import Weighted
from grpo_rewards.registry import Reward, RewardError, get_reward, list_rewards
from grpo_rewards.registry.call import Call
from grpo_rewards.registry.catalogue import COMPOSERS, MODULES, REWARDS, load_own
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.registry.interface import every_reward, joined
from grpo_rewards.registry.signature import REQUIRED, spoken, where
from grpo_rewards.verdict import Verdict

__all__ = [  # which are public, also as grpo_rewards.describing
    *("Description", "Entry", "Explanation", "Option", "Part", "Reads"),
    *("COMPOSITES", "described", "entries", "explained", "reads_of"),
]

SECTION = re.compile(r"(Args|Arguments|Returns|Raises|Yields|Attributes|Source):")
DOCUMENTED_ARGUMENT = re.compile(r"(\*{0,2}\w+(?:, \w+)*)(?: \([^:]*\))?:(?: (.*))?$")
DOCUMENTED_REASON = re.compile(r"- ((?:``\w+``(?:, )?)+): (.*)", re.DOTALL)
WOULD_TRY = "A policy would"
BLANK_LINE = re.compile(r"\n[ \t]*\n")
BETWEEN_PARAGRAPHS = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*[-*] )")  # the items of a list are paragraphs


@dataclass(frozen=True)
class Docstring:
    """The contents of a docstring, each part as text with ``code`` between double backticks.

    Attributes:
        line: its first paragraph, in one line.
        body: the paragraphs after that, in one line each; the items of a list are paragraphs.
        arguments: the text about each argument, by its name.
        returns: what is returned, without the list of reasons.
        reasons: the text about each reason, by its code.
        source: the paper that it is from.
        would_try: what a policy would try.
        example: the lines of its example.
    """

    line: str
    body: tuple[str, ...]
    arguments: Mapping[str, str]
    returns: str
    reasons: Mapping[str, str]
    source: str
    would_try: str
    example: tuple[str, ...]


def read_docstring(text: object) -> Docstring:
    """Takes a docstring apart; that of a function without one is empty."""
    sections, title = defaultdict[str, str](str), ""
    for block in BLANK_LINE.split(inspect.cleandoc(text)) if isinstance(text, str) else ():
        heading = SECTION.match(block)
        if heading:
            title, block = heading[1], block[heading.end() :]
        elif block.startswith(">>>"):
            title = "example"
        elif block and not block[0].isspace():
            title = ""
        sections[title] += f"{block}\n\n"
    outside, returned = _paragraphs(sections[""]), _paragraphs(sections["Returns"])
    line, *body = [one for one in outside if not one.startswith(WOULD_TRY)] or [""]
    about_reasons = [found for one in returned if (found := DOCUMENTED_REASON.match(one))]
    return Docstring(
        line=line,
        body=tuple(body),
        arguments=_arguments(sections["Args"] + sections["Arguments"]),
        returns=" ".join(one for one in returned if not DOCUMENTED_REASON.match(one)).removesuffix(" Reasons:"),
        reasons={code: found[2] for found in about_reasons for code in re.findall(r"\w+", found[1])},
        source=" ".join(_paragraphs(sections["Source"])),
        would_try=" ".join(one for one in outside if one.startswith(WOULD_TRY)),
        example=tuple(sections["example"].strip().splitlines()),
    )


def plain(text: str) -> str:
    """The text without the marks of code.

    >>> plain("``None`` if there is none")
    'None if there is none'
    """
    return text.replace("``", "")


def _paragraphs(text: str) -> list[str]:
    """The paragraphs in one line each."""
    return [" ".join(one.split()) for one in BETWEEN_PARAGRAPHS.split(text) if one.strip()]


def _arguments(text: str) -> dict[str, str]:
    """The text about each argument. One entry may be about several, separated by commas."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in inspect.cleandoc(text).splitlines():
        entry = DOCUMENTED_ARGUMENT.match(line)
        if entry:
            names = [name.lstrip("*") for name in entry[1].split(", ")]
            found |= dict.fromkeys(names, entry[2] or "")
        else:
            found |= {name: f"{found[name]} {line.strip()}".strip() for name in names}
    return found


ONE_OF_MANY = {"completions": "completion", "prompts": "prompt"}


@dataclass(frozen=True)
class Reads:
    """What a reward reads.

    Attributes:
        given: names that the trainer gives, such as ``completion`` and ``completion_ids``.
        columns: dataset columns that must be there, by the dataset's names.
        optional: dataset columns that are read where they are there.
    """

    given: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    @property
    def all_columns(self) -> tuple[str, ...]:
        """The columns that must be there and those that may."""
        return (*self.columns, *self.optional)

    def as_json(self) -> dict[str, Any]:
        """The names by what they are."""
        return {"given": self.given, "columns": self.columns, "optional_columns": self.optional}

    def __str__(self) -> str:
        return ", ".join([*self.given, *self.columns, *(f"[{one}]" for one in self.optional)])


def reads_of(reward: Reward) -> Reads:
    """What a reward reads, with those that it is made of, or depends on."""
    signatures = [one.signature for one in every_reward(reward) if isinstance(one, FunctionReward)]
    columns = {column.read_as for one in signatures for column in one.columns}
    given = (name for one in signatures for name in one.reads if name not in {*columns, *one.dependencies})
    optional = joined(one.name for one in reward.read_columns if one.name not in reward.columns)
    return Reads(joined(ONE_OF_MANY.get(name, name) for name in given), tuple(reward.columns), optional)


def stated_range(reward: Reward) -> tuple[float, float] | None:
    """The range that a reward states; ``None`` if it states none, or only when more options are bound."""
    try:
        return reward.range
    # a plug-in's own function, which may trip over an option that is not bound yet
    except Exception:  # noqa: BLE001
        return None


def reads_json(reward: Reward, column: str) -> bool:
    """Whether a column, by the dataset's name, holds something else than text in the example of a reward."""
    return any(
        column == its.name and not isinstance(one.example.get(its.read_as, ""), str)
        for one in every_reward(reward)
        if isinstance(one, FunctionReward)
        for its in one.own_columns
    )


COMPOSITES = "composite"  # the family of what makes rewards of rewards
OWN_FAMILIES = "grpo_rewards.rewards."


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

    def as_json(self) -> dict[str, Any]:
        """It by name."""
        own = {name: value for name, value in vars(self).items() if name != "reads"}
        return own | self.reads.as_json()


def entries() -> list[Entry]:
    """All rewards, by family and name: this package's families, then composites, then plug-ins.

    A plug-in that cannot be loaded is a warning, and among ``load_plugins()``; so is a reward that cannot be used.
    """
    rewards = [_entry(name, REWARDS[name], MODULES[name]) for name in list_rewards()]
    composers = [
        Entry(name, COMPOSITES, "grpo_rewards", Reads(), None, plain(read_docstring(compose.__doc__).line))
        for name, compose in COMPOSERS.items()
    ]
    return sorted(
        rewards + composers,
        key=lambda one: (one.package != "grpo_rewards", one.family == COMPOSITES, one.family, one.name),
    )


def _entry(name: str, reward: Reward, module: str) -> Entry:
    line, reads, failure = plain(read_docstring(reward.__doc__).line), Reads(), ""
    try:
        reads = reads_of(reward)
    # a plug-in's reward, which may be of a class of its own: nothing in it may keep the others from being listed
    except Exception as error:  # noqa: BLE001
        failure = str(error) if isinstance(error, RewardError) else f"{type(error).__name__}: {error}"
        warnings.warn(f"the reward '{name}' of '{module}' cannot be used: {failure}", stacklevel=3)
    return Entry(name, *_origin(module), reads, stated_range(reward), line, failure)


def _origin(module: str) -> tuple[str, str]:
    """(the family of the rewards of a module: a folder of this package, or the name of another one; the package)."""
    return module.removeprefix(OWN_FAMILIES).partition(".")[0], module.partition(".")[0]


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
        options: those that it has itself, in the order of its signature.
        reasons: the meaning of each reason that it may give; ``""`` where none is documented.
        reads: what it reads.
        range: (lowest, highest) with the current options; ``None`` if it is not stated.
        parts: the rewards that it is made of, or depends on.
    """

    name: str
    spec: str
    family: str
    package: str
    place: str
    docstring: Docstring
    options: tuple[Option, ...]
    reasons: Mapping[str, str]
    reads: Reads = Reads()
    range: tuple[float, float] | None = None
    parts: tuple[Part, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """It by name."""
        doc = self.docstring
        return {
            **{name: getattr(self, name) for name in ("name", "spec", "family", "package", "range", "reasons")},
            **self.reads.as_json(),
            "written_in": self.place,
            **{name: getattr(doc, name) for name in ("line", "returns", "source")},
            "description": doc.body,
            "options": [{**vars(one), "says": one.description, "is_bound": one.is_bound} for one in self.options],
            "parts": [{"role": one.role, "weight": one.weight, "spec": repr(one.reward)} for one in self.parts],
            "what_a_policy_would_try": doc.would_try,
            "example": "\n".join(doc.example),
        }


def described(spec: str | Reward) -> Description:
    """Describes the reward of a spec, or a function that makes a reward of rewards, by its bare name.

    Raises:
        RewardError: as ``get_reward``.
    """
    load_own()
    if isinstance(spec, str) and (compose := COMPOSERS.get(spec.strip())):
        name, docstring = compose.__name__, read_docstring(compose.__doc__)
        options = tuple(_options(inspect.signature(compose).parameters, {}, docstring.arguments))
        package = compose.__module__.partition(".")[0]
        return Description(name, name, COMPOSITES, package, where(compose), docstring, options, docstring.reasons)
    reward = get_reward(spec)
    composer = reward.compose if isinstance(reward, Composite) else None
    made_by: Any = composer or reward
    code = composer or reward.function  # none of a class of one's own
    docstring, (family, package) = read_docstring(made_by.__doc__), _origin(str(made_by.__module__))
    meanings = [docstring.reasons, *(read_docstring(one.__doc__).reasons for one in every_reward(reward))]
    return Description(
        reward.name,
        repr(reward),
        COMPOSITES if composer else family,
        package,
        "" if code is None else where(code),
        docstring,
        tuple(_options(_parameters(reward), reward.options, docstring.arguments)),
        {reason: next((its[reason] for its in meanings if reason in its), "") for reason in reward.reasons},
        reads_of(reward),
        stated_range(reward),
        tuple(parts_of(reward)),
    )


def _parameters(reward: Reward) -> Mapping[str, inspect.Parameter]:
    """The options of a reward as they stand in a signature; of another class than this package's nothing is known."""
    if isinstance(reward, Composite):
        known = inspect.signature(reward.compose).parameters
        return {name: one for name, one in known.items() if name in reward.options}
    return reward.signature.options if isinstance(reward, FunctionReward) else {}


def _options(
    parameters: Mapping[str, inspect.Parameter], values: Mapping[str, Any], documented: Mapping[str, str]
) -> Iterator[Option]:
    """The options that stand in a signature, or have a value."""
    default: str | None
    for name in {**parameters, **values}:
        takes, default = "", ""
        if (one := parameters.get(name)) is not None:
            takes, default = _in_words(one.annotation), _written(one.default)
            if isinstance(values.get(name), Reward):
                takes, default = "a reward", str(one.default)
            elif one.kind is one.VAR_KEYWORD:
                name, default = f"**{name}", "{}"
        value = _written(values[name]) if name in values else default
        yield Option(name, takes, default, value, documented.get(name.lstrip("*"), ""))


def _written(value: Any) -> str | None:
    """A default or a value as Python writes it; ``None`` if it must still be given."""
    return None if value is REQUIRED else repr(value)


def _in_words(annotation: Any) -> str:
    """What an option takes, with the names of types as people write them."""
    words = "" if annotation is REQUIRED else spoken(annotation)
    return (
        words.replace("grpo_rewards.registry.interface.", "")
        .replace("collections.abc.", "")
        .replace("typing.", "")
        .replace("of type ", "")
    )


def parts_of(reward: Reward) -> list[Part]:
    """The rewards directly inside a reward, with what each is there for."""
    if isinstance(reward, Weighted):
        return [Part("part", weight, one) for one, weight in zip(reward.funcs, reward.weights, strict=True)]
    roles: dict[Reward, str] = {}  # the name of a composite's argument, or a route's key
    for name, value in reward.settings.items() if isinstance(reward, Composite) else ():
        if isinstance(value, Reward):
            roles[value] = "gate" if name == "by" else name
        elif isinstance(value, Mapping):
            roles |= {one: f"for {key!r}" for key, one in value.items() if isinstance(one, Reward)}
    dependencies = [Part(f"dependency '{option}'", None, one) for option, one in reward.dependencies.items()]
    return [*(Part(roles.get(one, "part"), None, one) for one in reward.parts), *dependencies]


@dataclass(frozen=True)
class Explanation(Part):
    """A reward inside another one, or the outermost, with its verdict on one completion.

    Attributes:
        role: what it is there for inside the reward above it; ``""`` for the outermost.
        weight: by which the reward above multiplies it; ``None`` if it does not.
        reward: which reward.
        verdict: its verdict; ``None`` for a route that was not taken.
        parts: the explanations of the rewards inside it.
    """

    verdict: Verdict | None
    parts: tuple[Explanation, ...] = ()

    def with_depth(self, depth: int = 0) -> Iterator[tuple[int, Explanation]]:
        """Yields this explanation and those of all parts, each with how deep it is."""
        yield depth, self
        for part in self.parts:
            yield from part.with_depth(depth + 1)


def explained(reward: Reward, completion: Any, columns: Mapping[str, Any], **given: Any) -> Explanation:
    """Explains the number that a completion gets.

    Args:
        reward: the reward.
        completion: a text, or a list of messages.
        columns: the values of the row in the dataset's columns.
        given: by keyword what a trainer gives for a row: ``prompt``, ``completion_ids``, ``trainer_state``.

    Raises:
        RewardError: as ``Reward.explain``.

    >>> import grpo_rewards as gr
    >>> both = gr.weighted(boxed_answer=1.0, boxed_format=0.5)
    >>> [one.verdict.reason for one in explained(both, "\\\\boxed{5}", {"answer": "4"}).parts]
    ['wrong', 'boxed']
    """
    reward.check_ready()
    call = Call(
        [completion],
        prompts=None if given.get("prompt") is None else [given["prompt"]],
        completion_ids=None if given.get("completion_ids") is None else [given["completion_ids"]],
        trainer_state=given.get("trainer_state"),
        columns={name: [value] for name, value in columns.items()},
    )
    return _in_call(Part("", None, reward), call)


def _in_call(part: Part, call: Call) -> Explanation:
    reward = part.reward
    if not call.size:
        return Explanation(part.role, part.weight, reward, None)
    (verdict,) = reward.verdicts(call)
    calls = {one: its_call for one, its_call, _ in reward.parts_in(call)}
    parts = parts_of(reward)
    if isinstance(reward, Scheduled):  # its weight is that of this step
        parts = [replace(one, weight=reward.weight(call.trainer_state)) for one in parts]
    inside = tuple(_in_call(one, calls.get(one.reward, call)) for one in parts)
    return Explanation(part.role, part.weight, reward, verdict, inside)
