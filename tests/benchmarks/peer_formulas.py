"""What other projects' reward functions pay, written anew from their published definitions.

Each takes completions with their token ids and golds, and gives one number each, ``None`` where it does not judge.
Where a function needs to know what is right, it is told: what is compared is what it makes of that.
"""

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

READ_BY_VERL = 300  # characters, the last ones of a completion
NUMBER = re.compile(r"-?[0-9.,]+")


class Written(NamedTuple):
    """A completion of one prompt: its text, its token ids, the gold, and whether it is right."""

    text: str
    ids: list[int]
    answer: str
    is_right: bool


Formula: TypeAlias = Callable[[Sequence[Written]], "list[float | None]"]


def of_each(pays: Callable[[Written], float | None]) -> Formula:
    return lambda completions: [pays(one) for one in completions]


# open-r1


def newline_format(one: Written) -> float:
    """open-r1's ``format_reward``: both sections, each tag on a line of its own, found from the start on."""
    return float(re.match(r"(?sm)^<think>\n.*?\n</think>\n<answer>\n.*?\n</answer>$", one.text) is not None)


def newline_tags(one: Written) -> float:
    """open-r1's ``tag_count_reward``: a quarter for each tag that stands once with its line breaks."""
    return sum(one.text.count(tag) == 1 for tag in ("<think>\n", "\n</think>\n", "\n<answer>\n", "\n</answer>")) / 4


def step_marks(one: Written) -> float:
    """open-r1's ``reasoning_steps_reward``: a third for each mark of a step; only a first line can begin with "1."."""
    marks = re.findall(r"Step \d+:|^\d+\.|\n-|\n\*|First,|Second,|Next,|Finally,", one.text)
    return min(1.0, len(marks) / 3)


def code_in_answer(one: Written) -> float:
    """open-r1's ``code_format_reward``: the two sections, and a fenced block of Python in the answer."""
    form = r"(?sm)^<think>\n.*?\n</think>\n<answer>\n.*?```python.*?```.*?\n</answer>$"
    return float(re.match(form, one.text) is not None)


def kimi_length(completions: Sequence[Written]) -> list[float | None]:
    """open-r1's ``len_reward``: Kimi's formula with characters for tokens, over all completions of a call."""
    lengths = [len(one.text) for one in completions]
    shortest, spread = min(lengths), max(lengths) - min(lengths)
    if not spread:
        return [0.0] * len(lengths)
    falling = [0.5 - (length - shortest) / spread for length in lengths]
    return [part if one.is_right else min(0.0, part) for one, part in zip(completions, falling, strict=True)]


def word_repetition(one: Written) -> float:
    """open-r1's and ms-swift's repetition penalty: repeated triples of words, in lower case."""
    words = one.text.lower().split()
    triples = list(zip(words, words[1:], words[2:], strict=False))
    return -(1 - len(set(triples)) / len(triples)) if triples else 0.0


# ms-swift


def loose_format(one: Written) -> float:
    """ms-swift's ``format``: reasoning, white space, answer; nothing but that, tags inside included."""
    return float(re.fullmatch(r"(?s)<think>.*?</think>\s*<answer>.*?</answer>", one.text) is not None)


def unclamped_cosine(max_tokens: int) -> Formula:
    """ms-swift's ``cosine``: past ``max_tokens`` the cosine climbs again."""
    return of_each(lambda one: _cosine(one.is_right, len(one.ids) / max_tokens))


def unclamped_cosine_of_characters(max_characters: int) -> Formula:
    """open-r1's ``cosine_scaled_reward``: the same, of characters."""
    return of_each(lambda one: _cosine(one.is_right, len(one.text) / max_characters))


def _cosine(is_right: bool, progress: float) -> float:
    end, start = (0.5, 1.0) if is_right else (-0.5, -1.0)
    return end + (start - end) * (1 + math.cos(progress * math.pi)) / 2


def unfloored_overlong(max_tokens: int, buffer: int) -> Formula:
    """ms-swift's ``soft_overlong`` and verl's DAPO manager: the slope goes on below -1."""
    return of_each(lambda one: min(-(len(one.ids) - (max_tokens - buffer)) / buffer, 0.0))


# TRL, whose own functions the comparison calls where they take no model of what is right


def clamped_cosine(max_tokens: int) -> Formula:
    """TRL's ``get_cosine_scaled_reward``."""
    return of_each(lambda one: _cosine(one.is_right, min(len(one.ids) / max_tokens, 1.0)))


# verl


