"""Numbers that are near enough, and what is no number."""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


@each_row("said, points", TABLES["an_approximation_in_a_tag_is_its_number"])
def test_an_approximation_in_a_tag_is_its_number(said, points):
    for reward in (gr.numeric_answer, gr.close_to):
        assert reward.score(f"<answer>{said}</answer>", answer=100) == points
