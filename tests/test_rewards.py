"""What each reward pays, with the source of every number that is not plain."""

import math
import time

import pytest

import grpo_rewards as gr

THINK = "<think>\nI add 2 and 3.\n</think>\n"


@pytest.mark.parametrize(
    ("completion", "reward", "reason"),
    [
        (r"so \boxed{4}", 1.0, "correct"),
        (r"so \boxed{5}", 0.0, "wrong"),
        ("so 4", 0.0, "no_box"),
        (r"\boxed{4", 0.0, "no_box"),
        (r"\boxed{}", 0.0, "wrong"),
        (r"\boxed{5} OR **maybe** \boxed{4}", 0.0, "wrong"),
        (r"\boxed{5} \boxed{4}", 0.0, "wrong"),
        (r"$\boxed{5}$ \textbf{or} $\boxed{4}$", 0.0, "wrong"),
        (r"\boxed{4} or \boxed{5}. Format \boxed{}.", 0.0, "wrong"),
        ("\\boxed{5} is wrong.\n\\boxed{4}", 1.0, "correct"),
        (r"\boxed{5} no, \boxed{4}", 1.0, "correct"),
        (r"\boxed{4} no, \boxed{5}", 0.0, "wrong"),
        (r"\boxed{5 \boxed{4}}", 0.0, "not_compared"),  # the outer box counts, and it holds more than 4
        (r"\boxed {4}", 1.0, "correct"),
        (r"\boxed 4.", 1.0, "correct"),
        (r"\fbox{4}", 1.0, "correct"),
        (r"<think>\boxed{4}</think>\boxed{5}", 0.0, "wrong"),
        (r"<think>\boxed{5}</think>\boxed{4}", 1.0, "correct"),
        (r"<think>\boxed{4}</think>It is four.", 0.0, "no_box"),
        (r"<think>so \boxed{4}", 0.0, "unfinished_thinking"),
        (r"\boxed{5}<|im_end|>\boxed{4}", 0.0, "wrong"),
        (r"\boxed{9^{9^{9}}}", 0.0, "too_large"),
        (r"\boxed{x}", 0.0, "wrong"),
        (r"\boxed{7 (not 4)}", 0.0, "not_compared"),
        (r"\boxed{4} or \boxed{5}", 0.0, "wrong"),  # boxes that make a list are a list
        (r"$x = \boxed{5}$, $y = \boxed{4}$", 0.0, "wrong"),
        (r"\boxed{4} or \boxed{4}", 1.0, "correct"),
    ],
)
def test_boxed_answer(completion, reward, reason):
    verdict = gr.boxed_answer.explain(completion, answer="4")
    assert (verdict.reward, verdict.reason) == (reward, reason)


def test_a_row_without_a_readable_gold_is_none_whatever_the_model_wrote():
    for completion in (r"\boxed{4}", "no box", "<think>unfinished"):
        assert gr.boxed_answer.explain(completion, answer="").reason == "bad_answer"
        assert gr.final_answer.score(completion, answer=None) is None
        assert gr.cosine_length.bind(max_tokens=9).score(completion, completion_ids=[1], answer="") is None


