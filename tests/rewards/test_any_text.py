"""No text and no gold makes a reward raise or leave its range."""

from typing import Any

import pytest
from contract_cases import CASES, LISTED, Case, case_of, chat, check_outcome, gold_columns
from hypothesis import given, settings
from hypothesis import strategies as st

WRITTEN = r"""
<think> </think> <answer> </answer> \boxed \boxed{ \fbox{ { } \{ \} ( ) [ ] | $ $$ \( \) \frac \frac{ \sqrt \text{ \left
\begin{pmatrix} \end{pmatrix} \\ & ^ _ ^{ ! !!!! + - * / = < > , ; : . ... % \% #### <|im_end|> </s> answer is A: or and
0 1 4 9 99999 1e9 1e-9 0x1F 1,000 3/4 0/0 nan inf None x y pi e \pi \infty \cup \in \pm \le \ldots ٧ ½ ² ５ ∞ ∅ √ cm
\circ dollars
"""
PIECES = [*WRITTEN.split(), " ", "\n", "\t", "\x00", "\u200b", "\u3164", "\ud800"]
ANYTHING = st.text(max_size=60) | st.text(st.characters(categories=["Cs", "Cc", "Cf", "Mn", "Nd", "No"]), max_size=30)
HOSTILE = (
    st.lists(st.sampled_from(PIECES) | ANYTHING, max_size=25).map("".join)
    | st.builds("\\boxed{{{}}}".format, st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
    | st.builds(lambda piece, times: piece * times, st.sampled_from(PIECES), st.integers(1, 2000))
    | ANYTHING
)
DRAWN = {
    "text": HOSTILE,
    "prompt": HOSTILE,
    "gold": st.sampled_from(["4", r"\frac{1}{2}", "x+1", r"(1,2]", r"\{1,2\}"]) | HOSTILE,
}


def scored(name: str, text: str, prompt: str, gold: str) -> None:
    one, _ = case_of(name)
    columns = gold_columns(one, gold)
    ids = list(text.encode("utf-8", "replace"))
    verdict = check_outcome(one, text, prompt=prompt, completion_ids=ids, **columns)
    assert check_outcome(one, chat(text), prompt=prompt, completion_ids=ids, **columns) == verdict


@pytest.mark.parametrize("name", LISTED)
@settings(max_examples=20)
@given(**DRAWN)
def test_no_text_raises_or_leaves_the_range(name: str, text: str, prompt: str, gold: str) -> None:
    scored(name, text, prompt, gold)


@pytest.mark.full
@pytest.mark.parametrize("name", LISTED)
@settings(max_examples=1_000)
@given(**DRAWN)
def test_nor_does_any_of_many_more(name: str, text: str, prompt: str, gold: str) -> None:
    scored(name, text, prompt, gold)


GOLDS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10) | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.parametrize("name", [name for name in LISTED if CASES.get(name, Case("", [])).columns])
@settings(max_examples=30)
@given(text=st.sampled_from([r"\boxed{4}", "", "<think>"]), gold=GOLDS)
def test_no_gold_raises(name: str, text: str, gold: Any) -> None:
    one, _ = case_of(name)
    check_outcome(one, text, completion_ids=[1], **gold_columns(one, gold))
