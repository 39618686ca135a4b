"""Rewards that compare the answers to one problem, in evaluations: of how many, and without any to compare."""

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import pandas
from evaluation_trainer import PROBLEMS
from running.evaluation.comparing import groups_note, without_sizes
from running.evaluation.held_out import Evaluation
from running.evaluation.policies import Answer
from running.evaluation.summary import printed
from transformers import TrainerState

import grpo_rewards as gr
from grpo_rewards.rewards import length


class Speaker:
    """Gives the right answer in more tokens with each further sample: 1, 2, 3 …"""

    rank, processes, settings = 0, 1, {}

    def __init__(self):
        self.said = {}

    def tokens(self, prompts):
        return [[0]] * len(prompts)

    def answers(self, prompts, seeds, *, greedy):
        found = []
        for prompt in prompts:
            key = prompt[-1]["content"], greedy
            self.said[key] = self.said.get(key, 0) + 1
            gold = next(row["answer"] for row in PROBLEMS if row["prompt"] == prompt).rpartition("#### ")[2]
            found.append(Answer([7] * self.said[key], [{"role": "assistant", "content": f"\\boxed{{{gold}}}"}]))
        return found

    def everyones(self, mine):
        return mine

    def firsts(self, value):
        return value


@pytest.fixture
def taken(tmp_path, monkeypatch):
    """Takes an evaluation as the first of two processes, of which the other scores nothing."""

    def never(*_):
        raise AssertionError("the evaluation scores on one process, and the others do not come")

    monkeypatch.setattr(length, "world_size", lambda: 2)
    monkeypatch.setattr(length, "gathered", never)

    def take(reward, samples):
        evaluation = Evaluation(
            PROBLEMS.select(range(3)), [gr.boxed_answer, reward], "boxed_answer", samples, 4, 0, greedy=True
        )
        path = tmp_path / "evaluation.parquet"
        evaluation.run(Speaker(), path, TrainerState())
        return evaluation.figures(path), pandas.read_parquet(path)

    return take


# as the run binds them: groups of 8 in training, of 16 in TRL's own evaluation
BOUND = gr.relative_length.bind(num_generations=8, num_generations_eval=16)


@pytest.mark.parametrize(
    "reward",
    [BOUND, gr.weighted({BOUND.bind(name="length"): 1.0}, name="relative_length")],
    ids=["by itself", "inside another"],
)
def test_the_samples_of_a_problem_are_its_group(taken, reward):
    figures, table = taken(reward, samples=3)
    assert figures["sampled"]["relative_length"]["problems"] == 3
    sampled = table[table["how"] == "sampled"].sort_values(["problem", "tokens"])
    assert sampled["relative_length"].tolist() == [0.5, 0.0, -0.5] * 3  # of 1, 2 and 3 tokens, all right


def test_one_answer_is_compared_with_nothing(taken):
    figures, table = taken(BOUND, samples=3)
    assert set(figures["greedy"]) == {"boxed_answer"}
    assert table[table["how"] == "greedy"]["relative_length"].isna().all()
    assert "greedy/relative_length" not in printed({"model": figures}, 3)


def test_a_single_sample_is_compared_with_nothing_either(taken):
    figures, table = taken(BOUND, samples=1)
    assert set(figures["sampled"]) == set(figures["greedy"]) == {"boxed_answer"}
    assert "relative_length" not in table.columns


def test_what_is_left_out_is_reported():
    assert groups_note([gr.boxed_answer], 4) == ""
    said = groups_note([gr.boxed_answer, BOUND], 4)
    reported = "so the evaluation reports it of sampled answers alone."
    assert said == f"relative_length: compares the 4 samples of a problem, {reported}"
    assert "Take --eval_samples 2 or more" in groups_note([BOUND], 1)


def test_a_size_that_was_bound_by_hand_does_not_hold_where_nothing_is_trained():
    (free,) = without_sizes([BOUND])
    assert (free.options["num_generations"], free.options["num_generations_eval"]) == (None, None)
