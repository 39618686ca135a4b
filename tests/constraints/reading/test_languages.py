"""Which language a text is in."""

import pytest
from tables import each_row, tables_beside

from grpo_rewards.constraints.checks.language import response_language
from grpo_rewards.constraints.reading.languages import foreign_part, is_in

pytest.importorskip("py3langid", reason="py3langid, of the extra [instructions], is not installed")

TABLES = tables_beside(__file__)

# the same greeting or sentence in languages that are alike
TEXTS = TABLES["texts"]


@each_row("code", TEXTS)
def test_a_sentence_is_in_its_language_and_in_no_other(code: str) -> None:
    assert [other for other in TEXTS if is_in(TEXTS[code], other)] == [code]


@each_row("text", ["Hello.", "Yes.", "OK!", "THE END"])
def test_a_few_words_are_given_the_benefit_of_the_doubt(text: str) -> None:
    assert is_in(text, "en")
    assert not is_in(text, "ko")


OTHER_SCRIPTS = [one for one in TEXTS if not TEXTS[one].isascii() and one not in ("de", "pt", "uk", "vi", "fi")]


@each_row("code", [*OTHER_SCRIPTS, "uk", "am", "hy", "ka", "km", "my", "si"])
@each_row("text", ["Yes", "No", "OK", "Hello.", "It is four."])
def test_a_language_needs_letters_of_its_script(code: str, text: str) -> None:
    assert not is_in(text, code)


@each_row("code, text", TABLES["one_word_of_its_script_is_enough"])
def test_one_word_of_its_script_is_enough(code: str, text: str) -> None:
    assert is_in(text, code)


def test_a_term_in_other_letters_makes_no_other_language() -> None:
    assert is_in("파이썬(Python)에서 리스트(list)를 사용합니다.", "ko")
    assert foreign_part("Der Befehl heißt print und schreibt.\n" * 3, "de") is None


@each_row("text", ["\ud800", "\u0301" * 100, "ab\x00cd", "🙂 x"])
def test_any_text_has_an_answer(text: str) -> None:
    assert is_in(text, "en") in (True, False)


GERMAN = "Die Antwort steht in diesem Artikel über die Physik.\n{}\nDort findet man alle weiteren Einzelheiten."
ENGLISH = "The answer is four because two and two are four, and everyone who has ever counted knows that very well."


@each_row("code, text", TABLES["code_addresses_and_titles_are_in_no_language"])
def test_code_addresses_and_titles_are_in_no_language(code: str, text: str) -> None:
    assert response_language(text, code).followed


@each_row("code, text", TABLES["prose_hides_in_none_of_them"])
def test_prose_hides_in_none_of_them(code: str, text: str) -> None:
    assert not response_language(text, code).followed
