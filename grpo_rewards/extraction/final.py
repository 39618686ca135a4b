"""Finds the final answer of a text that need not have a box: a number, a formula or words.

Look here if the wrong place of a text is taken for its answer.
"""

import re
from typing import NamedTuple

from grpo_rewards.answers.judging import Search
from grpo_rewards.completion.boxes import last_boxes, one_answer
from grpo_rewards.completion.reasoning.marks import THINK, Marks
from grpo_rewards.completion.sections import last_tagged, response
from grpo_rewards.extraction.cues import compiled
from grpo_rewards.extraction.places import last_place
from grpo_rewards.extraction.quantities import QuantityMentions, quantities, with_digits, words_stated
from grpo_rewards.extraction.sentences import CODE_BLOCK, QUESTION_MARKS, SENTENCE_ENDED, lowered
from grpo_rewards.extraction.statements import READ_CHARACTERS, Candidates, follow
from grpo_rewards.extraction.tracker import Keys

__all__ = ["Found", "answer_in", "find_final", "find_final_answer", "find_tagged", "find_words"]


class Found(NamedTuple):
    """An answer and where it was found: ``box``, ``answer_tag``, ``brackets``, ``json``, ``phrase`` or
    ``last_number``."""

    source: str
    text: str


MOST_WORDS_ALONE = 4  # of a text that is nothing but an answer in words
LONGEST_LONE_ANSWER = 200  # characters of a text that is nothing but an answer
SENTENCE = re.compile(r"[^\W\d_]{2}[\s,:]{1,20}[^\n]{0,400}\s|####|[^\W\d_]{2}\s?[:：]|[.。]\s*$")
# "A: 72" and the like at the very end: nothing else has to be read.
PLAIN_ENDING = re.compile(
    r"(?:^|\n)(?:####|A:|(?:The )?(?:[Ff]inal )?[Aa]nswer(?: is:?|:)) ?(-?\$?[0-9]{1,20}(?:\.[0-9]{1,20})?)\.?\s{0,4}\Z"
)
HASHES = re.compile(r"^\s{0,3}(?:####|A:)\s{0,3}(?=[^\n]{0,60}[0-9][^\n]{0,60}$|[^\n]{1,60}\Z)", re.MULTILINE)
PROOF_END = re.compile(r"\$?\\(?:blacksquare|square|qed|Box)\$?\s{0,9}\Z")
SENTENCE_END = re.compile(r"(?<=[.!?。])\s+|\n\s*")
CLAUSE_END = re.compile(r"[,;]\s")
AROUND_ANSWER = " \t\r\n*_`=$\"'.。!"


def find_final(completion: str, think_opened: bool, last_number: bool = True, marks: Marks = THINK) -> Search:
    """(text, source) of the final answer after the reasoning, in a box or not; else (``None``, reason).

    The reason is ``unfinished_thinking`` or ``no_answer``. ``last_number`` says whether a number counts that is
    asserted but not announced as the answer.
    """
    text = response(completion, think_opened, marks, with_calls=False)
    if text is None:
        return None, "unfinished_thinking"
    found = find_final_answer(text, last_number)
    return (None, "no_answer") if found is None else (found.text, found.source)


def find_tagged(completion: str, think_opened: bool, tag: str, marks: Marks = THINK) -> Search:
    """(text, source) of the last ``<tag>…</tag>`` after the reasoning; else (``None``, reason).

    If the tag holds a box, the text is what the box holds. The reason is ``unfinished_thinking`` or ``no_answer``.
    """
    text = response(completion, think_opened, marks, with_calls=False)
    if text is None:
        return None, "unfinished_thinking"
    inside = last_tagged(text, tag)
    if inside is None:
        return None, "no_answer"
    boxed = last_boxes(inside)
    return (one_answer(boxed), "box") if boxed else (answer_in(inside), "answer_tag")


def find_words(completion: str, think_opened: bool, marks: Marks = THINK) -> Search:
    """(text, source) of the answer after the reasoning as it is written; else (``None``, ``unfinished_thinking``).

    In this order: the last box; the last ``<answer>``; a JSON key; the words that are announced last, up to twelve; all
    that follows the reasoning (source ``response``).

    >>> find_words("It is a city on the Seine. The answer is Paris.", False)
    ('Paris', 'phrase')
    """
    text = response(completion, think_opened, marks, with_calls=False)
    if text is None:
        return None, "unfinished_thinking"
    place = last_place(text)
    if place is not None:
        return place.text, place.source
    announced = follow(HASHES.sub("Answer: ", text), WordMentions()).announced
    end = text[-READ_CHARACTERS:]  # a policy may announce a thousand answers
    in_order = sorted(announced or (), key=lambda one: (end.find(one), one))
    return (", ".join(in_order), "phrase") if in_order else (text.strip(), "response")


