"""Which language is a text in? Identified by its script where that is enough, else by py3langid."""

import importlib.util
import re
from functools import lru_cache
from typing import Any

from grpo_rewards.completion.fences import fenced_blocks, outside_blocks
from grpo_rewards.installing import how_to_install

# Those that the published checkers can distinguish, so that a rare relative of a language does not win a short text.
LANGUAGES = frozenset(
    "af ar bg bn ca cs cy da de el en es et fa fi fr gu he hi hr hu id it ja kn ko lt lv mk ml mr ne nl no pa pl pt ro "
    "ru sk sl so sq sv sw ta te th tl tr uk ur vi zh".split()
)
# Others that py3langid knows, by their codes of two letters.
MORE_LANGUAGES = frozenset(
    "am as az be br bs eo eu fy ga gd gl ha ht hy ig is jv ka kk km ku ky la lb lg ln lo mg mn ms mt my om or ps qu "
    "rw sa si sn tg tk tt ug uz xh yo zu".split()
)
# Languages of a script that no other one of them is written in, with the script's letters.
LETTERS_OF_SCRIPT = {
    "bn": "\u0980-\u09ff",
    "el": "\u0370-\u03ff\u1f00-\u1fff",
    "gu": "\u0a80-\u0aff",
    "he": "\u0590-\u05ff",
    "kn": "\u0c80-\u0cff",
    "ko": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "ml": "\u0d00-\u0d7f",
    "pa": "\u0a00-\u0a7f",
    "ta": "\u0b80-\u0bff",
    "te": "\u0c00-\u0c7f",
    "th": "\u0e00-\u0e7f",
}
# Letters of other scripts than Latin. A text in one of these languages has such a letter, and may have more of others.
LETTERS_OF_SEVERAL = {
    ("ru", "uk", "bg", "mk", "be", "mn", "ky", "tg"): "\u0400-\u052f",
    ("ar", "fa", "ur", "ps"): "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc",
    ("hi", "mr", "ne"): "\u0900-\u097f",
    ("zh",): "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    ("ja",): "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff",
    ("am",): "\u1200-\u139f",
    ("hy",): "\u0530-\u058f",
    ("ka",): "\u10a0-\u10ff\u1c90-\u1cbf",
    ("km",): "\u1780-\u17ff",
    ("lo",): "\u0e80-\u0eff",
    ("my",): "\u1000-\u109f",
    ("or",): "\u0b00-\u0b7f",
    ("si",): "\u0d80-\u0dff",
    ("as",): "\u0980-\u09ff",
}
LETTER_OF = {code: re.compile(f"[{letters}]") for codes, letters in LETTERS_OF_SEVERAL.items() for code in codes}
SCRIPT_MAJORITY = 0.5  # names and terms in other letters occur in any text
LETTER_RUN = re.compile(r"[^\W\d_]+")
# In a text this short, letters decide little: the wanted language may come this much behind the likeliest.
SHORT_LETTERS, SHORT_MARGIN = 25, 4.0
# A paragraph of this many letters is judged by itself, and is foreign if another language is this much likelier.
PART_LETTERS, PART_MARGIN = 60, 20.0
MOST_PARTS = 200
HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
ADDRESS = re.compile(r"(?:https?://|www\.)\S+|[\w.+-]{1,64}@[\w-]{1,64}\.\w\S*|`[^`\n]*`")
# A line of code has signs that prose has not, or begins like a command.
CODE_SIGN = re.compile(
    r"[={}\[\]<>|\\]|;\s*$|\w\(|\w_\w|\w\.\w+\(|"
    r"^\s*(?:#|//|\$ |>>>|@\w|def |import |from \w+ import |return\b|else:|try:)"
)
CODE_SIGNS = 3  # that a line without a fence must have to be code; in a fence, one
LETTERS_PER_SIGN = 18  # at most, in a line of code without a fence
LETTERS_PER_SIGN_FENCED = 36
MOST_LEFT_OUT = 3  # letters of addresses and code without a fence for each letter of prose
TITLE_SHARE = 0.7  # of the longer words of a line of names and titles, so many begin with a capital
MOST_READ = 200_000  # characters; the rest of a longer text is not read


