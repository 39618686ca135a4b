"""Rewards made of rewards: what they give, log, print, pickle and refuse."""

import math
import pickle

import pytest

import grpo_rewards as gr
from grpo_rewards.rewards.building_blocks.grading import grade_boxes

RIGHT = r"<think>2 + 2</think><answer>\boxed{4}</answer>"
FORMATLESS = r"\boxed{4}"


@gr.reward
def composed_value(completion: str, value: float | None) -> float | None:
    return value


@gr.reward(reasons=("low", "high"))
def composed_gate(completion: str, gate: float | None) -> gr.Verdict:
    return gr.Verdict(gate, "high" if gate else "low")


SPECS = [
    "weighted(boxed_answer=1.0, boxed_format=0.5)",
    "weighted({boxed_answer: 1, soft_overlong(max_tokens=9, buffer=3): -0.2}, renormalise=True, name='points')",
    "gated(weighted(boxed_answer=1.0, boxed_format=0.5), by=think_answer_format)",
    "gated(pattern(regex=r'\\d'), by=soft_overlong(max_tokens=9, buffer=3), above=-0.5, otherwise=-1)",
    "scheduled(boxed_format, start=1, end=0, over=100)",
    "scheduled(boxed_format, start=1, end=0, over=0.5, shape='cosine', name='fading')",
    "routed({'math': boxed_answer, 'quiz': multiple_choice, 3: max_length(max_tokens=9)}, by='task')",
    "routed({'math': gated(boxed_answer, by=boxed_format)}, by='task', default=repetition)",
    "clipped(scaled(boxed_answer, by=2, offset=-1), low=-0.5, high=1)",
    "clipped(tests_of_compose.points, low=0, high=1)",
]


@pytest.mark.parametrize("spec", SPECS)
def test_a_spec_makes_a_reward_that_prints_as_one_and_pickles(spec, monkeypatch):
    import sys
    import types

    module = types.ModuleType("tests_of_compose")
    module.points = gr.boxed_answer
    monkeypatch.setitem(sys.modules, "tests_of_compose", module)
    one = gr.get_reward(spec)
    for other in (gr.get_reward(repr(one)), pickle.loads(pickle.dumps(one)), one.bind()):
        assert other == one
        assert hash(other) == hash(one)
        assert repr(other) == repr(one)
        assert other.__name__ == one.__name__
    assert one.bind(name="renamed").__name__ == "renamed"
    assert gr.get_reward(repr(one.bind(name="renamed"))) == one.bind(name="renamed") != one


