"""What is no answer, or takes every answer away, and what only looks like it. A row is (the gold, the text)."""

import pytest

import grpo_rewards as gr

NONE = {
    "notice": [
        ("911", "In an emergency call 911."),
        ("112", "If this is urgent, please dial 112."),
        ("988", "You can also text 988."),
        ("2023", "© 2023 MathHelp Inc."),
        ("2019", "Copyright (c) 2019 by the authors."),
        ("2024", "Last updated in 2024."),
        ("0", 'Traceback (most recent call last):\n  File "main.py", line 3\nZeroDivisionError: division by 0'),
        ("5", "ValueError: expected 5"),
        ("429", "HTTP 429: too many requests"),
        ("10", "I can't help with that. Please try again in 10 minutes."),
        ("30", "The server is busy. Retry after 30 seconds."),
        ("24", "Please wait 24 hours."),
        ("5", "Could you please clarify the question? I see 5 different ways to read it."),
        ("2", "There are 2 interpretations of this. It has 2 ways to understand it."),
        ("555", "Our phone number is 555 1234."),
    ],
    "asking back": [
        ("12", "You have 12 eggs. Could you tell me how they are packed?"),
        ("40", "It says 40. Did you mean kilograms?"),
    ],
    "none": [
        ("2", "The only root found, x = 2, makes the denominator vanish. Therefore there is no solution."),
        ("2", "We get x = 2, which makes the root negative, so the equation has no solution."),
        ("7", "We get n = 7. Hence there is no such integer."),
        ("7", "We get n = 7. No such number exists."),
        ("5", "5 + x = 12 - y. So x cannot be determined."),
        ("5", "This gives 5. Thus there are no real solutions to this equation."),
    ],
    "undecided": [
        ("9", "I get 9 with the first method and 8 with the second. Both look fine to me."),
        ("24", "If I had to guess, 24, but 26 is just as likely."),
        ("15", "With 5 days he earns 15; with 6 days he earns 18. The question does not say which."),
        ("6", "The first reading gives 4, the second 6. It's a toss-up."),
        ("6", "It is 4 or it is 6. Hard to say which."),
        ("6", "So it is 6. The other reading is equally plausible."),
    ],
    "mockery": [
        ("90", "Ha, 90, as if! Nobody sells a new car for 90 euros."),
        ("90", "It costs 90. Yeah, right!"),
        ("90", "90? No way!"),
        ("90", "It is 90. In your dreams!"),
    ],
    "thinking": [
        ("16", "The user wants to know the root of 256, and says that it is 16."),
        ("16", "The side is 16 for a different square. Let me think about this."),
        ("16", "The area is 16. Let me start with the sides."),
    ],
    "who": [
        ("9", "Alice has 12 points and Bob has 9, so Alice wins."),
        ("30", "The red car needs 40 minutes and the blue one 30, so the blue car is faster."),
    ],
    "cut off": [
        ("3", "Therefore the answer is 3 times"),
        ("3", "The final answer is 3 plus"),
        ("3", "The answer is 3 more"),
    ],
    "both signs": [
        ("8", "x = ±8"),
        ("8", "x = ± 8"),
        ("8", r"So x = \pm 8"),
        ("8", "x is plus or minus 8."),
        ("-8", "x is plus or minus 8."),
        ("8", "x = +/- 8"),
        ("8", "The answer is ±8."),
        ("8", r"The answer is $\pm 8$."),
        ("5", "x = 5 ± 2"),
    ],
}
GIVEN = {
    "no notice": [
        ("3", "She has to call 3 friends."),
        ("12", "He needs to make 12 phone calls."),
        ("10", "He tries again after a break and makes it in 10 minutes."),
        ("2023", "The year is 2023."),
        ("6", "There are 6 ways to arrange the books."),
        ("45", "The phone costs $45."),
        ("12", "The error is 12."),
        ("8", "They wait 8 minutes."),
    ],
    "there is one": [
        ("5", "For x < 0 there is no solution. For x > 0 we get x = 5."),
        ("5", "x = 5. There is no other solution."),
        ("5", "So x = 5. There is no solution among the negative numbers."),
        ("0", "The number of solutions is 0. There are no real solutions."),
        ("0", "So the answer is 0. There is no such integer."),
        ("5", "The first equation has no solution, so x = 5 from the second."),
    ],
    "decided": [
        ("1/6", "Each of the outcomes is equally likely, so the probability is 1/6."),
        ("12", "With both methods we get 12. Both are correct."),
        ("15", "The problem does not say which day, so we take Monday. The answer is 15."),
        ("2, 3", "x = 2 or x = 3. Both are valid."),
    ],
    "earnest": [
        ("90", "It looks as if the answer is 90."),
        ("90", "There is no way around it: the answer is 90."),
        ("12", "Nobody is left out, so 12 pupils get one."),
        ("7", "The chance is 7 %."),
    ],
    "how many": [
        ("3", "So Alice wins by 3 points."),
        ("3", "Alice has 12 points and Bob has 9, so Alice has 3 more points."),
        ("3", "The answer is 3 times."),
        ("12", "The answer is 12, so Alice wins."),
    ],
    "both signs": [
        (r"\pm 8", "x = ±8"),
        (r"\pm 8", "±8"),
        ("8, -8", "The solutions are ±8."),
        (r"\pm\sqrt{5}", "The roots are ±√5."),
        (r"2 \pm \sqrt{3}", "The solutions are 2 ± √3."),
        ("-8", "x is minus 8."),
        ("2", "5+-3 = 2"),
        ("8", "x = ±8. Since x > 0, x = 8."),
    ],
}


def rows(table):
    return [(gold, text) for texts in table.values() for gold, text in texts]


@pytest.mark.parametrize(("gold", "text"), rows(NONE))
def test_what_is_no_answer_earns_nothing(gold, text):
    assert gr.final_answer.score(text, answer=gold) == 0.0
    assert gr.numeric_answer.score(text, answer=gold) == 0.0


@pytest.mark.parametrize(("gold", "text"), rows(GIVEN))
def test_what_only_looks_like_it_is_heard(gold, text):
    verdict = gr.final_answer.explain(text, answer=gold)
    assert verdict.reward == 1.0, verdict


@pytest.mark.parametrize("text", ["So there is no solution.", "x = 2 is excluded. Therefore there is no solution."])
def test_no_solution_is_an_answer_too(text):
    assert gr.final_answer.score(text, answer="no solution") == 1.0