class MissingDetectorError(ImportError):
    """py3langid, which identifies languages, is not installed."""


def needs_detector(code: str) -> bool:
    """Whether identifying the language takes more than its letters."""
    return code not in LETTERS_OF_SCRIPT


def check_detector() -> None:
    """Raises MissingDetectorError if py3langid is not installed."""
    if importlib.util.find_spec("py3langid") is None:
        raise MissingDetectorError(
            f"identifying languages needs py3langid, which is not installed: {how_to_install('instructions')}"
        )


def letters_in(text: str) -> int:
    """How many letters a text has."""
    return sum(map(len, LETTER_RUN.findall(text)))


def is_in(text: str, code: str) -> bool:
    """Whether a text with letters is in a language as a whole.

    >>> is_in("Η απάντηση είναι τέσσερα.", "el"), is_in("The answer is four.", "el")
    (True, False)
    """
    size = letters_in(text)
    if not needs_detector(code):
        runs = re.findall(f"[{LETTERS_OF_SCRIPT[code]}]+", text)
        return sum(map(len, runs)) > SCRIPT_MAJORITY * size
    if code in LETTER_OF and LETTER_OF[code].search(text) is None:
        return False
    return _behind(text, code) <= (SHORT_MARGIN if size < SHORT_LETTERS else 0.0)


def prose_of(text: str) -> str:
    """The text without code, addresses and code names, which are of no language.

    A fenced block is code where half of its lines have signs of code, and a line outside where it has several. Prose in
    a fence is prose. Where addresses and code without a fence have three times the letters of the rest, they count.

    >>> prose_of("Siehe die Seite https://a.org/the-cat!").strip()
    'Siehe die Seite'
    """
    blocks = fenced_blocks(text)
    written = "\n".join([*outside_blocks(text, blocks), *(one.inside for one in blocks if _is_prose(one.inside))])
    prose = "\n".join(line for line in ADDRESS.sub(" ", written).split("\n") if not _is_code(line))
    letters = letters_in(prose) + 2 * len(HAN.findall(prose))  # one counts as much as three letters of an alphabet
    return prose if letters_in(written) <= (1 + MOST_LEFT_OUT) * letters else written


def _is_prose(fenced: str) -> bool:
    lines = [line for line in fenced.split("\n") if letters_in(line)]
    return 2 * sum(_is_code(line, 1, LETTERS_PER_SIGN_FENCED) for line in lines) < len(lines)


def _is_code(line: str, least: int = CODE_SIGNS, letters: int = LETTERS_PER_SIGN) -> bool:
    if len(line) < least:
        return False
    signs = sum(1 for _ in CODE_SIGN.finditer(line))
    return signs >= least and letters_in(line) <= letters * signs


def _is_names(line: str) -> bool:
    """Whether a line is a list of names or titles, which keep their language."""
    words = [word for word in LETTER_RUN.findall(line) if len(word) > 3]
    return bool(sum(word[0].isupper() for word in words) >= TITLE_SHARE * len(words))


def foreign_part(text: str, code: str) -> str | None:
    """The first long paragraph that is clearly in another language, or ``None``; names and titles are in none."""
    parts = [one for one in text.split("\n") if len(one) >= PART_LETTERS][:MOST_PARTS]
    for part in parts if "\n" in text.strip() else ():
        if letters_in(part) < PART_LETTERS or _is_names(part):
            continue
        if not (_behind(part, code) <= PART_MARGIN if needs_detector(code) else is_in(part, code)):
            return part
    return None


def _behind(text: str, code: str) -> float:
    """How much less likely the language is than the likeliest, as a difference of logarithms; 0 if it is that."""
    likelihoods: dict[str, float] = dict(_detector().rank(text.lower() if text.isupper() else text))
    known = (likelihood for one, likelihood in likelihoods.items() if one in LANGUAGES or one == code)
    return float(max(known) - likelihoods.get(code, float("-inf")))


@lru_cache(maxsize=1)
def _detector() -> Any:
    check_detector()
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # with numpy, so it is imported where it is used

    return LanguageIdentifier.from_model_file(MODEL_FILE)