def gsm8k_strict(one: Written, characters: int | None = READ_BY_VERL) -> float:
    """verl's strict GSM8K score: the number behind the last ``####``, as text without commas and dollar signs.

    It is looked for in the last 300 characters, in older versions in the whole text (``characters=None``).
    """
    found = re.findall(r"#### (-?[0-9.,]+)", one.text[-(characters or len(one.text)) :])
    return float(bool(found) and found[-1].replace(",", "").replace("$", "") == one.answer)


def gsm8k_flexible(one: Written, characters: int | None = READ_BY_VERL) -> float:
    """verl's flexible GSM8K score: the last run of digits, points and commas, as text; looked for as by the strict."""
    found = [number for number in NUMBER.findall(one.text[-(characters or len(one.text)) :]) if number != "."]
    return float(bool(found) and found[-1] == one.answer)


# open-instruct


def last_number(one: Written) -> float:
    """open-instruct's ``gsm8k`` verifier: the last number without its commas, as text."""
    found = re.findall(r"[-+]?\d*\.\d+|\d+", re.sub(r"(\d),(\d)", r"\1\2", one.text))
    return float(bool(found) and found[-1].lower() == one.answer.lower())


def tagged_words(one: Written) -> float:
    """open-instruct's ``string_matcher``: what stands behind the last ``<answer>``, without case and articles."""
    if "<answer>" not in one.text or "</answer>" not in one.text:
        return 0.0
    return float(_words(one.text.split("<answer>")[-1].split("</answer>")[0]) == _words(one.answer))


def words_f1(one: Written) -> float:
    """open-instruct's ``string_f1``: the F1 of the words of everything behind the reasoning."""
    said, gold = _words(one.text.split("</think>")[-1]), _words(one.answer)
    shared = sum((Counter(said) & Counter(gold)).values())
    return 2 * shared / (len(said) + len(gold)) if shared else 0.0


def _words(text: str) -> list[str]:
    bare = "".join(character for character in text.lower() if character not in string.punctuation)
    return [word for word in bare.split() if word not in ("a", "an", "the")]


def distance_to(target: int, scale: int) -> Formula:
    """open-instruct's ``max_length``: one minus the distance to the target over a scale, without a floor."""
    return of_each(lambda one: 1 - abs(len(one.ids) - target) / scale)


# NeMo-RL


def greedy_format(one: Written) -> float:
    """NeMo-RL's ``format_reward``: a quarter for a pair of think tags, three for a pair of answer tags, anywhere."""
    thinks = re.search(r"(?s)<think>.*</think>", one.text) is not None
    answers = re.search(r"(?s)<answer>.*</answer>", one.text) is not None
    return 0.25 * thinks + 0.75 * answers


def letters_and_digits(one: Written) -> float:
    """NeMo-RL's ``exact_answer_alphanumeric_reward``: what is between the outermost tags, letters and digits only."""
    found = re.search(r"(?s)<answer>(.*)</answer>", one.text)
    return float(found is not None and _bare(found.group(1)) == _bare(one.answer))


def giou_in_tags(one: Written) -> float:
    """NeMo-RL's ``bbox_giou_reward``: GIoU of four bare numbers in the tags; 0 if they are not there."""
    found = re.search(r"(?s)<answer>(.*)</answer>", one.text)
    try:
        mine, wanted = (
            [float(number) for number in text.replace("[", "").replace("]", "").split(",")]
            for text in (found.group(1) if found else "", one.answer)
        )
        (left, top, right, bottom), (gold_left, gold_top, gold_right, gold_bottom) = mine, wanted
    except ValueError:
        return 0.0
    shared = max(0.0, min(right, gold_right) - max(left, gold_left))
    shared *= max(0.0, min(bottom, gold_bottom) - max(top, gold_top))
    covered = (right - left) * (bottom - top) + (gold_right - gold_left) * (gold_bottom - gold_top) - shared
    around = (max(right, gold_right) - min(left, gold_left)) * (max(bottom, gold_bottom) - min(top, gold_top))
    covered, around = max(covered, 1e-3), max(around, 1e-3)
    return shared / covered - (around - covered) / around


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


# TRL's own


def trl_think(completions: Sequence[Written]) -> list[float | None]:
    from trl.rewards import think_format_reward

    return think_format_reward([[{"role": "assistant", "content": one.text}] for one in completions])


def trl_overlong(max_tokens: int, buffer: int) -> Formula:
    from trl.rewards import get_soft_overlong_punishment

    return lambda completions: get_soft_overlong_punishment(max_tokens, buffer)([one.ids for one in completions])


def trl_repetition(completions: Sequence[Written]) -> list[float | None]:
    from trl.rewards import get_repetition_penalty_reward

    return get_repetition_penalty_reward(3)([one.ids for one in completions])
