"""Finds the places of a text that hold an answer by their form: a box, a tag, a JSON key.

Look here if a box, a tag or JSON is passed over.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from grpo_rewards.completion.boxes import last_boxes, one_answer
from grpo_rewards.completion.sections import last_tagged

__all__ = ["Place", "last_place"]


class Place(NamedTuple):
    """The contents of the last box, tag or JSON answer, what it is, and the text behind it."""

    source: str
    text: str
    behind: str


TAGS = ("answer", "final_answer")
LONGEST_JSON = 6_000  # characters at the end of a text
FLAT_JSON = re.compile(r"\{[^{}]{1,4000}\}")
DOUBLE_BRACKETS = re.compile(r"\[\[([^\[\]\n]{1,80})\]\]\W{0,4}\Z")  # as judges end: "[[C]]"
JSON_KEYS = frozenset(
    """
    answer final_answer finalanswer correct_answer correctanswer best_answer your_answer my_answer chosen_answer
    selected_answer predicted_answer answer_choice correct_choice final_choice best_choice choice option correct_option
    selected_option selectedoption chosen_option best_option answer_option selected selection chosen letter
    answer_letter correct_letter answer_key answer_id answer_label prediction label result final
    答案 正确答案 选项 选择 回答 最终答案 答え 解答 正解 정답 답 선택 antwort lösung réponse reponse respuesta opción
    resposta alternativa risposta scelta lettera antwoord svar odpowiedź cevap đáp_án ответ الإجابة الجواب उत्तर
    """.split()
)
JSON_ENVELOPES = frozenset("response output data content json question_1 q1".split())
JSON_LETTERS = ("letter", "label", "option", "choice", "id", "key")
JSON_TEXTS = ("text", "value", "content", "description")


def last_place(text: str) -> Place | None:
    """The last box; else the last ``<answer>``; else ``[[…]]`` at the end; else the answer in JSON; else ``None``.

    >>> last_place('{"answer": "B"}').text
    'B'
    """
    boxed = last_boxes(text)
    if boxed:
        end = text.rfind(boxed[-1]) + len(boxed[-1])
        return Place("box", one_answer(boxed), text[end:].lstrip("}"))
    for tag in TAGS:
        tagged = last_tagged(text, tag)
        if tagged is not None:
            behind = text.rpartition(f"</{tag}>")[2]
            return Place("answer_tag", _json_answer(tagged) or tagged.strip(), behind)
    if marked := DOUBLE_BRACKETS.search(text, max(len(text) - 100, 0)):
        return Place("brackets", marked[1], "")
    in_json = _json_answer(text)
    return None if in_json is None else Place("json", in_json, "")


def _json_answer(text: str) -> str | None:
    """The answer in JSON such as ``{"answer": "B"}``, several joined by "or"; ``None`` if there is none."""
    if "{" not in text:
        return None
    text = text[-LONGEST_JSON:]
    whole = _mapping(text[text.find("{") : text.rfind("}") + 1])
    answers: list[str] = []
    for record in [whole] if whole else [_mapping(found.group()) for found in FLAT_JSON.finditer(text)]:
        answers += [one for one in _answers_of(record) if one not in answers]
    return " or ".join(answers) if answers else None


def _answers_of(record: dict[Any, Any], depth: int = 0) -> Iterator[str]:
    """What stands under the names of an answer in a JSON object, also one level deeper."""
    for key, value in record.items():
        name = str(key).strip().casefold().replace(" ", "_").replace("-", "_")
        if isinstance(value, dict) and depth < 2 and (name in JSON_KEYS or name in JSON_ENVELOPES):
            yield from _described(value) or _answers_of(value, depth + 1)
        if name in JSON_KEYS:
            values = value if isinstance(value, list | tuple) else [value]
            yield from (str(one) for one in values if isinstance(one, str | int | float) and not isinstance(one, bool))


def _described(value: dict[Any, Any]) -> list[str]:
    """An option given by its parts, as one text: ``{"letter": "B", "text": "Rome"}`` is "B. Rome"."""
    parts = {str(key).strip().casefold(): str(one) for key, one in value.items() if isinstance(one, str | int)}
    letters, texts = ([parts[name] for name in names if name in parts] for names in (JSON_LETTERS, JSON_TEXTS))
    letters.sort(key=len)  # {"letter": "C", "label": "Rome"}
    return [". ".join(letters[:1] + texts[:1])] if letters else []


def _mapping(text: str) -> dict[Any, Any]:
    """A JSON object, also if it is written as Python does; ``{}`` if it is none."""
    for read in (json.loads, _python_literal):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            value = read(text)
            return value if isinstance(value, dict) else {}
    return {}


def _python_literal(text: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of {'answer': 3and}
        return ast.literal_eval(text)