def test_spec_and_python_make_the_same():
    spelled = gr.get_reward("gated(weighted(boxed_answer=1.0, boxed_format=0.5), by=think_answer_format)")
    assert spelled == gr.gated(gr.weighted(boxed_answer=1, boxed_format=0.5), by=gr.think_answer_format)
    assert spelled == gr.gated("weighted({boxed_answer: 1, boxed_format: 0.5})", by="think_answer_format")
    assert [spelled.score(text, answer="4") for text in (RIGHT, FORMATLESS)] == [1.5, 0.0]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("gated(boxed_answer)", "missing a required argument: 'by'. It is gated(reward, /, *, by, otherwise=0.0"),
        ("gated(boxed_answer, by=boxed_anser)", "did you mean 'boxed_answer'"),
        ("gated(boxed_answer, by=3)", "gated is made of rewards; 3 is none"),
        ("gated(boxed_answer, by=boxed_format, otherwise='a')", "otherwise must be a finite number"),
        ("gated(boxed_answer, by=boxed_answer(think_opened=True))", "two rewards called 'boxed_answer'"),
        ("gatd(boxed_answer, by=boxed_format)", "did you mean 'gated'"),
        ("weighted()", "needs a mapping"),
        ("weighted(boxed_answer='1')", "must be a finite number"),
        ("weighted({boxed_answer: 1}, boxed_answer=2)", "two rewards called 'boxed_answer'"),
        ("weighted({3: 1})", "is made of rewards; 3 is none"),
        ("scheduled(boxed_answer, start=0, end=1, over=0)", "over must be a number of steps"),
        ("scheduled(boxed_answer, start=0, end=1, over=1.5)", "over must be a number of steps"),
        ("scheduled(boxed_answer, start=0, end=1, over=9, shape='square')", "shape must be one of linear, cosine"),
        ("routed({}, by='task')", "needs a mapping of values to rewards"),
        ("routed({'a': boxed_answer}, by=3)", "by must be the name of a dataset column"),
        ("clipped(boxed_answer, low=1, high=0)", "low must not exceed high"),
        ("scaled(boxed_answer, by=boxed_format)", "by must be a finite number"),
        ("boxed_answer(boxed_format)", "has no option name"),
        ("weighted({boxed_answer: 1, boxed_answer: 2})", "boxed_answer is there twice"),
        ("routed({[1]: boxed_answer}, by='task')", "[1] cannot be a key"),
        ("routed({1e999: boxed_answer}, by='task')", "must be texts, numbers, True, False or None"),
        ("routed({'a': boxed_answer}, by=task)", "If 'task' is meant as a text, it needs quotes: 'task'."),
        ("scheduled(boxed_answer, start=0, end=1, over=9, shape=[])", "shape must be one of linear, cosine"),
        (f"scaled(boxed_answer, by={10**400})", "by must be a finite number"),
        ("scaled(boxed_answer, by=2, name='')", "name of reward 'scaled' must be a non-empty string"),
        (
            "gated(routed({'m': boxed_answer}, by='task', default=exact_match), by=boxed_answer)",
            "two rewards called 'boxed_answer'",
        ),
        ("clipped(boxed_answer, low=__import__('os').getpid(), high=1)", "is not a reward's name"),
    ],
)
def test_a_bad_composite_is_told_what_to_do(spec, said):
    with pytest.raises(gr.RewardError) as error:
        gr.get_reward(spec)
    assert said in str(error.value)


def test_the_options_of_a_composite_are_bound_and_those_of_parts_are_not():
    assert gr.gated(gr.boxed_answer, by=gr.boxed_format).bind(otherwise=-1.0).score("4", answer="4") == -1.0
    with pytest.raises(gr.RewardError, match=r"no option 'max_tokens'.*those of its parts are bound to the parts"):
        gr.gated(gr.boxed_answer, by=gr.boxed_format).bind(max_tokens=3)
    with pytest.raises(gr.RewardError, match=r"soft_overlong.*needs max_tokens"):
        gr.check_rewards(gr.clipped(gr.soft_overlong, low=-0.5, high=0))


def test_a_composer_takes_no_plain_function():
    with pytest.raises(gr.RewardError, match=r"becomes one with @grpo_rewards\.reward"):
        gr.gated(lambda completions, **_: [0.0], by=gr.boxed_format)


ROWS = {"completions": [""] * 4, "value": [1.0, None, 2.0, 3.0], "gate": [1.0, 1.0, 0.0, None]}


def test_a_gate_decides_row_by_row():
    one = gr.gated(composed_value, by=composed_gate, otherwise=-1.0)
    assert one(**ROWS) == [1.0, None, -1.0, None]
    reasons = [
        one.explain("", value=value, gate=gate).reason for value, gate in zip(ROWS["value"], ROWS["gate"], strict=True)
    ]
    assert reasons == ["", "", "stopped", "gate_not_scored"]
    assert gr.gated(composed_value, by=composed_gate, above=1.0)(**ROWS) == [0.0, 0.0, 0.0, None]


