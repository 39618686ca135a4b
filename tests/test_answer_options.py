"""The options of boxed_answer: each default, what the option changes, and what it leaves alone."""

import threading
import time

import pytest

import grpo_rewards as gr
from grpo_rewards import RewardError

CASES = [
    # options, completion, gold, reward by default, reward with the options
    ({"boxed": "first"}, r"\boxed{4} no, \boxed{5}", "4", 0.0, 1.0),
    ({"boxed": "first"}, r"\boxed{5} no, \boxed{4}", "4", 1.0, 0.0),
    ({"boxed": "only"}, r"\boxed{5} no, \boxed{4}", "4", 1.0, 0.0),
    ({"boxed": "only"}, r"so \boxed{4}", "4", 1.0, 1.0),
    ({"box_in_reasoning": True}, r"<think>\boxed{4}</think>It is four.", "4", 0.0, 1.0),
    ({"box_in_reasoning": True}, r"<think>so \boxed{4}", "4", 0.0, 1.0),
    ({"box_in_reasoning": True}, r"<think>\boxed{5}</think>\boxed{4}", "4", 1.0, 1.0),
    ({"box_in_reasoning": True}, r"\boxed{5}<|im_end|>\boxed{4}", "4", 0.0, 0.0),
    ({"think_opened": True}, r"so \boxed{4}", "4", 1.0, 0.0),
    ({"percent": "fraction"}, r"\boxed{10\%}", "0.1", 0.0, 1.0),
    ({"percent": "fraction"}, r"\boxed{10\%}", "10", 1.0, 0.0),
    ({"percent": "fraction"}, r"\boxed{0.1}", r"10\%", 0.0, 1.0),
    ({"percent": "fraction"}, r"\boxed{10 \text{ percent}}", r"10\%", 1.0, 1.0),
    ({"units": "required"}, r"\boxed{10}", r"10 \text{ cm}", 1.0, 0.0),
    ({"units": "required"}, r"\boxed{10 \text{ cm}}", r"10 \text{ cm}", 1.0, 1.0),
    ({"units": "required"}, r"\boxed{10 \text{ cm}}", "10", 1.0, 1.0),
    ({"units": "ignored"}, r"\boxed{10 \text{ m}}", r"10 \text{ cm}", 0.0, 1.0),
    ({"units": "ignored"}, r"\boxed{11 \text{ cm}}", r"10 \text{ cm}", 0.0, 0.0),
    ({"names": "required"}, r"\boxed{5}", "x=5", 1.0, 0.0),
    ({"names": "required"}, r"\boxed{x=5}", "5", 1.0, 0.0),
    ({"names": "required"}, r"\boxed{x=5}", "x=5", 1.0, 1.0),
    ({"rounding_digits": 4}, r"\boxed{0.3333}", r"\frac13", 0.0, 1.0),
    ({"rounding_digits": 4}, r"\boxed{1.414}", r"\sqrt2", 0.0, 1.0),
    ({"rounding_digits": 4}, r"\boxed{0.333}", r"\frac13", 0.0, 0.0),
    ({"rounding_digits": None}, r"\boxed{0.333333}", r"\frac13", 1.0, 0.0),
    ({"rounding_digits": 4}, r"\boxed{4.9999999}", "5", 0.0, 0.0),
    ({"unevaluated": True}, r"\boxed{3+4}", "7", 0.0, 1.0),
    ({"unevaluated": True}, r"\boxed{3+5}", "7", 0.0, 0.0),
    ({"unevaluated": True}, r"\boxed{\sum_{k=1}^{4} k}", "10", 0.0, 1.0),
    ({"unevaluated": True}, r"\boxed{3=7}", "7", 0.0, 0.0),
]


@pytest.mark.parametrize(("options", "completion", "gold", "default", "changed"), CASES)
def test_what_an_option_changes(options, completion, gold, default, changed):
    assert gr.boxed_answer.score(completion, answer=gold) == default
    assert gr.boxed_answer.bind(**options).score(completion, answer=gold) == changed


