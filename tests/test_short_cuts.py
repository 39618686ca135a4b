"""Short cuts lead where the long way leads: plain numbers, shared verdicts, windows of text, hostile megabytes."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import grpo_rewards as gr
from grpo_rewards.answers import compare_plain
from grpo_rewards.answers.comparing import steps as comparison
from grpo_rewards.answers.latex.tree import parse, render
from grpo_rewards.answers.reading.dispatch import read
from grpo_rewards.answers.reading.phrases import stripped
from grpo_rewards.answers.reading.plain_numbers import read_plain
from grpo_rewards.completion.sections import BEHIND, LOOKED_AT, before_end_of_turn
from grpo_rewards.rewards.building_blocks import grading

DIGITS = st.text("0123456789", min_size=1, max_size=6)
PLAIN = st.builds("{}{}{}".format, st.sampled_from(["", "-"]), DIGITS, st.one_of(st.just(""), DIGITS.map(".{}".format)))
NAMES = " cm|cm| m |M| square units| eggs| or| million|million dollars| B|x y|".split("|")
# Near to what is read without a tree, so that most examples are and the rest only just are not.
NEARLY_PLAIN = st.lists(
    st.one_of(
        DIGITS,
        st.sampled_from(
            ["-", "+", "\\$", "$", ",", ",\\!", "{,}", "000", ".", "\\%", "%", "^\\circ", "^{\\circ}", " "]
        ),
        st.builds("\\{}{{{}}}".format, st.sampled_from(["text", "mbox"]), st.sampled_from(NAMES)),
        st.builds(
            "\\{}{{{}{}}}{{{}}}".format, st.sampled_from(["frac", "dfrac"]), st.sampled_from(["", "-"]), DIGITS, DIGITS
        ),
    ),
    min_size=1,
    max_size=4,
).map("".join)


@given(NEARLY_PLAIN)
@example("-1,000.50\\%")
@example("12,\\!345,\\!678")
@example("\\$5")
@example("-\\$5.00")
@example("120^\\circ")
@example("-\\frac{-3}{12}")
@example("0,123")
@example("\\frac{1}{0}")
@example("100\\text{ square units}")
@example("5\\text{ or }")
@example("5\\text{ m}")
@example("5\\text{ M}")
@example("5\\text{ million}")
@example("5\\mbox{ inches}")
@example("5\\%\\text{ eggs}")
def test_a_plain_number_is_read_as_its_tree_is(text: str) -> None:
    plain = read_plain(text)
    if plain is not None:
        nodes = stripped(parse(text))
        assert plain == (render(nodes), read(nodes))


@pytest.mark.parametrize("text", ["7", "-7", "1,000.50", "\\$5", "25\\%", "120^\\circ", "\\dfrac{3}{4}", "900,\\!000"])
def test_common_spellings_need_no_tree(text: str) -> None:
    assert read_plain(text) is not None


@given(PLAIN, PLAIN | DIGITS)
@example("-0", "0")
@example("1.50", "1.5")
@example("007", "7")
@example("999999999.99999", "999999999.99998")
def test_two_plain_numbers_compare_as_all_steps_would_compare_them(prediction: str, gold: str) -> None:
    for said, known in ((prediction, gold), (gold, gold), (f"{gold}0", gold)):
        plain = compare_plain(said, known)
        if plain is not None:
            found = comparison._compare.__wrapped__(said, known, comparison.DEFAULT_TASTE)
            assert (found.outcome, found.step, found.prediction, found.answer) == (*plain, said, known)


@pytest.mark.parametrize("other", ["1 000", "1e3", "٣", "x", "", "123456789012345678901", "+5", ".5", "5."])
def test_what_is_not_plain_is_left_to_the_steps(other: str) -> None:
    assert compare_plain(other, "5") is None
    assert compare_plain("5", other) is None


def test_equal_rows_share_a_verdict_and_what_explain_returns_is_the_callers_own() -> None:
    first, second = (gr.boxed_answer.explain(rf"{words} \boxed{{5}}", answer="4") for words in ("so", "thus"))
    assert first == second
    first.details["step"] = "changed"  # type: ignore[index]  # a caller may
    assert gr.boxed_answer.explain(r"\boxed{5}", answer="4") == second


def test_verdicts_that_are_shared_are_few_and_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "SHARED_VERDICTS", 10)
    grading.forget()
    long = "x" * 10_000
    for number in range(35):
        assert gr.boxed_answer.score(rf"\boxed{{{number}}}", answer=str(number)) == 1.0
        gr.boxed_answer.score(rf"\boxed{{{long}}}", answer=str(number))
    (shared,) = grading._SHARED.values()
    assert 0 < len(shared) <= 10
    assert max(len(prediction) + len(gold) for prediction, _, gold in shared) < 1_000


def test_verdicts_are_shared_by_one_taste_only() -> None:
    lenient = gr.boxed_answer.bind(unevaluated=True)
    assert [one.score(r"\boxed{3+4}", answer="7") for one in (gr.boxed_answer, lenient, gr.boxed_answer)] == [0, 1, 0]


@pytest.mark.parametrize("marker", ["<|im_end|>", "</s>", "<｜end▁of▁sentence｜>", "<|END_OF_TURN_TOKEN|>", "<eos>"])
@pytest.mark.parametrize("sign", ["<", "<t", "</", "<|"])
@pytest.mark.parametrize("signs", [0, 1, LOOKED_AT - 1, LOOKED_AT, LOOKED_AT + 1, 10 * LOOKED_AT])
def test_a_marker_is_found_whatever_signs_stand_before_it(marker: str, sign: str, signs: int) -> None:
    assert marker[1] in BEHIND
    text = "x" + sign * signs
    assert before_end_of_turn(f"{text}{marker}4</s>") == text
    assert before_end_of_turn(text + marker[:-1]) == text + marker[:-1]


# A unit that is repeated, what stands before it, and the reason that a box with 5 before all of it earns against 5.
HOSTILE = {
    "open boxes": (r"\boxed{", "", "correct"),
    "closed boxes": (r"\boxed{5}", "", "correct"),
    "boxes without braces": (r"\boxed ", "", "too_large"),  # side by side, a list of the commands \boxed
    "braces": ("{", "", "correct"),
    "closing braces": ("}", "", "correct"),
    "braces in a box": ("{}", r"\boxed{", "correct"),
    "boxes in braces": (r"\boxed{5}}", "", "correct"),
    "backslashes": ("\\", r"\boxed{", "correct"),
    "less than": ("<", "", "correct"),
    "less than, far apart": ("<" + "x" * 512, "", "correct"),
    "half markers": ("<|", "", "correct"),
    "whole markers": ("<|im_end|>", "", "correct"),
    "opening tags": ("<think>", "", "unfinished_thinking"),
    "closing tags": ("</think>", "", "no_box"),
    "half tags": ("think>", "", "correct"),
}


@pytest.mark.parametrize("suffix", ["", "解"], ids=["ascii", "wide"])
@pytest.mark.parametrize(("unit", "before", "reason"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_megabyte_costs_ten_times_what_a_tenth_costs(unit: str, before: str, reason: str, suffix: str) -> None:
    def cost(characters: int) -> float:
        text = r"\boxed{5} " + before + unit * (characters // len(unit)) + suffix
        seconds = []
        for _ in range(3):
            start = time.process_time()
            found = gr.boxed_answer.explain(text, answer="5")
            seconds.append(time.process_time() - start)
            assert found.reason == reason
        return min(seconds)

    # Ten times as long if linear, a hundred times if quadratic; below a millisecond the clock decides.
    assert cost(1_000_000) < 40 * max(cost(100_000), 0.001)


@pytest.mark.parametrize("answer", [["5"], {"a": 1}, 5, 5.0, True, None, "5" * 10_000])
def test_an_answer_of_any_type_is_compared_as_before(answer: Any) -> None:
    verdict = gr.boxed_answer.explain(r"\boxed{5}", answer=answer)
    assert (verdict.reward == 1.0) == (type(answer) in (int, float))  # the only ones of them that are 5
