"""What lengths pay, with the source of every number that is not plain."""

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


@each_row("tokens, reward", TABLES["soft_overlong"])
def test_soft_overlong(tokens, reward):
    bound = gr.soft_overlong.bind(max_tokens=100, buffer=20)
    assert bound.score("", completion_ids=range(tokens)) == pytest.approx(reward)


def test_soft_overlong_without_a_buffer_is_a_step():
    bound = gr.soft_overlong.bind(max_tokens=100, buffer=0)
    assert [bound.score("", completion_ids=range(n)) for n in (100, 101)] == [0.0, -1.0]


@each_row("tokens, points, said", TABLES["target_length"])
def test_target_length(tokens, points, said):
    verdict = gr.target_length.bind(target=100, tolerance=50).explain("", completion_ids=range(tokens))
    assert (verdict.reward, verdict.reason) == (pytest.approx(points), said)
