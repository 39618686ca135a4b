"""Which of our rewards does the work of which function of another project, and what each of their differences is.

A difference is named by who pays more and our reason; ``peers.py`` counts them, and fails if one has no name here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import peer_formulas as theirs
from peer_formulas import Formula, Written, of_each

MAX_TOKENS, BUFFER = 256, 64


# What a difference is called, or what tells it from the completion where there are two with one reason.
Name: TypeAlias = "str | Callable[[Written], str]"


@dataclass(frozen=True)
class Pair:
    """Their function, our reward that does its work, and what a difference is called.

    Attributes:
        names: by who pays more and our reason, ``"they: blank_reasoning"``, what they do otherwise.
        characters: whether they count characters; then ours are given characters for tokens.
    """

    project: str
    function: str
    formula: Formula
    spec: str
    names: dict[str, Name]
    characters: bool = False


def pairs() -> list[Pair]:
    """All but those of bounding boxes, which need completions of their own."""
    return [*of_format(), *of_length(), *of_content(), *of_answers()]


def of_boxes() -> list[Pair]:
    names = {
        "they: no_box": "none is 0, where no overlap is below 0",
        "they: apart": "none is 0, where no overlap is below 0",
        "we: overlap": "wants four bare numbers in the tags",
        "we: exact": "wants four bare numbers in the tags",
        "they: bad_box": "a box with its corners exchanged has a negative area",
    }
    spec = "bounding_box_iou(generalized=True)"
    return [Pair("NeMo-RL", "bbox_giou_reward", of_each(theirs.giou_in_tags), spec, names)]


def of_format() -> list[Pair]:
    loose = {
        "they: blank_reasoning": "rewards tags with nothing between them, or `...`",
        "they: repeated_tags": "rewards a tag that comes again",
        "they: answer_in_reasoning": "rewards an answer inside the reasoning",
    }
    thinking = loose | {
        "they: blank_response": "rewards reasoning that nothing follows",
        "we: well_formed": "does not reward white space before the first tag",
    }
    answer = loose | {"they: blank_answer": "rewards an empty answer", "they: repeated_answer": "rewards two answers"}
    lines = answer | {"we: well_formed": "wants each tag on a line of its own"}
    tight = answer | {"we: well_formed": "does not reward white space at either end"}
    greedy = {
        "they: blank_section": "rewards empty sections",
        "they: missing_tag": "rewards one pair of the two, a quarter or three",
        "they: wrong_order": "rewards any order, and one section inside the other",
        "they: repeated_tags": "rewards tags that come again",
        "they: text_outside": "rewards text around the sections",
    }
    counted = {
        "they: some": "rewards tags with nothing between them in full",
        "we: all": "wants line breaks around each tag",
        "we: some": "wants line breaks around each tag",
    }
    code = {
        "we: well_formed": "wants reasoning and answer around the block",
        "they: several_blocks": "rewards several blocks",
        "they: blank_code": "rewards an empty block",
        "they: no_code": "rewards a fence inside a line",
        "they: unclosed": "rewards a fence that closes in a line of text",
        "they: other_language": "rewards a language whose name begins like it",
    }
    code_spec = "code_block_format(language='python')"
    return [
        Pair("TRL", "think_format_reward", trl_think, "think_format", thinking),
        Pair("open-r1", "format_reward", of_each(theirs.newline_format), "think_answer_format", lines),
        Pair("ms-swift", "format", of_each(theirs.loose_format), "think_answer_format", tight),
        Pair("NeMo-RL", "format_reward", of_each(theirs.greedy_format), "xml_format(tags=['think', 'answer'])", greedy),
        Pair("open-r1", "tag_count_reward", of_each(theirs.newline_tags), "tag_count", counted),
        Pair("open-r1", "code_format_reward", of_each(theirs.code_in_answer), code_spec, code),
    ]


def of_length() -> list[Pair]:
    overlong = f"soft_overlong(max_tokens={MAX_TOKENS}, buffer={BUFFER})"
    cosine = f"cosine_length(max_tokens={MAX_TOKENS})"
    unfloored = {"we: too_long": "goes on falling below -1"}
    wrong = ("wrong", "no_box", "unfinished_thinking")
    padded = {f"they: {reason}": "a wrong answer costs less the longer its padding" for reason in wrong}
    climbing = padded | {
        f"we: {reason}": "turns back past the end: a longer wrong answer costs more" for reason in wrong
    }
    climbing |= {"they: correct": "turns back past the end: a longer right answer earns more"}
    near = {
        "they: too_short": "counts padding",
        "they: padded": "counts padding",
        "we: too_long": "falls below 0",
    }
    target = "target_length(target=64, tolerance=128)"
    unclamped = theirs.unclamped_cosine(MAX_TOKENS)
    of_characters = theirs.unclamped_cosine_of_characters(MAX_TOKENS)
    distance = theirs.distance_to(64, 128)
    return [
        Pair("TRL", "get_soft_overlong_punishment", trl_overlong, overlong, {}),
        Pair("ms-swift", "soft_overlong", theirs.unfloored_overlong(MAX_TOKENS, BUFFER), overlong, unfloored),
        Pair("verl", "DAPO manager", theirs.unfloored_overlong(MAX_TOKENS, BUFFER), overlong, unfloored),
        Pair("TRL", "get_cosine_scaled_reward", theirs.clamped_cosine(MAX_TOKENS), cosine, padded),
        Pair("ms-swift", "cosine", unclamped, cosine, climbing),
        Pair("open-r1", "cosine_scaled_reward", of_characters, cosine, climbing, characters=True),
        Pair("open-r1", "len_reward", theirs.kimi_length, "relative_length", {}, characters=True),
        Pair("open-instruct", "max_length", distance, target, near),
    ]


def of_content() -> list[Pair]:
    tokens = {
        "they: repeated": "does not see a loop that counts up",
        "we: too_short": "reads on behind the end of the turn",
        "we: distinct": "reads on behind the end of the turn",
        "we: repeated": "reads on behind the end of the turn",
    }
    words = {
        "they: repeated": "counts words: other shares, and none in scripts without spaces",
        "we: repeated": "counts words: other shares",
        "we: distinct": "reads on behind the end of the turn",
        "we: too_short": "reads on behind the end of the turn",
    }
    steps = {
        "they: too_few": "rewards a mark with nothing behind it, and the same step again",
        "they: none": "rewards a mark with nothing behind it, and the same step again",
        "we: enough": "sees a numbered list only in the first line",
        "we: too_few": "sees a numbered list only in the first line",
    }
    return [
        Pair("TRL", "get_repetition_penalty_reward", trl_repetition, "repetition(ngram=3)", tokens),
        Pair("open-r1, ms-swift", "repetition", of_each(theirs.word_repetition), "repetition(ngram=3)", words),
        Pair("open-r1", "reasoning_steps_reward", of_each(theirs.step_marks), "reasoning_steps", steps),
    ]


def of_answers() -> list[Pair]:
    everywhere = {
        "they: unfinished_thinking": "rewards a number in reasoning that never ends",
        "they: no_answer": "rewards a number that only the reasoning, or nothing, says",
        "they: wrong": "rewards what stands behind the end of the turn or before the last answer",
        "they: not_a_number": "rewards one number of several",
    }
    marked, stopped = (
        "wants `#### 4`, and 4.0 is not 4",
        "takes the full stop for a part of the number, and 4.0 is not 4",
    )
    strict = everywhere | {"we: correct": _clipped(theirs.gsm8k_strict, marked)}
    flexible = everywhere | {"we: correct": _clipped(theirs.gsm8k_flexible, stopped)}
    last = everywhere | {"we: correct": "4.0 is not 4"}
    tagged = {
        "we: correct": "wants the tags; does not look into a box",
        "they: no_answer": "reads on behind the end of the turn",
        "they: wrong": "rewards without signs: -4 is 4",
        "they: unfinished_thinking": "rewards an answer inside the reasoning",
    }
    shared = {
        "we: correct": "counts the words around the answer",
        "we: partly": "counts tags as words",
        "they: unfinished_thinking": "rewards the words of reasoning that never ends",
        "they: wrong": "rewards words outside the answer",
        "they: partly": "leaves out the words of the punctuation",
        "they: no_answer": "reads on behind the end of the turn",
    }
    letters = of_each(theirs.letters_and_digits)
    return [
        Pair("verl", "gsm8k, strict", of_each(theirs.gsm8k_strict), "numeric_answer", strict),
        Pair("verl", "gsm8k, flexible", of_each(theirs.gsm8k_flexible), "numeric_answer", flexible),
        Pair("open-instruct", "gsm8k", of_each(theirs.last_number), "numeric_answer", last),
        Pair("open-instruct", "string_matcher", of_each(theirs.tagged_words), "exact_match", tagged),
        Pair("open-instruct", "string_f1", of_each(theirs.words_f1), "token_f1", shared),
        Pair("NeMo-RL", "exact_answer_alphanumeric_reward", letters, "exact_match", tagged),
    ]


def _clipped(formula: Callable[[Written, int | None], float], otherwise: str) -> Name:
    """Names a miss by whether the whole text would have been paid."""
    return lambda one: "reads the last 300 characters alone" if formula(one, None) else otherwise


def trl_think(completions: Sequence[Written]) -> list[float | None]:
    from trl.rewards import think_format_reward

    return think_format_reward([[{"role": "assistant", "content": one.text}] for one in completions])


def trl_overlong(completions: Sequence[Written]) -> list[float | None]:
    from trl.rewards import get_soft_overlong_punishment

    return get_soft_overlong_punishment(MAX_TOKENS, BUFFER)([one.ids for one in completions])


def trl_repetition(completions: Sequence[Written]) -> list[float | None]:
    from trl.rewards import get_repetition_penalty_reward

    return get_repetition_penalty_reward(3)([one.ids for one in completions])
