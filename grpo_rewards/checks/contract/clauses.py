"""The clauses of the contract: what must hold so that a reward can be given every trainer, process and text."""

from __future__ import annotations

import copy
import importlib
import inspect
import math
import multiprocessing
import pickle
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from multiprocessing.connection import Connection
from numbers import Real
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

from grpo_rewards.checks.contract.case import USUAL_PROMPT, Case, Row, same
from grpo_rewards.checks.contract.growth import TEXT_SHAPES, SuperlinearError, assert_linear
from grpo_rewards.checks.findings import Finding
from grpo_rewards.checks.reward.calling import STATE_HALF_WAY, TookTooLong
from grpo_rewards.checks.reward.unseeing import unseeing
from grpo_rewards.completion.text import completion_text
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.errors import harmless, shown
from grpo_rewards.registry.interface import every_reward

__all__ = ["CLAUSES", "TEXT_SIZES", "Breach", "Clause", "given_in_spawned", "slow_shape"]

LONGEST_SEEN = 400  # characters of what was seen: an exception may quote a megabyte
CALLS = 3
THREADS, CALLS_IN_THREADS = 8, 24
OFTEN = 1e-5  # seconds between switches of threads
LONGEST_WAIT = 300  # seconds until what a spawned process was sent counts as lost
OF_THE_TRAINER = ("prompt", "completion", "step", "advantage")  # columns of the completions table
# Characters of the longest text, and the number of shapes that are tried with it: those that took longest before. What
# is quadratic and cheap shows in long texts alone, and it need not be waited for in texts of all shapes.
TEXT_SIZES = ((10_000, math.inf), (100_000, 3), (1_000_000, 1))
FORMS: dict[str, Callable[[str], Any]] = {
    "texts": lambda text: text,
    "messages": lambda text: [{"role": "assistant", "content": text}],
    "messages of content blocks": lambda text: [{"role": "assistant", "content": [{"type": "text", "text": text}]}],
}
WITHOUT_TEXT: tuple[list[dict[str, Any]], ...] = (
    [{"role": "assistant", "content": None}],
    [{"role": "assistant", "content": ""}],
    [{"role": "assistant", "content": []}],
    [{"role": "assistant"}],
    [],
)


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
    says = property(attrgetter("rule"), doc="The former name of ``rule``.")

    def __str__(self) -> str:
        return f"{self.clause}: {self.rule}\n  seen: {self.seen}\n  do:   {self.remedy}"


@dataclass(frozen=True)
class Clause:
    """A clause: ``look`` returns what it saw that must not be, or ``None``; what the reward raises, it lets through."""

    name: str
    rule: str
    remedy: str
    look: Callable[[Case], str | None]

    def breach(self, case: Case) -> Breach | None:
        """How the reward of the case breaks this clause; ``None`` if it keeps it."""
        try:
            seen = self.look(case)
        except TookTooLong:  # which is for the clause about time
            seen = None
        except Exception as error:  # noqa: BLE001  # foreign code: that it raises is what is looked for
            seen = f"it raised {type(error).__name__}: {error}"
        return None if seen is None else self.broken(case, seen)

    def broken(self, case: Case, seen: str) -> Breach:
        """The breach of this clause by the reward of a case, with what was seen in one line that can be printed."""
        line = harmless(seen[:LONGEST_SEEN].replace("\n", " ")) + ("…" if len(seen) > LONGEST_SEEN else "")
        return Breach(
            "error", self.name, f"{self.rule} Seen: {line}", self.remedy, case.name, rule=self.rule, seen=line
        )


CLAUSES: dict[str, Clause] = {}


def clause(remedy: str) -> Callable[[Callable[[Case], str | None]], Callable[[Case], str | None]]:
    """Makes a function a clause under its own name. The first line of its docstring is its rule."""

    def entered(look: Callable[[Case], str | None]) -> Callable[[Case], str | None]:
        CLAUSES[look.__name__] = Clause(look.__name__, str(look.__doc__).splitlines()[0], remedy, look)
        return look

    return entered


# A call: what comes back, and what must make no difference.


@clause("Read 'completion', which @grpo_rewards.reward passes, or what a trainer passes as completions.")
def model(case: Case) -> str | None:
    """It looks at what the model did: completions, messages, token ids or environments."""
    found = unseeing(case.reward, case.columns)
    return None if found is None else f"it {' '.join(found)}"


@clause("Return a list with one number per completion, and None where the row cannot be scored.")
def values(case: Case) -> str | None:
    """A call gives a list with one finite number or None for each completion."""
    return _wrong_with(case.values, len(case.rows))


