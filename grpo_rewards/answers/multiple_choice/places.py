"""Finds the choice in a completion: in its box, its ``<answer>``, its JSON, or its prose.

Look here if a box, a tag or JSON is passed over, or if it is believed although the sentence behind it says otherwise.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from grpo_rewards.answers.multiple_choice.hearing import ChoiceHearing
from grpo_rewards.answers.multiple_choice.mentions import MentionFinder
from grpo_rewards.answers.multiple_choice.options import Options, plain_choice, with_own_text
from grpo_rewards.answers.multiple_choice.unannounced import unannounced_option
from grpo_rewards.completion.boxes import last_boxes, one_answer
from grpo_rewards.completion.sections import last_tagged

__all__ = ["Choice", "find_choice"]


class Choice(NamedTuple):
    """What a completion chooses.

    Attributes:
        option: the index of the chosen option, or ``None``.
        reason: why there is none: ``no_choice`` or ``several_choices``.
        text: the words that name the option.
    """

    option: int | None
    reason: str = ""
    text: str | None = None


CHOICE_CHARACTERS = 2_000  # of a box or tag, with the text of the option
HEARD_AT_START, HEARD_AT_END = 1_500, 6_000  # characters of a longer text
LONGEST_OPTION_LINE = 300  # characters of a text that may be the text or value of an option and nothing else
FLAT_JSON = re.compile(r"\{[^{}]{1,4000}\}")
JSON_KEYS = frozenset(
    """
    answer final_answer finalanswer correct_answer correctanswer best_answer choice answer_choice correct_choice
    final_choice option correct_option selected_option selectedoption selected selection chosen_option chosen letter
    answer_letter answer_key answer_id best_option best_choice chosen_answer selected_answer predicted_answer
    correct_letter your_answer my_answer answer_label
    prediction label result final answer_option 答案 正确答案 选项 选择 回答 最终答案
    antwort richtige_antwort lösung wahl réponse
    reponse bonne_réponse réponse_correcte choix lettre respuesta respuesta_correcta opción elección letra resposta
    resposta_correta escolha alternativa risposta risposta_corretta scelta lettera antwoord svar odpowiedź odpowiedz
    cevap yanıt jawaban đáp_án ответ правильный_ответ відповідь 答え 解答 正解 정답 답 선택 الإجابة الجواب उत्तर คำตอบ
    """.split()
)

JSON_ENVELOPES = frozenset("response output data content json question_1 q1".split())
JSON_LETTERS = ("letter", "label", "option", "choice", "id", "key")
JSON_TEXTS = ("text", "value", "content", "description")


def find_choice(response: str, options: Options) -> Choice:
    """The option that a completion chooses. ``response`` is the completion without its reasoning.

    It may stand in the last box, in ``<answer>`` or in JSON, else in what the prose says and does not take back. What
    stands behind the box may name its letter, but no other option.
    """
    finder = _finder(tuple(options.texts) if options.texts is not None else None, tuple(options.labels))
    said, behind = _marked(response)
    if said is None:
        return _heard(_two_ends(response), options, finder)
    if not said.strip() or len(said) > CHOICE_CHARACTERS:
        return Choice(None, "no_choice", said[:CHOICE_CHARACTERS])
    chosen = _of_content(said, options, finder)
    if chosen.option is None:
        if chosen.reason == "several_choices" or not _is_value(said):
            return chosen
        return _heard(_two_ends(response.replace(said, "", 1) if not behind.strip() else behind), options, finder)
    later = _heard(_two_ends(behind), options, finder) if behind.strip(" \t\n.$*!。") else None
    if later is not None and later.option not in (None, chosen.option):
        return Choice(None, "several_choices", said)
    return chosen


@lru_cache(maxsize=256)
def _finder(texts: tuple[str, ...] | None, labels: tuple[str, ...]) -> MentionFinder:
    """The finder of one question, of which a batch has many completions."""
    return MentionFinder(Options(texts, labels))


def _marked(response: str) -> tuple[str | None, str]:
    """(contents, text behind) of the last box, tag or JSON answer; (``None``, ``""``) if there is none."""
    boxed = last_boxes(response)
    if boxed:
        at = response.rfind(boxed[-1])
        return one_answer(boxed), response[at + len(boxed[-1]) :].lstrip("}")
    tagged = last_tagged(response, "answer")
    if tagged is not None:
        inside = _json_answer(tagged) if len(tagged) <= HEARD_AT_END else None
        return (inside or tagged.strip()), response[response.rfind("</answer>") + 9 :]
    in_json = _json_answer(response[-HEARD_AT_END:])
    return in_json, ""


def _json_answer(text: str) -> str | None:
    """The answer in JSON such as ``{"answer": "B"}``, several joined by "or"; ``None`` if there is none."""
    answers: list[str] = []
    whole = _mapping(text[text.find("{") : text.rfind("}") + 1])
    for record in [whole] if whole else [_mapping(found.group()) for found in FLAT_JSON.finditer(text)]:
        answers += [one for one in _answers_of(record) if one not in answers]
    return " or ".join(answers) if answers else None


def _answers_of(record: dict[Any, Any], depth: int = 0) -> Iterator[str]:
    """What stands under the names of an answer in a JSON object, also one level deeper."""
    for key, value in record.items():
        name = str(key).strip().casefold().replace(" ", "_").replace("-", "_")
        if isinstance(value, dict) and depth < 2 and (name in JSON_KEYS or name in JSON_ENVELOPES):
            yield from _described(value) or _answers_of(value, depth + 1)
        if name not in JSON_KEYS or isinstance(value, bool | None):
            continue
        values = value if isinstance(value, list | tuple) else [value]
        yield from (str(one) for one in values if isinstance(one, str | int | float) and not isinstance(one, bool))


def _described(value: dict[Any, Any]) -> list[str]:
    """An option given by its parts, as one text: ``{"letter": "B", "text": "Rome"}`` is "B. Rome"."""
    parts = {str(key).strip().casefold(): one for key, one in value.items() if isinstance(one, str | int)}
    named = [str(parts[name]) for name in JSON_LETTERS if name in parts]
    told = [str(parts[name]) for name in JSON_TEXTS if name in parts]
    return [". ".join(named[:1] + told[:1])] if named and len(set(named)) == 1 else []


def _mapping(text: str) -> dict[Any, Any]:
    """A JSON object, also if it is written as Python does; ``{}`` if it is none."""
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        return value if isinstance(value, dict) else {}
    return {}


def _of_content(said: str, options: Options, finder: MentionFinder) -> Choice:
    """What a box or tag chooses: the option with this label, text or value, or what its words choose."""
    label = plain_choice(said).strip("()[].: ")
    by_text = options.of_text(said)
    if label in options.labels and by_text in (None, options.labels.index(label)):
        return Choice(options.labels.index(label), text=said)
    if by_text is not None:
        several = label in options.labels
        lettered = options.of_letter(label) if len(label) == 1 and not options.labels else None
        if several or lettered not in (None, by_text):
            return Choice(None, "several_choices", said)
        return Choice(by_text, text=said)
    with_text = with_own_text(plain_choice(said), options) if options.texts is not None else None
    return Choice(with_text, text=said) if with_text is not None else _heard(said, options, finder)


def _heard(text: str, options: Options, finder: MentionFinder) -> Choice:
    """What prose chooses."""
    is_line = "\n" not in text.strip() and len(text) <= LONGEST_OPTION_LINE and len(plain_choice(text)) > 1
    if is_line and options.of_text(text.strip()) is not None:
        return _of_content(text, options, finder)
    heard = _by_hearing(text, finder)
    if heard.reason != "no_choice":
        return heard
    stated = unannounced_option(text, options, finder)
    return heard if stated is None else Choice(stated, text=text.strip()[-LONGEST_OPTION_LINE:])


def _by_hearing(text: str, finder: MentionFinder) -> Choice:
    hearing = ChoiceHearing()
    hearing.hear(text, finder)
    if hearing.chosen is None:
        return Choice(None, "no_choice")
    if hearing.is_several or len(hearing.chosen.options) != 1:
        return Choice(None, "several_choices", hearing.words)
    return Choice(next(iter(hearing.chosen.options)), text=hearing.words)


def _is_value(said: str) -> bool:
    """Whether the contents of a box may be the value of an option, so that its letter may stand in the sentence."""
    plain = plain_choice(said).strip("()[].: ")
    return len(plain) > 1 or plain.isdigit()


def _two_ends(text: str) -> str:
    """The start and the end of a long text. Between the two, anything may have been taken back."""
    if len(text) <= HEARD_AT_START + HEARD_AT_END:
        return text
    start = text[:HEARD_AT_START].rpartition("\n")[0] or text[:HEARD_AT_START].rpartition(" ")[0]
    end = text[-HEARD_AT_END:]
    return f"{start}\nWait.\n{end.partition(chr(10))[2] or end.partition(' ')[2]}"
