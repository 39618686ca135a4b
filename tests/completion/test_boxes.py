"""Which boxes a text has, and that looking for them is linear in it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tables import each_row, tables_beside

from grpo_rewards.completion.boxes import boxes, last_box, last_boxes

TABLES = tables_beside(__file__)


@each_row("text, contents", TABLES["boxes_are_those_that_are_closed_and_outermost"])
def test_boxes_are_those_that_are_closed_and_outermost(text: str, contents: list[str]) -> None:
    assert list(boxes(text)) == contents
    assert last_box(text) == (contents[-1] if contents else None)


@pytest.mark.parametrize(
    "text", [r"\boxed{4}. Wait. Finally \boxed{", r"\boxed{5} \boxed{7", r"\fbox{5}, no: \boxed{\frac{1"]
)
def test_a_text_that_is_cut_off_inside_its_last_box_has_no_last_box(text: str) -> None:
    assert last_box(text) is None
    assert last_boxes(text) == []
    assert len(boxes(text)) == 1


PIECES = [r"\boxed", r"\fbox", "{", "}", r"\{", r"\}", "\\\\", " ", "5", "x", r"\frac{1}{2}", ".", "$", "\n"]


@example(r"\boxed{5} no, \boxed 7")
@given(st.lists(st.sampled_from([*PIECES, r"\boxed{", r"\boxed{5}"]), max_size=12).map("".join))
def test_the_last_box_is_the_last_of_the_boxes(text: str) -> None:
    # the most common form takes a short cut, which must lead to the same place; a text that was cut off inside its last
    # box has no last one
    assert last_box(text) in (next(iter(reversed(list(boxes(text)))), None), None)
    if boxes(text) and last_box(text) is None:
        assert boxes(text + "}" * 12) != boxes(text)


BALANCED = st.recursive(
    st.text("5 x.", max_size=4), lambda inner: st.lists(inner, max_size=3).map(lambda parts: f"{{{''.join(parts)}}}")
)


@given(BALANCED, st.text("x. ", max_size=10))
def test_a_balanced_text_in_a_box_comes_out_as_it_went_in(inside: str, around: str) -> None:
    assert last_box(f"{around}\\boxed{{{inside}}}{around}") == inside
