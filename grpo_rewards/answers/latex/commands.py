"""The LaTeX that answers are written in: which spellings mean the same, and which mean nothing."""

from __future__ import annotations

__all__ = [
    "ACCENTS",
    "ALIASES",
    "ARITY",
    "DROPPED",
    "FACES",
    "FUNCTIONS",
    "GREEK",
    "HYPERBOLIC",
    "INVERSE",
    "NEEDS_PARENTHESIS",
    "SAME",
    "SILENT",
    "SPACING",
    "SPELLED",
    "TRIGONOMETRIC",
]

# Commands that take one argument in braces, and those that take two.
ACCENTS = frozenset(r"\overline \vec \hat \widehat \bar \tilde \dot \ddot \mathbb \mathcal".split())
ARITY = dict.fromkeys([*r"\sqrt \boxed \fbox \begin \end".split(), *ACCENTS], 1)
ARITY |= dict.fromkeys(r"\frac \binom".split(), 2)

# One row: the spelling that is kept, then those that are read as it.
_SAME_ROWS = r"""
\frac \dfrac \tfrac \cfrac
\binom \dbinom \tbinom
\le \leq \leqslant
\ge \geq \geqslant
\ne \neq
< \lt
> \gt
\cdot \times \ast *
/ \div
- \minus
\infty \infin
\cup \bigcup
\cap \bigcap
\emptyset \varnothing
\{ \lbrace
\} \rbrace
[ \lbrack
] \rbrack
( \lparen \langle
) \rparen \rangle
| \vert \lvert \rvert \mid
: \colon
\% % \percent
€ \euro
£ \pounds
\ldots \dots \cdots \dotsc ...
\vec \overrightarrow
\\ \cr
\varepsilon \epsilon
\varphi \phi
\wedge \land
"""
SAME = {other: row.split()[0] for row in _SAME_ROWS.split("\n") if row for other in row.split()[1:]}

SPACING = frozenset([*r"\, \: \; \> ~ \quad \qquad \thinspace \enspace \space \newline".split(), "\\ ", "\\\n"])

# What changes how a formula looks and not what it says.
DROPPED = frozenset(
    r"""
    $ \( \) \[ \] \! \/ \- \left \right \middle \big \Big \bigg \Bigg \bigl \bigr \Bigl \Bigr \biggl \biggr
    \displaystyle \textstyle \scriptstyle \limits \nolimits \negthinspace \rm \bf \it \mathop \mathstrut \strut \null
    \protect \large \Large \LARGE \huge \Huge \small \normalsize \hline \ensuremath \allowbreak \nobreak \mathstrut
    \mathopen \mathclose \mathrel \mathbin \mathord \nonumber \notag
    """.split()
)

# Commands whose argument says nothing about the answer either.
SILENT = frozenset(r"\phantom \hphantom \vphantom \hspace \vspace \tag \label \color \textcolor".split())

# Commands around words, or around mathematics in another face.
FACES = frozenset(
    r"""
    \text \textbf \textit \textrm \textsf \texttt \textnormal \textup \emph \underline \mbox \hbox \operatorname
    \mathrm \mathbf \mathit \mathsf \mathtt \mathnormal \boldsymbol \bm
    """.split()
)

# Letters that serve as symbols.
GREEK = frozenset(
    r"""
    \alpha \beta \gamma \delta \varepsilon \zeta \eta \theta \lambda \mu \nu \xi \rho \sigma \tau \varphi \chi \psi
    \omega \Gamma \Delta \Theta \Lambda \Sigma \Phi \Psi \Omega \ell \hbar \nabla
    """.split()
)

# Functions that formulas hold, without their backslash.
TRIGONOMETRIC = "sin cos tan cot sec csc".split()
HYPERBOLIC = "sinh cosh tanh coth sech csch".split()
INVERSE = {name: f"arc{name}" for name in (*TRIGONOMETRIC, *HYPERBOLIC)}
# Other names of functions.
ALIASES = {"tg": "tan", "ctg": "cot", "cotg": "cot", "arctg": "arctan", "arcctg": "arccot"}
ALIASES |= {f"a{name}": f"arc{name}" for name in INVERSE} | {f"ar{name}": f"arc{name}" for name in HYPERBOLIC}
FUNCTIONS = frozenset(
    [
        *INVERSE,
        *INVERSE.values(),
        *ALIASES,
        *"ln log lg exp cis min max gcd lcm floor ceil abs sgn".split(),
    ]
)
# What bare letters spell: sin(x), ln 2. Longer names first, so that sinh is not sin times h. The others need their
# parenthesis, for abs may be a times b times s.
SPELLED = sorted([*FUNCTIONS, "pi", "sqrt"], key=len, reverse=True)
NEEDS_PARENTHESIS = frozenset(["min", "max", "gcd", "lcm", "floor", "ceil", "abs", "sgn", "lg", "cis", *ALIASES])
