"""What is known of a reward, for people: what there is, what one does, and why a completion got its number."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from grpo_rewards.compose.adjusting import Scheduled
from grpo_rewards.compose.composite import Composite
from grpo_rewards.compose.weighing import Weighted
from grpo_rewards.registry import Reward, RewardError, get_reward, list_rewards
from grpo_rewards.registry.call import Call
from grpo_rewards.registry.catalogue import COMPOSERS, MODULES, REWARDS, load_own
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.registry.interface import every_reward
from grpo_rewards.registry.signature import REQUIRED, spoken, where
from grpo_rewards.verdict import Verdict

__all__ = [  # which are public, also as grpo_rewards.describing
    *("Description", "Entry", "Explanation", "Option", "Part", "Reads"),
    *("COMPOSITES", "described", "entries", "explained", "reads_of"),
]

DOCUMENTED_SECTION = re.compile(r"(Args|Arguments|Returns|Raises|Yields|Attributes|Source):")
DOCUMENTED_ARGUMENT = re.compile(r"(\*{0,2}\w+(?:, \w+)*)(?: \([^:]*\))?:(?: (.*))?$")
DOCUMENTED_REASON = re.compile(r"- ((?:``\w+``(?:, )?)+): (.*)", re.DOTALL)
WOULD_TRY = "A policy would"
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

    line: str = ""
    body: tuple[str, ...] = ()
    arguments: Mapping[str, str] = field(default_factory=dict)
    returns: str = ""
    reasons: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    would_try: str = ""
    example: tuple[str, ...] = ()


def read_docstring(text: object) -> Docstring:
    """Takes a docstring apart; that of a function without one is empty."""
    if not isinstance(text, str):
        return Docstring()
    sections = _sections(inspect.cleandoc(text))
    paragraphs = _paragraphs(sections[""])
    would_try = [one for one in paragraphs if one.startswith(WOULD_TRY)]
    paragraphs = [one for one in paragraphs if one not in would_try]
    returned = _paragraphs(sections["Returns"])
    return Docstring(
        line=paragraphs[0] if paragraphs else "",
        body=tuple(paragraphs[1:]),
        arguments=_arguments(sections["Args"] + sections["Arguments"]),
        returns=" ".join(one for one in returned if not DOCUMENTED_REASON.match(one)).removesuffix(" Reasons:"),
        reasons=_reasons(returned),
        source=" ".join(_paragraphs(sections["Source"])),
        would_try=" ".join(would_try),
        example=tuple(sections["example"].strip().splitlines()),
    )


def plain(text: str) -> str:
    """The text without the marks of code.

    >>> plain("``None`` if there is none")
    'None if there is none'
    """
    return text.replace("``", "")


def _sections(text: str) -> dict[str, str]:
    """The text of each section by its title, and what stands outside of all under ``""``."""
    sections, title = defaultdict[str, str](str), ""
    for block in re.split(r"\n[ \t]*\n", text):
        heading = DOCUMENTED_SECTION.match(block)
        if heading:
            title, block = heading[1], block[heading.end() :]
        elif block.startswith(">>>"):
            title = "example"
        elif block and not block[0].isspace():
            title = ""
        sections[title] += f"{block}\n\n"
    return sections


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


def _reasons(returned: Iterable[str]) -> dict[str, str]:
    """The text about each reason, of the items of the list that are about some."""
    items = filter(None, map(DOCUMENTED_REASON.match, returned))
    return {code: item[2] for item in items for code in re.findall(r"\w+", item[1])}


ONE_OF_MANY = {"completions": "completion", "prompts": "prompt"}


@dataclass(frozen=True)
class Reads:
    """What a reward reads.

    Attributes:
        given: names that the trainer gives, such as ``completion`` and ``completion_ids``.
        columns: dataset columns that must be there, by the dataset's names.
        optional: dataset columns that are read where they are there.
    """

    given: tuple[str, ...]
    columns: tuple[str, ...]
    optional: tuple[str, ...]

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
    given: dict[str, None] = {}
    for one in every_reward(reward):
        if isinstance(one, FunctionReward):
            own = [
                name
                for name in one.signature.reads
                if name not in (*one.signature.columns, *one.signature.dependencies)
            ]
            given |= {ONE_OF_MANY.get(name, name): None for name in own}
    known = [column for several in reward.column_names.values() for column in several]
    optional = tuple(dict.fromkeys(column for column in known if column not in reward.columns))
    return Reads(tuple(given), tuple(reward.columns), optional)


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
        column in columns and not isinstance(one.example.get(name, ""), str)
        for one in every_reward(reward)
        if isinstance(one, FunctionReward)
        for name, columns in one.own_column_names.items()
    )


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

    def as_json(self) -> dict[str, Any]:
        """It by name."""
        own = {name: value for name, value in vars(self).items() if name != "reads"}
        return own | self.reads.as_json()


def entries() -> list[Entry]:
    """All rewards, by family and name: this package's families, then composites, then plug-ins.

    A plug-in that cannot be loaded is a warning, and among ``load_plugins()``.
    """
    found = [_entry(name, REWARDS[name], MODULES[name]) for name in list_rewards()]
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

    def as_json(self) -> dict[str, Any]:
        """It by name."""
        doc = self.docstring
        return {
            **{name: getattr(self, name) for name in ("name", "spec", "family", "package", "range")},
            **self.reads.as_json(),
            "written_in": self.place,
            "line": doc.line,
            "description": doc.body,
            "returns": doc.returns,
            "source": doc.source,
            "options": [{**vars(one), "says": one.description, "is_bound": one.is_bound} for one in self.options],
            "reasons": dict(self.reasons),
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
    if isinstance(spec, str) and spec.strip() in COMPOSERS:
        return _of_composer(spec.strip(), COMPOSERS[spec.strip()])
    reward = get_reward(spec)
    made_by: Any = reward.compose if isinstance(reward, Composite) else reward
    code = getattr(reward, "function", None) or getattr(reward, "compose", None)  # none of a class of one's own
    docstring, module = read_docstring(made_by.__doc__), str(made_by.__module__)
    return Description(
        name=reward.name,
        spec=repr(reward),
        family=COMPOSITES if isinstance(reward, Composite) else family_of(module),
        package=module.partition(".")[0],
        place="" if code is None else where(code),
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
    options = []
    for one in inspect.signature(compose).parameters.values():
        is_several = one.kind is one.VAR_KEYWORD
        default = "{}" if is_several else _written(one.default)
        shown_name, description = f"{'**' * is_several}{one.name}", docstring.arguments.get(one.name, "")
        options.append(Option(shown_name, str(one.annotation), default, default, description))
    return Description(
        name,
        name,
        COMPOSITES,
        compose.__module__.partition(".")[0],
        where(compose),
        docstring,
        READS_NOTHING,
        tuple(options),
        docstring.reasons,
        range=None,
        parts=(),
    )


def _written(value: Any) -> str | None:
    """A default or a value as Python writes it; ``None`` if it must still be given."""
    return None if value is REQUIRED else repr(value)


def _options(reward: Reward, docstring: Docstring) -> Iterator[Option]:
    """The options of a reward itself, and its dependencies."""
    documented = docstring.arguments
    if not isinstance(reward, FunctionReward):
        known = inspect.signature(reward.compose).parameters if isinstance(reward, Composite) else {}
        for name, value in reward.options.items():  # of another class's defaults nothing is known
            default = _written(known[name].default) if name in known else None if known else ""
            yield Option(name, "", default, repr(value), documented.get(name, ""))
        return
    for name, option in reward.signature.options.items():
        if name in reward.dependencies:
            value = repr(reward.dependencies[name])
            yield Option(name, "a reward", repr(get_reward(option.default)), value, documented.get(name, ""))
            continue
        takes = "" if option.annotation is REQUIRED else _in_words(option.annotation)
        value = _written(reward.own_options.get(name, REQUIRED))
        yield Option(name, takes, _written(option.default), value, documented.get(name, ""))


def _in_words(annotation: Any) -> str:
    """What an option takes, with the names of types as people write them."""
    return spoken(annotation).replace("collections.abc.", "").replace("typing.", "").replace("of type ", "")


def _meaning_of(reason: str, reward: Reward, docstring: Docstring) -> str:
    """The documented meaning of a reason, of the reward itself or of the first below it that has one."""
    below = (read_docstring(one.__doc__).reasons.get(reason, "") for one in every_reward(reward))
    return docstring.reasons.get(reason) or next(filter(None, below), "")


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
    parts = [_weighed(one, reward, call) for one in parts_of(reward)]
    inside = tuple(_in_call(one, calls.get(one.reward, call)) for one in parts)
    return Explanation(part.role, part.weight, reward, verdict, inside)


def _weighed(part: Part, above: Reward, call: Call) -> Part:
    """The part with the weight that it has at this step."""
    return Part(part.role, above.weight(call.trainer_state), part.reward) if isinstance(above, Scheduled) else part