def _wrong_with(given: Any, size: int) -> str | None:
    """What is wrong with what a reward gave back for so many completions; ``None`` if nothing is."""
    if not isinstance(given, list | tuple):
        return f"it gave {shown(given)} for {size} completions"
    if len(given) != size:
        return f"it gave {len(given)} values for {size} completions"
    for at, value in enumerate(given):
        if value is not None and not (isinstance(value, Real) and math.isfinite(value)):
            return f"it gave {shown(value)} for completion {at}"
    return None


def _difference(rows: Sequence[Row], first: Sequence[Any], second: Sequence[Any], when: str) -> str | None:
    """The first row whose reward differs, or ``None``."""
    if same(first, second):
        return None
    if len(first) != len(second):
        return f"{len(second)} values {when}, {len(first)} before"
    at = next(at for at in range(len(first)) if not same(first[at : at + 1], second[at : at + 1]))
    return f"{shown(rows[at]['completion'])} earned {first[at]!r}, and {second[at]!r} {when}"


@clause("Take chance, time, counters and everything else that outlives a call out of the reward.")
def determinism(case: Case) -> str | None:
    """The same call gives the same numbers again."""
    again = (_difference(case.rows, case.values, case.give(case.rows), "when called again") for _ in range(CALLS))
    return next((seen for seen in again if seen), None)


@clause(
    "Let what a completion earns depend on its own row. A reward that compares completions of a prompt is checked with "
    "group=…, how many there are."
)
def batches(case: Case) -> str | None:
    """What a completion earns does not depend on its place in a batch, nor on the other rows (groups) of it."""
    alone = list(chain.from_iterable(case.give(group) for group in case.groups))
    seen = _difference(case.rows, case.values, alone, "in a batch of its own")
    order = list(range(len(case.rows)))
    for seed in range(2):
        # groups in another order, and each of them turned
        groups = [order[at : at + case.group] for at in range(0, len(order), case.group)]
        random.Random(seed).shuffle(groups)
        at_places = [row for group in groups for row in (*group[seed % case.group :], *group[: seed % case.group])]
        rows, wanted = [case.rows[at] for at in at_places], [case.values[at] for at in at_places]
        seen = seen or _difference(rows, wanted, case.give(rows), "in another order")
    return seen


@clause("Work on copies: the trainer and the other rewards go on using what they passed.")
def inputs(case: Case) -> str | None:
    """A call changes nothing that it was given."""
    given = case.taken(case.given(case.rows))
    before = copy.deepcopy(given)
    case.call(**given)
    changed = [name for name, value in given.items() if repr(value) != repr(before[name])]
    return f"'{changed[0]}' was {shown(before[changed[0]])} and is {shown(given[changed[0]])}" if changed else None


@clause("Take **kwargs, or decorate the function with @grpo_rewards.reward, which passes it what it names and no more.")
def keywords(case: Case) -> str | None:
    """Keywords that it does not read, of trainers and other columns, change nothing."""
    size = len(case.rows)
    columns = {"question": ["?"] * size, "level": [1] * size, "source": [{"of": "a"}] * size}
    logs = dict.fromkeys(("log_extra", "log_metric"), lambda *_: None)
    by_trainer = {"trainer_state": SimpleNamespace(**STATE_HALF_WAY), **logs}
    read = {*case.columns, *(_read_by(case.own) if case.own else ())}
    for more in (columns, by_trainer, {**columns, **by_trainer, "environments": [object()] * size}):
        beside = {name: value for name, value in more.items() if name not in read}
        try:
            given = case.call(**case.given(case.rows), **beside)
        except TypeError as error:
            return f"with {', '.join(beside)} it raised TypeError: {error}"
        if seen := _difference(case.rows, case.values, given, f"with {', '.join(beside)}"):
            return seen
    return None


def _read_by(reward: Reward) -> set[str]:
    """What a reward, or one inside it, reads of a trainer's keywords."""
    names = {"trainer_state"} if reward.changes else set[str]()
    for one in every_reward(reward):
        names |= {*one.column_names, *getattr(getattr(one, "signature", None), "reads", ())}
    return names


@clause("Return [] where there are no completions.")
def empty_batch(case: Case) -> str | None:
    """A call without completions gives an empty list."""
    given = case.give([])
    return None if list(given) == [] else f"it gave {shown(given)}"


# What a model wrote: in every form in which a trainer hands it over, and whatever it is.


