"""Reads the instructions of a row, and judges a text by them."""

import ast
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from grpo_rewards.constraints.arguments import WANTED_BY, quoted, readers_of
from grpo_rewards.constraints.finding import Finding
from grpo_rewards.constraints.reading.languages import check_detector, needs_detector
from grpo_rewards.constraints.reading.texts import composed
from grpo_rewards.constraints.table import NOT_BUILT, TABLE

ENGLISH_ONLY = ("change_case:english_capital", "change_case:english_lowercase")
WANTS_LANGUAGE = "language:response_language"
N_FROM_ONE = ("count:words_japanese", "copy:copying_multiple", "sentence:keyword")  # which word, copy or sentence
MOST_INSTRUCTIONS = 50
MOST_CHARACTERS_OF_LITERAL = 200_000


class BadInstructionError(ValueError):
    """An instruction of a row is unknown, or its arguments make no sense.

    Attributes:
        reason: ``unknown_instruction`` or ``bad_instruction``.
    """

    def __init__(self, message: str, reason: str = "bad_instruction") -> None:
        super().__init__(message)
        self.reason = reason


class Instruction(NamedTuple):
    """One instruction of a row: its id, and its arguments as its check takes them."""

    id: str
    arguments: Mapping[str, Any]


def read_instructions(ids: Any, arguments: Any = None) -> list[Instruction]:
    """The instructions of a row, checked.

    Args:
        ids: a list of ids, or the text of one, in JSON or as a Python literal; or, as IFTrain holds both,
            ``[{"instruction_id": [...], "kwargs": [...]}]``, as such a text too, or as a list of one such text.
        arguments: a list with the arguments of each: a dictionary, JSON of one, or ``None``; or JSON of the whole list.
            Arguments that are ``None`` are as good as missing, because data sets fill tables with them.

    Raises:
        BadInstructionError: an id is unknown, or an argument is missing or makes no sense.
        MissingDetectorError: an instruction needs py3langid, which is not installed.

    >>> read_instructions(["count:numbers"], [{"N": 2.0, "keyword": None}])
    [Instruction(id='count:numbers', arguments={'N': 2})]
    """
    ids, arguments = _several(ids), _several(arguments)
    if len(ids) == 1 and isinstance(ids[0], Mapping):
        ids, arguments = _several(ids[0].get("instruction_id")), _several(ids[0].get("kwargs"))
    arguments = arguments or [None] * len(ids)
    if not ids:
        raise BadInstructionError("there are no instructions")
    if len(ids) > MOST_INSTRUCTIONS:
        raise BadInstructionError(f"{len(ids)} instructions are more than {MOST_INSTRUCTIONS}")
    if len(ids) != len(arguments):
        raise BadInstructionError(f"arguments for {len(arguments)} of {len(ids)} instructions")
    return [_read(*one) for one in zip(ids, arguments, strict=True)]


def _several(given: Any) -> list[Any]:
    given = _parsed(given)
    if given is None:
        return []
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        return [given]
    several: list[Any] = list(given)
    is_text = len(several) == 1 and isinstance(several[0], str)  # which may hold it all
    return _several(several[0]) if is_text else several


def _parsed(given: Any) -> Any:
    """What a text that looks like a list or an object stands for, in JSON or in Python; anything else as it is."""
    if not isinstance(given, str) or given.lstrip()[:1] not in ("[", "{"):
        return given
    with suppress(ValueError, RecursionError):
        return json.loads(given)
    with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        if len(given) <= MOST_CHARACTERS_OF_LITERAL:
            return ast.literal_eval(given.strip())  # the form of IFTrain's column: a Python list as text
    raise BadInstructionError(f"neither JSON nor a Python literal: {given:.80}")


def _read(name: Any, given: Any) -> Instruction:
    if not isinstance(name, str) or name not in TABLE:
        why = NOT_BUILT.get(name) if isinstance(name, str) else None
        raise BadInstructionError(f"{quoted(name)}{f': {why}' if why else ''}", "unknown_instruction")
    given = _parsed(given)
    given = {} if given is None else given
    if not isinstance(given, Mapping):
        raise BadInstructionError(f"{name}: its arguments are {quoted(given)}")
    read = {}
    for argument, reader in readers_of(TABLE[name]).items():
        value = given.get(argument)
        try:
            read[argument] = reader(value)
        except (TypeError, ValueError):
            why = "is missing" if value is None else f"must be {WANTED_BY[reader]}, not {quoted(value)}"
            raise BadInstructionError(f"{name}: {argument} {why}") from None
    _check_together(name, read)
    return Instruction(name, read)


def _check_together(name: str, read: Mapping[str, Any]) -> None:
    """Raises for arguments that no text can meet, and where a detector is missing."""
    for low, high in [("n_start", "n_end"), ("min_words", "max_words"), ("nth_paragraph", "num_paragraphs")]:
        if low in read and read[low] > read[high]:
            raise BadInstructionError(f"{name}: {low} is above {high}")
    if name in N_FROM_ONE and not read["N"]:
        raise BadInstructionError(f"{name}: N must be at least 1, not 0")
    if name in ENGLISH_ONLY or (name == WANTS_LANGUAGE and needs_detector(read["language"])):
        check_detector()


def judge(text: str, instructions: Iterable[Instruction], *, loose: bool = False) -> list[Finding]:
    """Whether a text follows each instruction, and why.

    Args:
        text: what is judged. A blank one follows nothing.
        instructions: from :func:`read_instructions`.
        loose: whether it is enough that the text does without its first line, its last or both, or without asterisks.

    >>> judge("-5 degrees", read_instructions(["detectable_format:number_bullet_lists"], [{"num_bullets": 1}]))
    [Finding(followed=False, why='0 bullet points, wanted exactly 1')]
    """
    text = composed(text)
    variants = [one for one in (_variants(text) if loose else [text]) if one.strip()]
    return [_finding(variants, instruction) for instruction in instructions]


def _finding(variants: Sequence[str], instruction: Instruction) -> Finding:
    """The finding for the first of the texts that follows the instruction, else the one for the first text."""
    check = TABLE[instruction.id]
    findings = (check(variant, **instruction.arguments) for variant in variants)
    first = next(findings, Finding(False, "the text is blank"))
    return first if first.followed else next((one for one in findings if one.followed), first)


def _variants(text: str) -> Iterable[str]:
    """The text, and what is left of it without its first line, its last or both; then the same without asterisks."""
    _, _, behind_first = text.partition("\n")
    before_last, _, _ = text.rpartition("\n")
    _, _, between = before_last.partition("\n")
    parts = (text, behind_first.strip(), before_last.strip(), between.strip())
    return dict.fromkeys(variant for part in parts for variant in (part, part.replace("*", "")))
