"""The steps of a comparison: which one decides, what none of them does, and the short cut around them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tables import each_row, tables_beside

from grpo_rewards.answers import SymbolicLimits, compare, compare_all, compare_plain
from grpo_rewards.answers.comparing import steps as comparison
from grpo_rewards.answers.formulas import formula
from grpo_rewards.answers.symbolic import pool, schedule

TABLES = tables_beside(__file__)


def test_the_comparison_says_which_step_decided_and_what_it_read():
    found = compare(r"\dfrac12", "0.5")
    assert (found.step, found.prediction, found.answer) == ("value", r"\frac{1}{2}", "0.5")
    assert compare("72", "72").step == "string"
    # where two values differ, how they were read: letters in a row are no unit
    found = compare("5pcs", r"6\%")
    assert (found.prediction, found.answer) == ("5pcs", "6 percent")
    assert compare(r"\dfrac12", r"\frac12").step == "spelling"


DIGITS = st.text("0123456789", min_size=1, max_size=6)
PLAIN = st.builds("{}{}{}".format, st.sampled_from(["", "-"]), DIGITS, st.one_of(st.just(""), DIGITS.map(".{}".format)))


@given(PLAIN, PLAIN | DIGITS)
@example("-0", "0")
@example("1.50", "1.5")
@example("007", "7")
@example("999999999.99999", "999999999.99998")
def test_two_plain_numbers_compare_as_all_steps_would_compare_them(prediction: str, gold: str) -> None:
    for said, known in ((prediction, gold), (gold, gold), (f"{gold}0", gold)):
        plain = compare_plain(said, known)
        if plain is not None:
            found = comparison.compare_here(said, known)
            assert (found.outcome, found.step) == plain


@each_row("other", ["1 000", "1e3", "٣", "x", "", "123456789012345678901", "+5", ".5", "5."])
def test_what_is_not_plain_is_left_to_the_steps(other: str) -> None:
    assert compare_plain(other, "5") is None
    assert compare_plain("5", other) is None


# --- pairs that only the workers decide, and the time of a whole call


MATRIX = r"\begin{pmatrix}\int_0^1 %s \\ \int_0^1 %s\end{pmatrix}"


def settled_by(outcomes: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Puts ``outcomes`` by prediction in place of the workers; returns a list that gets all predictions asked for."""
    asked: list[str] = []

    def compare_in_time(pairs: list[tuple[str, str]], **_: object) -> list[pool.Found]:
        asked.extend(said for _, said in pairs)
        return [pool.Found(next(found for part, found in outcomes.items() if part in said)) for _, said in pairs]

    monkeypatch.setattr(pool, "compare_in_time", compare_in_time)
    monkeypatch.setattr(pool, "start", lambda: None)
    schedule.forget()
    return asked


@each_row("outcomes, found", TABLES["what_becomes_of_a_pair_of_integrals"])
def test_what_becomes_of_a_pair_of_integrals(
    outcomes: dict[str, str], found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settled_by(outcomes, monkeypatch)
    gold, said = MATRIX % ("x^2 dx", "y^2 dy"), MATRIX % ("a^2 da", "b^2 db")
    compared = compare(said, gold, limits=SymbolicLimits(workers=1))
    assert [*compared[:2]] == found
    assert compared.undecided_pairs == ()
    schedule.forget()


def test_no_more_is_called_than_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = settled_by({"a": "different", "b": "equal"}, monkeypatch)
    gold, said = MATRIX % ("x^2 dx", "y^2 dy"), MATRIX % ("a^2 da", "b^2 db")
    assert compare(said, gold, limits=SymbolicLimits(workers=1)).outcome == "wrong"
    assert len(asked) == 1
    schedule.forget()


def test_what_is_not_reached_in_the_time_of_a_call_is_nobodys_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(comparison.time, "monotonic", lambda: float(next(clock)))  # a second each time
    pairs = [("1/2", "0.5"), ("1/2", "0.6"), ("1/2", "0.5"), ("2/2", "1"), ("3/2", "1.5")]
    found = compare_all(pairs, limits=SymbolicLimits(call_deadline=3.0))
    assert [one.outcome for one in found] == ["correct", "wrong", "correct", "call_timeout", "call_timeout"]


def test_a_comparison_amid_another_one_leaves_it_its_budget() -> None:
    formula.start(7.0)
    assert compare("(x+1)^2", "x^2+2x+1").outcome == "correct"
    assert formula.left() == 7.0
