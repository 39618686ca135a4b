"""Labelled texts in many scripts, where they are beside the repository."""

from labelled_rows import BY_SCRIPT, rows, text_is_met
from places import labelled
from tables import each_row

pytestmark = labelled

DISPUTED = ("scr-0232",)  # 5 - 5 = 0 is labelled a step, and only undoes itself


@each_row("name", BY_SCRIPT)
def test_labelled_texts_are_scored_as_labelled(name):
    of_name = [row for row in rows("texts/scripts") if row["reward"] == name and row["id"] not in DISPUTED]
    firm = [row for row in of_name if row["kind"] == "firm"]
    assert firm
    assert [row for row in firm if not text_is_met(row)] == []
