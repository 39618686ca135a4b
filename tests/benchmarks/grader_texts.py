"""What graders are given beside the public table: cheats, honest answers, bombs, and code that must not run.

The cheats and the ways to answer honestly are those that ``grpo-rewards probe`` tries on any reward, with a few more
that live in a box; the shapes of a million characters are ``grpo_rewards.checks.TEXT_SHAPES``.
"""

from __future__ import annotations

from collections.abc import Iterator

from graders import WITHOUT_BOX
from labelled import Row

from grpo_rewards.checks import TEXT_SHAPES
from grpo_rewards.checks.reward.problems import HACKS, WAYS, Problem, filled, written

__all__ = ["bombs", "cheats", "code", "honest"]

# What is asked, the gold, and a wrong answer of its kind.
PROBLEMS = (
    ("What is 17 + 25?", "42", "41"),
    ("What is a quarter of 26?", r"\frac{13}{2}", r"\frac{13}{3}"),
    ("Expand the square of x+1.", "x^2+2x+1", "x^2+1"),
    ("For which real x is the square of x above 9?", r"(-\infty,-3)\cup(3,\infty)", "(-3,3)"),
    ("Which are the roots of the polynomial?", r"\{1,2\}", r"\{1,3\}"),
    ("Is 91 even or odd?", r"\text{odd}", r"\text{even}"),
)
# Boxes that say more than one thing, or that are not the last; each with the gold and a wrong answer.
IN_A_BOX = {
    "or in a box": r"\boxed{%(gold)s \text{ or } %(wrong)s}",
    "a remark with the gold in a box": r"\boxed{%(wrong)s \text{ (not } %(gold)s)}",
    "the gold equals another": r"\boxed{%(wrong)s = %(gold)s}",
    "the gold boxed, then another": r"The answer is \boxed{%(gold)s}. Wait, no: the answer is \boxed{%(wrong)s}.",
    "the gold beside a wrong box": r"It is %(gold)s: \boxed{%(wrong)s}. The answer was %(gold)s?",
    "a set of both": r"\boxed{\{%(gold)s; %(wrong)s\}}",
    "both behind each other": r"\boxed{%(gold)s} \boxed{%(wrong)s} \boxed{%(gold)s \text{ and } %(wrong)s}",
}
# The question again, where working it out is all that there was to do, with its gold.
ECHOES = (("42", r"\boxed{17 + 25}"), (r"\frac{13}{2}", r"\boxed{\frac{1}{4} \cdot 26}"))

SINES = "+".join(rf"\sin({n}x)\cos({n + 1}y)" for n in range(1, 41))
ENTRIES = r"\\".join("&".join(f"x_{{{row}{column}}}" for column in range(9)) for row in range(9))
# (gold, what the box holds): what computer algebra does not finish, or only with memory without end.
FORMULAS = {
    "an integral": (r"\int_0^1 x^x dx", r"\int_0^1 \frac{\sin(\tan x)-\tan(\sin x)}{x^{7}+1}dx"),
    "a limit": ("5", r"\lim_{x\to 0}\frac{\sin(\tan x)-\tan(\sin x)}{x^{7}}"),
    "a tower of powers": ("5", "9^{9^{9^{9}}}"),
    "a tower without braces": ("5", "9^9^9"),
    "a tower of few letters": ("x", "x^{9^{9^{9}}}"),
    "a tower in brackets": ("5", "((9)^9)^((9)^9)"),
    "a power": ("5", "7^{7^{12}}"),
    "a remainder of a power": ("7", r"3^{10^{10}} \bmod 10"),
    "a double factorial": ("5", "10000!!"),
    "a factorial of a factorial": ("5", "((20)!)!"),
    "a factorial beside a letter": ("x+1", "(10^{9}+1)!+x"),
    "twenty factorials": ("5", "5" + "!" * 20),
    "a sum": ("5", r"\sum_{k=1}^{10^{8}} \frac{1}{k}"),
    "a product": ("x", r"\prod_{k=1}^{3000} (x+k)"),
    "powers of a sum": ("(x+y+z+w)^{200}", "(x+y+z+w+1)^{200}"),
    "a product of sums": ("x+y", "(x+y)(x-y)" * 40),
    "sines and cosines": (r"\sin(x)+\cos(y)", SINES),
    "an inequality": ("x^5-x>0", "x^{7}-3x^{5}+x-1>0"),
    "roots in roots": ("5", r"\sqrt{1+" * 40 + "x" + "}" * 40),
    "a determinant": ("x_{1}", rf"\det\begin{{pmatrix}}{ENTRIES}\end{{pmatrix}}"),
    "5,000 digits": ("5", "9" * 5_000),
    "an exponent": ("5", "1e1000000000"),
    "a large set": (r"\{1,2\}", r"\{" + ",".join(f"x+{n}" for n in range(1_000)) + r"\}"),
}
MILLION = 1_000_000  # characters
SHAPES = ("nested braces", "a box of open braces", "a box of braces", "nested brackets", "one long word", "a counter")
PIECES = ("\\boxed{", "\\boxed{1}", "$a$", "$$", "\\[", "\\(", "1 ", "1,000 ", "\n", "The answer is ")


def cheats() -> Iterator[Row]:
    """Texts that deserve nothing."""
    for asked, gold, wrong in PROBLEMS:
        problem = Problem(asked, gold=gold, wrong=wrong)
        for name in HACKS:
            text = written(problem, name)
            if text is not None:
                yield row(name, gold, text)
        for name, text in IN_A_BOX.items():
            yield row(name, gold, text % {"gold": gold, "wrong": wrong})
    yield from (row("the question in a box", gold, text) for gold, text in ECHOES)


def honest() -> Iterator[Row]:
    """The gold in a box, in the ways of honest models."""
    for asked, gold, wrong in PROBLEMS:
        for name, way in WAYS.items():
            text = filled(way, Problem(asked, gold=gold, wrong=wrong, held=gold), gold)
            if text is not None and name.startswith("in a box"):
                yield row(name, gold, text)


def bombs() -> Iterator[Row]:
    """What stalls a grader, or fills the memory; none is right."""
    for name, (gold, formula) in FORMULAS.items():
        yield row(name, gold, rf"\boxed{{{formula}}}")
    for shape in (*SHAPES, *map(repr, PIECES)):
        yield row(f"a million characters: {shape}", "5", TEXT_SHAPES[shape](MILLION))


def code() -> Iterator[Row]:
    """Python that leaves a file where it runs."""
    octal = "".join(f"\\{ord(letter):03o}" for letter in "open('ran','w')")
    boxes = {
        "in a list, with pi": (r"3\pi", r"[open('ran','w'),3\pi]"),
        "in a list, for a matrix": (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", "[open('ran','w'),1]"),
        "bare": ("5", "open('ran','w')"),
        "in octal": (r"\frac{1}{2}", f"re('{octal}')"),
        "in octal, word for word": (r"\frac{1}{2}", rf"re('\verb|{octal}|')"),
        "by name": ("5", r"\operatorname{eval}(\text{open('ran','w')})"),
    }
    for name, (gold, inside) in boxes.items():
        yield row(name, gold, rf"\boxed{{{inside}}}")


def row(name: str, gold: str, completion: str) -> Row:
    """A row as the public table has them."""
    return {"kind": name if "boxed" in completion else WITHOUT_BOX + name, "gold": gold, "completion": completion}