@pytest.mark.parametrize(
    ("completion", "source", "prediction"),
    [
        (r"the answer is 5, so \boxed{4}", "box", "4"),
        ("the answer is 5 <answer> 4 </answer>", "answer_tag", "4"),
        ("the answer is 5\n#### 4", "hashes", "4"),
        ("#### 5 and then\n#### 4\nbye", "hashes", "4"),
        ("The answer is 4.", "phrase", "4"),
        ("**Answer:** $4$", "phrase", "4"),
        (r"The final answer is \(\frac{8}{2}\).", "phrase", r"\frac{8}{2}"),
        ("so 2 + 2\nA: 4", "phrase", "4"),
        ("The answer is $4 for each child.", "phrase", "$4"),
        ("The answer is 4 because 2 + 2 = 4.", "phrase", "4"),
        ("The answer is 1,004 apples", "phrase", "1,004"),
        ("2 + 2 makes 4!", "last_number", "4"),
        ("It fell by -4", "last_number", "-4"),
        ("It fell by −4", "last_number", "−4"),
        ("It is 1 1/2", "last_number", "1 1/2"),
        ("so 1 000 dollars", "last_number", "1 000"),
        ("some 3 million.", "last_number", "3 million"),
        ("so 2^{10}", "last_number", "2^{10}"),
        ("#### **4**", "hashes", "4"),
        ("The answer is 4 apples that she has left.", "phrase", "4"),
        ("The answer is 4 thousand", "phrase", "4 thousand"),
        ("16-3-9=4", "last_number", "4"),
        ("It costs $1,234.50.", "last_number", "$1,234.50"),
    ],
)
def test_final_answer_says_where_it_found_the_answer(completion, source, prediction):
    verdict = gr.final_answer.explain(completion, answer="4")
    assert (verdict.details["source"], verdict.prediction) == (source, prediction)


HEDGES = (
    r"""
4 or 5;4, 5;4/5;4^2;4 × 6;4 · 6;4 times 6;4 − 6;4²;4½;4 1/2;4√2;4π;4 squared;4!!;4 < 6;4 thousand;$4 million;4 dozen
4 5 6;4, and 5;4 & 5;4 | 5;4 but could be 5;$4$ or $5$;$4$, $5$;\(4\) \(5\);4 apples or 5 apples
""".strip()
    .replace("\n", ";")
    .split(";")
)


@pytest.mark.parametrize("ending", ["", "."])
@pytest.mark.parametrize("hedge", HEDGES)
def test_final_answer_does_not_pay_for_a_hedge_or_for_half_an_answer(hedge, ending):
    assert gr.final_answer.score(f"The answer is {hedge}{ending}", answer="4") == 0.0


def test_final_answer_without_any_number():
    assert gr.final_answer.explain("I do not know", answer="4").reason == "no_answer"


@pytest.mark.parametrize(
    ("completion", "reason"),
    [
        (THINK + "It is 5.", "well_formed"),
        ("\n " + THINK + "It is 5.", "well_formed"),
        ("It is 5.", "no_thinking"),
        ("Well. " + THINK + "It is 5.", "no_thinking"),
        ("<think>I add.", "unfinished_thinking"),
        ("<think>a<think>b</think>c</think>5", "repeated_tags"),
        ("<think>a</think></think> 5", "repeated_tags"),
        ("<think> \n </think>5", "blank_reasoning"),
        ("<think>...</think>5", "blank_reasoning"),
        ("<think>a <answer>4</answer></think>5", "answer_in_reasoning"),
        ("<think>a</think> ", "blank_response"),
    ],
)
def test_think_format(completion, reason):
    verdict = gr.think_format.explain(completion)
    assert (verdict.reward, verdict.reason) == (float(reason == "well_formed"), reason)


PREFILLED = {
    "text": "Question?\n<think>\n",
    "messages": [{"role": "user", "content": "Question?"}, {"role": "assistant", "content": "<think>\n"}],
}


@pytest.mark.parametrize("prompt", PREFILLED.values(), ids=list(PREFILLED))
def test_a_template_that_opened_think_is_seen_in_the_prompt(prompt):
    assert gr.think_format.score("I add.\n</think>\nIt is 5.", prompt=prompt) == 1.0
    assert gr.think_format.explain(THINK + "It is 5.", prompt=prompt).reason == "repeated_tags"
    assert gr.think_format.explain("</think>It is 5.", prompt=prompt).reason == "blank_reasoning"
    assert gr.think_answer_format.score("I add.</think><answer>5</answer>", prompt=prompt) == 1.0
    assert gr.boxed_answer.explain(r"I add, \boxed{5}", prompt=prompt, answer="5").reason == "unfinished_thinking"


def test_the_option_overrides_the_prompt():
    opened, closed = gr.think_format.bind(think_opened=True), gr.think_format.bind(think_opened=False)
    assert opened.score("I add.</think>It is 5.") == 1.0
    assert closed.score("I add.</think>It is 5.", prompt="<think>") == 0.0


