"""What all rewards made of rewards have in common: specs, pickling, options, names, and that parts are asked once."""

import pickle
import sys
import types

import pytest
from tables import each_row, refused, tables_beside

import grpo_rewards as gr
from grpo_rewards.rewards.correctness import mathematics

TABLES = tables_beside(__file__)

RIGHT = r"<think>2 + 2</think><answer>\boxed{4}</answer>"
FORMATLESS = r"\boxed{4}"
SPECS = TABLES["specs"]


@pytest.mark.parametrize("spec", SPECS)
def test_a_spec_makes_a_reward_that_prints_as_one_and_pickles(spec, monkeypatch):
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


@each_row("spec, said", TABLES["a_bad_composite_is_told_what_to_do"])
def test_a_bad_composite_is_advised_what_to_do(spec, said):
    with refused(said):
        gr.get_reward(spec)


def test_the_options_of_a_composite_are_bound_and_those_of_parts_are_not():
    assert gr.gated(gr.boxed_answer, by=gr.boxed_format).bind(otherwise=-1.0).score("4", answer="4") == -1.0
    with pytest.raises(
        gr.RewardError, match=r"no option 'max_tokens'.*for one of boxed_answer, boxed_format, bind that reward"
    ):
        gr.gated(gr.boxed_answer, by=gr.boxed_format).bind(max_tokens=3)
    with pytest.raises(gr.RewardError, match=r"soft_overlong.*needs max_tokens"):
        gr.check_rewards(gr.clipped(gr.soft_overlong, low=-0.5, high=0)).raise_for_errors()


def test_a_composer_takes_no_plain_function():
    with pytest.raises(gr.RewardError, match=r"becomes a reward with @grpo_rewards\.reward"):
        gr.gated(lambda completions, **_: [0.0], by=gr.boxed_format)


def test_a_part_that_occurs_often_is_called_and_logs_once():
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
    found, compared = [], []
    find_box, grade = mathematics.find_box, mathematics.grade
    monkeypatch.setattr(mathematics, "find_box", lambda *given: found.append(given[0]) or find_box(*given))
    monkeypatch.setattr(mathematics, "grade", lambda *given: compared.append(len(given[0])) or grade(*given))
    one = gr.gated(
        gr.weighted({gr.boxed_answer: 1.0, gr.cosine_length.bind(max_tokens=9): 1.0, gr.relative_length: 1.0}),
        by=gr.boxed_answer,
    )
    given = {"completions": [RIGHT, FORMATLESS], "completion_ids": [[1], [2]], "answer": ["4", "4"]}
    one(**given)
    assert (found, compared) == ([RIGHT, FORMATLESS], [2])
    one(**given, prompts=["a", "a"])  # another call: nothing is kept
    assert (len(found), len(compared)) == (4, 2)


def test_a_name_given_to_a_part_is_kept_where_nothing_clashes():
    behind = gr.gated(gr.boxed_answer.bind(name="behind"), by=gr.boxed_format)
    for rewards in ([gr.gated(gr.boxed_answer, by=gr.boxed_format), gr.think_format], [gr.boxed_answer, behind]):
        assert gr.check_rewards(rewards).raise_for_errors().rewards == rewards


def test_weights_in_another_order_are_another_composite():
    one, other = gr.weighted(boxed_answer=1.0, boxed_format=0.5), gr.weighted(boxed_format=0.5, boxed_answer=1.0)
    assert one != other  # their funcs come in another order, and so would the weights that TRL is given
    assert one == gr.weighted(boxed_answer=1.0, boxed_format=0.5)
    assert hash(one) == hash(gr.weighted(boxed_answer=1.0, boxed_format=0.5))


def test_mapped_changes_every_reward_that_is_not_made_of_others():
    one = gr.get_reward("gated(weighted(boxed_answer=1.0, boxed_format=0.5), by=think_answer_format)")
    told = one.mapped(lambda part: part.bind(think_opened=True))
    assert told.score(r"2 + 2</think><answer>\boxed{4}</answer>", answer="4") == 1.5
    assert told.__name__ == one.__name__


def test_columns_are_bound_through_composites_in_composites_and_in_specs():
    inner = gr.routed({"m": gr.boxed_answer, "q": gr.exact_match}, by="task")
    one = gr.weighted({inner: 1.0}).bind(columns={"task": "kind", "answer": "key"})
    assert one.columns == ("kind", "key")
    assert one(completions=[r"\boxed{4}", "Rome"], kind=["m", "q"], key=["4", "Rome"]) == [1.0, 1.0]
    spelled = "gated(boxed_answer, by=think_format, columns={'answer': 'solution'})"
    assert gr.get_reward(spelled) == gr.gated("boxed_answer", by="think_format").bind(columns={"answer": "solution"})
    assert gr.get_reward("weighted(boxed_answer=1.0, columns={'answer': 'key'})").columns == ("key",)


def test_parts_that_read_one_column_under_two_names_keep_both():
    one = gr.weighted(
        {gr.boxed_answer.bind(columns={"answer": "c"}): 1.0, "multiple_choice(columns={'choices': 'c'})": 1.0}
    )
    read = {(column.read_as, column.name) for column in one.read_columns}
    assert read == {("answer", "c"), ("answer", "answer"), ("choices", "c")}
    bound = one.bind(columns={"choices": "options", "answer": "key"})
    assert {(column.read_as, column.name) for column in bound.read_columns} == {
        ("answer", "key"),
        ("choices", "options"),
    }


def test_an_option_of_a_part_in_a_call_is_refused():
    with pytest.raises(gr.RewardError, match="'boxed' is an option of reward 'boxed_answer'"):
        gr.weighted(boxed_answer=1.0).score("a", answer="4", boxed="first")
