"""Rewards that compare the answers to one problem, in evaluations: of how many, and without any to compare."""

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import pandas
from evaluation_trainer import PROBLEMS, trainer_of
from training.arguments import ScriptArguments
from training.evaluation import Evaluation
from training.generation import Answer
from training.rewards import without_sizes

import grpo_rewards as gr
from grpo_rewards.rewards import length


class Speaker:
    """Gives the right answer in more tokens with each further sample: 1, 2, 3 …"""

    rank, processes, settings = 0, 1, {}

    def __init__(self):
        self.said = {}

    def tokens(self, prompts):
        return [[0]] * len(prompts)

    def answers(self, prompts, seed):
        found = []
        for prompt in prompts:
            key = prompt[-1]["content"]
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
        script, rewards = ScriptArguments(eval_samples=samples), [gr.boxed_answer, reward]
        evaluation = Evaluation(trainer_of(tmp_path), PROBLEMS.select(range(3)), rewards, "boxed_answer", script)
        evaluation.policy = Speaker()
        path = tmp_path / "evaluation.parquet"
        evaluation.run(path)
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
    sampled = table.sort_values(["problem", "tokens"])
    assert sampled["relative_length"].tolist() == [0.5, 0.0, -0.5] * 3  # of 1, 2 and 3 tokens, all right


def test_a_single_sample_is_compared_with_nothing_and_the_run_says_so(taken, capsys):
    figures, table = taken(BOUND, samples=1)
    assert set(figures["sampled"]) == {"boxed_answer"}
    assert "relative_length" not in table.columns
    assert "so the evaluation reports it not at all: take --eval_samples 2 or more." in capsys.readouterr().out


def test_a_size_that_was_bound_by_hand_does_not_hold_where_nothing_is_trained():
    (free,) = without_sizes([BOUND])
    assert (free.options["num_generations"], free.options["num_generations_eval"]) == (None, None)
