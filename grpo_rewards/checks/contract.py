"""The contract of a reward, so that trainers can call it: ``check_reward`` and ``find_breaches`` check every clause."""

import math
import pickle
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, TypeAlias

from grpo_rewards.checks.findings import Finding
from grpo_rewards.checks.growth import HOSTILE, TEXT_SHAPES, SuperlinearError, assert_linear
from grpo_rewards.checks.reward.calling import (
    OF_A_ROW,
    STATE_HALF_WAY,
    Signature,
    TookTooLong,
    awaited,
    limited,
    name_of,
    one_message,
    passed,
    read_columns,
    ready,
    unseeing,
)
from grpo_rewards.completion.text import completion_text
from grpo_rewards.errors import ANSWER_SYNONYMS, did_you_mean, harmless, listed, shown
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.interface import every_reward, joined

Row: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Sequence[Row]

GOLD_SHOWN = "4"
# Texts tried in addition to the given rows, with their columns: in the usual forms, right and wrong, long and short.
USUAL = (
    "<think>2 + 2</think><answer>\\boxed{4}</answer>",
    "again again again again again again \\boxed{5",
    "The answer is 4.",
    "So we have 2 + 2 = 4, hence $\\boxed{4}$.",
    "<think>\nTwo and two.\n</think>\n\nIt is five.",
    '```json\n{"answer": 4, "steps": ["2 + 2"]}\n```',
    "First, add.\n\n1. 2 + 2 = 4\n2. Done!\n\nAnswer: B",
    "四です。",
    "no",
    "I think, maybe, that it could be 3,000.5 or so (not sure)",
)
LONGEST_SEEN = 400  # characters of what was seen: an exception may quote a megabyte
CALLS = 3
# (length, number of shapes, slowest first). Cheap quadratic work shows only in long texts.
TEXT_SIZES = ((10_000, math.inf), (100_000, 3), (1_000_000, 1))
FORMS: dict[str, Callable[[str], Any]] = {
    "texts": lambda text: text,
    "messages": lambda text: one_message("assistant", text),
    "messages of content blocks": lambda text: one_message("assistant", [{"type": "text", "text": text}]),
}
NO_CONTENT: tuple[Any, ...] = (None, "", [])
WITHOUT_TEXT = (*(one_message("assistant", nothing) for nothing in NO_CONTENT), [{"role": "assistant"}], [])
OF_TIME = "linear"
# Former clauses, still accepted by ``without``.
FORMER_CLAUSES = "columns docstring empty_batch inputs logs name prompts reasons spawned threads".split()
FIRST = ("model", "values", "determinism")  # where one is broken, the others have nothing to compare


@dataclass
class Case:
    """A reward and rows for it.

    Attributes:
        reward: what a trainer is given: a ``Reward``, or a function that takes its keywords.
        rows: completions with what stands beside them, whole groups of them.
        group: how many rows in a row belong to one prompt, for a reward that compares them; else 1.
        stalled: the message about a call that took so long that it was stopped; ``""`` if none did.
    """

    reward: Callable[..., Any]
    rows: tuple[Row, ...]
    group: int
    stalled: str = ""

    @property
    def name(self) -> str:
        return name_of(self.reward)

    @property
    def own(self) -> Reward | None:
        """The reward if it is one of this package's kind, which states more about itself than a function does."""
        return self.reward if isinstance(self.reward, Reward) else None

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The dataset columns of the rows."""
        return tuple(name for name in joined(*self.rows) if name not in OF_A_ROW)

    @cached_property
    def values(self) -> list[float | None]:
        """What the reward gives for all rows in one call."""
        return self.give(self.rows)

    def give(self, rows: Rows) -> list[float | None]:
        """The rewards for the rows. What a function without ``**kwargs`` does not name, it is not passed."""
        given, its = passed(rows), Signature(self.reward)
        if self.own is None and not its.takes_rest:
            given = {name: value for name, value in given.items() if name in its.named}
        values: list[float | None] = self.call(given)
        return values

    def call(self, given: Mapping[str, Any]) -> Any:
        """What the reward gives for the keywords of a trainer, awaited if need be.

        Raises:
            TookTooLong: it was stopped, or a call before it. What stalls once is not waited for again.
        """
        if self.stalled:
            raise TookTooLong(self.stalled)
        completions = given.get("completions", ())
        try:
            with limited(seconds_for(sum(len(completion_text(one)) for one in completions))):
                return awaited(self.reward(**given))
        except TookTooLong as error:
            self.stalled = f"on {shown(completions[0])} and {len(completions) - 1} more it was {error}"
            raise

    def beside(self, completion: Any, at: int = 0) -> list[Row]:
        """A group of rows with this completion, beside the columns of one row; a text takes the first row's form."""
        kept = {name: value for name, value in self.rows[at].items() if name not in OF_A_ROW}
        if isinstance(completion, str) and not isinstance(self.rows[0]["completion"], str):
            completion = one_message("assistant", completion)
        return [{**kept, "completion": completion}] * self.group

    @cached_property
    def under_attack(self) -> dict[str, Any]:
        """For each hostile text what the reward gives for it, or raises. It ends where one takes too long."""
        found: dict[str, Any] = {}
        for text in HOSTILE:
            try:
                found[text] = self.give(self.beside(text))
            except TookTooLong:
                break
            except Exception as error:  # noqa: BLE001  # foreign code: that it raises is what is looked for
                found[text] = error
        return found