@clause("Read the text of the last assistant message, as 'completion' of @grpo_rewards.reward does.")
def forms(case: Case) -> str | None:
    """A completion earns the same as a text, as messages and as messages of content blocks."""
    # more than a text, or one message with one, is not the same in every form
    plain = [row for group in case.groups if all(_is_plain(row["completion"]) for row in group) for row in group]
    texts = [completion_text(row["completion"]) for row in plain]
    first: list[float | None] | None = None
    for form_name, form in FORMS.items():
        rows = [{**row, "completion": form(text)} for row, text in zip(plain, texts, strict=True)]
        try:
            given = case.give(rows)
        except Exception as error:  # noqa: BLE001  # foreign code: that it raises is what is looked for
            return f"for {form_name} it raised {type(error).__name__}: {error}"
        first = given if first is None else first
        if seen := _difference(plain, first, given, f"as {form_name}"):
            return seen
    return None


def _is_plain(completion: Any) -> bool:
    return isinstance(completion, str) or (len(completion) == 1 and isinstance(completion[0].get("content"), str))


@clause("Read both forms of a prompt: a conversational dataset has lists of messages.")
def prompts(case: Case) -> str | None:
    """The prompt may be a text or a list of messages."""
    both = USUAL_PROMPT, [{"role": "user", "content": USUAL_PROMPT}]
    as_text, as_messages = (case.give([{**row, "prompt": prompt} for row in case.rows]) for prompt in both)
    return _difference(case.rows, as_text, as_messages, "where its prompt is a list of messages")


@clause("Take it as the empty text: a tool call has no content, and a run that is cut off may have none either.")
def empty_completions(case: Case) -> str | None:
    """A completion that is empty, blank or without content raises nothing, and earns what the empty text does."""
    wanted = case.give(case.beside(""))
    for blank in ("", " ", "\n\n\t"):
        if (wrong := _wrong_with(case.give(case.beside(blank)), case.group)) is not None:
            return f"for {blank!r} {wrong}"
    for nothing in WITHOUT_TEXT:
        try:
            given = case.give(case.beside(nothing))
        except Exception as error:  # noqa: BLE001  # foreign code: that it raises is what is looked for
            return f"for {nothing} it raised {type(error).__name__}: {error}"
        if not same(given, wanted):
            return f"{nothing} earned {given[0]!r}, and '' {wanted[0]!r}"
    return None


@clause("Give 0 for what cannot be read: what a model writes must not end the training.")
def hostile(case: Case) -> str | None:
    """No text raises: control characters, lone surrogates, endless numbers, deep nesting, unclosed tags."""
    for text, given in case.under_attack.items():
        if isinstance(given, Exception):
            return f"for {shown(text)} it raised {type(given).__name__}: {given}"
        if (wrong := _wrong_with([verdict.reward for verdict in given], case.group)) is not None:
            return f"for {shown(text)} {wrong}"
    return None


# What a reward declares: its range, reasons, columns, name and docstring.


def _attacked(case: Case) -> Iterator[tuple[str, Any]]:
    """(hostile text, the verdict about it)."""
    return ((text, given[0]) for text, given in case.under_attack.items() if isinstance(given, list) and given)


@clause("State the range that it has, range=(low, high), or keep to the one that is stated.")
def stated_range(case: Case) -> str | None:
    """Every reward is in the range that is stated, whatever the text."""
    stated = case.own.range if case.own else None
    if stated is None:
        return None
    low, high = stated
    if not low < high:
        return f"it states ({low}, {high})"
    earned = [*zip((row["completion"] for row in case.rows), case.values, strict=True)]
    for text, value in (*earned, *((text, verdict.reward) for text, verdict in _attacked(case))):
        if value is not None and not low <= value <= high:
            return f"{shown(text)} earned {value!r}; it states ({low}, {high})"
    return None


@clause("Return None, or Verdict(None, 'no_gold'), where a column that it reads is None: 0 would blame the model.")
def unscorable(case: Case) -> str | None:
    """A row without a value in a column that the reward reads cannot be scored: it is None."""
    is_whole = case.own is not None and not case.own.parts  # a sum goes on without a part
    for column in case.own.columns if case.own else case.columns:
        given = case.give([{**row, column: None} for row in case.rows])
        if is_whole and (numbers := [value for value in given if value is not None]):
            return f"with {column}=None it gave {numbers[0]!r}"
    return None


