"""Strict and flexible extraction, on texts whose results follow from the harness's patterns by hand."""

import pytest
from tables import each_row, tables_beside

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import numpy
from running.evaluation.harness import flexible_extract, strict_match

TABLES = tables_beside(__file__)

GOLD = "She has 4 * 300 = <<4*300=1200>>1,200 coins.\n#### 1,200"
CASES = TABLES["cases"]


@each_row("completion, strict, flexible", CASES.values())
def test_the_harness_extraction(completion, strict, flexible):
    assert strict_match.score(completion, answer=GOLD) == strict
    assert flexible_extract.score(completion, answer=GOLD) == flexible


def test_they_say_what_they_found():
    assert strict_match.explain("no", answer=GOLD).reason == "invalid"
    assert flexible_extract.explain("that is $12.", answer="#### 12").prediction == "$12."
    assert flexible_extract.score("that is $12.", answer="#### 12") == 1.0
    assert flexible_extract.score("7", answer="#### 7") == 1.0  # a single digit is the pattern's second half


@each_row("gold", [7, 7.0, numpy.int64(7), "7", "#### 7"])
def test_a_gold_may_be_a_number(gold):
    for one in (strict_match, flexible_extract):
        assert one.score("#### 7", answer=gold) == 1.0
        assert one.score("#### 8", answer=gold) == 0.0
        assert one.explain("none", answer=gold).reason == "invalid"
    assert flexible_extract.score("4.5", answer=4.5) == 1.0


def test_a_row_without_a_gold_is_not_scored():
    assert strict_match.explain("#### 7", answer=None)[:2] == (None, "bad_answer")