@pytest.mark.parametrize("form", ["{}", "${}$", r"\boxed{{{}}}"])
@pytest.mark.parametrize(("completion", "gold"), [(case[1], case[2]) for case in CASES])
def test_the_form_of_the_gold_changes_nothing(completion, gold, form):
    bare = gr.boxed_answer.explain(completion, answer=gold)
    assert gr.boxed_answer.explain(completion, answer=form.format(gold)).reason == bare.reason


def test_without_workers_nothing_symbolic_is_compared():
    alone = gr.boxed_answer.bind(workers=0)
    assert alone.explain(r"\boxed{\frac{m(m+1)}{2}}", answer=r"\sum_{k=1}^{m} k").reason == "not_compared"
    assert alone.score(r"\boxed{2x}", answer="x+x") == 1.0


def test_reasons_of_the_options():
    assert gr.boxed_answer.bind(boxed="only").explain(r"\boxed{1} \boxed{1}", answer="1").reason == "several_boxes"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"boxed": "lst"}, "option 'boxed' of reward 'boxed_answer' must be one of 'last', 'only', 'first'"),
        ({"percent": 0.1}, "option 'percent' of reward 'boxed_answer' must be one of 'number', 'fraction'"),
        ({"rounding_digits": 0}, "rounding_digits must be at least 1, or None, not 0"),
        ({"on_timeout": -1.0}, "on_timeout must be 0.0"),
        ({"deadline": 0.0}, "deadline must be above 0 and at most 600 seconds, not 0.0"),
        ({"deadline": 1e10}, "deadline must be above 0 and at most 600 seconds"),
        ({"workers": -1}, "workers must be 0 or more"),
    ],
)
@pytest.mark.parametrize("reward", [gr.boxed_answer, gr.final_answer])
def test_a_bad_option_is_refused_when_it_is_bound(reward, options, message):
    if reward is gr.final_answer and "boxed" in options:
        message = "reward 'final_answer' has no option 'boxed'"
    with pytest.raises(RewardError, match=message.replace("boxed_answer", reward.name)):
        reward.bind(**options)


# What math-verify computes for minutes; nothing cheaper can tell.
BOMB, GOLD = r"\int_0^1 \frac{\sin(\tan x)-\tan(\sin x)}{x^{7}+%d}dx", r"\int_0^1 x^x dx"


def test_a_timeout_is_its_own_reason_and_may_be_none():
    bomb = rf"\boxed{{{BOMB % 1}}}"
    assert gr.boxed_answer.bind(deadline=0.3).explain(bomb, answer=GOLD).reason == "timeout"
    assert gr.boxed_answer.bind(deadline=0.3).score(bomb, answer=GOLD) == 0.0
    assert gr.boxed_answer.bind(deadline=0.3, on_timeout=None).score(bomb, answer=GOLD) is None


def test_four_bombs_among_sixty_four_delay_neither_the_call_nor_other_threads():
    late, done = [], threading.Event()

    def beat():
        while not done.is_set():
            start = time.perf_counter()
            time.sleep(0.1)
            late.append(time.perf_counter() - start - 0.1)

    completions = [rf"\boxed{{{BOMB % n}}}" if n % 16 == 0 else rf"\boxed{{{n}}}" for n in range(64)]
    golds = [GOLD if n % 16 == 0 else str(n) for n in range(64)]
    heart = threading.Thread(target=beat)
    heart.start()
    start = time.perf_counter()
    rewards = gr.boxed_answer.bind(workers=2)(completions=completions, answer=golds)
    took = time.perf_counter() - start
    done.set()
    heart.join()
    assert rewards == [float(n % 16 != 0) for n in range(64)]
    # two seconds of each worker, and one to start; the rest is for a machine that has other work
    assert took < 8.0
    assert sorted(late)[len(late) // 2] < 0.3
