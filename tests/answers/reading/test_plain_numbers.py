"""The short cut that reads plain numbers without a tree leads where the tree leads."""

from hypothesis import example, given
from hypothesis import strategies as st
from tables import each_row

from grpo_rewards.answers.latex.tree import parse, render
from grpo_rewards.answers.reading.dispatch import read
from grpo_rewards.answers.reading.numerals import read_plain
from grpo_rewards.answers.reading.phrases import stripped

DIGITS = st.text("0123456789", min_size=1, max_size=6)
NAMES = " cm|cm| m |M| square units| eggs| or| million|million dollars| B|x y|".split("|")
NAMES += " pairs| dozen| only|th| apples left| kg of rice| hours| percent".split("|")

# Near to what is read without a tree, so that most examples are and the rest only just are not.
NEARLY_PLAIN = st.lists(
    st.one_of(
        DIGITS,
        st.sampled_from(
            ["-", "+", "\\$", "$", ",", ",\\!", "{,}", "000", ".", "\\%", "%", "^\\circ", "^{\\circ}", " "]
        ),
        st.builds("\\{}{{{}}}".format, st.sampled_from(["text", "mbox"]), st.sampled_from(NAMES)),
        st.builds(
            "\\{}{{{}{}}}{{{}}}".format, st.sampled_from(["frac", "dfrac"]), st.sampled_from(["", "-"]), DIGITS, DIGITS
        ),
    ),
    min_size=1,
    max_size=4,
).map("".join)


@given(NEARLY_PLAIN)
@example("-1,000.50\\%")
@example("12,\\!345,\\!678")
@example("\\$5")
@example("-\\$5.00")
@example("120^\\circ")
@example("-\\frac{-3}{12}")
@example("0,123")
@example("\\frac{1}{0}")
@example("100\\text{ square units}")
@example("5\\text{ or }")
@example("5\\text{ m}")
@example("5\\text{ M}")
@example("5\\text{ million}")
@example("5\\mbox{ inches}")
@example("5\\%\\text{ eggs}")
def test_a_plain_number_is_read_as_its_tree_is(text: str) -> None:
    plain = read_plain(text)
    if plain is not None:
        nodes = stripped(parse(text))
        assert plain == (render(nodes), read(nodes))


@each_row("text", ["7", "-7", "1000.50", "\\dfrac{3}{4}", "25\\%", "1,000", "90^\\circ", "\\$5"])
def test_common_spellings_need_no_tree(text: str) -> None:
    assert read_plain(text) is not None
