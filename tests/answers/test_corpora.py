"""Labelled completions, where they are beside the repository. What needs symbolic algebra may be undecided."""

import pytest
from labelled_rows import rows
from places import labelled

import grpo_rewards as gr

pytestmark = labelled


def verdicts(reward: gr.Reward, data: list[dict]) -> list[gr.Verdict]:
    return [reward.explain(row["completion"], answer=row["gold"]) for row in data]


def disagreements(reward: gr.Reward, data: list[dict]) -> list[tuple]:
    return contradicted(data, verdicts(reward, data))


def contradicted(data: list[dict], found: list[gr.Verdict]) -> list[tuple]:
    """Rows whose label a verdict contradicts; where a symbolic comparison is needed it says so instead."""
    return [
        (row["id"], row["gold"], verdict)
        for row, verdict in zip(data, found, strict=True)
        if verdict.reason != "not_compared" and (verdict.reward == 1.0) != row["expected"]
    ]


@pytest.mark.parametrize("name", ["gsm8k_real", "math_cot_real", "long_real"])
def test_every_label_of_real_solutions_is_met_without_symbolic_algebra(name):
    data = rows(f"answers/{name}")
    reward = gr.final_answer if name == "gsm8k_real" else gr.boxed_answer
    found = verdicts(reward, data)
    assert [v for v in found if v.reason == "not_compared"] == []
    assert contradicted(data, found) == []


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.full)])
def test_solutions_are_read_without_the_line_that_announces_their_answer(every):
    data = [row for row in rows("answers/gsm8k_real") if row["kind"] == "raw"][::every]
    unmarked = [{**row, "completion": row["completion"].rpartition("\nA:")[0]} for row in data]
    judged = list(zip(data, verdicts(gr.final_answer, unmarked), strict=True))
    assert [row["id"] for row, verdict in judged if verdict.reward == 1.0 and not row["expected"]] == []
    right = [verdict.reward for row, verdict in judged if row["expected"]]
    # what is missed: pairs and dozens, answers that were rounded only in the last line, sentences cut by other rules
    assert right.count(1.0) >= 0.96 * len(right)


def test_a_box_and_the_final_answer_are_the_same_for_solutions_with_a_box():
    data = [row for row in rows("answers/gsm8k_real") if row["kind"] == "boxed"]
    assert [v.reward for v in verdicts(gr.boxed_answer, data)] == [v.reward for v in verdicts(gr.final_answer, data)]


def test_rewritings_and_perturbations_are_decided_as_labelled():
    data = [row for row in rows("answers/math_real") if not row["kind"].startswith("policy/")]
    found = verdicts(gr.boxed_answer, data)
    wrong = contradicted(data, found)
    # Two labels contradict other rows of the same data: a box with the gold that is the last one and is labelled wrong,
    # and {-2} against -2, which another row labels right.
    assert len(wrong) <= 2, wrong
    right = [verdict.reason == "correct" for row, verdict in zip(data, found, strict=True) if row["expected"]]
    assert sum(right) / len(right) > 0.95


def test_nothing_false_is_accepted_from_the_test_suites_of_other_graders():
    data = [row for row in rows("answers/peer_tests") if row["kind"].startswith("fair/")]
    boxed = [
        {**row, "completion": rf"\boxed{{{row['completion']}}}"} for row in data if "boxed" not in row["completion"]
    ]
    assert disagreements(gr.boxed_answer, boxed) == []


def test_traps_of_precision_and_size():
    assert disagreements(gr.boxed_answer, rows("answers/adversarial")) == []


@pytest.mark.parametrize("form", ["{}", "${}$", r"\boxed{{{}}}"])
def test_the_form_of_the_gold_changes_no_verdict(form):
    data = [row for row in rows("answers/math_cot_real") if "$" not in row["gold"]]
    golds = [form.format(row["gold"]) for row in data]
    bare = gr.boxed_answer(completions=[row["completion"] for row in data], answer=[row["gold"] for row in data])
    assert gr.boxed_answer(completions=[row["completion"] for row in data], answer=golds) == bare
