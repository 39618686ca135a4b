"""Problems sifted by how often a model solves them: which are kept, in which order, and after an interruption."""

import json
import shutil
from collections import Counter

import competition_math
import evaluate
import filter as sieve
import gsm8k
import pytest
from embedded.word_problems import word_problems
from places import TINY
from stopped_recipe import settings, stopped
from tables import tables_beside
from training.evaluation import Answer, Policy

from grpo_rewards import get_reward

TABLES = tables_beside(__file__)

SAMPLES = 4


class KnownPolicy:
    """Of problem n the first n modulo 5 of 4 samples are right; counts the samples that it is asked for."""

    def __init__(self):
        self.asked = Counter()

    def answer(self, question):
        n = int(question.split()[1])
        self.asked[n] += 1
        said = "\\boxed{1}" if self.asked[n] <= n % 5 else "\\boxed{2}"
        return Answer([1], [{"role": "assistant", "content": said}])


@pytest.fixture
def data(tmp_path):
    rows = [{"question": f"Problem {n} ?", "answer": "1", "level": n} for n in range(25)]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def answered_by(policy, monkeypatch):
    monkeypatch.setattr(Policy, "tokens", lambda _, prompts: [[1] * 10 for _ in prompts])
    monkeypatch.setattr(
        Policy, "answers", lambda _, prompts, seed: [policy.answer(one[-1]["content"]) for one in prompts]
    )


def sift(policy, monkeypatch, *more):
    answered_by(policy, monkeypatch)
    given = "--task gsm8k --dataset_path data.jsonl --samples 4 --output kept.jsonl --max_completion_length 16"
    sieve.main([*given.split(), *more])


def kept(folder, name="kept.jsonl"):
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def test_what_is_solved_now_and_then_is_kept_with_its_rate_in_the_order_of_the_data(data, monkeypatch, capsys):
    sift(KnownPolicy(), monkeypatch)
    rows = kept(data)
    assert [row["level"] for row in rows] == [n for n in range(25) if n % 5 in (1, 2, 3)]
    assert [row["pass_rate"] for row in rows] == [n % 5 / 4 for n in range(25) if n % 5 in (1, 2, 3)]
    assert rows[0] == {"question": "Problem 1 ?", "answer": "1", "level": 1, "pass_rate": 0.25}
    shown = capsys.readouterr().out
    assert "kept 15 of 25 problems" in shown
    assert [line.split()[3] for line in shown.splitlines() if " of 4 " in line] == ["5"] * 5


@pytest.mark.parametrize(
    ("bounds", "rates"),
    [("--lowest 0.25 --highest 0.75", {0.5}), ("--lowest -1 --highest 0.5", {0.0, 0.25}), ("--lowest 0.5", {0.75})],
)
def test_the_bounds_themselves_are_left_out(bounds, rates, data, monkeypatch):
    sift(KnownPolicy(), monkeypatch, *bounds.split())
    assert {row["pass_rate"] for row in kept(data)} == rates


def test_other_bounds_ask_nothing_again(data, monkeypatch):
    few, policy = ("--eval_batch_tokens", "208"), KnownPolicy()  # 8 rows of 10 + 16 tokens at once
    sift(policy, monkeypatch, *few)
    before = sum(policy.asked.values())
    assert before == 13 * 8  # 100 samples in batches of one size
    sift(policy, monkeypatch, *few, "--lowest", "0.5")
    assert sum(policy.asked.values()) == before
    assert {row["pass_rate"] for row in kept(data)} == {0.75}


def test_a_problem_whose_answer_cannot_be_read_is_not_kept(data, monkeypatch, capsys):
    with (data / "data.jsonl").open("a") as file:
        file.write(json.dumps({"question": "Problem 26 ?", "answer": "#### ", "level": 26}) + "\n")
    with pytest.raises(SystemExit, match="cannot read the answers of 1 of 26 training problems: lines 26"):
        sift(KnownPolicy(), monkeypatch)
    sift(KnownPolicy(), monkeypatch, "--allow_unreadable_answers", "true")
    assert 26 not in [row["level"] for row in kept(data)]
    assert "not scored       1" in capsys.readouterr().out


@pytest.mark.parametrize(("more", "says"), TABLES["mistakes_are_told"])
def test_mistakes_are_reported(more, says, data, monkeypatch, capsys):
    with pytest.raises(SystemExit) as stopped:
        sift(KnownPolicy(), monkeypatch, *more)
    assert says in f"{stopped.value} {capsys.readouterr().err}"
    assert not (data / "kept.jsonl").exists()


