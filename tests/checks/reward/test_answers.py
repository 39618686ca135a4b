"""The figures of a gate: right answers that are missed, wrong ones that are rewarded, for anybody's grader."""

import json
from pathlib import Path
from typing import Any

import pytest
from invoked import invoke
from quick_probes import with_quick_probes  # noqa: F401  # a fixture
from tables import each_row

pytest.importorskip("numpy", reason="numpy is not installed")

import numpy

import grpo_rewards as gr
from grpo_rewards import RewardError, probe
from grpo_rewards.checks.reward.calling import as_trl_calls
from grpo_rewards.checks.reward.problems import kinds_of_rows

pytestmark = pytest.mark.usefixtures("with_quick_probes")
BOX = r"so \boxed{4}"


def contains(completion: str, reference: str) -> float:
    return float(reference.strip() in completion)


def equals(completion: str, reference: str) -> float:
    return float(completion.strip() == reference)


def test_boxed_answer_judges_every_spelling_rightly() -> None:
    """Also the other way round: what it is sure of is right in the table."""
    found = probe("boxed_answer", answers=True)
    assert (found.false_rewards, found.missed) == (0.0, 0.0)
    assert found.answers is not None
    assert {one.way for one in found.answers} >= {"in a box", "the gold, denied", "a box in the reasoning alone"}
    assert sum(one.is_right for one in found.answers) > 150
    assert not [one for one in found.answers if one.answer.strip() == one.gold and one.is_rewarded is not one.is_right]


def test_a_grader_that_looks_for_the_gold_rewards_denials_and_misses_spellings() -> None:
    found = probe(contains, answers=True)
    rewarded = {(one.gold, one.answer) for one in found.answers or () if one.is_rewarded and not one.is_right}
    missed = {(one.gold, one.answer) for one in found.answers or () if one.is_right and not one.is_rewarded}
    assert {("42", "420"), ("42", "The answer is not 42.")} <= rewarded
    assert {("1250", "1,250"), ("13/2", "6.5")} <= missed
    assert found.false_rewards is not None
    assert found.missed is not None
    assert 0.3 < found.false_rewards < 0.6
    assert 0.3 < found.missed < 0.6
    assert any(one.startswith("contains falsely rewards ") for one in found.messages)
    assert any(one.startswith("contains misses ") and "'6.5' for '13/2'" in one for one in found.messages)


def test_only_the_ways_in_which_it_reads_answers_count() -> None:
    found = probe(equals, answers=True)
    ways = {one.way for one in found.answers or () if one.is_right}
    assert ways == {"by itself", "as the row has it"}
    assert found.false_rewards == 0.0


def test_golds_that_a_reward_cannot_score_do_not_count() -> None:
    found = probe("numeric_answer", answers=True)
    assert {one.gold for one in found.answers or ()}.isdisjoint({"x^2+2x+1", "(2, 3)", "Lima", "C"})


@each_row("reward", ["max_length(max_tokens=400)", "think_format", lambda completions, **_: [1.0] * len(completions)])
def test_what_rewards_no_gold_misses_all_of_them(reward: Any) -> None:
    found = probe(reward, answers=True)
    assert found.missed == 1.0
    assert not found.passes(max_false_rewards=1.0, max_missed=0.9)


def test_rows_and_a_form_of_ones_own_are_tried() -> None:
    rows = [{"prompt": f"{at}?", "answer": f"{at} apples"} for at in (3, 4, 5)]

    @gr.reward
    def own_form(completion: str, answer: str) -> float:
        return float(completion.endswith(f"=> {answer} <="))

    found = probe(own_form, rows, right=lambda row: f"so => {row['answer']} <=", answers=True)
    assert (found.right, found.wrong, found.is_sound) == (1.0, 0.0, True)
    assert (found.false_rewards, found.missed) == (0.0, 0.0)
    assert "give right=…" in probe(own_form, rows).messages[0]
    assert [one.answer for one in found.answers or () if one.is_right] == [row["answer"] for row in rows]
    assert probe(contains, rows, answers=True).false_rewards > 0  # type: ignore[operator]


def test_limits_are_held_and_what_was_not_measured_is_no_pass() -> None:
    found = probe(contains, answers=True)
    assert found.passes(max_false_rewards=0.6, max_missed=0.6)
    assert found.passes(max_false_rewards=0.6)
    assert not found.passes(max_false_rewards=0.3)
    assert not found.passes(max_missed=0.6)  # a hack is rewarded
    assert probe("boxed_answer", answers=True).passes(max_false_rewards=0.0, max_missed=0.0)
    with pytest.raises(RewardError, match="answers=True"):
        probe("boxed_answer").passes(max_missed=0.1)


