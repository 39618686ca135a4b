"""Is the completion written in the requested language?"""

import re
from collections import Counter

from grpo_rewards.answers.latex.tree import KNOWN_COMMANDS
from grpo_rewards.completion.fences import fenced_blocks, outside_blocks
from grpo_rewards.completion.linear_patterns import compiled, encodable
from grpo_rewards.completion.text import is_blank, visible
from grpo_rewards.completion.turns import before_end_of_turn
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.verdict import Verdict

__all__ = ["language_consistency"]

# Languages that are written in several scripts.
SCRIPTS_OF_LANGUAGE = {"Japanese": ("Hiragana", "Katakana", "Han"), "Korean": ("Hangul", "Han")}
# Formulas, inline code, LaTeX commands, tags and web addresses: their letters do not show the language. A formula must
# end before the next one opens, which keeps the search linear. A dollar sign before a digit is a price, so it does not
# close a formula.
# All alternatives begin with a character, so that most of a text is passed over fast.
NOT_PROSE = re.compile(
    r"(\$\$[^$]*\$\$|\$[^$\n]*\$(?!\d)|\\\((?:(?!\\[()])[^\n])*\\\)|\\\[(?:(?!\\[\[\]])(?s:.))*\\\]|`[^`\n]*`"
    r"|\\(?:begin|end)\{[a-z*]{1,20}\}|\\[A-Za-z]+|</?[A-Za-z][\w.-]*>|https?://\S+)"
)
MARKS_OF_MARKUP = ("$", "\\", "`", "<", "://", "~~~")  # without any of these in it, a text is prose
FORMULA_STARTS = ("$", "\\(", "\\[")
LATEX_COMMAND = re.compile(r"\\(?:begin|end)\{[a-z*]{1,20}\}|(\\[A-Za-z]+)")
# Commands beyond those that answers are written in. A word behind a backslash that is none is a word.
MORE_COMMANDS = frozenset(
    "\\" + name
    for name in (
        "angle measuredangle triangle square blacksquare checkmark perp parallel sim simeq cong propto forall"
        " exists subset subseteq supset supseteq notin therefore because implies iff Rightarrow Leftarrow"
        " Leftrightarrow leftarrow leftrightarrow mapsto longmapsto xrightarrow uparrow downarrow item section"
        " subsection subsubsection paragraph title caption centering includegraphics ref eqref cite href url"
        " footnote textsc underbrace overbrace stackrel overset underset overleftarrow substack choose pmod bmod"
        " mod degree bullet star oplus otimes odot vdots ddots partial oint iint iiint lfloor rfloor lceil rceil"
        " lVert rVert Vert noindent par hfill bigskip medskip smallskip usepackage documentclass newcommand"
        " maketitle sup inf arcsec top bot models vdash qed hdots dotsb ge tfrac mathscr mathfrak bold overparen"
        " widetilde nmid nparallel complement blank bmatrix underbar rightleftharpoons"
    ).split()
)
JOINED_CODE = re.compile("(?<!`)`[ \\t]{1,4}`(?!`)")  # code beside code is one code
# Letters of another script that code, addresses and tags may have: so many, and one for each of the wanted script.
FREE_LETTERS = 40
# Words that prose needs; beside an operator they are words too.
FUNCTION_WORDS_OF_ENGLISH = frozenset(
    "the and for are but not you all any can had her was one our out has him his how new now two way who did"
    " its let she too use is in on at to of it he we as be by do go if my no or so up us an am see say yes why".split()
)
WORD_IN_FORMULA = re.compile(r"[^\W\d_]{3,}")  # a shorter one is the name of a variable or function
# Three words in a row, or four Chinese or Japanese characters.
PROSE_IN_CODE = re.compile(r"(?:[^\W\d_]{2,20}[ ,.;:]{1,3}){2}[^\W\d_]{2}|[\u3040-\u30ff\u3400-\u9fff]{4}")
GREEK_SYMBOL = re.compile(r"(?<![\u0370-\u03ff])[\u0370-\u03ff](?![\u0370-\u03ff])")
# Latin and Greek letters in a text of another script that are no words: single letters, the names of functions, alone
# and run into a variable, up to three letters beside a digit or an operator or in the brackets of a function, the unit
# of a number, chemical formulas, and abbreviations in capitals that are joined to letters of the script (线段AB的长).
LATIN = re.compile("([A-Za-z\u00c0-\u024f]+)")
LATIN_OR_GREEK = re.compile("([A-Za-z\u00c0-\u024f\u0370-\u03ff]+)")
LONGEST_SYMBOL = 12  # a longer run of letters is a word
BESIDE_SYMBOLS = frozenset("=+*/^_<>≤≥≠≈×÷·√|")
SHAPES = frozenset("△∠⊙▱□")
FUNCTION_NAMES = frozenset(
    "sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan log ln lg exp lim max min mod gcd lcm sqrt abs det dim"
    " deg sgn arg".split()
)
FUNCTION_OF_VARIABLE = re.compile(
    r"(?:[A-Za-z]?(?:a?(?:rc)?(?:sin|cos|tan)h?|cot|sec|csc|log|ln|lg|exp|lim|max|min|det)[A-ZΑ-Ωα-ωx]{1,2}"
    r"|(?:sin|tan)[abty])+"
)
POWER = re.compile(r"\^[\d({]|[²³]")  # behind a word of English it makes a product of it: at^2
CHEMICAL_FORMULA = re.compile(  # the common elements whose names are no words
    "(?:Li|Be|Ne|Na|Mg|Al|Si|Cl|Ar|Ca|Ti|Cr|Mn|Fe|Co|Ni|Cu|Zn|Br|Ag|Sn|Ba|Hg|Pb|Au|Pt|[HBCNOFPSKVUIW]){2,6}"
)
# Letters parted by spaces are words if there are many, not in a list of variables, which names each once, nor two or
# three in turn, as in a series of coin tosses.
SPELLED_OUT = re.compile(r"(?<![A-Za-z])[A-Za-z](?:[\s.\-_·]{1,3}[A-Za-z](?![A-Za-z])){7,}+")
LETTER_GAP = re.compile(r"[\s.\-_·]+")
FEWEST_DIFFERENT = 5
UNIT_NAMES = frozenset(
    "km cm mm dm nm kg mg ml mL dL min sec ms mol kW kWh MW Hz kHz MHz GHz kB MB GB kPa kJ mph".split()
)
# RE2 knows these by name like scripts, but they are not the script of any language.
PSEUDO_SCRIPTS = ("Any", "Common", "Inherited")
LANGUAGE_CHARACTERS_READ = 100_000  # the rest of a longer completion is not read


