"""What computer algebra decides, and that the comparison in this process decides alike wherever both apply."""

import gzip
import json
import os
import re

import pytest
from places import DATA, labelled
from symbolic_outcomes import compare_symbolically
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="without fork no pair is compared")


@each_row("answer, prediction, outcome", [*TABLES["formulas"], ("x", "\ud800", "undecided")])
def test_formulas(answer: str, prediction: str, outcome: str) -> None:
    assert compare_symbolically([(answer, prediction)], workers=1) == [outcome]


# Where math-verify is mistaken, or means something else, and why. Each is a class of pairs, by a pattern.
JUDGED = {
    "it reads the e of 3.3e12 as Euler's number": re.compile(r"\de[-+]?\d"),
    "it takes no space between thousands": re.compile(r"\d(\\[,!])? ?\d{3}$"),
    "it compares decimals after rounding: 1/2^{99} is 1/2^{98}": re.compile(r"2\^\{9\d\}"),
    "it takes the complex cube root of a negative number": re.compile(r"\\sqrt\[3\]\{2-"),
    "we accept a correct rounding of a gold that does not terminate": re.compile(r"\\(sqrt|frac).* \| -?\d+\.\d{3,}$"),
}
PAIRS = TABLES["pairs"]


def test_both_decide_our_own_pairs_alike():
    outcomes = compare_symbolically([(gold, said) for gold, said, _ in PAIRS], deadline=20)
    for (gold, said, equal), outcome in zip(PAIRS, outcomes, strict=True):
        here = gr.boxed_answer.explain(rf"\boxed{{{said}}}", answer=gold)
        assert here.details["step"] == "value"
        assert (here.reward == 1.0, outcome) == (equal, "equal" if equal else "different"), (gold, said)


@pytest.mark.full
@labelled
def test_both_decide_the_labelled_answers_alike():
    pairs = decided_here()
    outcomes = compare_symbolically(list(pairs), deadline=3)
    both = [(pair, outcome) for pair, outcome in zip(pairs, outcomes, strict=True) if outcome in ("equal", "different")]
    assert len(both) > 300
    apart = [" | ".join(pair) for pair, outcome in both if pairs[pair] != (outcome == "equal")]
    assert [one for one in apart if not any(pattern.search(one) for pattern in JUDGED.values())] == []


def decided_here() -> dict[tuple[str, str], bool]:
    """Formulas and numbers of the corpora, a fifth of them, with what the comparison of values said."""
    pairs = {}
    for name in ("math_real", "peer_tests"):
        with gzip.open(DATA / "answers" / f"{name}.jsonl.gz", "rt") as file:
            rows = [json.loads(line) for line in file]
        for row in rows[:: 1 if name == "peer_tests" else 5]:
            boxed = row["completion"] if "boxed" in row["completion"] else rf"\boxed{{{row['completion']}}}"
            found = gr.boxed_answer.explain(boxed, answer=row["gold"])
            if found.details.get("step") == "value" and is_formula(row["gold"]) and is_formula(found.prediction):
                pairs[row["gold"], found.prediction] = found.reward == 1.0
    return pairs


def is_formula(text: str) -> bool:
    """Neither a list, a relation nor words, about which computer algebra has other conventions."""
    return not re.search(
        r"[,=<>%$|:]|\\(le|ge|ne|in|pm|text|mbox|mathrm|textbf|mathbf|cup|cap|begin|circ|\{)|°|_", text
    )
