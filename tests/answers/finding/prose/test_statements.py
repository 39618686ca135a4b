"""Texts are cut where a statement or clause ends, and nowhere else."""

import pytest

from grpo_rewards.answers.finding.prose.statements import statements


def clauses(text):
    return [
        (clause.link, clause.text.strip()) for one in statements(text) for clause in one.clauses if clause.text.strip()
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("It is 3.5 km. So 7.", [("", "It is 3.5 km."), ("so", "7.")]),
        ("Take No. 12 there", [("", "Take No. 12 there")]),
        ("1. First 3\n2. Next 4", [("", "First 3"), ("", "Next 4")]),
        ("She ate 4, so 6 are left", [("", "She ate 4,"), ("so", "6 are left")]),
        ("x = 3 because 2x = 6", [("", "x = 3"), ("because", "2x = 6")]),
        ("Since 9 = 9, she has 18", [("because", "9 = 9"), ("", "she has 18")]),
        ("The answer is not 16 but 18", [("", "The answer is not 16"), ("but", "18")]),
        ("It is 18, not 16", [("", "It is 18,"), ("not", "16")]),
        ("It is 6 (10 - 4 = 6).", [("", "It is 6 ."), ("remark", "10 - 4 = 6")]),
        ("runs 180 meters [540].", [("", "runs 180 meters.")]),
        ("```python\nx = 5\n```\nso 6", [("so", "6")]),
        ("| **Total** | **$16** |", [("", "Total: \x1c$16")]),
        ("9*2=<<9*2=18>>18", [("", "9*2=18")]),
    ],
)
def test_a_text_is_cut_into_clauses(text, parts):
    assert clauses(text) == parts


def test_what_is_not_a_sentence_has_its_kind():
    kinds = [one.kind for one in statements("### Title\n- item\n| a | 3 |\n(a remark)\nprose #### 5")]
    assert [kind for kind in kinds if kind != "sentence"] == ["heading", "item", "row", "remark", "hashes"]
    assert [one.is_question for one in statements("Is it 5? It is.")][:2] == [True, False]
