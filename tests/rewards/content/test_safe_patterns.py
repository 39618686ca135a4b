"""Patterns that would backtrack for ever are linear here, or have a size cap."""

import time

import grpo_rewards as gr


def test_a_pattern_that_backtracks_elsewhere_is_linear_here():
    start = time.process_time()
    # exponential for the standard library's engine
    assert gr.pattern.bind(regex=r"(a+)+$").score("a" * 50_000 + "b") == 0.0
    assert time.process_time() - start < 20


def test_patterns_of_pythons_engine_have_a_size_cap():
    trusted = gr.pattern.bind(regex=r"(a)\1", engine="re", max_characters=10)
    assert [trusted.explain(text).reason for text in ("aa", "ab", "a" * 11)] == ["match", "no_match", "too_large"]
