"""Rewrites Unicode mathematics as LaTeX: superscripts, fractions such as ½, full-width characters, signs, Greek."""

from __future__ import annotations

import re
import unicodedata

from grpo_rewards.completion.text import visible

__all__ = ["as_latex"]

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
SCRIPTS = re.compile("([⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+)|([₀₁₂₃₄₅₆₇₈₉]+)|([\u00bc-\u00be\u2150-\u215e\u2189])|([\uff01-\uff5e])")

# Each row: the LaTeX, then the characters that it replaces.
_UNICODE_ROWS = r"""
- − – — ‐ ‑
\cdot × ⋅ · ∙ ∗
/ ÷ ⁄ ∕
\surd √
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
\varepsilon ε
\theta θ
\lambda λ
\mu μ
\pi π
\rho ρ
\sigma σ
\tau τ
\varphi φ ϕ
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
"""
# A command ends with a space, so that it does not run into a letter that follows: πr becomes \pi r.
UNICODE = str.maketrans(
    {
        character: row.split()[0] + " " if row.split()[0][-1].isalpha() else row.split()[0]
        for row in _UNICODE_ROWS.split("\n")
        if row
        for character in row.split()[1:]
    }
)


def as_latex(text: str) -> str:
    """The text with its Unicode mathematics rewritten as LaTeX, and without invisible characters.

    ``x²`` becomes ``x^{2}``, ``½`` becomes ``\\frac{1}{2}`` and ``≤`` becomes ``\\le``.
    """
    return SCRIPTS.sub(_script, visible(text)).translate(UNICODE)


def _script(match: re.Match[str]) -> str:
    """The LaTeX for one match of ``SCRIPTS``."""
    superscript, subscript, fraction, _wide = match.groups()
    if superscript:
        return "^{" + superscript.translate(SUPERSCRIPTS) + "}"
    if subscript:
        return "_{" + subscript.translate(SUBSCRIPTS) + "}"
    if fraction:
        numerator, _, denominator = unicodedata.normalize("NFKC", fraction).partition("\u2044")
        return f"\\frac{{{numerator}}}{{{denominator}}}"
    return chr(ord(match.group()) - 0xFEE0)  # the ASCII character of a full-width one
