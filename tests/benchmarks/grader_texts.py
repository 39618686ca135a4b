"""What graders are given beside the public table: cheats, honest answers, bombs, and code that must not run.

The cheats and the ways to answer honestly are those that ``grpo-rewards probe`` tries on any reward, with a few more
that live in a box; the shapes of a million characters are ``grpo_rewards.checks.TEXT_SHAPES``.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from graders import WITHOUT_BOX
from labelled import Row

from grpo_rewards.checks import TEXT_SHAPES
from grpo_rewards.checks.reward.problems import HACKS, WAYS, Problem, filled, written

__all__ = ["bombs", "cheats", "code", "honest"]

TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
# The question again, where working it out is all that there was to do, with its gold.
ECHOES = (("42", r"\boxed{17 + 25}"), (r"\frac{13}{2}", r"\boxed{\frac{1}{4} \cdot 26}"))

SINES = "+".join(rf"\sin({n}x)\cos({n + 1}y)" for n in range(1, 41))
ENTRIES = r"\\".join("&".join(f"x_{{{row}{column}}}" for column in range(9)) for row in range(9))
FORMULAS = TABLES["formulas"] | {
    "twenty factorials": ("5", "5" + "!" * 20),
    "a product of sums": ("x+y", "(x+y)(x-y)" * 40),
    "sines and cosines": (r"\sin(x)+\cos(y)", SINES),
    "roots in roots": ("5", r"\sqrt{1+" * 40 + "x" + "}" * 40),
    "a determinant": ("x_{1}", rf"\det\begin{{pmatrix}}{ENTRIES}\end{{pmatrix}}"),
    "5,000 digits": ("5", "9" * 5_000),
    "a large set": (r"\{1,2\}", r"\{" + ",".join(f"x+{n}" for n in range(1_000)) + r"\}"),
}
MILLION = 1_000_000  # characters
SHAPES = (
    "nested braces",
    "a box of open braces",
    "a box of braces",
    "nested brackets",
    "one long word",
    "' ', numbered",
)
PIECES = ("\\boxed{", "\\boxed{1}", "$a$", "$$", "\\[", "\\(", "1 ", "1,000 ", "\n", "The answer is ")


def cheats() -> Iterator[Row]:
    """Texts that deserve nothing."""
    for asked, gold, wrong in TABLES["problems"]:
        problem = Problem(asked, gold=gold, wrong=wrong)
        for name in HACKS:
            text = written(problem, name)
            if text is not None:
                yield row(name, gold, text)
        for name, text in TABLES["in_a_box"].items():
            yield row(name, gold, text % {"gold": gold, "wrong": wrong})
    yield from (row("the question in a box", gold, text) for gold, text in ECHOES)


def honest() -> Iterator[Row]:
    """The gold in a box, in the ways of honest models."""
    for asked, gold, wrong in TABLES["problems"]:
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
