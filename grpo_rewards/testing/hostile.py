"""Texts that a policy writes sooner or later, and that break what was written with good texts in mind."""

from __future__ import annotations

from grpo_rewards.testing.shapes import TEXT_SHAPES

__all__ = ["HOSTILE"]

LENGTH = 300  # of the texts of each shape
DEEP = 5_000

WRITTEN = (
    # what no file and no terminal takes
    *("\x00", "a\x00b", "\ud800", "\udfff\ud800 4", "\x1b[2J", "\u202eevif si rewsna ehT\u202c", "\ufeff4", "\u200b"),
    # numbers that are none, or that Python refuses to read
    *("nan", "inf", "-inf", "1e999999", "9" * DEEP, "1/0", "0x", "٧", "½", "1_000", "−4", "4,", "1e", "--4", "True"),
    # what stalls computer algebra
    *("\\boxed{9^{9^{9^{9}}}}", "\\boxed{10000!!}", "\\boxed{\\sqrt{}}", "\\boxed{}", "\\boxed{" + "(" * 500),
    # what a parser descends into
    *("[" * DEEP, '{"a":' * DEEP, "[" * DEEP + "]" * DEEP, "(" * DEEP + ")" * DEEP, "{" * DEEP, "<b>" * DEEP),
    *('{"answer": NaN}', '{"answer": null}', "[]", "{}", "null", '"', "```json\n", "```json\n[1]\n``` ```"),
    # tags that do not close, or close twice
    *("<think>", "</think>", "</think><think>", "<answer></answer>", "<answer>\n</answer>", "<think></think>"),
    *("</answer><answer>4", "<answer>4</answer><answer>5</answer>", "<|im_end|>", "</s>"),
    # what formats and patterns are made of
    *("%s %d %(a)s", "{0} {} {answer}", "\\", "\\\\", "$", "(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa!", "*", "[", "(?:"),
    *("\r", "\r\n\r\n", "\t", "\v\f\x85\u2028", "a" * DEEP, "\n" * DEEP, " " * DEEP + "a"),
)  # fmt: skip
HOSTILE = tuple(dict.fromkeys((*WRITTEN, *(text_of(LENGTH) for text_of in TEXT_SHAPES.values()))))
