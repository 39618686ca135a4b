"""Compares a prediction with an answer in steps, the cheapest first: strings, spellings, values, symbolic algebra."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import permutations
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from grpo_rewards.answers.comparing.equality import DEFAULT_GRADING_OPTIONS, Equality, GradingOptions, without_words
from grpo_rewards.answers.formulas.formula import TooLarge, left, start
from grpo_rewards.answers.golds import alternatives, gold_text
from grpo_rewards.answers.latex.tree import Malformed, Nodes, parse, render, replaced_nodes, too_large, too_long
from grpo_rewards.answers.reading.dispatch import LONE_SIGNS, read
from grpo_rewards.answers.reading.notations import chemical_formula, set_formula
from grpo_rewards.answers.reading.numerals import read_plain
from grpo_rewards.answers.reading.phrases import letters_in_a_row, read_choice, stripped
from grpo_rewards.answers.symbolic.schedule import Known, Pair, SymbolicLimits, settle
from grpo_rewards.answers.values.kinds import Named, Number, Quantity, Text, Unordered, Value, not_understood, shown
from grpo_rewards.completion.text import is_blank

# One side of a comparison, the prediction or the gold: its text, its canonical spelling and its value.
#
# Look here if an answer cannot be read at all, or if its letter as a choice is missed.

# Letters whose order matters: a codon, or a product of matrices, of which one is inverted or transposed.
ORDERED_LETTERS = re.compile(r"([A-Z]{3,})|(?:.*=)?((?=.*\^\{(?:-1|T)\})(?:[A-DIJPQSUXY](?:\^\{[^{}]*\})?){2,})")


# A number of one or two decimals, which may also be a list of two.
MAYBE_DECIMAL = re.compile(r"\$?(-?[0-9]+),((?!0+(?![0-9]))(?:[0-9]{1,2}|(?<=\b0,)[0-9]{3,9})(?![0-9])[^,;$]*)\$?")


@dataclass
class ReadAnswer:
    """An answer in its canonical spelling, with its value, which is read only if the spelling does not decide.

    A ``plain`` number was read without a look at LaTeX, and has no nodes. ``text`` is what was read.
    """

    text: str
    spelled: str
    nodes: Nodes = ()
    plain: Number | None = None

    @cached_property
    def value(self) -> Value | None:
        """The value; ``None`` if it is too large to be read."""
        try:
            return self.plain or (None if too_large(self.nodes) else read(self.nodes))
        except TooLarge:  # reading also computes: whether the sides of "x = 2 + 3 = 5" agree
            return None

    @cached_property
    def notation(self) -> str | None:
        """The formula of chemistry or the combination of sets that it is, in one spelling; ``None`` if it is none."""
        return chemical_formula(self.nodes) or set_formula(self.nodes)

    def second(self, beside: str) -> Value | None:
        """What it may say as well: ``3,75`` with a comma of decimals, ``[x]`` ``beside`` a floor, vectors with arrows
        beside such in bold type; else ``None``.
        """
        if with_comma := MAYBE_DECIMAL.fullmatch(self.text):
            nodes = parse(".".join(with_comma.groups()))
        elif "[" in self.spelled and "floor" in beside:
            nodes = replaced_nodes(self.nodes, FLOORS)
        elif "\\vec" in self.spelled and IN_BOLD.search(beside):
            nodes = parse(self.text.replace("\\vec", "\\mathbf").replace("\\overrightarrow", "\\mathbf"))
        else:
            return None
        return ReadAnswer("", "", nodes).value


def read_side(text: str) -> ReadAnswer | None:
    """Reads an answer; ``None`` if it says nothing or its LaTeX is broken."""
    plain = read_plain(text)
    if plain is not None:
        return ReadAnswer(text, plain[0], plain=plain[1])
    try:
        nodes = stripped(parse(text))
    except Malformed:
        return None
    spelled = render(nodes)
    if is_blank(spelled.replace("\\ldots", "")) and spelled.strip() not in LONE_SIGNS:
        return None
    return ReadAnswer(text, spelled, nodes)


# All completions of a group have the same gold.
read_gold, text_of_gold = lru_cache(maxsize=4096)(read_side), lru_cache(maxsize=4096)(gold_text)


def reading_of(answer: Any) -> Literal["value", "spelling"] | None:
    """How an answer of the dataset is read: as a value, or only as it is spelled; ``None`` if it cannot be read.

    Only the same spelling meets an answer that is not understood. Of a list of alternatives the best one counts.
    """
    golds = map(gold_text, alternatives(answer))
    known = list(filter(None, (read_gold(gold) for gold in golds if gold is not None and not too_long(gold))))
    if not known:
        return None
    return "spelling" if all(map(unread_part, known)) else "value"


def unread_part(answer: ReadAnswer) -> str:
    """The first part of an answer that is not understood; ``""`` if all of it is.

    One of chemistry or of sets is compared by what it is made of, and one that is too large was at least read.
    """
    return not_understood(answer.value) if answer.notation is None else ""


def choices_of(answer: ReadAnswer) -> set[str] | None:
    """The letters of several choices, of a list or in a row, ``ACD``; ``None`` for anything else."""
    if isinstance(answer.value, Unordered):
        items = answer.value.items
        letters = [item.spelled for item in items if isinstance(item, Text) and len(item.spelled) == 1]
        return set(letters) if len(letters) == len(items) > 1 else None
    return letters_in_a_row(answer.nodes)


# Finds words that say the opposite of each other, north and south.
#
# Look here if two answers count as equal that differ only in such a word, which is else no part of a value.

# Each row: two groups of words; an answer with one of the left says the opposite of one with one of the right.
_ROWS = r"""
increas|gain|profit|rise|raised|growth : decreas|loss|discount|fall|drop|reduc|lower
north : south
north|south : east|west
wide|width : long|length|tall|high
hourly|anhour|perhour : daily|aday|perday|weekly|aweek|perweek
daily|aday|perday : weekly|aweek|perweek|monthly|amonth|permonth|yearly|ayear|peryear
each|apiece|perperson : total|inall|altogether
east : west
right : left
up(?!right)|above|over : down|below|under
older : younger
late(?!r)|after|later : early|before|earlier
fast : slow
(?<!counter)(?<!counter-)(?<!anti)(?<!anti-)clockwise : counter-?clockwise|anti-?clockwise
prime : composite
domain|vertical|tangent : range|horizontal|normal
max : min(?!u)
even : odd
more|greater|larger : less|fewer|smaller
inside : outside
hotter|warmer : colder|cooler
(?<!ir)rational : irrational
(?<!not)converge : diverge
positive : negative
parallel : perpendicular
open : close
convex : concave
acute : obtuse
(?<!un)bounded : unbounded
(?<!dis)continuous : discontinuous
(?<!in)dependent : independent
(?<!un)equal : unequal
\\in \\mathbb\{z\} : \\in \\mathbb\{r\}
"""
OPPOSITES = [
    tuple(map(re.compile, order)) for row in _ROWS.strip().split("\n") for order in permutations(row.split(" : "))
]


def are_opposite(one: str, other: str) -> bool:
    """Whether two answers, as they are spelled, differ in a word that says the opposite."""
    one, other = one.casefold(), other.casefold()
    return any(
        mine.search(one) and theirs.search(other) and not mine.search(other) and not theirs.search(one)
        for mine, theirs in OPPOSITES
    )


# Compares the two sides.

IN_BOLD = re.compile(r"\\(?:mathbf|boldsymbol|bm)(?![a-z])")
FLOORS = dict(zip("[]", parse("\\lfloor \\rfloor"), strict=True))  # as older books write them
is_plain_number = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,5})?").fullmatch
ANOTHER_CHOICE = "another choice"


class Comparison(NamedTuple):
    """Whether a prediction equals the answer, and how that was found out.

    Attributes:
        outcome: ``correct``, ``wrong``, ``not_compared`` (no step could decide), ``too_large`` (refused, not computed),
            ``bad_answer`` (the answer cannot be read, or is not understood and spelled otherwise), or how the symbolic
            step ended: ``timeout`` (a pair of formulas used up its deadline, or all of them four), ``crashed`` (its
            worker ran out of memory, or crashed), ``worker_killed`` (from outside) or ``call_timeout`` (the call ended
            before this was decided).
        step: which of ``STEPS`` decided; ``""`` if none did.
        prediction, answer: how each was read, for people: amounts that do not agree by their values, so that ``p·c·t``
            is not ``percent``, else in the canonical spelling; ``None`` if it was not read.
        why: why they differ, or which reading made them equal, in a few words; ``""`` if there is nothing to say.
        undecided_pairs: the pairs (gold, prediction) of LaTeX that a symbolic comparison could still decide, those
            first that most likely help.
    """

    outcome: str
    step: str
    prediction: str | None = None
    answer: str | None = None
    why: str = ""
    undecided_pairs: tuple[Pair, ...] = ()


STEPS = ("gold", "string", "limits", "spelling", "value", "symbolic")
BAD_ANSWER = Comparison("bad_answer", "gold")
BEST_FIRST = "correct call_timeout worker_killed timeout crashed too_large not_compared wrong bad_answer".split()


def compare(
    prediction: str,
    answer: Any,
    options: GradingOptions = DEFAULT_GRADING_OPTIONS,
    limits: SymbolicLimits | None = None,
) -> Comparison:
    """Compares a prediction with an answer: a str, int or float, or a list of which any counts. No text makes it raise.

    >>> compare(r"\\dfrac12", "0.5").outcome
    'correct'
    """
    return compare_all([(prediction, answer)], options, limits)[0]


def compare_all(
    pairs: Sequence[tuple[str, Any]],
    options: GradingOptions = DEFAULT_GRADING_OPTIONS,
    limits: SymbolicLimits | None = None,
) -> list[Comparison]:
    """Compares pairs (prediction, answer), in order. Which of them are right never depends on the others.

    What needs symbolic algebra goes to the workers. If the time for the whole call ends before something is decided, it
    is ``call_timeout``.

    Raises:
        RuntimeError, ValueError: the workers cannot be started; see ``symbolic.pool.compare_in_time``.
    """
    golds = [[one if type(one) is str else gold_text(one) for one in alternatives(answer)] for _, answer in pairs]
    every = [(prediction, gold) for (prediction, _), several in zip(pairs, golds, strict=True) for gold in several]
    before = left()
    try:
        found = iter(_compared(every, options, limits or SymbolicLimits()))
    finally:
        start(before)  # a signal handler that compares amid a comparison leaves that one its budget
    return [_best([next(found) for _ in several]) for several in golds]


def _best(found: Sequence[Comparison]) -> Comparison:
    """What follows from the comparisons with several alternatives, of which any counts. Wrong is what none can save."""
    if len(found) == 1:
        return found[0]  # as mostly
    return min(found, key=lambda one: BEST_FIRST.index(one.outcome), default=BAD_ANSWER)


def _compared(
    pairs: Sequence[tuple[str, str | None]], options: GradingOptions, limits: SymbolicLimits
) -> list[Comparison]:
    until = time.monotonic() + limits.call_deadline
    known = {}
    for pair in dict.fromkeys(pairs):
        known[pair] = compare_here(*pair, options) if time.monotonic() < until else Comparison("call_timeout", "")
    waiting = [pair for pair, one in known.items() if one.undecided_pairs]

    def next_needed(pair: tuple[str, str | None], settled: Known) -> Pair | None:
        if settled:
            known[pair] = compare_here(*pair, options, settled)
        return next(iter(known[pair].undecided_pairs), None)

    if waiting:
        ends = settle([partial(next_needed, pair) for pair in waiting], limits, until)
        for pair, gave_up in zip(waiting, ends, strict=True):
            outcome = gave_up or known[pair].outcome
            step = "" if outcome in ("not_compared", "call_timeout") else "symbolic"
            known[pair] = known[pair]._replace(outcome=outcome, step=step, undecided_pairs=())
    return [known[pair] for pair in pairs]


def compare_plain(prediction: str, gold: str) -> tuple[str, str] | None:
    """(outcome, step) for two plain numbers, such as 12, -7 or 0.5; ``None`` for anything else.

    A shortcut: the steps would find the same. It halves the time of scoring, since most answers are plain numbers.
    """
    if prediction == gold and is_plain_number(gold):
        return "correct", "string"
    if not (is_plain_number(gold) and is_plain_number(prediction)):
        return None
    # of fewer than 16 digits, different numbers are different floats
    return "correct" if float(prediction) == float(gold) else "wrong", "value"


def compare_here(
    prediction: str,
    answer: str | None,
    options: GradingOptions = DEFAULT_GRADING_OPTIONS,
    settled: Known = MappingProxyType({}),
) -> Comparison:
    """Compares by all steps but the symbolic one; what that one could decide is in ``undecided_pairs``.

    ``settled`` has what workers found about pairs of formulas.
    """
    gold = text_of_gold(answer)
    if gold is None:
        return BAD_ANSWER
    known = read_gold(gold)
    if known is None:
        return BAD_ANSWER
    if prediction.strip() == gold:  # before any limit: 2^{100000} equals itself
        return Comparison("correct", "string", gold, gold)
    if too_long(gold):
        return BAD_ANSWER
    if too_long(prediction):
        return Comparison("too_large", "limits", None, known.spelled)
    predicted = read_side(prediction)
    if predicted is None:
        if unread_part(known):
            return BAD_ANSWER
        return Comparison("wrong", "spelling", None, known.spelled, "nothing that can be read")
    if predicted.spelled == known.spelled or (predicted.notation is not None and predicted.notation == known.notation):
        return Comparison("correct", "spelling", predicted.spelled, known.spelled)
    return _of_values(predicted, known, options, settled)


def _of_values(predicted: ReadAnswer, known: ReadAnswer, options: GradingOptions, settled: Known) -> Comparison:
    """Compares the values of both. ``settled`` has what workers found about pairs of formulas.

    Each is read with a full budget, so that the value of a gold never depends on what was compared before. The
    comparison gets what reading the prediction left of its budget.
    """
    start()
    gold = known.value
    start()
    prediction = predicted.value
    if gold is None or prediction is None:
        return Comparison("too_large", "limits", predicted.spelled, known.spelled)
    if options.names == "optional":
        gold, prediction = without_words(gold, prediction)
    equality = Equality(options, settled)
    same = _of_choices(equality, known, predicted, gold, prediction)
    if not same and {type(gold), type(prediction)} != {Unordered}:
        seconds = known.second(predicted.text), predicted.second(known.text)
        if any(seconds):
            same = equality.equal(seconds[0] or gold, seconds[1] or prediction) or same
    sides = predicted, known
    have_words = same and any("\\in" in side.spelled or any(node.is_words for node in side.nodes) for side in sides)
    if have_words and not predicted.plain and are_opposite(predicted.spelled, known.spelled):
        same = equality.differ("one word means the opposite")
    # AUG is no GUA; but beside another form they may still be factors
    letters = [found[1] or found[2] for side in sides if same and (found := ORDERED_LETTERS.fullmatch(side.spelled))]
    if len(letters) == 2 and letters[0] != letters[1]:
        same = equality.differ("the letters are in another order")
    if same:
        is_one = isinstance(prediction, Quantity | Named)  # of several, each may be read in another way
        return Comparison("correct", "value", predicted.spelled, known.spelled, equality.reading if is_one else "")
    read_as = _read_as(predicted, prediction), _read_as(known, gold)
    unread = not_understood(gold) or not_understood(prediction)
    if same is False and (not unread or equality.why == ANOTHER_CHOICE):
        return Comparison("wrong", "value", *read_as, equality.why)
    if unread == "\\ldots " and _begin_differently(gold, prediction):
        return Comparison("wrong", "value", *read_as, "the lists begin differently")
    if unread_part(known):
        return Comparison("bad_answer", "gold", *read_as, f"the answer is not understood: {unread}")
    if equality.too_large:
        return Comparison("too_large", "limits", *read_as)
    why = f"not understood: {unread}" if unread else ""
    pairs = () if same is False else tuple(equality.undecided_pairs)
    return Comparison("not_compared", "", *read_as, why, pairs)


def _begin_differently(gold: Value, prediction: Value) -> bool:
    """Whether two lists, such as ``1, 2, \\ldots`` and ``1, 3, \\ldots``, have other numbers before the dots."""
    pairs = zip(getattr(gold, "items", ()), getattr(prediction, "items", ()), strict=False)
    one, other = next((pair for pair in pairs if pair[0] != pair[1]), (None, None))
    return isinstance(one, Number) and isinstance(other, Number)


def _read_as(side: ReadAnswer, value: Value) -> str:
    """How one side was read, for people; a bare number is shown as it is spelled."""
    return side.spelled if isinstance(value, Number) and value.unit is None else shown(value, side.spelled)


def _of_choices(
    equality: Equality, known: ReadAnswer, predicted: ReadAnswer, gold: Value, prediction: Value
) -> bool | None:
    """Whether two answers and their values are the same, of which either may be a choice, with or without its text.

    The letter is enough, if no text contradicts it; so is the text: ``(C) 5`` answers C as well as 5.
    """
    if Unordered in (type(gold), type(prediction)):
        letters = [choices_of(side) for side in (known, predicted)]
        if all(letters):  # ACD and "A, C, D"
            return letters[0] == letters[1] or equality.differ(ANOTHER_CHOICE)
    wanted, chosen = read_choice(known.nodes), read_choice(predicted.nodes)
    same = equality.equal(gold, prediction)
    if same or (wanted is None and chosen is None):
        return same
    if wanted is not None and chosen is not None:
        if not wanted.has_letter_of(chosen):
            return equality.differ(ANOTHER_CHOICE)
        if not (wanted.text and chosen.text):
            return True
    return equality.equal(
        read(wanted.text) if wanted and wanted.text else gold,
        read(chosen.text) if chosen and chosen.text else prediction,
    )
