"""Which words after a number say what is counted, and which change the number or take it back."""

from tables import each_row, tables_beside

from grpo_rewards.answers import compare
from grpo_rewards.answers.reading.units import counted_thing, is_remark, named_part

TABLES = tables_beside(__file__)

# Bare, the hyphen is a minus sign, and a preposition without a noun before it is no unit.
ONLY_IN_TEXT = ("per person", "two-digit numbers", "three-digit numbers")
# Falls short: honest words that are not read.
NOT_READ = ["chapters read", "quarters worth", "subsets of size k", "multiples of seven", "hours and minutes"]


@each_row("words", [*TABLES["honest"], *ONLY_IN_TEXT])
def test_words_that_say_what_is_counted_leave_the_number(words: str) -> None:
    assert compare(rf"5\text{{ {words}}}", "5").outcome == "correct"


@each_row("words", TABLES["honest"])
def test_they_need_no_command(words: str) -> None:
    assert compare(f"5 {words}", "5").outcome == "correct"


@each_row("form", [r"5\text{{ {}}}", "5 {}"])
@each_row("words", TABLES["changing"])
def test_words_that_change_a_number_or_take_it_back_do_not(words: str, form: str) -> None:
    assert compare(form.format(words), "5").outcome != "correct"


@each_row("words", NOT_READ)
def test_what_is_not_read_is_not_decided(words: str) -> None:
    assert compare(rf"5\text{{ {words}}}", "5").outcome == "not_compared"


@each_row("words, name", TABLES["what_is_counted_by_its_canonical_name"])
def test_what_is_counted_by_its_canonical_name(words: str, name: str | None) -> None:
    assert counted_thing(words) == name


def test_what_is_stated_of_a_unit_comes_after_its_name() -> None:
    assert named_part("kg of cereal") == ["kg"]
    assert named_part("apples left in the box") == ["apples"]
    assert named_part("apples smaller") == ["apples", "smaller"]
    assert named_part("apples or pears") is None


@each_row("words, expected", [("only", True), ("in total", True), ("个", True), ("at most", False), ("double", False)])
def test_a_remark_names_nothing_and_changes_nothing(words: str, expected: bool) -> None:
    assert is_remark(words) is expected


@each_row("words", ["次方", "个吗", "个左右", "个吧"])
def test_words_that_make_a_bound_or_a_guess_count_nothing(words: str) -> None:
    assert counted_thing(words) is None


@each_row("words", ["apples in the basket", "games at home", "次", "个方程"])
def test_words_that_only_say_where_still_count(words: str) -> None:
    assert counted_thing(words) is not None


@each_row("prediction", TABLES["hedged"])
def test_words_that_hedge_are_no_announcement_and_no_unit(prediction: str) -> None:
    assert compare(prediction, "5").outcome != "correct"
    assert compare(prediction, "45").outcome != "correct"


@each_row("name", ["not equal to", "wrong", "six", "maybe"])
def test_words_that_take_an_answer_back_are_no_name_for_it(name: str) -> None:
    assert compare(rf"\text{{{name}}} = 5", "5").outcome != "correct"
