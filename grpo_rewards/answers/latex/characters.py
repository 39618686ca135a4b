"""Rewrites a text before it is parsed: Unicode mathematics as LaTeX, and slips that come from how it was stored."""

import html
import re
import unicodedata

from grpo_rewards.completion.text import visible

# Rewrites Unicode mathematics as LaTeX: superscripts, fractions such as ½, full-width characters, signs, Greek.

# Characters that are spelled with several others, and the LaTeX for what each kind of them is spelled with.
SCRIPTS = re.compile(
    "([⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺⁽⁾ⁿⁱˣ]+)|([₀₁₂₃₄₅₆₇₈₉ₙᵢₖ]+)|([\u00bc-\u00be\u2150-\u215e\u2189])|([\uff01-\uff5e])"
    "|([\u3380-\u33df])|∛([0-9]{1,20}|[A-Za-z])|∜([0-9]{1,20}|[A-Za-z])"
)
LATEX_OF_SCRIPTS = r"^{%s} _{%s} \frac{%s} %s \mathrm{%s} \sqrt[3]{%s} \sqrt[4]{%s}".split()
STATEMENTS = re.compile(r"(?:\\text\{)?[①-⑨\s,、，和]+\}?")  # by their numbers: ①③
CIRCLED = re.compile("[①-⑨]+")
ACCENTED = re.compile("(?<=[A-Za-z])[À-ÖØ-öø-ɏ]|[À-ÖØ-öø-ɏ](?=[A-Za-z])")  # a letter of words, in no formula: Köln
# Chinese conjunctions stand between mathematics or at the end of a word: 3个或4个; but the 和 in 和为 means a sum.
CHINESE_CONJUNCTIONS = re.compile("(或者?)|([和与及且](?![\u4e00-\u9fff]))")

# Each row: the LaTeX, then the characters that it replaces.
_UNICODE_ROWS = r"""
- − – — ‐ ‑
\cdot × ⋅ · ∙ ∗
/ ÷ ⁄ ∕
\surd √
\sqrt[3] ∛
\sqrt[4] ∜
\angle ∠ ∡
\equiv ≡
\neg ¬
\wedge ∧
\vee ∨
\infty ∞
\le ≤ ⩽
\ge ≥ ⩾
\ne ≠
\approx ≈
\cup ∪
\cap ∩
\in ∈
\emptyset ∅
^{\circ} ° º
^{\circ}\mathrm{C} ℃
^{\circ}\mathrm{F} ℉
\pm ±
\mp ∓
\ldots …
\to →
\mathbb{R} ℝ
\mathbb{Z} ℤ
\mathbb{N} ℕ
\mathbb{Q} ℚ
\mathbb{C} ℂ
' ′ ’
" “ ”
\alpha α
\beta β
\gamma γ
\delta δ
\zeta ζ
\eta η
\theta θ
\kappa κ
\lambda λ
\nu ν
\xi ξ
\pi π
\rho ρ
\sigma σ
\tau τ
\chi χ
\psi ψ
\omega ω
\Gamma Γ
\Delta Δ
\Theta Θ
\Lambda Λ
\Pi Π
\Sigma Σ
\Phi Φ
\Psi Ψ
\Omega Ω
\mu μ µ
\varepsilon ε
\varphi φ ϕ
\ell ℓ
\triangle △ ▲
\perp ⊥
\parallel ∥
\cong ≅
\sim ∼
\propto ∝
\notin ∉
\subset ⊂
\subseteq ⊆
\setminus ∖
\forall ∀
\exists ∃
\Rightarrow ⇒
\int ∫
\sum ∑
\prod ∏
\partial ∂
\nabla ∇
\lfloor ⌊
\rfloor ⌋
\lceil ⌈
\rceil ⌉
\langle ⟨ 〈
\rangle ⟩ 〉
\therefore ∴
| ∣
¥ ￥
£ ￡
, 、 ،
. 。
"""

OTHER_DIGIT = re.compile(r"[^\D0-9]")  # of another script
# A command ends with a space, so that it does not run into a letter that follows: πr becomes \pi r.
UNICODE = str.maketrans(
    {
        character: latex + " " if latex[-1].isalpha() else latex
        for latex, *characters in map(str.split, _UNICODE_ROWS.strip().split("\n"))
        for character in characters
    }
)