@clause("Name each reason in @reward(reasons=[…]): only the shares of those are logged in every call.")
def reasons(case: Case) -> str | None:
    """A verdict's reason is one that the reward states."""
    if case.own is None:
        return None
    rows = [*case.rows]
    if CLAUSES["unscorable"].breach(case) is None:  # else that clause reports it
        rows += [{**row, column: None} for column in case.own.columns for row in case.rows]
    scored = [(row["completion"], verdict) for row, verdict in zip(rows, case.verdicts(rows), strict=True)]
    for text, verdict in (*scored, *_attacked(case)):
        if verdict.reason and verdict.reason not in case.own.reasons:
            return f"{shown(text)} has the reason {verdict.reason!r}; stated are {list(case.own.reasons)}"
    return None


@clause("Declare in 'columns' what is read and nothing else; of a function, these are its names before the star.")
def columns(case: Case) -> str | None:
    """The columns that it declares are those that it reads, and it reports one that is missing."""
    if case.own is None:
        return None
    passed = case.taken(case.given(case.rows))
    undeclared = set(case.columns).difference(*case.own.column_names.values())
    declared = {name: value for name, value in passed.items() if name not in undeclared}
    without = "without the columns that it does not declare it"
    try:
        given = case.call(**declared)
    except Exception as error:  # noqa: BLE001  # foreign code: that it raises is what is looked for
        return f"{without} raised {type(error).__name__}: {error}"
    if not same(given, case.values):
        return f"{without} gave other numbers"
    for column in case.own.columns:
        reported = ""
        try:
            case.call(**{name: value for name, value in passed.items() if name != column})
        except RewardError as error:
            reported = str(error)
        except Exception:  # noqa: BLE001  # foreign code: a KeyError, for instance, does not explain what to do
            pass
        if f"'{column}'" not in reported:
            return f"without '{column}', which it declares, it raised no RewardError that names the column"
    return None


@clause("Define it at the top level of a module, with options that are literals, and register it under its name.")
def name(case: Case) -> str | None:
    """It has a name, by which it is found again: as a spec, or by module and name."""
    if not isinstance(getattr(case.reward, "__name__", None), str):
        return "it has no __name__; the logs would have the name of its class"
    module, path = (str(getattr(case.reward, one, "?")) for one in ("__module__", "__qualname__"))
    try:
        held: Any = importlib.import_module(module)
        is_at_path = bool(attrgetter(path)(held) == case.reward)
    except (ImportError, AttributeError, ValueError):
        is_at_path = False
    if case.own is None:
        is_object = not inspect.isroutine(case.reward)  # which is pickled itself
        return None if is_object or is_at_path else f"{module}.{path} does not lead to it"
    try:
        found = get_reward(repr(case.own))
    except RewardError as error:
        return None if is_at_path else f"the spec {case.own!r} does not lead to it: {error}"
    return None if found == case.own else f"the spec {case.own!r} is another reward"


@clause("Say in the first sentence what earns how much, and end it with a full stop.")
def docstring(case: Case) -> str | None:
    """The docstring opens with a sentence: what users are shown in a list of rewards."""
    has_its_own = case.own is not None or inspect.isroutine(case.reward)
    text = inspect.getdoc(case.reward if has_its_own else type(case.reward))
    first = (text or "").strip().partition("\n\n")[0]
    if not first:
        return "it has none"
    return None if "." in first or "。" in first else f"it opens with {shown(first)}"


# What it logs through its trainer.


@dataclass
class Log:
    """What one call logged."""

    columns: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, Any] = field(default_factory=dict)
    twice: list[str] = field(default_factory=list)

    def log_extra(self, column: str, values: Any) -> None:
        self.twice += [column] if column in self.columns else []
        self.columns[column] = values

    def log_metric(self, name: str, value: Any) -> None:
        self.metrics[name] = value


@clause(
    "Return a Verdict, which is logged for you, or log the same names in every call, a column with a value per row."
)
def logs(case: Case) -> str | None:
    """It logs the same columns and metrics in every call, under its own name, with a value for each completion."""
    batches: list[Sequence[Row]] = [case.rows, *case.groups[:3], case.beside("")]
    # metrics that are left out where there is nothing to take the mean of
    rewards = every_reward(case.own) if case.own else ()
    means = {f"{one.name}/{mean}" for one in rewards for mean in (*one.means, *(part.name for part in one.parts))}
    first: Log | None = None
    for rows in batches:
        log = Log()
        case.call(**case.taken({**case.given(rows), "log_extra": log.log_extra, "log_metric": log.log_metric}))
        wrong = _wrong_log(log, len(rows), case)
        if wrong is not None:
            return wrong
        first = first or log
        if log.columns.keys() != first.columns.keys():
            return f"it logged the columns {list(first.columns)}, and in another call {list(log.columns)}"
        if varying := sorted((log.metrics.keys() ^ first.metrics.keys()) - means):
            return f"it logged {shown(varying)} in one call and not in another"
    return None