def _check_script(script: str) -> None:
    import re2

    for one in SCRIPTS_OF_LANGUAGE.get(script, (script,)):
        try:
            # a name of one or two letters is a Unicode category, such as Lu; only Yi is a script
            if not one.isalpha() or one in PSEUDO_SCRIPTS or (len(one) < 3 and one != "Yi"):
                raise re2.error("no name")
            compiled(rf"\p{{{one}}}")
        except re2.error:
            raise RewardError(
                "script must be the name of a Unicode script, such as 'Latin', 'Han', 'Cyrillic', 'Arabic' or "
                f"'Devanagari', or 'Japanese' or 'Korean', not {script!r}."
            ) from None


@reward(
    reasons=("consistent", "mixed", "other_script", "no_letters", "blank"),
    range=(0.0, 1.0),
    check=_check_script,
    example={"script": "Latin"},
)
def language_consistency(completion: str, *, script: str) -> Verdict:
    """The share of the letters in the completion that belong to the wanted script, from 0 to 1.

    Fenced blocks, inline code, formulas, LaTeX commands, tags and web addresses are left out. So that no prose can hide
    there, words of three or more letters in a formula do count, and so do inline code that holds three words in a row
    and commands that LaTeX does not have. Of addresses, inline code and tags, 40 letters of another script are free,
    and one more for each letter of the wanted script; further ones count. Letters that several scripts share, such as
    the Japanese ``ー``, do not count.

    Nor do symbols that stand in the middle of the text. In a text of another script than Latin, these are single Latin
    and Greek letters, names of functions such as ``sin`` (``sinA``), up to three letters beside a digit or an operator
    (``2xy=4``) or in the brackets of a function (``P(AB)``), units behind a number, chemical formulas (``NaOH``), and
    up to four capitals joined to a letter of the script (``线段AB的长``). Eight or more letters that spaces or hyphens
    part are words if five are different and one occurs twice: ``I t h i n k t h a t``. In a
    text in Latin script they are single Greek letters. All other words of another script do count, the names of people
    and products too. Only the first 100,000 characters are read. The reward can distinguish Chinese from English, but
    not French from English.

    Args:
        completion (str): the text of the last assistant message, reasoning included.
        script (str): the name of a Unicode script, such as ``Latin``, ``Han``, ``Cyrillic`` or ``Arabic``; or
            ``Japanese`` or ``Korean``, each of which stands for all the scripts that the language uses.

    Returns:
        A float in [0, 1]; ``None`` if there are no words to look at, because numbers and formulas are of no language.
        Reasons:

        - ``consistent``: all letters are of the script (1.0).
        - ``mixed``: some letters are of the script.
        - ``other_script``: none are (0.0).
        - ``no_letters``: there are numbers, formulas, code or symbols, but no words (``None``).
        - ``blank``: not a letter or digit at all (0.0).

    Source: after DeepSeek-R1 (arXiv:2501.12948), section 2.3.2, which takes the share of words in the target language.
    Here letters are counted, because that needs no model that recognises languages.

    A policy would try to write nothing, which earns 0, numbers alone, which earn nothing, or foreign prose in formulas
    or inline code, which counts. Foreign prose in fenced blocks is not seen, nor are up to seven letters set apart. The
    cheapest text that earns 1 is one letter of the script; with it, an address or a code name of up to 41 foreign
    letters.

    >>> language_consistency.bind(script="Han").score("所以答案是 $x = 4$。OK")
    0.7142857142857143
    """
    text = visible(encodable(before_end_of_turn(completion)[:LANGUAGE_CHARACTERS_READ]))
    scripts = SCRIPTS_OF_LANGUAGE.get(script, (script,))
    prose, left_out = _parted(text)
    counts = Counter(_without_symbols(prose, scripts))
    # RE2 sees each distinct character once: matching every letter would take seconds per megabyte.
    letters = compiled(r"[^\PL\p{Common}\p{Inherited}]").findall("".join(counts))
    if not letters:
        return Verdict(0.0, "blank") if is_blank(text) else Verdict(None, "no_letters")
    wanted = compiled("[" + "".join(rf"\p{{{one}}}" for one in scripts) + "]")
    own = sum(counts[one] for one in wanted.findall("".join(letters)))
    # What was left out as code and addresses may hide prose of another script: beyond a measure, it counts.
    hidden = Counter(left_out)
    of_others = sum(hidden[one] for one in hidden if one.isalpha() and wanted.search(one) is None)
    share = own / (sum(counts[one] for one in letters) + max(0, of_others - FREE_LETTERS - own))
    return Verdict(share, "consistent" if share == 1 else "mixed" if share else "other_script")


