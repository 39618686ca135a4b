"""Is the completion written in the language that was asked for?"""

from __future__ import annotations

import re
from collections import Counter

from grpo_rewards.completion.fences import fenced_blocks
from grpo_rewards.completion.sections import before_end_of_turn
from grpo_rewards.completion.text import visible
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.rewards.building_blocks.safe_patterns import compiled, encodable
from grpo_rewards.verdict import Verdict

__all__ = ["language_consistency"]

# The scripts in which some languages are written that use more than one.
SEVERAL = {"Japanese": ("Hiragana", "Katakana", "Han"), "Korean": ("Hangul", "Han")}
# Formulas, code in a line, LaTeX commands, tags and addresses have letters of their own. A formula ends before the next
# one opens, so that no text makes this slow; a dollar sign before a digit opens a price and closes nothing.
NO_WORDS = re.compile(
    r"(?P<formula>\$\$[^$]*\$\$|\$[^$\n]*\$(?!\d)|\\\((?:(?!\\[()])[^\n])*\\\)"
    r"|\\\[(?:(?!\\[\[\]])(?s:.))*\\\])"
    r"|(?P<code>`[^`\n]*`)"
    r"|\\(?:begin|end)\{[a-z*]{1,20}\}|\\[A-Za-z]+|</?[A-Za-z][\w.-]*>|https?://\S+"
)
COMMAND = re.compile(r"\\(?:begin|end)\{[a-z*]{1,20}\}|\\[A-Za-z]+")
LONG_WORD = re.compile(r"[^\W\d_]{3,}")  # a shorter one is a name in a formula
PROSE = re.compile(
    r"(?:[^\W\d_]{2,20}[ ,.;:]{1,3}){2}[^\W\d_]{2}|[\u3040-\u30ff\u3400-\u9fff]{4}"
)  # three words in a row
NO_SCRIPTS = ("Any", "Common", "Inherited")
LOOKED_AT = 200_000  # characters; of a longer completion its beginning


def _check_script(script: str) -> None:
    import re2

    for one in SEVERAL.get(script, (script,)):
        try:
            # the names of two letters at most, Yi aside, are those of categories
            if not one.isalpha() or one in NO_SCRIPTS or (len(one) < 3 and one != "Yi"):
                raise re2.error("no name")
            compiled(rf"\p{{{one}}}")
        except re2.error:
            raise RewardError(
                "script must be the name of a Unicode script, such as 'Latin', 'Han', 'Cyrillic', 'Arabic' or "
                f"'Devanagari', or 'Japanese' or 'Korean', not {script!r}."
            ) from None


@reward(reasons=("consistent", "mixed", "other_script", "no_letters"), range=(0.0, 1.0), check=_check_script)
def language_consistency(completion: str, *, script: str) -> Verdict:
    """The share of the letters that belong to the wanted script, formulas and code left out.

    Of a formula words of three letters or more count, and of code in a line all, where it holds three words in a row:
    prose is not hidden there. Letters that belong to no one script, such as the Japanese ``ー``, do not count.

    After DeepSeek-R1 (arXiv:2501.12948), section 2.3.2: the share of the words of the target language in the reasoning,
    here by letters, for which no model of languages is needed. It tells Chinese from English, not French from English.

    Args:
        completion: the text of the last assistant message, reasoning included.
        script: a Unicode script, ``Latin``, ``Han``, ``Cyrillic``, ``Arabic``, …; or ``Japanese``, ``Korean``.

    Returns:
        A number in [0, 1], never ``None``: 0 for a text without letters. Reasons: ``consistent`` (1), ``mixed``,
        ``other_script`` (0), ``no_letters``.

    >>> language_consistency.bind(script="Han").score("所以答案是 $x = 4$。OK")
    0.7142857142857143
    """
    counts = Counter(_words(encodable(before_end_of_turn(completion)[:LOOKED_AT])))
    # Each distinct character is looked at once: a match object for every letter would take seconds a megabyte.
    letters = compiled(r"[^\PL\p{Common}\p{Inherited}]").findall("".join(counts))
    if not letters:
        return Verdict(0.0, "no_letters")
    wanted = "".join(rf"\p{{{one}}}" for one in SEVERAL.get(script, (script,)))
    of_script = compiled(f"[{wanted}]").findall("".join(letters))
    share = sum(counts[one] for one in of_script) / sum(counts[one] for one in letters)
    return Verdict(share, "consistent" if share == 1 else "mixed" if share else "other_script")


def _words(text: str) -> str:
    """The text without code and formulas, but for the prose in them."""
    text = visible(text)
    at, kept = 0, []
    for block in fenced_blocks(text):
        kept.append(text[at : block.start])
        at = block.end
    return NO_WORDS.sub(_prose, "".join([*kept, text[at:]]))


def _prose(found: re.Match[str]) -> str:
    if found.lastgroup == "formula":
        return f" {' '.join(LONG_WORD.findall(COMMAND.sub(' ', found.group())))} "
    is_prose = found.lastgroup == "code" and PROSE.search(found.group()) is not None
    return found.group() if is_prose else " "