def _wrong_log(log: Log, size: int, case: Case) -> str | None:
    """What is wrong with what a call with so many completions logged; ``None`` if nothing is."""
    if log.twice:
        return f"it logged the column {log.twice[0]!r} twice in one call"
    for column, logged in log.columns.items():
        if not isinstance(logged, list) or len(logged) != size:
            many = len(logged) if hasattr(logged, "__len__") else "no list of"
            return f"it logged {many} values in the column {column!r} for {size} completions"
    for metric, value in log.metrics.items():
        if not isinstance(value, Real) or not math.isfinite(value):
            return f"it logged {shown(value)} as {metric!r}"
    own = tuple(f"{one}/" for one in case.own.metric_names) if case.own else ("",)
    for logged_as in (*log.columns, *log.metrics):  # which the trainer, or another reward, may have as well
        if logged_as in OF_THE_TRAINER or not logged_as.startswith(own):
            return f"it logged {logged_as!r}, which is not its own: its names begin with '{case.name}/'"
    return None


# Other threads and processes, in which trainers call a reward.


@clause("Keep what a call needs in local variables: several threads call one reward at once.")
def threads(case: Case) -> str | None:
    """Threads at once get what one gets."""
    calls = [case.groups[at % len(case.groups)] for at in range(CALLS_IN_THREADS)]
    alone = [case.give(rows) for rows in calls]
    before = sys.getswitchinterval()
    sys.setswitchinterval(OFTEN)
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            together = list(pool.map(case.give, calls))
    finally:
        sys.setswitchinterval(before)
    seen = (_difference(*each, "beside other threads") for each in zip(calls, alone, together, strict=True))
    return next((one for one in seen if one), None)


@clause("Define it at the top level of a module, and keep in its options only what can be pickled.")
def pickled(case: Case) -> str | None:
    """It can be pickled, and comes back as the same reward."""
    back = pickle.loads(pickle.dumps(case.reward))
    if getattr(back, "__name__", None) != getattr(case.reward, "__name__", None):
        return f"it came back with the name {getattr(back, '__name__', None)!r}"
    return _difference(case.rows, case.values, Case(back, case.rows, case.group).give(case.rows), "when it came back")


@clause("Have its module do all that it needs on import: another process imports it, and knows no more of this one.")
def spawned(case: Case) -> str | None:
    """A process that is started afresh gets the same numbers."""
    wanted = case.values
    try:
        pickle.dumps(case.reward)
    except Exception:  # noqa: BLE001  # foreign code; the clause above reports that
        return None
    given = given_in_spawned(case)
    return given if isinstance(given, str) else _difference(case.rows, wanted, given, "there")


class Spawned:
    """A daemonic process, as an asynchronous trainer spawns one, started once for all calls: starting takes longest."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()


_other: list[Spawned] = []


def given_in_spawned(case: Case) -> list[float | None] | str:
    """What the reward gives for the rows in a spawned process, or what went wrong there."""
    if not _other or not _other[0].process.is_alive():
        _other[:] = [Spawned()]
    (other,) = _other
    try:
        sent = pickle.dumps((case.reward, case.rows, case.group))
        other.pipe.send_bytes(pickle.dumps((sys.path, sent)))
        if not other.pipe.poll(LONGEST_WAIT):
            other.process.kill()
            return f"the spawned process gave nothing in {LONGEST_WAIT} s"
        given: list[float | None] | str = pickle.loads(other.pipe.recv_bytes())
    except (EOFError, OSError):
        other.process.join()
        return (
            f"the spawned process ended with status {other.process.exitcode}; the reason is in what it printed. A "
            'script that is run needs if __name__ == "__main__": around what it does'
        )
    return given


def serve(pipe: Connection) -> None:
    """Scores each case that comes through the pipe, until it is closed."""
    while True:
        try:
            sys.path[:], sent = pickle.loads(pipe.recv_bytes())
        except EOFError:
            return
        try:
            case = Case(*pickle.loads(sent))
            given: Any = case.give(case.rows)
        except Exception as error:  # noqa: BLE001  # foreign code: that it raises is what is looked for
            given = f"in a spawned process it raised {type(error).__name__}: {error}"
        pipe.send_bytes(pickle.dumps(given))


# Time.


@clause("Search with patterns that do not backtrack (re2, str.find), scan once, and cut what is longer than it can be.")
def linear(case: Case) -> str | None:
    """No text stalls it: ten times the text takes about ten times the processor time."""
    return slow_shape(case, TEXT_SHAPES)


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