def _without_symbols(text: str, scripts: tuple[str, ...]) -> str:
    """The text without the letters that are symbols rather than words, in a text of these scripts."""
    if "Latin" in scripts:
        return text if text.isascii() else GREEK_SYMBOL.sub("", text)
    parts = (LATIN if "Greek" in scripts else LATIN_OR_GREEK).split(SPELLED_OUT.sub(_joined, text))
    for at in range(1, len(parts), 2):  # words at the odd places
        if len(parts[at]) <= LONGEST_SYMBOL and (
            _is_symbol(parts[at], parts[at - 1], parts[at + 1]) or _is_argument(parts, at)
        ):
            parts[at] = ""
    return "".join(parts)


def _joined(spelled: re.Match[str]) -> str:
    """Letters that are parted by spaces as one word, if they spell words."""
    letters = LETTER_GAP.sub("", spelled.group())
    different = len(set(letters.lower()))
    return letters if FEWEST_DIFFERENT <= different < len(letters) else spelled.group()


def _is_argument(parts: list[str], at: int) -> bool:
    """Whether a few letters stand in the brackets of a symbol that was taken out: ``P(AB)``, ``f(xy)``."""
    is_called = at > 2 and not parts[at - 2] and parts[at - 1] == "(" and parts[at + 1].startswith(")")
    return is_called and len(parts[at]) <= 3 and parts[at].lower() not in FUNCTION_WORDS_OF_ENGLISH


def _is_symbol(letters: str, before: str, behind: str) -> bool:
    """Whether Latin or Greek letters between two texts in another script are a symbol, and no word."""
    if len(letters) == 1 or letters in FUNCTION_NAMES:
        return True
    left, right = before[-1:], behind[:1]
    near_left, near_right = before.rstrip(" ")[-1:], behind[:2].strip(" ")  # perhaps with a space between
    is_beside_digit = left.isdecimal() or right.isdecimal()
    if letters.lower() in FUNCTION_WORDS_OF_ENGLISH and not letters.isupper():
        return POWER.match(behind) is not None
    if FUNCTION_OF_VARIABLE.fullmatch(letters) is not None:
        return True
    if (not letters.isupper() or is_beside_digit) and CHEMICAL_FORMULA.fullmatch(letters):
        return True
    if len(letters) <= 3 and (left in BESIDE_SYMBOLS or right in BESIDE_SYMBOLS or is_beside_digit):
        return True
    if len(letters) == 2 and (near_left in BESIDE_SYMBOLS or near_right in BESIDE_SYMBOLS):
        return True
    if letters in UNIT_NAMES:
        return near_left.isdecimal()
    is_name = letters.isupper() and letters.isascii() and len(letters) <= 4
    return is_name and (left.isalpha() or right.isalpha() or left in SHAPES or near_right in BESIDE_SYMBOLS)


def _parted(text: str) -> tuple[str, str]:
    """The text without code and formulas, except for the prose in them; and the names, addresses and tags left out."""
    if not any(mark in text for mark in MARKS_OF_MARKUP):
        return text, ""
    # Splitting makes no object for each match, of which a text may have one every three characters.
    joined = JOINED_CODE.sub(" ", "".join(outside_blocks(text, fenced_blocks(text))))
    parts = NOT_PROSE.split(joined)
    marked = parts[1::2]
    formulas = "\n".join(one for one in marked if one.startswith(FORMULA_STARTS))
    words = WORD_IN_FORMULA.findall(LATEX_COMMAND.sub(" ", formulas))
    commands = [one for one in LATEX_COMMAND.findall(joined) if one not in KNOWN_COMMANDS and one not in MORE_COMMANDS]
    words += [one[1:] for one in commands if len(one) > 3]
    code: list[str] = []
    names: list[str] = []
    for one in marked:
        if one[0] not in "$\\":
            (code if one[0] == "`" and PROSE_IN_CODE.search(one) else names).append(one)
    return " ".join([*parts[0::2], *words, *code]), "".join(names)