def test_a_prompt_that_only_speaks_of_the_tag_did_not_open_it():
    prompt = "Begin with <think>.\nQ: 2 + 2?\nA:"
    assert gr.boxed_answer.score(r"\boxed{4}", prompt=prompt, answer="4") == 1.0


def test_a_prompt_that_closed_its_think_again_did_not_open_it():
    assert gr.think_format.score(THINK + "It is 5.", prompt="<think>\n\n</think>\n\n") == 1.0


@pytest.mark.parametrize(
    ("completion", "reason"),
    [
        (THINK + "<answer>\n5\n</answer>\n", "well_formed"),
        (THINK + "5", "no_answer"),
        (THINK + "</answer>5<answer>", "no_answer"),
        (THINK + "<answer>5</answer><answer>5</answer>", "repeated_answer"),
        (THINK + "<answer>...</answer>", "blank_answer"),
        (THINK + "So: <answer>5</answer>", "text_outside"),
        (THINK + "<answer>5</answer> Bye!", "text_outside"),
        ("<answer>5</answer>" + THINK, "no_thinking"),
        ("<thіnk>a</thіnk><answer>5</answer>", "no_thinking"),  # Cyrillic і
    ],
)
def test_think_answer_format(completion, reason):
    verdict = gr.think_answer_format.explain(completion)
    assert (verdict.reward, verdict.reason) == (float(reason == "well_formed"), reason)


@pytest.mark.parametrize(
    ("completion", "reason"),
    [
        (r"\boxed{5}", "boxed"),
        ("5", "no_box"),
        (r"\boxed{ }", "blank_box"),
        (r"\boxed{5", "no_box"),
        (r"<think>\boxed{5}", "unfinished_thinking"),
    ],
)
def test_boxed_format(completion, reason):
    assert gr.boxed_format.explain(completion).reason == reason


@pytest.mark.parametrize(
    ("tokens", "reward"),
    # DAPO, equation 13, with L_max = 100 and L_cache = 20
    [(0, 0.0), (80, 0.0), (81, -0.05), (90, -0.5), (99, -0.95), (100, -1.0), (101, -1.0), (5000, -1.0)],
)
def test_soft_overlong(tokens, reward):
    bound = gr.soft_overlong.bind(max_tokens=100, buffer=20)
    assert bound.score("", completion_ids=range(tokens)) == pytest.approx(reward)


def test_soft_overlong_without_a_buffer_is_a_step():
    bound = gr.soft_overlong.bind(max_tokens=100, buffer=0)
    assert [bound.score("", completion_ids=range(n)) for n in (100, 101)] == [0.0, -1.0]


@pytest.mark.parametrize(
    ("completion", "tokens", "reward"),
    # Yeo et al., appendix C.1, with the default bounds and L_max = 100: halfway cos(π/2) = 0 gives the middle
    [
        (r"\boxed{4}", 0, 1.0),
        (r"\boxed{4}", 50, 0.75),
        (r"\boxed{4}", 25, 0.75 + 0.25 * math.cos(math.pi / 4)),
        (r"\boxed{4}", 100, 0.5),
        (r"\boxed{4}", 150, 0.5),  # clamped: the bare cosine would be back at 0.75
        (r"\boxed{4}", 200, 0.5),
        (r"\boxed{5}", 0, -1.0),
        (r"\boxed{5}", 50, -0.75),
        (r"\boxed{5}", 100, -0.5),
        (r"\boxed{5}", 200, -0.5),
    ],
)
def test_cosine_length(completion, tokens, reward):
    bound = gr.cosine_length.bind(max_tokens=100)
    assert bound.score(completion, completion_ids=range(tokens), answer="4") == pytest.approx(reward)


