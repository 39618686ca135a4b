"""Words that make a number another number, or take it back."""

import pytest

from grpo_rewards.answers import compare

# Words behind a number that make it another one, or take it back, are no units.
NOT_A_UNIT = (
    "thousand dollars,hundreds,dozen,lakh,bn,squared,cubed,factorial,pi,root two,inverse,octal,base eight,halves,seven,"
    "doubled,negative,below zero,incorrect,never,at most,or so,plus one,hundredths"
).split(",")
HEDGED = [
    r"\text{it cannot be } 5",
    r"\text{can't be } 5",
    r"\text{I doubt it is } 5",
    r"\text{previous answer: }5",
    r"\text{nearly equals }5",
    r"\text{the opposite is }5",
    r"\text{can't}=5",
    r"5\text{ k}",
    r"5\text{ tens}",
    r"5\text{ quadrillion}",
    r"5\text{ theta}",
    r"5\text{ probably}",
    r"5\text{ excluded}",
    r"5\text{ omitted}",
    r"5\text{ if } x > 0",
    r"\gcd(12,16)=5",
    "4 & 5",
]


@pytest.mark.parametrize("form", [r"72\text{{ {}}}", "72 {}"])
@pytest.mark.parametrize("words", NOT_A_UNIT)
def test_words_that_change_a_number_are_no_units(words, form):
    assert compare(form.format(words), "72").outcome != "correct"


@pytest.mark.parametrize("prediction", HEDGED)
def test_words_that_hedge_are_no_announcement_and_no_unit(prediction):
    assert compare(prediction, "5").outcome != "correct"
    assert compare(prediction, "45").outcome != "correct"


@pytest.mark.parametrize("name", ["not equal to", "wrong", "six", "maybe"])
def test_words_that_take_an_answer_back_are_no_name_for_it(name):
    assert compare(rf"\text{{{name}}} = 5", "5").outcome != "correct"