def as_latex(text: str) -> str:
    """The text with its Unicode mathematics rewritten as LaTeX, and without invisible characters.

    ``x²`` becomes ``x^{2}``, ``½`` becomes ``\\frac{1}{2}``, ``≤`` becomes ``\\le`` and ``٤`` becomes 4.
    """
    text = with_usual_digits(visible(text))
    if STATEMENTS.fullmatch(text):
        text = CIRCLED.sub(lambda found: ", ".join(unicodedata.normalize("NFKC", found[0])), text)
    text = ACCENTED.sub(lambda letter: unicodedata.normalize("NFD", letter[0])[0], text)
    latex = SCRIPTS.sub(_script, text).translate(UNICODE)
    return CHINESE_CONJUNCTIONS.sub(lambda found: " or " if found[1] else " and ", latex)


def with_usual_digits(text: str) -> str:
    """The text with the digits 0 to 9, and their marks, in place of those of other scripts, such as Arabic."""
    if text.isascii():
        return text
    return OTHER_DIGIT.sub(lambda found: str(int(found[0])), text.replace("٫", ".").replace("٬", ","))


def _script(match: re.Match[str]) -> str:
    """The LaTeX for one match of ``SCRIPTS``."""
    kind = match.lastindex or 0
    plain = unicodedata.normalize("NFKC", match[kind]).replace("\u2044", "}{")  # which divides the two of a fraction
    if kind == 5:  # ㎡ is one character
        plain = plain.replace("2", "^2").replace("3", "^3")
    return LATEX_OF_SCRIPTS[kind - 1] % plain


# Mends slips that come from how a text was stored, not from who wrote it: doubled backslashes, a lost command.
#
# Look here if an answer that a data set mangled, such as ``\\frac{1}{2}`` or ``90^``, is not read.

DOUBLED, SINGLE = re.compile(r"\\\\[A-Za-z]{2}"), re.compile(r"(?<!\\)\\[A-Za-z]")  # commands after backslashes
# What a string with single backslashes becomes where \f, \t and the like are read as control characters.
CONTROL = re.compile("\x0c(?=rac)|\x08(?=eta|inom|ar|oxed|egin)|\t(?=imes|heta|ext|an|frac|au|o )|\r(?=ight|ho)")
ENTITY = re.compile(r"&(?:lt|gt|le|ge|ne|amp|nbsp|times|minus|divide|pi|infin|radic|deg|#[0-9]{2,4});")
SIGN_OF_MATH = re.compile(r"(?<!\\)\$(?!\s?-?\.?[0-9])")  # one that stands before no amount
SIGN_OF_MONEY = re.compile(r"(?<!\\)\$")
TIMES_TEN = re.compile(r"(?<=[0-9])\s*[xX]\s*(?=10\s*\^\s*\{?\s*[-−]?[0-9])")
UNKNOWN_X = re.compile(r"(?<![A-Za-z])[xX](?![A-Za-z]|\s*(?:=|10))")  # one that stands for no sign of times
CONTROL_LETTERS = {"\x0c": "\\f", "\x08": "\\b", "\t": "\\t", "\r": "\\r"}


def mended(text: str) -> str:
    """The text without the slips that storing it has left; unchanged if it has none.

    Where every backslash was doubled, ``\\\\frac{1}{2}``, each pair becomes one; a ``\\\\`` that ends a row of a matrix
    stays. ``&lt;``, an entity of HTML, becomes ``<``. ``$5``, whose dollar sign no other one closes, becomes ``\\$5``.
    ``5x10^3`` becomes ``5\\times 10^3``, ``\\sqrt(2)`` becomes ``sqrt(2)``, ``**5**``, bold in Markdown, becomes 5, and
    ``90^``, which lost its degree sign, becomes 90.
    """
    if "\\\\" in text and DOUBLED.search(text) and not SINGLE.search(text):
        text = text.replace("\\\\", "\\")
    if "&" in text:
        text = ENTITY.sub(lambda found: html.unescape(found[0]), text)
    if "$" in text and SIGN_OF_MATH.search(text) is None:
        text = SIGN_OF_MONEY.sub(r"\\$", text)
    if not text.isprintable():
        text = CONTROL.sub(lambda found: CONTROL_LETTERS[found[0]], text)
    if "10" in text and not UNKNOWN_X.search(text):
        text = TIMES_TEN.sub(r"\\times ", text)
    text = text.replace("\\sqrt(", " sqrt(").strip()
    if text.startswith("**") and text.endswith("**") and "**" not in text[2:-2]:
        text = text[2:-2]
    return text.removesuffix("^")
