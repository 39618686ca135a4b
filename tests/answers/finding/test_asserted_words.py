"""A text without numbers may answer in a word; only the word that it concludes counts."""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


@each_row("text, word", TABLES["a_word_is_asserted"])
def test_a_word_is_asserted(text, word):
    verdict = gr.final_answer.explain(text, answer=word)
    assert (verdict.reward, verdict.prediction, verdict.details["source"]) == (1.0, word, "last_words")


@each_row("text, word", TABLES["a_word_is_not_asserted"])
def test_a_word_is_not_asserted(text, word):
    assert gr.final_answer.score(text, answer=word) == 0.0
    assert gr.final_answer.bind(last_number=False).explain(f"So it is {word}.", answer=word).reason == "no_answer"