def test_repetition_by_token_ids():
    # 5 5 5 5 5 has four bigrams, one of them distinct: -(1 - 1/4)
    bound = gr.repetition.bind(ngram=2)
    assert bound.score("", completion_ids=[5] * 5) == pytest.approx(-0.75)
    assert bound.bind(max_penalty=-2.0).score("", completion_ids=[5] * 5) == pytest.approx(-1.5)
    assert bound.score("", completion_ids=[1, 2, 3, 4]) == 0.0
    assert bound.score("", completion_ids=[1]) == 0.0


PROSE = "First we expand the product, then we collect terms in x and compare coefficients with the right side."


@pytest.mark.parametrize("text", ["wait" * 500, "wait\u200b wait" * 500, "我们等等" * 400, "so so " * 400], ids=ascii)
def test_repetition_by_characters_sees_text_without_words(text):
    assert gr.repetition.score(text) < -0.9


def test_repetition_spares_prose_and_padding_does_not_help():
    assert gr.repetition.score(PROSE) > -0.1
    assert gr.repetition.score("wait " * 99 + "\u200b " * 999) <= gr.repetition.score("wait " * 99)


@pytest.mark.parametrize(
    ("regex", "text", "reward"),
    [
        (r"x=\d", "so x=4", 1.0),
        (r"^x=\d$", "so x=4", 0.0),
        (r"A.B", "A\nB", 0.0),
        (r"(?s)A.B", "A\nB", 1.0),
        (r"(?m)^B$", "A\nB\nC", 1.0),
        ("é", "caf\u00e9 \ud800", 1.0),  # a lone surrogate cannot be encoded
    ],
)
def test_pattern(regex, text, reward):
    assert gr.pattern.bind(regex=regex).score(text) == reward


def test_a_pattern_that_backtracks_elsewhere_is_linear_here():
    start = time.process_time()
    # exponential for the standard library's engine
    assert gr.pattern.bind(regex=r"(a+)+$").score("a" * 50_000 + "b") == 0.0
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("bind", "says"),
    [
        (lambda: gr.pattern.bind(regex="(?=x)"), "look-around"),
        (lambda: gr.pattern.bind(regex="("), "missing"),
        (lambda: gr.soft_overlong.bind(max_tokens=10, buffer=20), "buffer between 0 and max_tokens"),
        (lambda: gr.soft_overlong.bind(max_tokens=0, buffer=0), "at least 1"),
        (lambda: gr.cosine_length.bind(max_tokens=0), "at least 1"),
        (lambda: gr.cosine_length.bind(max_tokens=9, min_correct=2.0), "must not exceed"),
        (lambda: gr.repetition.bind(ngram=0), "must be 1 to 20"),
        (lambda: gr.repetition.bind(max_penalty=0.5), "at most 0"),
        (lambda: gr.boxed_answer.bind(think_opened="yes"), "True or False or None"),
    ],
)
def test_bad_options_are_refused_when_they_are_bound(bind, says):
    with pytest.raises(gr.RewardError, match=says):
        bind()


def test_tool_transcripts_are_read_at_the_last_assistant_message():
    transcript = [
        {"role": "assistant", "content": r"\boxed{5}", "tool_calls": []},
        {"role": "tool", "name": "calculator", "content": r"\boxed{5}"},
        {"role": "assistant", "content": [{"type": "text", "text": r"\boxed"}, {"type": "text", "text": "{4}"}]},
        {"role": "tool", "name": "calculator", "content": r"\boxed{5}"},
    ]
    assert gr.boxed_answer.score(transcript, answer="4") == 1.0


def test_reasoning_that_a_parser_moved_out_of_the_text_still_counts():
    message = [{"role": "assistant", "reasoning_content": "I add.", "content": "It is 4."}]
    assert gr.think_format.score(message) == 1.0


def test_names_before_boxes_belong_to_their_list():
    both = r"$x=\boxed{5}$ and $y=\boxed{6}$"
    assert gr.boxed_answer.score(both, answer="(5,6)") == 1.0
    assert gr.boxed_answer.score(both, answer="(6,5)") == 0.0
    assert gr.boxed_answer.score(both, answer="6") == 0.0
