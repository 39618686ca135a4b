"""Whether a measurement tells linear work from quadratic work."""

import gc

import pytest
from tables import each_row

from grpo_rewards.checks import TEXT_SHAPES, assert_linear


def test_what_is_quadratic_is_found():
    def compare_all(text):
        return sum(one == other for one in text for other in text)

    with pytest.raises(AssertionError, match="times what a tenth of the text took"):
        assert_linear(compare_all, lambda size: "a" * size, 3_500)  # a tenth of it takes some milliseconds


@each_row(
    "piece, begins",
    [
        ("<b></b>", "<b0></b0><b1></b1><b2>"),  # its last word, wherever that stands
        ("\\boxed{1}", "\\boxed{0}\\boxed{1}\\boxed{2}"),  # in place of its number
        ("```json\n{}\n```\n", "```json0\n{}\n```\n```json1\n"),
        ('{"a":', '{"a0":{"a1":'),
        ("The answer is ", "The answer is0 The answer is1 "),
        ("$$", "$$0$$1$$2"),
        ("\n", "\n0\n1\n2"),
    ],
)
def test_each_piece_is_numbered_as_well(piece, begins):
    text = TEXT_SHAPES[f"{piece!r}, numbered"](10_000)
    assert text.startswith(begins)
    assert 7_000 < len(text) <= 10_000


def test_what_is_linear_passes_and_the_collector_is_as_it_was():
    gc.disable()
    try:
        assert assert_linear(str.split, lambda size: "a " * (size // 2), 1_000_000) > 0
        assert not gc.isenabled()
    finally:
        gc.enable()