def test_renormalised_weights_keep_their_sum():
    parts = {composed_value: 1.0, composed_gate: 3.0}
    # TRL's nansum: 1·1 + 3·1, then 3·1 alone, then 1·2 + 3·0, then 1·3 alone
    assert gr.weighted(parts)(**ROWS) == [4.0, 3.0, 2.0, 3.0]
    # renormalised the weights that are left sum to 4
    assert gr.weighted(parts, renormalise=True)(**ROWS) == [4.0, 4.0, 2.0, 12.0]
    assert gr.weighted(parts, renormalise=True).score("", value=None, gate=None) is None


class State:
    max_steps = 200

    def __init__(self, step):
        self.global_step = step


@pytest.mark.parametrize("over", [100, 0.5])
@pytest.mark.parametrize(
    ("shape", "weights"),
    # start 1, end 3, at steps 0, 25, 50, 100, 1000; half a cosine is a quarter through at (1 - cos 45°) / 2
    [("linear", [1, 1.5, 2, 3, 3]), ("cosine", [1, 1 + (1 - math.cos(math.pi / 4)), 2, 3, 3])],
)
def test_a_schedule_goes_from_start_to_end_and_is_logged(over, shape, weights):
    one = gr.scheduled(composed_value, start=1.0, end=3.0, over=over, shape=shape)
    for step, weight in zip([0, 25, 50, 100, 1000], weights, strict=True):
        logged = {}
        found = one(completions=["", ""], value=[2.0, None], trainer_state=State(step), log_metric=logged.__setitem__)
        assert found == [pytest.approx(2 * weight), None]
        assert logged["scheduled_composed_value/weight"] == pytest.approx(weight)
    assert one.score("", value=2.0) == 6.0  # steady without a trainer
    with pytest.raises(gr.RewardError, match="reads global_step of trainer_state"):
        one.score("", value=2.0, trainer_state={"max_steps": 10})


def test_clipped_and_scaled():
    assert gr.clipped(composed_value, low=1.5, high=2.5)(**ROWS) == [1.5, None, 2.0, 2.5]
    assert gr.scaled(composed_value, by=-2, offset=1)(**ROWS) == [-1.0, None, -3.0, -5.0]
    assert gr.scaled(gr.boxed_answer, by=-2, offset=1).range == (-1.0, 1.0)
    verdict = gr.scaled(gr.boxed_answer, by=2).explain(FORMATLESS, answer="4")
    assert (verdict.reward, verdict.reason, verdict.prediction) == (2.0, "correct", "4")


TASKS = gr.routed({"math": gr.boxed_answer, "quiz": gr.multiple_choice}, by="task")
MIXED = {
    "completions": [r"\boxed{4}", "B", r"\boxed{5}", "A"],
    "task": ["math", "quiz", "math", "quiz"],
    "answer": ["4", "B", "4", "B"],
}


def test_rows_are_routed_by_their_kind():
    assert TASKS(**MIXED) == [1.0, 1.0, 0.0, 0.0]
    assert TASKS.columns == ("task", "answer")
    assert TASKS.explain("B", task="quiz", answer="B").details["route"] == "multiple_choice"


def test_an_unknown_kind_names_the_row_and_the_routes():
    with pytest.raises(gr.RewardError) as error:
        TASKS(**{**MIXED, "task": ["math", "quiz", "code", "quiz"]})
    assert "no route for 'code', which is 'task' of row 2. Routes: 'math', 'quiz'. Add one, or give a default." in str(
        error.value
    )
    with pytest.raises(gr.RewardError, match="reads column 'task'"):
        TASKS(completions=["a"], answer=["4"])
    by_default = TASKS.bind(default="boxed_format")
    assert by_default(**{**MIXED, "task": ["math", "quiz", "code", None]}) == [1.0, 1.0, 1.0, 0.0]
    assert by_default.score(r"\boxed{1}", task=["unhashable"], answer="4") == 1.0


