"""Words that make a number another number, or take it back."""

from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

# Words behind a number that make it another one, or take it back, are no units.
NOT_A_UNIT = (
    "thousand dollars,hundreds,dozen,lakh,bn,squared,cubed,factorial,pi,root two,inverse,octal,base eight,halves,seven,"
    "doubled,negative,below zero,incorrect,never,at most,or so,plus one,hundredths"
).split(",")
HEDGED = TABLES["hedged"]


@each_row("form", [r"72\text{{ {}}}", "72 {}"])
@each_row("words", NOT_A_UNIT)
def test_words_that_change_a_number_are_no_units(words, form):
    assert compare(form.format(words), "72").outcome != "correct"


@each_row("prediction", HEDGED)
def test_words_that_hedge_are_no_announcement_and_no_unit(prediction):
    assert compare(prediction, "5").outcome != "correct"
    assert compare(prediction, "45").outcome != "correct"


@each_row("name", ["not equal to", "wrong", "six", "maybe"])
def test_words_that_take_an_answer_back_are_no_name_for_it(name):
    assert compare(rf"\text{{{name}}} = 5", "5").outcome != "correct"