class WordMentions(Candidates):
    """Takes what is announced as the words that it is, for answers that are compared word for word."""

    def stated(self, content: str) -> Keys:
        return words_stated(content)


def find_final_answer(text: str, last_number: bool = True) -> Found | None:
    """The final answer of a completion without its reasoning; ``None`` if there is none.

    In this order: the last box; the last ``<answer>``; a JSON key; a text that is nothing but an answer; what the text
    announces last ("the answer is", "Answer:", ``####``) and does not take back, deny, doubt, suppose or cite; the
    number that its last sentence with a number asserts.

    Args:
        text: the completion.
        last_number: whether the last one counts, a number that is asserted and not announced as the answer.

    >>> find_final_answer("So she has 3 + 4 apples. The answer is 7.")
    Found(source='phrase', text='7')
    >>> find_final_answer("It cannot be 7.") is None
    True
    """
    place = last_place(text)
    if place is not None:
        is_prose = place.source == "answer_tag"
        return Found(place.source, answer_in(place.text) if is_prose else place.text)
    plain = PLAIN_ENDING.search(text, max(len(text) - 60, 0))
    return Found("phrase", plain[1]) if plain and "\n" not in text.strip() else _in_prose(text, last_number)


def answer_in(inside: str) -> str:
    """The answer that a tag or a gold holds that may be a sentence: the contents themselves unless they are prose."""
    inside = inside.strip()
    if SENTENCE.search(inside) is None or _is_value(inside):
        return inside
    found = _in_prose(inside, last_number=len(quantities(inside)) == 1)
    return inside if found is None else found.text


def _in_prose(text: str, last_number: bool) -> Found | None:
    text = HASHES.sub("Answer: ", PROOF_END.sub("", text[-READ_CHARACTERS:]))
    alone = _alone(text)
    if alone is not None:
        return Found("phrase", alone)
    mentions = QuantityMentions(compiled("<decimal_comma>").search(lowered(text)) is not None)
    tracker = follow(with_digits(text), mentions)
    if tracker.announced:
        return Found("phrase", _written(tracker.announced, mentions))
    if not last_number or not tracker.asserted or tracker.refused or _is_cut_off(text):
        return None
    return Found("last_number", _written(tracker.asserted, mentions))


def _written(keys: Keys, mentions: QuantityMentions) -> str:
    return ", ".join(answer for key, answer in mentions.answers.items() if key in keys)


def _alone(text: str) -> str | None:
    """A text that is nothing but a number, a formula or a few words; ``None`` for any other one."""
    stripped = text.strip()
    if stripped.count("```") == 2 and CODE_BLOCK.fullmatch(stripped):
        stripped = stripped.strip("`").partition("\n")[2].strip()
    if "\n" in stripped or len(stripped) > LONGEST_LONE_ANSWER or stripped.endswith(QUESTION_MARKS):
        return None
    bare = stripped.strip(AROUND_ANSWER)
    for one in (stripped, bare):
        if _is_value(one):
            value = quantities(one)[0]
            return value.answer if "=" in str(value.answer) or not value.is_outcome else None
    low = lowered(bare)
    is_sentence = compiled(IN_SENTENCES).search(low) or re.search(r"[0-9:：=]", bare)
    return None if is_sentence or not bare or len(bare.split()) > MOST_WORDS_ALONE else bare


IN_SENTENCES = "<name>|<choose>|<verb>|<hedge>|<alternative>|<retract>|<refuse>"


def _is_value(text: str) -> bool:
    """Whether a text is one number or formula and nothing else."""
    found = quantities(text)
    return (
        len(found) == 1
        and found[0].answer is not None
        and not (text[: found[0].start] + text[found[0].end :]).strip(AROUND_ANSWER + "()[]")
    )


def _is_cut_off(text: str) -> bool:
    """Whether a text stops in the middle of a calculation or sentence."""
    last = text.strip()
    for parts_end in (SENTENCE_END, CLAUSE_END):
        *before, last = parts_end.split(last)
        if before and len(last.split()) > 2 and not re.search("[0-9]", last) and not SENTENCE_ENDED.search(last):
            return True
    end = text.rstrip(" \n*_`$")[-40:]
    return (
        end.endswith(("=", "+", "×", "/", ":", ",", "#"))
        or compiled(r"(?:<unfinished>)\Z").search(lowered(end)) is not None
    )
