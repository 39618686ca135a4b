"""Which number, formula or words a text gives as its answer, and what only holds the number."""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)
ANNOUNCED_ONLY = gr.final_answer.bind(last_number=False)


@each_row("text, gold", TABLES["is_found"])
def test_an_answer_is_found(text, gold):
    assert gr.final_answer.score(text, answer=gold) == 1.0


@each_row("text, gold", TABLES["earns_nothing"])
def test_what_only_holds_the_number_earns_nothing(text, gold):
    assert gr.final_answer.score(text, answer=gold) == 0.0


@each_row(
    "text, gold",
    [
        ("I don't know. 23", "23"),
        ("Random guess: 23", "23"),
        ("between 17 & 23", "23"),
        ("17 xor 23", "23"),
        ("First guess: 17. Second guess: 23.", "23"),
        ("unknown; try 4", "4"),
        ("Everything but 4.", "4"),
        ("Answer: see above. 4.", "4"),
        ("In 23 words: no.", "23"),
        ("The answer would be 5 if the die had ten faces", "5"),
        ("The answer is 17. (Or is it 23?)", "17"),
        ("The answer is 17. (Or is it 23?)", "23"),
    ],
)
def test_a_guard_holds_with_and_without_the_last_number(text, gold):
    assert gr.final_answer.score(text, answer=gold) == 0.0
    assert ANNOUNCED_ONLY.score(text, answer=gold) == 0.0
    assert gr.numeric_answer.score(text, answer=gold) == 0.0


@each_row(
    "text, gold",
    [
        ("42", "42"),
        ("π", r"\pi"),
        ("Paris", "Paris"),
        ("-3", "-3"),
        ("(1, 2)", "(1,2)"),
        ("x = 5", "5"),
        ("```\n12\n```", "12"),
        ("no such integer exists", "no such integer exists"),
        ("The answer is Quadrant II.", "Quadrant II"),
        ("The answer is 20. I also tried 25 and it fails.", "20"),
        ("<answer>She bought 7 notebooks.</answer>", "7"),
        ("<final_answer>7</final_answer>", "7"),
        ('{"answer": 7}', "7"),
        ("#### 7", "7"),
    ],
)
def test_what_is_marked_announced_or_alone_counts_also_in_the_strict_setting(text, gold):
    assert ANNOUNCED_ONLY.score(text, answer=gold) == 1.0


@each_row("text, gold", [("So she has 7.", "7"), ("So $a = 5$, $b = 7$, and $a + b = 12$.", "12"), ("3 + 4 = 7", "7")])
def test_what_is_only_asserted_counts_as_the_last_number(text, gold):
    assert gr.final_answer.score(text, answer=gold) == 1.0
    assert gr.final_answer.explain(text, answer=gold).details["source"] == "last_number"
    assert ANNOUNCED_ONLY.explain(text, answer=gold).reason == "no_answer"
