"""The evaluations of a run: when they are taken, what they keep, and what they leave alone."""

import json

import gsm8k
import pandas
import pytest
import torch
from evaluation_trainer import PROBLEMS, trainer_of
from safetensors.torch import load_file
from stopped_recipe import settings
from training.arguments import ScriptArguments
from training.evaluation import Evaluation
from training.resume import train
from transformers import TrainerCallback

import grpo_rewards as gr

REWARDS = [gr.boxed_answer]
SCRIPT = ScriptArguments(eval_samples=2)


def trained(folder, checkpoint=None, held_out=None, **more):
    steps = {"max_steps": 2, "eval_strategy": "steps", "eval_steps": 1, "save_steps": 1, "num_generations_eval": 1}
    held_out = PROBLEMS.select(range(11)) if held_out is None else held_out
    trainer = trainer_of(folder, eval_dataset=held_out, **{**steps, **more})
    return trainer, evaluated(trainer, held_out, checkpoint)


def evaluated(trainer, held_out, checkpoint=None):
    evaluation = Evaluation(trainer, held_out, REWARDS, "boxed_answer", SCRIPT)
    evaluation.attach()
    train(trainer, checkpoint)
    return evaluation.results()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    (folder / "evaluation").mkdir()
    (folder / "evaluation" / "step-000000.parquet").write_text("of a run that was begun before")
    return folder, *trained(folder, metric_for_best_model="sampled/boxed_answer", load_best_model_at_end=True)


def test_before_training_whenever_requested_and_after(run):
    _, trainer, results = run
    assert list(results["by_step"]) == ["0", "1", "2"]
    assert results["before"] == results["by_step"]["0"]
    assert results["after"] == results["by_step"][str(trainer.state.best_global_step)]
    assert results["difference"]["sampled"]["boxed_answer"]["mean"] == pytest.approx(
        results["after"]["sampled"]["boxed_answer"]["mean"] - results["before"]["sampled"]["boxed_answer"]["mean"]
    )
    json.dumps(results)
    evaluations = [log for log in trainer.state.log_history if "eval_pass@2" in log]
    logged = {log["step"]: log["eval_sampled/boxed_answer"] for log in evaluations}
    means = {int(step): one["sampled"]["boxed_answer"]["mean"] for step, one in results["by_step"].items()}
    assert logged == means
    assert trainer.state.best_metric == max(means[1], means[2])  # the trainer's own choice, by the evaluation's figures


def test_a_new_run_leaves_nothing_of_an_earlier_one(run):
    folder = run[0]
    assert sorted(path.name for path in (folder / "evaluation").iterdir()) == [
        f"step-{n:06d}.parquet" for n in range(3)
    ]


def test_every_answer_is_kept_with_its_verdict(run):
    folder, _, results = run
    table = pandas.read_parquet(folder / "evaluation" / "step-000002.parquet")
    assert len(table) == 11 * 2
    assert set(table["step"]) == {2}
    for row in table.to_dict("records"):
        problem = PROBLEMS[row["problem"]]
        verdict = gr.boxed_answer.explain(row["completion"], answer=problem["answer"])
        assert (row["prompt"], row["answer"]) == (problem["question"], problem["answer"])
        assert (row["boxed_answer"], row["boxed_answer/reason"]) == (verdict.reward, verdict.reason)
        said = row["boxed_answer/prediction"]
        assert (said if isinstance(said, str) else None) == verdict.prediction  # a file holds NaN for no text
        assert row["solved"] == (verdict.reward == 1.0)
        assert 0 < row["tokens"] <= 24
    mean = table["boxed_answer"].mean()
    assert results["by_step"]["2"]["sampled"]["boxed_answer"]["mean"] == pytest.approx(mean)


def test_a_resumed_run_has_the_figures_from_before_training(run):
    folder, _, results = run
    _, again = trained(folder, str(folder / "checkpoint-1"))
    assert again["by_step"] == results["by_step"]


def test_the_evaluation_after_training_is_that_of_the_model_which_is_saved(tmp_path):
    class Best(TrainerCallback):
        def on_evaluate(self, args, state, control, metrics=None, **_):
            metrics["eval_made_up"] = 2 - abs(state.global_step - 1)  # step 1 is the best, and step 2 is saved

    trainer = trainer_of(
        tmp_path,
        eval_dataset=PROBLEMS.select(range(11)),
        **{"max_steps": 3, "eval_strategy": "steps", "eval_steps": 1, "save_steps": 2, "num_generations_eval": 1},
        **{"metric_for_best_model": "made_up", "load_best_model_at_end": True, "learning_rate": 1e-2},
    )
    trainer.add_callback(Best())
    results = evaluated(trainer, PROBLEMS.select(range(11)))
    assert trainer.state.best_global_step == 1
    kept = load_file(tmp_path / "checkpoint-3" / "model.safetensors")
    assert all(torch.equal(trainer.model.state_dict()[name], kept[name]) for name in kept)
    assert results["after"] == results["by_step"]["3"] != results["by_step"]["1"]


def test_exams_change_no_step_of_training(run, tmp_path):
    _, trainer, _ = run
    without, _ = trained(tmp_path, held_out=PROBLEMS.select(range(0)), eval_strategy="no")

    def losses(one):
        return [(log["step"], log["reward"], log["grad_norm"]) for log in one.state.log_history if "grad_norm" in log]

    assert losses(without) == losses(trainer)


def test_eval_steps_alone_is_enough():
    training = settings(gsm8k, ["--eval_steps", "5"])[1]
    assert (training.eval_strategy, training.eval_steps) == ("steps", 5)
    assert settings(gsm8k, [])[1].eval_strategy == "no"
    assert settings(gsm8k, ["--eval_steps", "5", "--eval_strategy", "no"])[1].eval_strategy == "no"
    # TRL refuses a batch for its own evaluation that holds no whole groups; the evaluation does not use it
    assert settings(gsm8k, ["--eval_steps", "5", "--num_generations", "64"])[1].num_generations == 64


def test_several_evaluations_have_names_of_their_own(tmp_path, monkeypatch):
    # transformers warns so of a second callback of a class
    monkeypatch.setattr("transformers.trainer_callback.logger.warning", lambda text: pytest.fail(text))
    steps = {"max_steps": 2, "eval_strategy": "steps", "eval_steps": 2, "num_generations_eval": 1}
    trainer = trainer_of(tmp_path, eval_dataset=PROBLEMS.select(range(4)), **steps)
    few = Evaluation(trainer, PROBLEMS.select(range(4)), REWARDS, "boxed_answer", SCRIPT)
    few.attach()
    more = Evaluation(trainer, PROBLEMS.select(range(4, 10)), REWARDS, "boxed_answer", SCRIPT, name="more")
    more.attach()
    train(trainer, None)
    assert (few.results()["problems"], more.results()["problems"]) == (4, 6)
    names = {name for log in trainer.state.log_history for name in log if name.endswith("sampled/boxed_answer")}
    assert names == {"eval_sampled/boxed_answer", "eval_more/sampled/boxed_answer"}
    for folder in (tmp_path / "evaluation", tmp_path / "evaluation" / "more"):
        assert sorted(path.name for path in folder.glob("*.parquet")) == ["step-000000.parquet", "step-000002.parquet"]
