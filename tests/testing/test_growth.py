"""Whether a measurement tells linear work from quadratic work."""

import gc

import pytest

from grpo_rewards.testing import assert_linear


def test_what_is_quadratic_is_found():
    def compare_all(text):
        return sum(one == other for one in text for other in text)

    with pytest.raises(AssertionError, match="times what a tenth of the text took"):
        assert_linear(compare_all, lambda size: "a" * size, 2_000)


def test_what_is_linear_passes_and_the_collector_is_as_it_was():
    gc.disable()
    try:
        assert assert_linear(str.split, lambda size: "a " * (size // 2), 1_000_000) > 0
        assert not gc.isenabled()
    finally:
        gc.enable()
