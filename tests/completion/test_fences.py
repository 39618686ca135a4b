"""Which lines are fences of a block."""

from tables import each_row, tables_beside

from grpo_rewards.completion.fences import fenced_blocks

TABLES = tables_beside(__file__)


@each_row("text, inside", TABLES["a_fence_stands_on_a_line_of_its_own"])
def test_a_fence_stands_on_a_line_of_its_own(text, inside):
    assert [block.inside.rstrip(" ") for block in fenced_blocks(text)] == [one.rstrip(" ") for one in inside]


@each_row("text, languages", TABLES["the_first_word_behind_a_fence_is_its_language"])
def test_the_first_word_behind_a_fence_is_its_language(text, languages):
    assert [block.language for block in fenced_blocks(text)] == languages
