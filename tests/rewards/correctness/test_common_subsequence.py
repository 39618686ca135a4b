"""The longest common subsequence, against the textbook's table."""

from hypothesis import given
from hypothesis import strategies as st

from grpo_rewards.rewards.correctness.words import common_length

WORDS = st.lists(st.sampled_from("abcd"), max_size=80)


@given(WORDS, WORDS)
def test_it_is_as_long_as_by_the_table(one, other):
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, left in enumerate(one):
        for j, right in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    assert common_length(one, other) == table[-1][-1]
