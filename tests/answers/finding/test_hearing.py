"""What is announced stands until it is taken back; what is only asserted gives way to what comes later."""

import pytest

import grpo_rewards as gr


@pytest.mark.parametrize(
    ("text", "source", "prediction"),
    [
        ("The answer is 4. That is 2 more than 6.", "phrase", "4"),
        ("So it is 4. Then it is 6.", "last_number", "6"),
        ("The answer is 4. Wait, that's wrong, it's 6.", "phrase", "6"),
        ("The answer is 4.\nAnswer: 6", "phrase", "4, 6"),
        ("The answer is 4. The final answer is 6.", "phrase", "6"),
        ("#### 4\n\nCorrection: I forgot a step.\n\n#### 6", "hashes", "6"),
        ("### Final Answer\n\n**4 cups**", "phrase", r"4\text{ cups}"),
        ('{"steps": ["2+2"], "answer": "4"}', "phrase", "4"),
        ("4 is the answer, as shown in part 6.", "phrase", "4"),
        ("- 4\n- 5\n- 6", "last_number", "4, 5, 6"),
        ("| Bed | 4 |\n| Desk | 6 |", "last_number", "4, 6"),
        ("A: 4\n\nQ: What is 3 + 3?\nIt is 6.", "phrase", "4"),
        ("So it is 4.\n\nReferences\n[1] Problem 6", "last_number", "4"),
        ("The answer is blue whales.", "phrase", "blue whales"),
        ("The correct answer is (A) 1.", "phrase", "(A) 1"),
    ],
)
def test_the_answer_that_stands(text, source, prediction):
    verdict = gr.final_answer.explain(text, answer="4")
    assert (verdict.details["source"], verdict.prediction) == (source, prediction)


@pytest.mark.parametrize("text", ["It is 4.", "2 + 2 = 4", "**4**", "So she has 4 left."])
def test_without_the_last_number_only_an_announced_answer_counts(text):
    assert gr.final_answer.score(text, answer="4") == 1.0
    announced_only = gr.final_answer.bind(last_number=False)
    assert announced_only.explain(text, answer="4").reason == "no_answer"
    assert gr.numeric_answer.bind(last_number=False).explain(text, answer="4").reason == "no_answer"
    assert announced_only.score(f"{text} The answer is 4.", answer="4") == 1.0
