"""What is compared beside a pair never changes the outcome of that pair. Run with python -O as well."""

import itertools

from grpo_rewards.answers import compare, compare_all

# Its integral is left to computer algebra, its formula is compared here, on the budget of a pair.
SYMBOLIC = (r"(\int_0^1 4t\,dt, x+x)", r"(\int_0^2 x\,dx, 2x)")
# It uses up the whole budget of a pair.
EXHAUSTING = tuple(
    "+".join(kink.format(f"({i}x+{j})") for i in range(1, 11) for j in range(1, 5))
    for kink in (r"|\sin^{{2}}{}|", r"|\sin{}|^{{2}}")
)
EASY = (r"\frac{1}{2}", "0.5")
WRONG = ("x+1", "x+2")
PAIRS = [SYMBOLIC, EXHAUSTING, EASY, WRONG]


def test_each_pair_by_itself() -> None:
    assert [compare(*pair).outcome for pair in PAIRS] == ["correct", "too_large", "correct", "wrong"]


def test_the_order_of_pairs_changes_nothing() -> None:
    alone = {pair: compare(*pair) for pair in PAIRS}
    for order in itertools.permutations(PAIRS):
        assert compare_all(list(order)) == [alone[pair] for pair in order]
