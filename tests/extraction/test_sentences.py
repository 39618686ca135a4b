"""Where sentences and clauses end."""

from tables import each_row

from grpo_rewards.extraction.sentences import clauses, sentences


@each_row(
    "text, parts",
    [
        ("It is 3.5 km. So 7.", ["It is 3.5 km.", "So 7."]),
        ("e.g. this. That.", ["e.g. this.", "That."]),
        ("A. Rome is it.", ["A. Rome is it."]),
        ("**Bold** _and_ `code`.", ["Bold and code."]),
        ("9*2 = 18", ["9*2 = 18"]),
        ("是。否。", ["是。", "否。"]),
        ("## Title\n- item", ["Title", "item"]),
    ],
)
def test_a_text_is_cut_into_sentences(text, parts):
    assert [one.text for one in sentences(text)] == parts


@each_row(
    "text, links",
    [
        ("It is 18, not 16", ["", "not"]),
        ("She ate 4, so 6 are left", ["", "so"]),
        ("x = 3 because 2x = 6", ["", "because"]),
        ("It would be 5 if it rained", ["", "if"]),
        ("Not 16 but 18", ["", "but"]),
        ("everything but 18", [""]),
        ("the point (3, 4)", [""]),
        ("B, rather than C", ["", "instead_of"]),
    ],
)
def test_a_sentence_is_cut_into_clauses(text, links):
    assert [one.link for one in clauses(text)] == links
