"""Strict and flexible extraction, on texts whose results follow from the harness's patterns by hand."""

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import numpy
from running.evaluation.harness import flexible_extract, strict_match

GOLD = "She has 4 * 300 = <<4*300=1200>>1,200 coins.\n#### 1,200"
CASES = {
    "as GSM8K writes it": ("4 * 300 = 1200\n#### 1200", 1.0, 1.0),
    "with its comma and dollar": ("#### 1,200\nso $1,200", 1.0, 1.0),
    "a full stop is of the match, and removed": ("#### 1200.", 1.0, 1.0),
    "the first counts strictly, the last flexibly": ("#### 1200\n#### 7", 1.0, 0.0),
    "the other way round": ("#### 7 or rather 1200", 0.0, 1.0),
    "a dollar behind the marks is no match": ("#### $1200", 0.0, 1.0),
    "no marks": ("The answer is \\boxed{1200}", 0.0, 1.0),
    "nothing": ("I do not know", 0.0, 0.0),
    "digits that are parted": ("1200 coins, 1 bag", 0.0, 0.0),
    "a decimal is not rounded": ("#### 1200.0", 0.0, 0.0),
    # two or more of "$0-9.,": the dots are the last match
    "an ellipsis is the last match": ("It is 1200 ...", 0.0, 0.0),
    "negative": ("#### -1200", 0.0, 0.0),
}


@pytest.mark.parametrize(("completion", "strict", "flexible"), CASES.values(), ids=list(CASES))
def test_the_harness_extraction(completion, strict, flexible):
    assert strict_match.score(completion, answer=GOLD) == strict
    assert flexible_extract.score(completion, answer=GOLD) == flexible


def test_they_say_what_they_found():
    assert strict_match.explain("no", answer=GOLD).reason == "invalid"
    assert flexible_extract.explain("that is $12.", answer="#### 12").prediction == "$12."
    assert flexible_extract.score("that is $12.", answer="#### 12") == 1.0
    assert flexible_extract.score("7", answer="#### 7") == 1.0  # a single digit is the pattern's second half


@pytest.mark.parametrize("gold", [7, 7.0, numpy.int64(7), "7", "#### 7"])
def test_a_gold_may_be_a_number(gold):
    for one in (strict_match, flexible_extract):
        assert one.score("#### 7", answer=gold) == 1.0
        assert one.score("#### 8", answer=gold) == 0.0
        assert one.explain("none", answer=gold).reason == "invalid"
    assert flexible_extract.score("4.5", answer=4.5) == 1.0


def test_a_row_without_a_gold_is_not_scored():
    assert strict_match.explain("#### 7", answer=None)[:2] == (None, "bad_answer")
