"""Texts are cut where a statement or clause ends, and nowhere else."""

from grpo_rewards.answers.finding.prose.statements import statements
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)


def clauses(text):
    return [
        [clause.link, clause.text.strip()] for one in statements(text) for clause in one.clauses if clause.text.strip()
    ]


@each_row("text, parts", TABLES["a_text_is_cut_into_clauses"])
def test_a_text_is_cut_into_clauses(text, parts):
    assert clauses(text) == parts


def test_what_is_not_a_sentence_has_its_kind():
    kinds = [one.kind for one in statements("### Title\n- item\n| a | 3 |\n(a remark)\nprose #### 5")]
    assert [kind for kind in kinds if kind != "sentence"] == ["heading", "item", "row", "remark", "hashes"]
    assert [one.is_question for one in statements("Is it 5? It is.")][:2] == [True, False]
