"""Reads a statement about one option of which every word is known: does it call that option right or wrong?

Whatever the order and the language of the words, they count: each that denies or rejects turns what the others say, so
"the only one that isn't wrong is B" and "every option except B can be ruled out" both say that B is right. One word
that is not known, and nothing is read. Look here if such a statement chooses the wrong way; ``vocabulary`` has the
words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from grpo_rewards.answers.finding.prose.stances import hedges
from grpo_rewards.answers.finding.prose.stems import REMEMBERED_CLAUSES
from grpo_rewards.answers.multiple_choice.mentions import ANY_OPTION, index_of
from grpo_rewards.answers.multiple_choice.views import (
    denies_the_rest,
    is_conditional,
    is_not_own_view,
    is_supposed_or_cited_abroad,
    is_told_abroad,
)
from grpo_rewards.answers.multiple_choice.vocabulary import WITHOUT_SPACES, folded_words, meaning_of, meanings

__all__ = ["Judgement", "calls_wrong", "concluded", "denies", "judged"]


class Judgement(NamedTuple):
    """What a statement says of the only option that it names.

    Attributes:
        option: the index of the option.
        is_right: whether it says that this one is right.
        is_announced: whether it calls it the answer.
    """

    option: int
    is_right: bool
    is_announced: bool


class Piece(NamedTuple):
    """A phrase that is known, an option, a comma, or something that is not known (``?``)."""

    kind: str
    option: int = -1


LONGEST_JUDGEMENT = 400  # characters
MOST_WORDS_OF_PHRASE = 5  # of a phrase
MOST_UNSPACED = 10  # characters of a phrase in a script without spaces
PIECE_OF_STATEMENT = re.compile(
    rf"(?P<option>{ANY_OPTION})|(?P<colon>[:：=→⇒—–]|->|=>)|(?P<comma>[,;，；、،؛])|(?P<unspaced>[{WITHOUT_SPACES}])"
    rf"|(?P<word>(?:(?![{WITHOUT_SPACES}\U00013000-\U00013100])[^\W\d_]|[\u0900-\u0963\u0966-\u0dff'])+)|(?P<sign>[✓✔✅☑✗✘❌❎🚫])"
    r"|(?P<light>\.(?![^\W\d_])|[\s!。！।۔·\"'“”„«»‘()\[\]{}（）「」【】*_$`|…\-]|\\[()\[\]])|(?P<unknown>.)",
    re.DOTALL,
)
ASIDE_OF_OTHERS = re.compile(r"[(（][^()（）\U00013000-\U000130ff]{0,200}[)）]")
DENYING_KINDS = ("wrong", "not", "except", "concord", "without")
VERDICTS = frozenset(("right", "wrong", "remains", "answer", "choose", "sure"))


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def judged(statement: str) -> Judgement | None:
    """What a statement says of the one option in it; ``None`` if a word is not known, or there is no such option."""
    parts = _parts(statement)
    naming = [part for part in parts if any(piece.kind == "option" for piece in part)]
    if len(naming) != 1 or any(piece.kind == "?" for part in parts for piece in part):
        return None
    if VERDICTS.isdisjoint(piece.kind for piece in naming[0]):
        return _judgement([*chain.from_iterable(parts)])
    others = [piece.kind for part in parts if part is not naming[0] for piece in part]
    if naming[0][:1] == [Piece("that")] and _turns(others):
        return None  # "It is not true, that the answer is B."
    return (
        _judgement(naming[0]) if parts[-1] is naming[0] or not any(kind in DENYING_KINDS for kind in others) else None
    )


def calls_wrong(statement: str) -> bool:
    """Whether a statement of known words calls its one option wrong: "The only one that fails is B"."""
    judgement = judged(statement)
    return judgement is not None and not judgement.is_right


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def concluded(statement: str) -> Judgement | None:
    """What the last part of a statement says of an option of which the parts before it do not speak.

    "A and B contradict the text, D is off topic, leaving C": the last part has to be known, the others only must
    not be suppositions, doubts or what somebody else thinks.
    """
    parts = _parts(statement)
    while len(parts) > 1 and _agrees(parts[-1]):
        parts.pop()  # "… leaves A, and that is the answer"
    *before, last = parts or [[]]
    judgement = _judgement(last) or _what_is_left(before, last)
    if judgement is None and any(piece.kind == "?" for piece in last):
        before, last = [*before, *_cut_behind_unknown(last)], []
        judgement = _judgement(before.pop())
    if last[:1] == [Piece("that")] and _turns([piece.kind for piece in chain.from_iterable(before)]):
        return None  # "it does not follow that the answer is B"
    if judgement is None or not judgement.is_right or any(_speaks_against(judgement.option, part) for part in before):
        return None
    return judgement if not before or _leads_to_conclusion(statement, before) else None


def _agrees(part: list[Piece]) -> bool:
    """Whether a part names no option and only says that this is right, or the answer."""
    kinds = [piece.kind for piece in part]
    return not {"?", "option", "others"} & set(kinds) and "answer" in kinds and not _turns(kinds)


def _cut_behind_unknown(part: list[Piece]) -> tuple[list[Piece], list[Piece]]:
    """A part up to its last unknown word, and what is behind it, unless that depends on what is before it."""
    at = max(place for place, piece in enumerate(part) if piece.kind == "?") + 1
    names = any(piece.kind == "option" for piece in part[:at])
    chooses = any(piece.kind == "choose" for piece in part)
    depends = names or chooses or not part[at:] or part[at].kind in ("that", *DENYING_KINDS)
    return (part, []) if depends else (part[:at], part[at:])


def _leads_to_conclusion(statement: str, before: list[list[Piece]]) -> bool:
    """Whether the parts before a conclusion are no suppositions, doubts or what somebody else thinks."""
    if all(piece.kind != "?" for part in before for piece in part):
        return True
    plain = folded_words(statement)
    if is_conditional(statement) or denies_the_rest(statement) or is_told_abroad(statement):
        return False
    if is_supposed_or_cited_abroad(plain) or hedges(statement):
        return False
    speaks_of_options = any(piece.kind == "option" for part in before for piece in part)
    denies = any(piece.kind in ("not", "concord", "wrong", "then", "would") for part in before for piece in part)
    return speaks_of_options or not (denies or is_not_own_view(statement))


def _what_is_left(before: list[list[Piece]], last: list[Piece]) -> Judgement | None:
    """The option that stands alone behind others that are denied one by one: "not A, not B: C"."""
    options = {piece.option for piece in last if piece.kind == "option"}
    is_bare = len(options) == 1 and all(piece.kind in ("option", "light", "article", "so", "is") for piece in last)
    if not (is_bare and before and all(_denies(part) for part in before)):
        return None
    return Judgement(options.pop(), is_right=True, is_announced=False)


def _denies(part: list[Piece]) -> bool:
    kinds = [piece.kind for piece in part]
    names_others = "option" in kinds or "others" in kinds
    return "?" not in kinds and names_others and _turns(kinds)


def _speaks_against(option: int, part: list[Piece]) -> bool:
    """Whether a part that names an option may deny it."""
    kinds = {piece.kind for piece in part}
    return any(piece.option == option for piece in part) and not kinds.isdisjoint((*DENYING_KINDS, "concord", "would"))


def _turns(kinds: list[str]) -> bool:
    """Whether the denials of a part, taken together, turn what its other words say."""
    denials = sum(kind in ("wrong", "not", "except", "without") for kind in kinds) + ("but" in kinds[1:])
    return (denials + ("concord" in kinds and "not" not in kinds)) % 2 == 1


def denies(words: str) -> bool:
    """Whether the words of any known language that lead to an option deny it."""
    *before, last = [[piece.kind for piece in part] for part in _parts(words[-LONGEST_JUDGEMENT:])] or [[]]
    if last[:1] == ["that"]:
        last = [*chain.from_iterable(before), *last]  # "it does not follow that the answer is"
    return _turns([kind for kind in last if kind in ("not", "wrong", "concord")])


def _judgement(part: list[Piece]) -> Judgement | None:
    kinds = [piece.kind for piece in part]
    options = {piece.option for piece in part if piece.kind == "option"}
    if "?" in kinds or len(options) != 1 or VERDICTS.isdisjoint(kinds):
        return None
    if "would" in kinds and "then" in kinds:
        return Judgement(options.pop(), is_right=False, is_announced=False)  # it depends on what was said before
    if ("would" in kinds and kinds[-1] != "option") or "others" in kinds:
        return None
    if VERDICTS.isdisjoint(kind for kind in kinds if kind != "answer") and not {"is", "would", "not", "concord"} & set(
        kinds
    ):
        return None  # "No answer", where "No" is an option
    return Judgement(options.pop(), is_right=not _turns(kinds), is_announced="answer" in kinds)


def _parts(statement: str) -> list[list[Piece]]:
    """The parts of a statement up to "because"; commas, but not those of a list, and words such as "so" part it."""
    parts: list[list[Piece]] = [[]]
    if len(statement) > LONGEST_JUDGEMENT:
        return []
    pieces = _with_names([*_pieces(ASIDE_OF_OTHERS.sub(" ", folded_words(statement)))])
    for place, piece in enumerate(pieces):
        names = any(one.kind == "option" for one in parts[-1])
        is_in_list = [one.kind for one in pieces[max(place - 1, 0) : place + 2]] == ["option", "comma", "option"]
        if piece.kind == "because" and any(one.kind == "option" for part in parts for one in part):
            break
        if piece.kind == "colon" and not names and not _says(parts[-1]):
            piece = Piece("is")  # "remaining: B"
        elif piece.kind == "colon" or (piece.kind == "comma" and not is_in_list) or (piece.kind == "so" and names):
            parts.append([])
        if piece.kind not in ("comma", "colon"):
            parts[-1].append(piece)
        if piece.kind == "without" and names:
            parts.append([])
    return [part for part in parts if part]


def _with_names(pieces: list[Piece]) -> list[Piece]:
    """The pieces, where a word that is not known is a name behind a word that judges: "contradicts the data"."""
    kinds = [piece.kind for piece in pieces]
    return [
        Piece("light") if kinds[place] == "?" and _is_object(kinds[max(place - 2, 0) : place]) else piece
        for place, piece in enumerate(pieces)
    ]


def _is_object(before: list[str]) -> bool:
    return before in (["right", "article"], ["wrong", "article"])


def _says(part: list[Piece]) -> bool:
    """Whether a part without an option is a sentence of its own, such as "it is wrong"."""
    return any(piece.kind == "is" for piece in part) and any(piece.kind in ("right", "wrong") for piece in part)


def _pieces(text: str) -> Iterator[Piece]:
    known, end = meanings(), 0
    for found in PIECE_OF_STATEMENT.finditer(text):
        if found.start() < end or found.lastgroup == "light":
            continue
        if found.lastgroup == "option":
            yield Piece("option", index_of(found.group()))
        elif found.lastgroup in ("comma", "colon"):
            yield Piece(found.lastgroup)
        elif found.lastgroup == "unspaced":
            size = next((size for size in range(MOST_UNSPACED, 0, -1) if text[found.start() :][:size] in known), 0)
            end = found.start() + size
            yield Piece(known[text[found.start() : end]] if size else "?")
        elif found.lastgroup == "word":
            kind, end = _phrase_at(text, found.start(), found.end())
            yield Piece(kind)
        else:
            yield Piece(known.get(found.group(), "?"))


def _phrase_at(text: str, start: int, end: int) -> tuple[str, int]:
    """(what the longest known phrase at an index means, where it ends)."""
    known, best = meanings(), ("?", end)
    elided = text[start:end].partition("'")[0]
    if elided in known and len(elided) <= 2 and elided != text[start:end]:
        best = (known[elided], start + len(elided) + 1)  # "c'est"
    for _ in range(MOST_WORDS_OF_PHRASE):
        phrase = text[start:end].strip("'")
        if (meaning := meaning_of(phrase)) is not None:
            best = (meaning, end)
        elif best == ("?", end) and phrase[:1] in "وف" and phrase[1:] in known:
            best = (known[phrase[1:]], end)  # "and", "so" in Arabic
        if text[end : end + 1] != " " or (following := PIECE_OF_STATEMENT.match(text, end + 1)) is None:
            break
        if following.lastgroup != "word":
            break
        end = following.end()
    return ("but" if text[start : best[1]] == "but" else best[0]), best[1]
