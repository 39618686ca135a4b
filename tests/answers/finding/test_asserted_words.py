"""A text without numbers may answer in a word; only the word that it concludes counts."""

from tables import each_row

import grpo_rewards as gr


@each_row(
    "text, word",
    [
        ("Because two sides are equal, the triangle is isosceles.", "isosceles"),
        ("No, the two triangles are not congruent.", "No"),
        ("The capital of Australia is Canberra.", "Canberra"),
        ("We look at the sides first. Therefore the triangle is isosceles.", "isosceles"),
        ("(B)", "B"),
        ("The statement is false.", "false"),
    ],
)
def test_a_word_is_asserted(text, word):
    verdict = gr.final_answer.explain(text, answer=word)
    assert (verdict.reward, verdict.prediction, verdict.details["source"]) == (1.0, word, "last_words")


@each_row(
    "text, word",
    [
        ("The triangle is not isosceles.", "isosceles"),
        ("The triangle may be isosceles.", "isosceles"),
        ("Suppose the triangle is isosceles.", "isosceles"),
        ("The triangle is isosceles. I do not know.", "isosceles"),
        ("Is the triangle isosceles?", "isosceles"),
        ("No problem, let us begin.", "No"),
        ("Anna says the triangle is isosceles.", "isosceles"),
    ],
)
def test_a_word_is_not_asserted(text, word):
    assert gr.final_answer.score(text, answer=word) == 0.0
    assert gr.final_answer.bind(last_number=False).explain(f"So it is {word}.", answer=word).reason == "no_answer"
