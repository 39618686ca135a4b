"""How many golds are still rewarded once they are respelled, and how many once one sign or digit is changed.

    python tests/benchmarks/respelled.py [--data DIR] [--list]

Reads the distinct golds of ``answers/math_real``, ``t3_pairs`` and ``forms``. Each spelling means the same to any
reader, so all of them should be rewarded; a changed sign or digit makes another answer, so none should be. ``--list``
prints each gold that was missed, and each changed one that was rewarded. A changed digit may mean the same all the
same, ``x_1`` for ``x_2``: look at what is listed.
"""

import argparse
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from labelled import DATA, rows

import grpo_rewards as gr

SOURCES = ("answers/math_real", "answers/t3_pairs", "answers/forms")
SEED = 20
CHANGED = 4_000  # golds with a sign or a digit changed, at most
SIMPLE_FRACTION = re.compile(r"(?<![0-9])\\frac\{([0-9a-z]{1,6})\}\{([0-9a-z]{1,6})\}")
FREE_SPACE = re.compile(r"(?<=[-+=<>()]) *(?=[0-9a-z(\\])")
SIGN_OR_DIGIT = re.compile(r"(?<![a-zA-Z_{])[-+](?=[0-9a-z\\(])|[0-9]")

SPELLINGS: dict[str, Callable[[str], str]] = {
    "another fraction": lambda gold: gold.replace("\\frac", "\\dfrac"),
    "a fraction with a stroke": lambda gold: SIMPLE_FRACTION.sub(r"(\1/\2)", gold),
    "dollars": lambda gold: gold if "$" in gold else f"${gold}$",
    "a full stop": lambda gold: f"{gold}.",
    "thin spaces": lambda gold: gold if "text" in gold else FREE_SPACE.sub(r"\\,", gold),
    "large brackets": lambda gold: re.sub(r"(?<!\^)\((.*)\)", r"\\left(\1\\right)", gold, count=1),
    "another multiplication sign": lambda gold: gold.replace("\\cdot", "\\times"),
    "roman text": lambda gold: gold.replace("\\text{", "\\mathrm{"),
    "display style": lambda gold: f"\\displaystyle {gold}",
    "bold": lambda gold: f"\\mathbf{{{gold}}}" if re.fullmatch(r"[-0-9.]+", gold) else gold,
    "a degree sign": lambda gold: gold.replace("^{\\circ}", "°").replace("^\\circ", "°"),
    "another inequality sign": lambda gold: re.sub(r"\\(le|ge|ne)(?![a-z])", r"\\\1q", gold).replace("leqq", "leq"),
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder that holds answers/*.jsonl.gz")
    parser.add_argument("--list", action="store_true", help="print what was missed, and what was rewarded wrongly")
    options = parser.parse_args(arguments)
    golds = list(dict.fromkeys(str(row["gold"]) for name in SOURCES for row in rows(options.data, name)))
    missed = respelled(golds)
    print(f"golds: {len(golds)}")
    print("| respelled | tried | rewarded |\n|---|---|---|")
    for name in [*SPELLINGS, "all"]:
        tried = [one for one in missed if name in (one[0], "all")]
        right = sum(score == 1.0 for *_, score in tried)
        print(f"| {name} | {len(tried)} | {right / max(len(tried), 1):.1%} |")
    wrong = perturbed(golds)
    rewarded = [one for one in wrong if one[2] == 1.0]
    print(f"\none sign or digit changed: {len(wrong)}, rewarded: {len(rewarded)}")
    if options.list:
        print("\nmissed:", *(one for one in missed if one[3] != 1.0), sep="\n")
        print("\nrewarded:", *rewarded, sep="\n")


def respelled(golds: Sequence[str]) -> list[tuple[str, str, str, float | None]]:
    """(spelling, gold, as respelled, reward) of each gold and each spelling that changes it."""
    pairs = [(name, gold, spell(gold)) for gold in golds for name, spell in SPELLINGS.items()]
    pairs = [one for one in pairs if one[1] != one[2]]
    scores = scored([(gold, spelled) for _, gold, spelled in pairs])
    return [(*pair, score) for pair, score in zip(pairs, scores, strict=True)]


def perturbed(golds: Sequence[str]) -> list[tuple[str, str, float | None]]:
    """(gold, changed, reward) of up to ``CHANGED`` golds with one sign or digit changed, drawn with a fixed seed."""
    draw = random.Random(SEED)
    every = [(gold, found) for gold in golds for found in SIGN_OR_DIGIT.finditer(gold)]
    pairs = [(gold, changed(gold, found)) for gold, found in draw.sample(every, min(CHANGED, len(every)))]
    return [(*pair, score) for pair, score in zip(pairs, scored(pairs), strict=True)]


def changed(gold: str, found: re.Match[str]) -> str:
    other = {"+": "-", "-": "+"}.get(found[0]) or str((int(found[0]) + 1) % 10)
    return gold[: found.start()] + other + gold[found.end() :]


def scored(pairs: Sequence[tuple[str, str]]) -> list[float | None]:
    """The reward of each (gold, prediction), the prediction in a box."""
    return gr.boxed_answer(
        completions=[f"\\boxed{{{prediction}}}" for _, prediction in pairs], answer=[gold for gold, _ in pairs]
    )


if __name__ == "__main__":
    main()
