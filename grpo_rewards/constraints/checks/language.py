"""Is the whole text in the wanted language, or in English in one case?"""

from grpo_rewards.constraints.finding import Finding
from grpo_rewards.constraints.reading.languages import MOST_READ, foreign_part, is_in, letters_in, prose_of


def response_language(text: str, language: str) -> Finding:
    """The text is in the language. Numbers alone are in any, other signs alone in none; code is in none either."""
    text = text[:MOST_READ]
    text = prose if letters_in(prose := prose_of(text)) else text
    if not letters_in(text):
        return Finding(any(map(str.isdigit, text)), "no letters")
    if not is_in(text, language):
        return Finding(False, f"another language than {language!r} is likelier")
    foreign = foreign_part(text, language)
    return Finding(
        foreign is None, f"in {language!r}" if foreign is None else f"{foreign[:40]!r} is in another language"
    )


def capital_english(text: str) -> Finding:
    """The text is in English, and all its letters are capitals."""
    return response_language(text, "en") if text.isupper() else Finding(False, "not all in capitals")


def lowercase_english(text: str) -> Finding:
    """The text is in English, and none of its letters is a capital."""
    return response_language(text, "en") if text.islower() else Finding(False, "not all in lower case")
