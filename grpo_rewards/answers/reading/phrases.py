"""Reads phrases around an answer: removes what leads to it and remarks behind it, and reads choices, ``(C) 5``."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from grpo_rewards.answers.latex.tree import (
    COMMA,
    CONDITIONS,
    CONDITIONS_AND_EQUALS,
    LEFT_PARENTHESIS,
    RIGHT_PARENTHESIS,
    WORD_KINDS,
    Node,
    Nodes,
    inside_brackets,
    is_conjunction,
    outside,
    parse,
    render,
    texts,
    word_set,
    words_of,
)
from grpo_rewards.answers.reading.relations import is_name, is_quantity
from grpo_rewards.answers.reading.units import is_remark, unit_of_words
from grpo_rewards.answers.reading.words import denies, names_quantity, takes_back, without_article

# Removes what stands around an answer and is not part of it: "the answer is", punctuation, ``k \in \mathbb{Z}``.
#
# Look here if words around an answer are read as part of it.

# The last words of names that an amount may follow at once: "total 5", "vertex (1, 2)".
OF_QUANTITIES = word_set(
    """
    total number sum product area volume length width height radius perimeter probability distance minimum maximum min
    max largest smallest mean median mode value remainder quotient slope period amplitude diameter circumference year
    point points origin vertex center focus intersection intercept midpoint centroid circumcenter domain range interval
    """
)
# The only words that an announcement may have, besides those: "so the final answer is".
ANNOUNCING = word_set(
    """
    the a an final correct answer answers value values result results solution solutions set find is are equals equal to
    so thus hence therefore then there we get have obtain that which gives of my our it this choice option ways
    required desired x y n exactly precisely either 答案 答案是 答案为
    """
)
# The words and signs that an announcement ends with.
ENDS_ANNOUNCEMENT = word_set(
    """
    is are equals to get have obtain gives answer choice option so thus hence therefore then exactly either 答案 答案是
    答案为
    """
)
START_OF_AMOUNT = word_set(r"digits : - \$ \frac \sqrt")
# What may stand at once before a formula: "the circle x^2 + y^2 = 4", "the group S_3".
OBJECTS = word_set("circle line curve parabola ellipse hyperbola plane surface equation function group graph")
SIGNS_OF_ANNOUNCEMENT = (":", "=", ",", "\\\\", " ")
# What draws a conclusion, also without a colon.
CONCLUDING_SIGNS = word_set(
    r"\therefore \Rightarrow \implies \Longrightarrow 答 答案 答案是 答案为 所以 因此 故 即 共 一共 共有 故选 选"
)
# What parts the name of an amount from the amount; "at" does so only before a point.
VERB = re.compile(
    r"(?is)(.*)\b(?:(?:is|are|was|were|will be)(?: equal to| given by| exactly)?|equals|has(?: length| area| value)?"
    r"|takes|gets|needs|costs|weighs|measures|contains|(?:converges|evaluates|simplifies|sums) to|(?:is |are )?(at))\s*"
)
LIST_SIGNS = (",", ";")  # between the items of a list
EQUALS_NODE, EMPTY_SET = Node("mark", "="), parse("\\emptyset")
ALL_BUT = ("all real numbers except", "all reals except", "all real numbers other than")
ALL_OF = ("all", "all real", "all reals", "all real numbers")
REALS_WITHOUT = parse("\\mathbb{R} \\setminus \\{")
# "for all x", "for some constant k", "for any real number c", "where k is a constant".
UNIVERSAL = re.compile(
    r"for (?:all|every|any|each|some)(?: real)?"
    r"|(?:where is|for)(?: an?| all| any| every| each| some)?(?: arbitrary| real| fixed)* (?:constant|number)s?"
)
# "where k is any positive integer", "for some positive integer k"
WHOLE_NUMBERS = {
    "integer": "\\mathbb{Z}",
    "positive integer": "\\mathbb{N}^+",
    "natural number": "\\mathbb{N}^+",
    "nonnegative integer": "\\mathbb{N}",
    "non-negative integer": "\\mathbb{N}",
}
OF_WHOLE_NUMBERS = re.compile(
    rf"(?:where is|for)(?: an?| any| all| every| each| some)?(?: arbitrary)? ({'|'.join(WHOLE_NUMBERS)})s?"
)
# Short words, by the letters that they are parsed to.
_SHORT = "It is an,It is a,It is,it is,it is a,An,is an,is a,is,at,an,a"
WORDS_OF_LETTERS = {one.replace(" ", ""): one for one in _SHORT.split(",")}
INTRODUCING = word_set("for where with when if")
SENTENCE_MARKS = word_set(r". , ; \\")
BOXES = ("\\boxed", "\\fbox")


def stripped(nodes: Nodes) -> Nodes:
    """The nodes without "the answer is" before them and without the punctuation that ends a sentence.

    Also takes an answer out of a second box, makes ``<1, 2>`` a tuple and ``\\{\\}`` the empty set.
    """
    nodes = _without_announcement(with_phrases(nodes) if nodes and nodes[0].is_words else nodes)
    while len(nodes) == 1 and nodes[0].text in BOXES:
        nodes = nodes[0].args[0]
    while len(nodes) > 1 and (nodes[-1].text in SENTENCE_MARKS or (nodes[-1].text == "!" and nodes[-2].is_words)):
        nodes = nodes[:-1]
    if len(nodes) > 2 and (nodes[0].text, nodes[-1].text) == ("<", ">"):
        nodes = (LEFT_PARENTHESIS, *nodes[1:-1], RIGHT_PARENTHESIS)
    return EMPTY_SET if len(nodes) == 2 and texts(nodes) == ["\\{", "\\}"] else nodes


def _without_announcement(nodes: Nodes) -> Nodes:
    """The nodes without words that only announce the answer, such as "so x is" or "answer:", and signs after them.

    Without a colon, the words must end in one that leads to an answer, or in a sign of conclusion. Those that name an
    amount stay, if no such sign follows.
    """
    end = 0
    for at, node in enumerate(nodes[:-1]):
        words = _words(node)
        names = words and not START_OF_AMOUNT.intersection(nodes[at + 1][:2])
        possible = ANNOUNCING | OF_QUANTITIES if names else ANNOUNCING
        if node.text in CONCLUDING_SIGNS and end == at:  # but "A implies B"
            end = at + 1
        elif words and possible.issuperset(words) and nodes[at + 1].text not in ("_", "^"):  # SO_4
            end = at + 1 if words[-1] in ENDS_ANNOUNCEMENT else end
        elif node.text not in SIGNS_OF_ANNOUNCEMENT:
            break
        elif node.text == ":" or end == at:
            end = at + 1
    return nodes[end:]


def named(nodes: Nodes, is_item: bool) -> Nodes:
    """The nodes with an equals sign behind what names an amount: "The slope is 2", "slope: 2", "x equals 2", "total 2".

    Behind words that name something else, an equation, a list or a word, only that; but the items of a list keep them.
    """
    subject, behind = _named_apart(nodes)
    words = " ".join(node.text for node in subject if node.is_words)
    if not behind or outside(subject, LIST_SIGNS) or not names_quantity(words):
        return nodes
    # What is no amount is kept without its name; but the items of "area: 5, perimeter: 10" are read one by one.
    items = outside(behind, LIST_SIGNS, words=True)
    states = outside(behind, CONDITIONS_AND_EQUALS)
    if items or states or behind[0].is_words:
        has_words = any(one.is_words and not is_conjunction(one) for one in behind[not (items or states) :])
        is_more = has_words and (items or behind[0].is_words)
        return nodes if is_more or is_item or not words else behind
    name = [node for node in subject if not (node.is_words and ANNOUNCING.issuperset(_words(node)))]
    if name and (not any(node.is_words for node in name) or is_name(name) or is_quantity(name)):
        return (*name, EQUALS_NODE, *behind)
    return nodes if is_item else behind


def _named_apart(nodes: Nodes) -> tuple[Nodes, Nodes]:
    """(name, amount) on both sides of a verb, a colon or neither: "The slope is", 2; ``((), ())`` for anything else."""
    for at, (node, after) in enumerate(pairwise(nodes)):
        if node.is_words and (verb := VERB.fullmatch(node.text)):
            if verb[2] and after.text != "(":
                return (), ()
            return (*nodes[:at], node._replace(text=verb[1])), nodes[at + 1 + (after.text == ":") :]
    first, *behind = nodes
    starts = START_OF_AMOUNT | {"(", "["} if first.text[3:] else START_OF_AMOUNT  # max(a, b) is no amount
    if behind and first.is_words and behind[0].text == ":":
        return [first], behind[1:]
    words, begins = _words(first), behind and starts.intersection(behind[0][:2])
    is_object = "of" not in words and behind and (behind[0].kind == "letter" or outside(behind, ("=",))[:1] > [0])
    if (is_object and OBJECTS.intersection(words[-1:])) or (begins and OF_QUANTITIES.intersection(words[-1:])):
        return [first], behind
    return (), ()


def _words(node: Node) -> list[str]:
    """The words that a node says, in small letters; ``[]`` for what is no word."""
    return node.text.casefold().strip(" .,:").split() if node.is_words else []


def without_tail(nodes: Nodes) -> Nodes:
    """The nodes with a comma before their condition, and without a reason or "for all x" at their end.

    ``y = 2x for x > 0`` becomes ``y = 2x, x > 0``, and ``x = k\\pi \\ (k \\in \\mathbb{Z})`` becomes
    ``x = k\\pi, k \\in \\mathbb{Z}``; ``(\\text{since } x > 0)`` and ``, \\text{ attained at } x = 3`` are dropped.
    """
    nodes = with_phrases(nodes)
    first = " ".join(_words(without_article(nodes)[0]))
    if first in ALL_BUT:
        left_out = nodes[3:] if texts(nodes[2:3]) == ["="] else nodes[1:]
        return (*REALS_WITHOUT, *left_out, Node("mark", "\\}"))
    if first in ALL_OF and outside(nodes, CONDITIONS):
        nodes = nodes[1:]
    for index, node in enumerate(nodes[1:-1], 1):
        words = "for all" if node.text == "\\forall" else " ".join(_words(node))
        if not words:
            continue
        last, rest = nodes[index - 1], nodes[index + 1 :]
        before = nodes[: index - (last.text == ",")]
        is_at_end = last.text == "," or (last.text, rest[-1].text) == ("(", ")")
        if index > 1 and words.split()[0] in REASONS and is_at_end:
            return nodes[: index - 1]
        is_universal = UNIVERSAL.fullmatch(words)
        lists_index = words in ("for", "where") and texts(rest[1:2]) == ["="] and outside(rest, (",",))
        if lists_index or ((words in INTRODUCING or is_universal) and outside(rest, CONDITIONS)):
            return (*before, COMMA, *rest)
        letter, *words_behind = rest
        phrase = " ".join([words, *texts(words_behind)]).casefold()
        if declared := OF_WHOLE_NUMBERS.fullmatch(phrase):
            return (*before, COMMA, letter, *parse(f"\\in {WHOLE_NUMBERS[declared[1]]}"))
        if UNIVERSAL.fullmatch(phrase):
            return before
    before, inner = _parenthesis_behind(nodes)
    if not outside(inner, CONDITIONS):
        return nodes
    return (*(before[:-1] if before[-1].text == "," else before), COMMA, *inner)


def with_phrases(nodes: Nodes) -> Nodes:
    """The nodes with words without markup that follow each other as one: ``The maximum is``, ``is a constant``.

    Letters that may be factors are a word behind another one ("is", "at") or before one ("a", "is a").
    """
    joined: list[Node] = []
    at = 0
    while at < len(nodes):
        follows_word = bool(joined) and joined[-1].is_words
        may_be_word = nodes[at].text in ("i", "a", "I", "A")
        short = next((one for one in WORDS_OF_LETTERS if may_be_word and _are_word(one, nodes[at:], follows_word)), "")
        node = Node("word", WORDS_OF_LETTERS[short]) if short else nodes[at]
        at += len(short) or 1
        if follows_word and node.kind == "word" and not (is_conjunction(node) or is_conjunction(joined[-1])):
            node = node._replace(text=f"{joined.pop().text} {node.text}")
        joined.append(node)
    return joined


def _are_word(letters: str, nodes: Nodes, follows_word: bool) -> bool:
    """Whether nodes begin with these letters, and what stands around them shows that they are a word."""
    if texts(nodes[: len(letters)]) != [*letters]:
        return False
    behind = nodes[len(letters) : len(letters) + 1]
    return (follows_word and letters in ("is", "at")) or bool(behind and behind[0].is_words)


# Removes a remark behind an answer that does not change it: ``3 \text{ only}``, ``17 (prime)``.
#
# Look here if a remark is read as part of an answer, or a word that changes the answer is taken for a remark.

# What may stand in parentheses behind a number: it says what kind of number that is, or that it is the answer.
IN_PARENTHESES = word_set(
    """
    prime|even|odd|exact|exactly|only|total|ans|answer|the answer|final answer|final|correct|verified|checked|maximum|
    minimum|max|min|integer|an integer|whole number|real|rational|irrational|composite|unique|constant|
    simplified|reduced|in simplest form|simplest form|in lowest terms|lowest terms|dimensionless|no units|unitless|
    qed|proved|proven|shown|each|in total|in all|altogether|as required|as desired|given|perfect square|
    double root|only solution|only answer|only one|unique solution|only possibility|only real solution|desired answer
    """,
    "|",
)
PARAMETER_REMARK = re.compile("[a-z\\\\ ]+(?:为|是)(?:参数|常数)")
# What says that a decimal is rounded; a whole number may only be near the answer.
ROUNDING_WORDS = word_set("approx approximately about roughly \\approx ≈")
DECIMAL = re.compile(r"-?[0-9]+\.[0-9]+")
REASONS = word_set("since because attained achieved reached occurring obtained rejecting discarding")


def without_remarks(nodes: Nodes) -> Nodes:
    """The nodes without a remark at their end, and without "about" before a decimal.

    A unit in parentheses loses them. ``x (\\approx 1.4)`` becomes the chain ``x \\approx 1.4``, of which it is checked
    that it holds.
    """
    if nodes[0].text.casefold().strip(" .") in ROUNDING_WORDS and DECIMAL.match("".join(texts(nodes[1:5]))):
        nodes = nodes[1:]
    last = nodes[-1]
    if len(nodes) > 1 and last.is_words and is_remark(last.text):
        return nodes[:-1]
    before, inner = _parenthesis_behind(nodes)
    if len(inner) > 1 and inner[0].text in ("\\approx", "="):
        return (*before, *inner)
    if PARAMETER_REMARK.fullmatch(render(inner)):
        return before
    if not inner or any(not node.is_words for node in inner):
        return nodes
    words = " ".join(texts(inner))
    plain = words.casefold().strip(" .,!").removeprefix("a ").removeprefix("the ")
    if plain in IN_PARENTHESES:
        return before
    unit = words.removeprefix("in ")
    return (*before, Node("text", unit)) if before[-1].kind == "digits" and unit_of_words(unit) else nodes


def _parenthesis_behind(nodes: Nodes) -> tuple[Nodes, Nodes]:
    """(what stands before it, its contents) of a parenthesis at the end of ``nodes``; ``((), ())`` without one."""
    if nodes[-1].text != ")":
        return (), ()
    for at in range(1, len(nodes) - 1):
        inner = inside_brackets(nodes[at:]) if nodes[at].text == "(" else None
        if inner is not None:
            return nodes[:at], inner
    return (), ()


# Reads choices, ``C``, ``(C) 5`` and ``C: 5``, and yes or no.
#
# Look here if the letter or the text of a choice is missed.

LABEL_LETTERS = "ABCDEFGHIJ"
LABEL = re.compile(r"\(?([A-J])\s*[).:](?:\s+(.*))?", re.DOTALL)
LETTERS_IN_A_ROW = re.compile("(?=.{2,5}$)A?B?C?D?E?F?G?H?I?J?")
OPERATORS_BEHIND = word_set("+ - / ^ _ = < > ! , \\cdot \\le \\ge \\ne \\in")
# Words that leave open which choice is meant.
UNDECIDED = word_set("option choice know neither rejected ruled eliminated excluded discarded invalid impossible")
# Options that speak of the others: E. None of the above.
OF_OTHERS = re.compile(
    r"(?:all|none|any|neither|both|some)of(?:the)?(?:above|these|others?|them)|both[a-j]and[a-j]|neither[a-j]nor[a-j]"
)
# A statement that may follow yes or no says the same in a few words: "no, it is not possible".
SUBJECTS_OF_STATEMENTS = word_set("it they he she i we you this that these those there")
STATEMENT_WORDS = 7
LIMITING = word_set(
    """
    sometimes partly partially hardly rarely seldom only almost nearly but except unless if when while provided though
    never ever maybe perhaps possibly or otherwise too
    """
)


class Choice(NamedTuple):
    """A choice: its letter, the text behind the letter, and whether its parentheses show that it is one."""

    letter: str
    text: Nodes
    is_marked: bool = False

    def has_letter_of(self, other: Choice) -> bool:
        """Whether two choices have one letter. Unless one is marked as a choice, c and C are two symbols."""
        if self.is_marked or other.is_marked:
            return self.letter.upper() == other.letter.upper()
        return self.letter == other.letter


def read_choice(nodes: Nodes) -> Choice | None:
    """The choice that a letter names, alone or before its text: ``C``, ``(c)``, ``(C) 5``, ``C. 5``; else ``None``."""
    if not nodes:
        return None
    label = LABEL.fullmatch(nodes[0].text)
    if label is not None:
        text = [nodes[0]._replace(text=label[2])] if label[2] else []
        return _with_text(label[1], [*text, *nodes[1:]])
    is_open = nodes[0].text == "("
    letter = nodes[is_open].text.strip() if len(nodes) > is_open else ""
    if len(letter) != 1 or letter.upper() not in LABEL_LETTERS:
        return None
    behind = nodes[1 + is_open :]
    if not behind or (is_open and texts(behind) == [")"]):
        return Choice(letter, (), is_open or nodes[0].is_words)
    if letter.islower():
        return None
    if behind[0].text.strip() in (")", ".", ":"):
        return _with_text(letter, behind[1:])
    # B (42), which a space shows to be no product
    is_apart = behind[0].apart and inside_brackets(behind) is not None
    return _with_text(letter, behind[1:-1]) if is_apart else None


def _with_text(letter: str, text: Nodes) -> Choice | None:
    """A choice with its text; ``None`` if that is none: ``(C)^7`` is a power, and "C or D" is no choice."""
    goes_on = bool(text) and text[0].text in OPERATORS_BEHIND
    return None if goes_on or _is_qualified(text) else Choice(letter, text, True)


def letters_in_a_row(nodes: Nodes) -> set[str] | None:
    """The letters of several choices in alphabetical order, ``ACD``; ``None`` for anything else."""
    letters = "".join(texts(nodes))
    return set(letters) if LETTERS_IN_A_ROW.fullmatch(letters) else None


def yes_or_no(nodes: Nodes) -> str | None:
    """``"yes"`` or ``"no"`` for words that begin so and say no more: "no, it is not", "yes, because"; else ``None``."""
    first, rest = nodes[0].text.casefold(), nodes[2:]
    if first not in ("yes", "no") or texts(nodes[1:2]) not in ([","], ["."]):
        return None
    if any(node.kind not in ("letter", *WORD_KINDS, "mark") for node in rest):
        return None
    words = words_of(rest).casefold().replace("n't", " not").replace("cannot", "can not").strip(" .!").split()
    if not words or words[0] in ("because", "since"):
        return first
    says_no = "not" in words
    stated = [word for word in words[2:] if word != "not"]
    is_limited = any(word in LIMITING or denies(word) or takes_back(word) for word in stated)
    is_plain = words[0] in SUBJECTS_OF_STATEMENTS and len(words) <= STATEMENT_WORDS and not is_limited
    return first if is_plain and says_no == (first == "no") else None


def _is_qualified(rest: Nodes) -> bool:
    """Whether what follows the letter of a choice may be another choice, or takes the first one back."""
    if OF_OTHERS.fullmatch("".join(texts(rest)).replace(" ", "").casefold().strip(".")):
        return False
    words = [word for node in rest if node.is_words for word in node.text.split()]
    if any(len(word.strip(".,()?")) == 1 or denies(word) or word.casefold() in UNDECIDED for word in words):
        return True
    for node, after in pairwise((*rest, COMMA)):
        is_label = node.kind == "letter" and (node.text in LABEL_LETTERS or after.text in (")", "."))
        if is_label or node.text == "?":
            return True
    return len(rest) == 1 and rest[0].kind == "letter"