def test_a_grader_that_fails_at_a_spelling_passes_nothing() -> None:
    def strict(completion: str, reference: str) -> float:
        if "1,250" in completion:
            raise ValueError("no number")
        return contains(completion, reference)

    found = probe(strict, answers=True)
    assert any("ValueError" in one for one in found.failures)
    assert not found.passes(max_false_rewards=1.0, max_missed=1.0)


def test_a_spelling_is_no_other_problems_gold_and_none_is_both() -> None:
    kinds = kinds_of_rows(gr.boxed_answer)
    spelled = [one for problems in kinds for one in problems if one.right]
    assert len(spelled) == 12
    for one in spelled:
        assert one.gold is not None
        assert {one.gold, *one.right}.isdisjoint({one.wrong, *one.wrongs})
        assert one.gold not in one.right


# Graders as people have them, beside what TRL calls. Every one of these says 1 to the gold and 0 to another number.


async def waits(completion: str, reference: str) -> bool:
    return reference in completion


class Grader:
    def __call__(self, response: str, label: str) -> bool:
        return label in response


GRADERS: dict[str, Any] = {
    "by position alone": lambda a, b: b in a,
    "swapped, by name": lambda ground_truth, response: ground_truth in response,
    "an answer that is the gold": lambda response, answer: answer in response,
    "an answer that is the model's": lambda answer, reference: reference in answer,
    "verl": lambda data_source, solution_str, ground_truth, extra_info=None: {"score": ground_truth in solution_str},
    "verl, all of it": lambda data_source, solution_str, ground_truth, extra_info: float(ground_truth in solution_str),
    "a prompt between": lambda prompt, response, ground_truth: ground_truth in response,
    "a question that is wanted": lambda question, pred, gold: gold in pred and isinstance(question, str),
    "options of its own": lambda completion, solution, strict=True, timeout=3: solution in completion,
    "keywords only": lambda *, model_output, expected: expected in model_output,
    "names of neither": lambda given_answer, truth: truth in given_answer,
    "the gold first, the other by what is left": lambda ground_truth, given_answer: ground_truth in given_answer,
    "two names of golds": lambda gold, target: gold in target,
    "async": waits,
    "a pair of which the first is the reward": lambda output, label: (float(label in output), "why"),
    "a number of numpy": lambda output, label: numpy.float32(label in output),
    "an object": Grader(),
    "an entry that is the reward": lambda output, label: {"reward": float(label in output), "why": "said"},
}


@each_row("name", GRADERS)
def test_a_grader_of_a_completion_and_its_gold_is_called_as_it_is(name: str) -> None:
    called = as_trl_calls(GRADERS[name])
    given = {"prompts": ["2 + 2?"] * 2, called.columns[0]: ["4", "4"]}
    assert called(completions=[BOX, [{"role": "assistant", "content": "5"}]], **given) == [1.0, 0.0]


@each_row(
    "grader",
    [
        gr.boxed_answer,
        lambda completions, answer, **more: [0.0] * len(completions),
        lambda completion_ids, **more: [float(len(ids)) for ids in completion_ids],
        lambda **given: [0.0] * len(given["completions"]),
    ],
)
def test_what_trl_calls_is_left_as_it_is(grader: Any) -> None:
    assert as_trl_calls(grader) is grader


@each_row(
    "grader",
    [
        lambda completion: 1.0,
        lambda: 1.0,
        lambda completion, reference, weights: 1.0,
        lambda a, b, c: 1.0,
        len,
    ],
)
def test_what_nobody_could_call_is_advised_what_to_be(grader: Any) -> None:
    with pytest.raises(RewardError, match=r"Give a function f\(completion, reference\), or f\(completions, answer"):
        as_trl_calls(grader)


OWN = "def contains(completion, reference):\n    return float(reference in completion)\n"


@each_row(
    "options, status",
    [
        (["boxed_answer", "--max-false-rewards", "0", "--max-missed", "0"], 0),
        (["own_grader.contains", "boxed_answer", "--max-false-rewards", "0.6", "--max-missed", "0.1"], 1),
        (["boxed_answer", "--max-missed", "2"], 2),
    ],
)
def test_a_gate_ends_by_its_limits(
    options: list[str], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_grader.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    done = invoke(["probe", *options], COLUMNS="140")
    assert done.exit_code == status, done.output
    assert ("falsely rewards" in done.output) == (status < 2)


def test_json_has_the_figures_and_every_answer() -> None:
    done = invoke(["probe", "boxed_answer", "--max-missed", "0.5", "--json"])
    (found,) = json.loads(done.stdout)
    assert (found["false_rewards"], found["missed"]) == (0.0, 0.0)
    assert {"gold", "answer", "way", "is_right", "reward", "is_rewarded"} <= set(found["answers"][0])
    assert "answers" not in json.loads(invoke(["probe", "boxed_answer", "--json"]).stdout)[0]