@pytest.mark.parametrize("tasks", [["math", "quiz"], ["math", "math"], ["quiz", "quiz"], []])
def test_every_call_logs_whole_columns_of_every_route(tasks):
    extras = {}
    completions = [r"\boxed{4}", "B"][: len(tasks)]
    TASKS(
        completions=completions,
        task=tasks,
        answer=["4", "B"][: len(tasks)],
        log_extra=extras.__setitem__,
        log_metric=lambda *_: None,
    )
    assert set(extras) == {
        f"{name}/{what}" for name in ("boxed_answer", "multiple_choice") for what in ("reason", "prediction")
    }
    assert all(len(values) == len(tasks) for values in extras.values())
    if tasks == ["math", "quiz"]:
        assert extras["boxed_answer/reason"] == ["correct", None]
        assert extras["multiple_choice/reason"] == [None, "correct"]


def test_answers_are_checked_where_they_are_routed_to():
    rows = {"task": ["math", "quiz", "math", "quiz"], "answer": ["4", "B", "", "London calling"]}
    assert gr.check_answers(TASKS, rows) == {"boxed_answer": [2], "multiple_choice": [3]}
    nested = gr.gated(gr.weighted({TASKS: 1.0}), by=gr.boxed_format)
    assert gr.check_answers([nested], rows) == {"boxed_answer": [2], "multiple_choice": [3]}


def test_a_part_that_occurs_often_is_asked_and_logs_once():
    asked = []

    @gr.reward(reasons=("asked",))
    def counted(completion: str) -> gr.Verdict:
        asked.append(completion)
        return gr.Verdict(1.0, "asked")

    columns = []
    one = gr.gated(gr.weighted({counted: 1.0, gr.scaled(counted, by=2): 1.0}), by=counted)
    found = one(completions=["a", "b"], log_extra=lambda name, values: columns.append(name), log_metric=lambda *_: None)
    assert (found, asked) == ([3.0, 3.0], ["a", "b"])
    assert sorted(columns) == ["counted/prediction", "counted/reason"]
    assert one.metric_names.count("counted") == 1


def test_rewards_of_one_call_find_and_compare_a_box_once(monkeypatch):
    from grpo_rewards.rewards.building_blocks import grading

    found, compared = [], []
    find_box, grade = grading.find_box, grading.grade
    monkeypatch.setattr(grading, "find_box", lambda *given: found.append(given[0]) or find_box(*given))
    monkeypatch.setattr(grading, "grade", lambda *given: compared.append(len(given[0])) or grade(*given))
    one = gr.gated(
        gr.weighted({gr.boxed_answer: 1.0, gr.cosine_length.bind(max_tokens=9): 1.0, gr.relative_length: 1.0}),
        by=gr.boxed_answer,
    )
    given = {"completions": [RIGHT, FORMATLESS], "completion_ids": [[1], [2]], "answer": ["4", "4"]}
    one(**given)
    assert (found, compared) == ([RIGHT, FORMATLESS], [2])
    one(**given, prompts=["a", "a"])  # another call: nothing is kept
    assert (len(found), len(compared)) == (4, 2)
    assert grade_boxes([RIGHT], ["4"], [None])[0].reward == 1.0


def test_names_must_differ_between_different_rewards():
    gr.check_rewards([gr.gated(gr.boxed_answer, by=gr.boxed_format), gr.think_format])
    with pytest.raises(gr.RewardError, match="two rewards are called 'boxed_answer'"):
        gr.check_rewards([gr.boxed_answer, gr.gated(gr.boxed_answer, by=gr.boxed_format)])
    renamed = gr.gated(gr.boxed_answer.bind(name="behind"), by=gr.boxed_format)
    assert len(gr.check_rewards([gr.boxed_answer, renamed])) == 2


def test_mapped_changes_every_reward_that_is_not_made_of_others():
    one = gr.get_reward("gated(weighted(boxed_answer=1.0, boxed_format=0.5), by=think_answer_format)")
    told = one.mapped(lambda part: part.bind(think_opened=True))
    assert told.score(r"2 + 2</think><answer>\boxed{4}</answer>", answer="4") == 1.5
    assert told.__name__ == one.__name__