def seconds_for(size: int) -> float:
    """Seconds of processor time that a call with so many characters may take before it is stopped."""
    return 10 + size * 20e-6  # a first call may import a library


def same(one: float | None, other: float | None) -> bool:
    """Whether two rewards are the same, up to what sums in another order differ by."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-6)


def case_of(reward: Any, rows: Rows | None = None, group: int | None = None) -> Case:
    """A reward, or the spec of one, with the rows that are given or that its example makes up.

    Raises:
        RewardError: it is neither, an option is not bound, or a row lacks a column that the reward needs.
    """
    one = ready(reward)
    if isinstance(one, Reward):
        group = group or one.options.get("num_generations")
    rows = [_example_row(one)] if rows is None else list(rows)
    if not rows:
        do = "show at least one, such as {'completion': '…', 'answer': '4'}, or leave it out."
        raise RewardError(f"rows is empty: {do}")
    for at, row in enumerate(rows):
        missing = [name for name in ("completion", *getattr(one, "columns", ())) if name not in row]
        if missing:
            raise RewardError(f"row {at} has no {listed(missing)}; it has {listed(row)}.")
    # a usual text for each row that is given, and at least all of them once
    given, size = Case(one, tuple(rows), 1), group or 1
    more = [row for at, text in enumerate(USUAL) for row in given.beside(text, at % len(rows))]
    filling = (more * size)[: -len([*rows, *more]) % size]
    return Case(one, (*rows, *more, *filling), size)


def _example_row(reward: Any) -> Row:
    example = {**dict.fromkeys(ANSWER_SYNONYMS, GOLD_SHOWN), **getattr(reward, "example", {})}
    columns = read_columns(reward) if isinstance(reward, Reward) else {}
    if unknown := [name for name, own in columns.items() if own not in example]:
        raise RewardError(
            f"reward '{name_of(reward)}' reads {listed(unknown)}: show a row or two, rows=[{{'completion': '…', "
            f"'{unknown[0]}': …}}], or name a value in its decorator, example={{'{unknown[0]}': …}}."
        )
    return {"completion": USUAL[0], **{name: example[own] for name, own in columns.items()}}


# The clauses.

Look: TypeAlias = Callable[[Case], Iterator[str]]


@dataclass(frozen=True)
class Breach(Finding):
    """One clause that a reward breaks.

    Attributes:
        rule: what must hold.
        seen: what was seen instead, with an example.
    """

    rule: str = ""
    seen: str = ""

    clause = property(attrgetter("check"), doc="The name of the clause.")

    def __str__(self) -> str:
        return f"{self.clause}: {self.rule}\n  seen: {self.seen}\n  do:   {self.remedy}"


@dataclass(frozen=True)
class Clause:
    """A clause: ``look`` yields each violation; exceptions of the reward pass through it."""

    name: str
    rule: str
    remedy: str
    look: Look

    def breach(self, case: Case) -> Breach | None:
        """How the reward of the case breaks this clause; ``None`` if it keeps it."""
        try:
            seen = next(self.look(case), None)
        except TookTooLong:  # which is for the clause about time
            seen = None
        except Exception as error:  # noqa: BLE001  # foreign code: that it raises is what is looked for
            seen = " ".join([*getattr(error, "__notes__", ()), f"it raised {type(error).__name__}: {error}"])
        return None if seen is None else self.broken(case, seen)

    def broken(self, case: Case, seen: str) -> Breach:
        """The breach of this clause by the reward of a case, with what was seen in one line that can be printed."""
        line = harmless(seen[:LONGEST_SEEN].replace("\n", " ")) + ("…" if len(seen) > LONGEST_SEEN else "")
        return Breach(
            "error", self.name, f"{self.rule} Seen: {line}", self.remedy, case.name, rule=self.rule, seen=line
        )


CLAUSES: dict[str, Clause] = {}


def clause(remedy: str) -> Callable[[Look], Look]:
    """Makes a function a clause under its own name. The first line of its docstring is its rule."""

    def entered(look: Look) -> Look:
        CLAUSES[look.__name__] = Clause(look.__name__, str(look.__doc__).splitlines()[0], remedy, look)
        return look

    return entered


@contextmanager
def during(when: str) -> Iterator[None]:
    """Adds a note to an exception that is raised in the block: when it was raised."""
    try:
        yield
    except Exception as error:
        error.add_note(when)
        raise


def wrong_with(given: Any, size: int) -> Iterator[str]:
    """What is wrong with what a reward gave back for so many completions."""
    if not isinstance(given, list | tuple):
        yield f"it gave {shown(given)} for {size} completions"
    elif len(given) != size:
        yield f"it gave {len(given)} values for {size} completions"
    else:
        for at, value in enumerate(given):
            if value is not None and not (isinstance(value, Real) and math.isfinite(value)):
                yield f"it gave {shown(value)} for completion {at}"


def difference(rows: Sequence[Row], first: Sequence[Any], second: Sequence[Any], when: str) -> Iterator[str]:
    """The rows whose reward differs."""
    if len(first) != len(second):
        yield f"{len(second)} values {when}, {len(first)} before"
        return
    for row, one, other in zip(rows, first, second, strict=True):
        if not same(one, other):
            yield f"{shown(row['completion'])} earned {one!r}, and {other!r} {when}"


# A call: what comes back, and what must make no difference.


@clause("Read 'completion', which @grpo_rewards.reward passes, or what a trainer passes as completions.")
def model(case: Case) -> Iterator[str]:
    """It looks at what the model did: completions, messages, token ids or environments."""
    found = unseeing(case.reward, case.columns)
    if found is not None:
        yield f"it {' '.join(found)}"


@clause("Return a list with one number per completion, and None where the row cannot be scored.")
def values(case: Case) -> Iterator[str]:
    """A call gives a list with one finite number or None for each completion."""
    yield from wrong_with(case.values, len(case.rows))


@clause("Take chance, time, counters and everything else that outlives a call out of the reward.")
def determinism(case: Case) -> Iterator[str]:
    """The same call gives the same numbers again."""
    for _ in range(CALLS):
        yield from difference(case.rows, case.values, case.give(case.rows), "when called again")


@clause(
    "Let what a completion earns depend on its own row. A reward that compares completions of a prompt is checked with "
    "group=…, how many there are."
)
def batches(case: Case) -> Iterator[str]:
    """What a completion earns does not depend on its place in a batch, nor on the other rows (groups) of it."""
    firsts = range(0, len(case.rows), case.group)
    alone = [value for first in firsts for value in case.give(case.rows[first : first + case.group])]
    yield from difference(case.rows, case.values, alone, "in a batch of its own")
    turned = case.rows[::-1]
    yield from difference(turned, case.values[::-1], case.give(turned), "in another order")


@clause("Take **kwargs, or decorate the function with @grpo_rewards.reward, which passes it what it names and no more.")
def keywords(case: Case) -> Iterator[str]:
    """Keywords that it does not read, of trainers and other columns, change nothing."""
    size = len(case.rows)
    beside = {"another_column": ["?"] * size, "its_number": [1] * size, "its_source": [{"of": "a"}] * size}
    beside |= {"trainer_state": SimpleNamespace(**STATE_HALF_WAY), "environments": [object()] * size}
    beside |= dict.fromkeys(("log_extra", "log_metric"), lambda *_: None)
    read = {"trainer_state"} if case.own and case.own.changes else set()
    for one in every_reward(case.own):
        read |= {*getattr(getattr(one, "signature", None), "reads", ())}
    more = {name: value for name, value in beside.items() if name not in read}
    when = f"with {', '.join(more)}"
    with during(when):
        given = case.call({**passed(case.rows), **more})
    yield from difference(case.rows, case.values, given, when)


# What a model wrote: in every form in which a trainer hands it over, and whatever it is.


@clause("Read the text of the last assistant message, as 'completion' of @grpo_rewards.reward does.")
def forms(case: Case) -> Iterator[str]:
    """A completion earns the same as a text, as messages and as messages of content blocks."""
    texts = [str(completion_text(row["completion"])) for row in case.rows]
    first: list[float | None] | None = None
    for form_name, form in FORMS.items():
        with during(f"for {form_name}"):
            given = case.give([{**row, "completion": form(text)} for row, text in zip(case.rows, texts, strict=True)])
        first = given if first is None else first
        yield from difference(case.rows, first, given, f"as {form_name}")


@clause("Take it as the empty text: a tool call has no content, and a run that is cut off may have none either.")
def empty_completions(case: Case) -> Iterator[str]:
    """A completion that is empty, blank or without content raises nothing, and earns what the empty text does."""
    wanted = case.give(case.beside(""))
    for blank in ("", " ", "\n\n\t"):
        for wrong in wrong_with(case.give(case.beside(blank)), case.group):
            yield f"for {blank!r} {wrong}"
    for nothing in WITHOUT_TEXT:
        with during(f"for {nothing}"):
            given = case.give(case.beside(nothing))
        yield from difference(case.beside(""), wanted, given, f"for {nothing}")


@clause("Give 0 for what cannot be read: what a model writes must not end the training.")
def hostile(case: Case) -> Iterator[str]:
    """No text raises: control characters, lone surrogates, endless numbers, deep nesting, unclosed tags."""
    for text, given in case.under_attack.items():
        if isinstance(given, Exception):
            yield f"for {shown(text)} it raised {type(given).__name__}: {given}"
        else:
            for wrong in wrong_with(given, case.group):
                yield f"for {shown(text)} {wrong}"


# What a reward declares: its range, when it is None, and its name.


@clause("State the range that it has, range=(low, high), or keep to the one that is stated.")
def stated_range(case: Case) -> Iterator[str]:
    """Every reward is in the range that is stated, whatever the text."""
    stated = case.own.range if case.own else None
    if stated is None:
        return
    low, high = stated
    if not low < high:
        yield f"it states ({low}, {high})"
    earned = [*zip((row["completion"] for row in case.rows), case.values, strict=True)]
    earned += [(text, given[0]) for text, given in case.under_attack.items() if isinstance(given, list) and given]
    for text, number in earned:
        if number is not None and not low <= number <= high:
            yield f"{shown(text)} earned {number!r}; it states ({low}, {high})"


@clause("Return None, or Verdict(None, 'no_gold'), where a column that it reads is None: 0 would blame the model.")
def unscorable(case: Case) -> Iterator[str]:
    """A row without a value in a column that the reward reads cannot be scored: it is None."""
    is_whole = case.own is not None and not case.own.parts  # a sum goes on without a part
    for column in case.own.columns if case.own else case.columns:
        given = case.give([{**row, column: None} for row in case.rows])
        if is_whole and (numbers := [value for value in given if value is not None]):
            yield f"with {column}=None it gave {numbers[0]!r}"


@clause("Define it at the top level of a module, with options that are literals, and register it under its name.")
def pickled(case: Case) -> Iterator[str]:
    """It can be pickled and comes back as the same reward, and its spec leads to it."""
    if not isinstance(getattr(case.reward, "__name__", None), str):
        yield "it has no __name__; the logs would have the name of its class"
    back = pickle.loads(pickle.dumps(case.reward))
    if case.own is not None:
        with during(f"the spec {case.own!r} does not lead to it:"):
            found = get_reward(repr(case.own))
        if found != case.own:
            yield f"the spec {case.own!r} is another reward"
    given = Case(back, case.rows, case.group).give(case.rows)
    yield from difference(case.rows, case.values, given, "when it came back")


# Time.


@clause("Search with patterns that do not backtrack (re2, str.find), scan once, and cut what is longer than it can be.")
def linear(case: Case) -> Iterator[str]:
    """No text stalls it: ten times the text takes about ten times the processor time."""
    slow = slow_shape(case, TEXT_SHAPES)
    if slow is not None:
        yield slow


def slow_shape(case: Case, shapes: Mapping[str, Callable[[int], str]]) -> str | None:
    """The first shape of text that costs more than in proportion to its length, and what it cost; else ``None``."""

    def scan(text: str) -> None:
        with suppress(Exception):  # what a text raises, the clause about hostile texts reports
            case.give(case.beside(text))

    took = dict.fromkeys(shapes, 0.0)
    try:
        case.give(case.rows)  # what is made or imported once is no part of the measurement
        for size, most in TEXT_SIZES:
            hardest = sorted(took, key=lambda shape: -took[shape])[: int(min(most, len(took)))]
            took = {shape: assert_linear(scan, shapes[shape], size, f"texts of {shape}") for shape in hardest}
    except (SuperlinearError, TookTooLong) as error:
        return str(error)
    return None


# All of them.


class BrokenContract(AssertionError):
    """A reward breaks clauses of the contract; the message lists them. ``breaches`` are the same as objects."""

    def __init__(self, name: str, breaches: Sequence[Breach]) -> None:
        self.breaches = tuple(breaches)
        many = "a clause" if len(breaches) == 1 else f"{len(breaches)} clauses"
        super().__init__("\n".join([f"reward '{name}' breaks {many} of the contract.", *map(str, breaches)]))


def check_reward(
    reward: Any, rows: Rows | None = None, *, group: int | None = None, without: Collection[str] = ()
) -> None:
    """Checks that a reward works with every trainer, in every process, on every text.

    Args:
        reward: a reward, the spec of one, or a function that a trainer calls with keywords.
        rows: what it may be called on: ``{"completion": …}`` with, beside it, the dataset columns that it reads, and
            ``prompt`` and ``completion_ids`` where these matter. Further texts are tried with the same columns. Left
            out, the row is made of the ``example`` in the reward's decorator.
        group: how many consecutive rows are of one prompt, if the reward compares them. Left out, its option
            ``num_generations``, else 1.
        without: names of clauses (``CLAUSES``) to leave out.

    Raises:
        BrokenContract: an ``AssertionError`` that lists every broken clause with what was seen and what to do.
        RewardError: the reward, its rows or a name in ``without`` cannot be used.

    >>> check_reward("boxed_answer", [{"completion": r"\\boxed{4}", "answer": "4"}], without=["linear"])
    """
    breaches = find_breaches(reward, rows, group=group, without=without)
    if breaches:
        raise BrokenContract(str(breaches[0].reward), breaches)


def find_breaches(
    reward: Any, rows: Rows | None = None, *, group: int | None = None, without: Collection[str] = ()
) -> list[Breach]:
    """The clauses that a reward breaks, as a list that may be empty; arguments as of ``check_reward``.

    Where plain calls already fail, or give other numbers each time, only that breach is returned.
    """
    case, names = case_of(reward, rows, group), clauses_without(without)
    found: list[Breach] = []
    for name in names:
        breach = CLAUSES[name].breach(case)
        found += [] if breach is None else [breach]
        if found and name in FIRST:
            break
    if case.stalled and OF_TIME not in names:  # a stall met while the clause was left out
        found.append(CLAUSES[OF_TIME].broken(case, case.stalled))
    return found


def clauses_without(without: Collection[str]) -> list[str]:
    """The names of all clauses but these. Raises RewardError for one that does not exist."""
    for name in [without] if isinstance(without, str) else without:
        if name not in (*CLAUSES, *FORMER_CLAUSES) or isinstance(without, str):
            hint = f"{did_you_mean(name, CLAUSES)} Clauses: {listed(CLAUSES)}."
            raise RewardError(f"without={without!r} must be a list of clauses{hint}")
    return [name for name in CLAUSES if name not in without]