def test_a_model_is_sampled_as_its_run_trained_it_where_the_options_do_not_say(data, monkeypatch, capsys):
    of_run = {"task": "word_problems", "temperature": 0.7, "chat_template_kwargs": {"enable_thinking": False}}
    of_run |= {"system_prompt": "Think.", "dataset_path": "data.jsonl", "eval_size": 5, "eval_samples": 2}
    run = shutil.copytree(TINY, data / "run")
    seen = {}

    untrained = evaluate.untrained

    def seeing(problems, rewards, training_args, model_args):
        seen.update(training=training_args, prompts=problems["prompt"], rewards=[str(one) for one in rewards])
        return untrained(problems, rewards, training_args, model_args)

    def sift_run(reward_funcs, *more):
        (run / "run.json").write_text(json.dumps({"settings": {**of_run, "reward_funcs": reward_funcs}}))
        answered_by(KnownPolicy(), monkeypatch)
        monkeypatch.setattr(evaluate, "untrained", seeing)
        sieve.main(["run", "--task", "gsm8k", "--samples", "4", "--output", "kept.jsonl", *more])
        return seen["training"]

    training = sift_run(["boxed_answer(boxed='first')", "think_format"])
    assert (training.temperature, training.chat_template_kwargs) == (0.7, {"enable_thinking": False})
    assert len(seen["prompts"]) == 25  # all rows of the run's file, those too that it held out
    assert seen["prompts"][0][0] == {"role": "system", "content": "Think."}
    assert "first" in seen["rewards"][0]
    said = next(line for line in capsys.readouterr().out.splitlines() if "run.json" in line)
    assert said.startswith("run: ")
    assert "temperature 0.7" in said
    assert "eval_samples" not in said
    # its rewards are not taken where the one that says what is right is not among them
    assert sift_run(["think_format"], "--temperature", "0.9").temperature == 0.9
    assert seen["rewards"] == [str(get_reward("boxed_answer"))]


def test_a_recipe_trains_on_what_its_own_tiny_model_now_and_then_solves(data, monkeypatch, capsys):
    rows = word_problems(24, 5)
    (data / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = "--task gsm8k --dataset_path data.jsonl --samples 4 --output kept.jsonl".split()
    sieve.main(given)
    first = (data / "kept.jsonl").read_text()
    assert {row["question"] for row in kept(data)} < {row["question"] for row in rows}
    assert all(0 < row["pass_rate"] < 1 for row in kept(data))
    sieve.main([*given[:-1], "again.jsonl"])
    assert (data / "again.jsonl").read_text() == first

    script = settings(gsm8k, ["--dataset_path", "kept.jsonl", "--eval_size", "2"])[0]
    train, held_out = gsm8k.problems(script, 0)
    assert len(train) + len(held_out) == len(kept(data))


def test_what_is_kept_is_read_with_the_same_settings_and_by_its_own_lines(data, monkeypatch, capsys):
    rows = [{"problem": f"Problem {n} ?", "solution": "1", "trainer_state": "a trainer's name"} for n in range(25)]
    (data / "math.jsonl").write_text("\n" + "".join(json.dumps(row) + "\n" for row in rows))
    (data / "m.yaml").write_text(
        "dataset_path: math.jsonl\nprompt_column: problem\nanswer_column: solution\nreward_funcs: [boxed_answer]\n"
    )
    answered_by(KnownPolicy(), monkeypatch)
    sieve.main("--task gsm8k --config m.yaml --samples 4 --output kept.jsonl --max_completion_length 16".split())
    assert kept(data)[0] == {**rows[1], "pass_rate": 0.25}
    with (data / "kept.jsonl").open("a") as file:
        file.write(json.dumps({"problem": "Problem 26 ?", "solution": "#### "}) + "\n")
    again = ["--config", "m.yaml", "--dataset_path", "kept.jsonl", "--eval_size", "2"]
    again += ["--per_device_train_batch_size", "8"]
    assert "training problems: lines 16 (e.g. '#### ')" in stopped(gsm8k, again, monkeypatch, data)
    again += ["--allow_unreadable_answers", "true"]
    assert stopped(gsm8k, again, monkeypatch, data) == "a model was loaded"


def test_a_made_column_is_kept_beside_what_it_was_made_from(data, monkeypatch):
    rows = [{"problem": f"Problem {n} ?", "solution": "So \\boxed{1}."} for n in range(25)]
    (data / "math.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    answered_by(KnownPolicy(), monkeypatch)
    given = "--task competition_math --dataset_path math.jsonl --samples 4 --output kept.jsonl"
    sieve.main([*given.split(), "--max_completion_length", "16"])
    again = ["--dataset_path", "kept.jsonl", "--eval_size", "2", "--per_device_train_batch_size", "8"]
    assert stopped(competition_math, again, monkeypatch, data) == "a model was loaded"
