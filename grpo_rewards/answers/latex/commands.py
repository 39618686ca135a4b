"""Tables of LaTeX commands: which spellings mean the same, which mean nothing, which name letters and functions.

Look here if a command is not known, or is not seen as the same as another one.
"""

from __future__ import annotations

# Marks and faces that belong to the name of a symbol: \vec{v} is not v.
ACCENTS = frozenset(r"\overline \vec \hat \widehat \bar \tilde \dot \ddot \mathbb".split())
# How many arguments in braces a command takes.
ARITY = dict.fromkeys([*r"\sqrt \boxed \fbox \begin \end".split(), *ACCENTS], 1)
ARITY |= dict.fromkeys(r"\frac \binom".split(), 2)

# Each row: the spelling that is kept, then the spellings that it replaces.
_SPELLING_ROWS = r"""
\frac \dfrac \tfrac \cfrac
\binom \dbinom \tbinom
\le \leq \leqslant <=
\ge \geq \geqslant >=
\ne \neq !=
= := == \coloneqq \triangleq
^ **
\to -> \rightarrow \longrightarrow
\leftrightarrow <=> \rightleftharpoons
\setminus \smallsetminus \backslash
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
' \prime
\bmod mod
\vec \overrightarrow
\\ \cr
\varepsilon \epsilon
\varphi \phi
\wedge \land
\vee \lor
\neg \lnot
i \imath
j \jmath
"""
KEPT_SPELLINGS = {other: row.split()[0] for row in _SPELLING_ROWS.split("\n") if row for other in row.split()[1:]}

SPACING = frozenset([*r"\, \: \; \> ~ \quad \qquad \thinspace \enspace \space \newline".split(), "\\ ", "\\\n"])

# Commands that change how a formula looks, not what it says.
DROPPED = frozenset(
    r"""
    $ \( \) \[ \] \! \/ \- \left \right \left. \right. \middle \big \Big \bigg \Bigg \bigl \bigr \Bigl \Bigr
    \biggl \biggr \displaystyle \textstyle \scriptstyle \limits \nolimits \negthinspace \rm \bf \it
    \mathop \mathstrut \strut \null \protect \large \Large \LARGE \huge \Huge \small \normalsize \hline \ensuremath
    \allowbreak \nobreak \mathopen \mathclose \mathrel \mathbin \mathord \nonumber \notag
    """.split()
)

# Commands that are dropped together with their argument.
SILENT = frozenset(r"\phantom \hphantom \vphantom \hspace \vspace \tag \label \color \textcolor".split())

# Commands that set words, or mathematics, in another typeface.
FACES = frozenset(
    r"""
    \text \textbf \textit \textrm \textsf \texttt \textnormal \textup \emph \underline \mbox \hbox \operatorname
    \mathrm \mathbf \mathit \mathsf \mathtt \mathnormal \boldsymbol \bm \ce \mathcal \mathscr
    """.split()
)

# Commands that are letters, and so serve as symbols.
GREEK = frozenset(
    r"""
    \alpha \beta \gamma \delta \varepsilon \zeta \eta \theta \lambda \mu \nu \xi \rho \sigma \tau \varphi \chi \psi
    \omega \Gamma \Delta \Theta \Lambda \Sigma \Phi \Psi \Omega \ell \hbar \nabla
    """.split()
)

# Functions in formulas, without their backslash.
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
        *"ln log lg exp min max gcd lcm floor ceil abs sgn det dim".split(),
    ]
)
# Names that are also known without a backslash: sin(x), ln 2. Longer ones first, so that sinh is not sin times h.
BARE_NAMES = sorted([*FUNCTIONS, "pi", "sqrt"], key=len, reverse=True)
# Those of them that need a parenthesis, because abs without one may be a times b times s.
NEEDS_PARENTHESIS = frozenset(["min", "max", "gcd", "lcm", "floor", "ceil", "abs", "sgn", "lg", "det", "dim", *ALIASES])
