"""The recipe as a user runs it, in short runs of the tiny model, and what it says when something is wrong."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import pandas
import yaml
from gsm8k import GSM8KArguments, settings
from places import DATA, RECIPES
from trl import GRPOConfig, ModelConfig, TrlParser

from grpo_rewards import check_rewards, get_reward

RECIPE = RECIPES / "gsm8k.py"
GSM8K = DATA / "gsm8k" / "train.jsonl"
CONFIGS = sorted((RECIPES / "configs").glob("*.yaml"))
QUICK = [
    "--max_steps",
    "2",
    "--save_steps",
    "1",
    "--eval_size",
    "8",
    "--eval_samples",
    "2",
    "--max_completion_length",
    "20",
]
QUICK += ["--per_device_train_batch_size", "16"]
ENVIRONMENT = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}


def run(*arguments: object, cwd: Path, launch: tuple[str, ...] = (sys.executable,)) -> subprocess.CompletedProcess[str]:
    command = [*launch, str(RECIPE), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=900, env=ENVIRONMENT)


def script(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


@pytest.mark.full
def test_a_run_prints_its_table_writes_its_files_and_resumes(tmp_path):
    first = run(*QUICK, cwd=tmp_path)
    assert first.returncode == 0, first.stderr[-3000:]
    assert "Running on" in first.stdout
    assert "boxed_answer" in first.stdout.split("held-out mean")[1]
    folder = tmp_path / "outputs" / "tiny-word_problems"
    results = json.loads((folder / "eval.json").read_text())
    assert results["steps"] == 2
    for when in ("before", "after"):
        for how in ("greedy", "sampled"):
            assert 0.0 <= results[when][how]["boxed_answer"] <= 1.0
    assert (folder / "reward_curve.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "model.safetensors").exists()
    assert "GRPO" in (folder / "README.md").read_text()
    table = pandas.read_parquet(next((folder / "completions").glob("*.parquet")))
    assert {"boxed_answer", "boxed_answer/reason", "think_format/reason"} <= set(table.columns)
    history = json.loads((folder / "checkpoint-2" / "trainer_state.json").read_text())["log_history"]
    assert {"boxed_answer/no_box", "boxed_answer/correct", "rewards/boxed_answer/mean"} <= set(history[0])

    longer = run(*QUICK, "--max_steps", "3", cwd=tmp_path)
    assert longer.returncode == 0, longer.stderr[-3000:]
    assert "Resuming from" in longer.stdout
    assert "checkpoint-2" in longer.stdout
    assert json.loads((folder / "eval.json").read_text())["steps"] == 3

    again = run(*QUICK, "--max_steps", "3", cwd=tmp_path)
    assert again.returncode == 0, again.stderr[-3000:]
    assert "finished at step 3" in again.stdout
    assert not (folder / "checkpoint-4").exists()

    other = run(*QUICK, "--seed", "7", cwd=tmp_path)
    assert other.returncode != 0
    assert "holds a run with other settings (seed was 42, now 7)" in other.stderr
    assert "--overwrite" in other.stderr


@pytest.mark.skipif(not GSM8K.exists(), reason=f"GSM8K's file is not at {GSM8K}")
def test_it_trains_on_gsm8ks_own_file_with_rewards_from_the_command_line(tmp_path):
    rewards = ["boxed_answer", "soft_overlong(max_tokens=20, buffer=4)"]
    done = run(
        "--dataset_path",
        GSM8K,
        *QUICK,
        "--max_steps",
        3,
        "--reward_funcs",
        *rewards,
        "--reward_weights",
        1,
        0.1,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    folder = tmp_path / "outputs" / "tiny-train"
    history = json.loads((folder / "checkpoint-3" / "trainer_state.json").read_text())["log_history"]
    (last,) = [log for log in history if log.get("step") == 3 and "reward" in log]
    assert last["boxed_answer/bad_answer"] == 0.0
    expected = last["rewards/boxed_answer/mean"] + 0.1 * last["rewards/soft_overlong/mean"]
    assert last["reward"] == pytest.approx(expected, abs=1e-5)
    assert "word_problems" not in done.stdout
    assert "It did not teach arithmetic" not in done.stdout


@pytest.mark.skipif(not GSM8K.exists(), reason=f"GSM8K's file is not at {GSM8K}")
def test_every_gold_of_gsm8k_can_be_read():
    from grpo_rewards import boxed_answer, check_answers

    answers = [json.loads(line)["answer"] for line in GSM8K.read_text().splitlines()]
    assert check_answers([boxed_answer], {"answer": answers}) == {}
    assert len(answers) == 7473  # as published


@pytest.mark.full
def test_two_processes_share_the_work_and_one_says_that_it_is_one(tmp_path):
    launch = (script("torchrun"), "--nproc_per_node", "2", "--standalone")
    two = run(*QUICK, cwd=tmp_path, launch=launch)
    assert two.returncode == 0, two.stderr[-3000:]
    assert "world size 2." in two.stdout
    assert two.stdout.count("held-out mean") == 1
    launch = (script("accelerate"), "launch", "--cpu", "--num_processes", "2")
    one = run("--dataset_path", "missing.jsonl", cwd=tmp_path, launch=launch)
    assert "world size 1." in one.stdout
    assert "torchrun --nproc_per_node 2" in one.stdout


def data(tmp_path: Path, rows: list[dict]) -> Path:
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


GOOD = [{"question": f"What is {n} + 1?", "answer": f"#### {n + 1}"} for n in range(40)]
MISTAKES = {
    "reward": (["--reward_funcs", "boxed_anser"], None, "did you mean 'boxed_answer'"),
    "option of a reward": (["--reward_funcs", "soft_overlong(max_token=9)"], None, "did you mean 'max_tokens'"),
    "option missing": (["--reward_funcs", "soft_overlong"], None, "needs max_tokens, buffer"),
    "argument": (["--learning_rat", "1"], None, "unknown argument --learning_rat; did you mean --learning_rate"),
    "weights": (["--reward_weights", "1"], None, "1 reward_weights for 2 rewards"),
    "names": (["--reward_funcs", "boxed_answer", "boxed_answer"], None, "two rewards are called 'boxed_answer'"),
    "column of a reward": (["--reward_funcs", "helper.mine"], GOOD, "reads column 'hint', which the dataset does not"),
    "column of the data": ([], [{"q": "?"}] * 40, "no column 'question'. Columns: q"),
    "file": (["--dataset_path", "missing.jsonl"], None, "missing.jsonl: there is no such file"),
    "empty file": ([], [], "is empty"),
    "no question": ([], [{"question": None, "answer": "#### 1"}] * 3, "question of 3 of 3 problems is no text"),
    "negative size": (["--eval_size", "-1"], None, "--eval_size must be at least 0"),
    "too few problems": ([], GOOD, "fewer than the 512 of one generation batch"),
    "batch": (["--num_generations", "7"], None, "must be divisible by num_generations (7)"),
    "gold": (
        [],
        [*GOOD, {"question": "?", "answer": "#### "}],
        "the answers of 1 of 41 training problems: lines 41 (e.g. '#### ')",
    ),
    "config": (["--config", "missing.yaml"], None, "cannot read --config missing.yaml"),
    "key of the config": (["--config", "bad.yaml"], None, "unknown argument --max_step; did you mean --max_steps"),
}


@pytest.mark.parametrize(("arguments", "rows", "says"), MISTAKES.values(), ids=list(MISTAKES))
def test_mistakes_are_told_before_a_model_is_loaded(arguments, rows, says, tmp_path, monkeypatch, capsys):
    import gsm8k

    def no_model(*_, **__):
        raise AssertionError("a model was loaded")

    monkeypatch.setattr(gsm8k, "GRPOTrainer", no_model)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    Path("helper.py").write_text("import grpo_rewards as gr\n@gr.reward\ndef mine(completion, hint): return 1.0\n")
    Path("bad.yaml").write_text("max_step: 3\n")
    given = ["--eval_size", "0", *arguments]
    given += ["--per_device_train_batch_size", "4096"] if rows is GOOD and not arguments else []
    given += [] if rows is None else ["--dataset_path", str(data(tmp_path, rows))]
    monkeypatch.setattr(sys, "argv", ["gsm8k.py", *given])
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    with pytest.raises(SystemExit) as stopped:
        gsm8k.main()
    assert says in str(stopped.value)


def test_the_command_line_wins_over_the_yaml_and_the_yaml_over_the_defaults(tmp_path):
    config = tmp_path / "some.yaml"
    config.write_text("learning_rate: 5.0e-5\nmax_steps: 7\nreward_funcs: boxed_answer\n")
    script_arguments, training, model = settings(["--config", str(config), "--max_steps", "9"])
    assert (training.learning_rate, training.max_steps) == (5e-5, 9)
    assert (training.num_generations, training.lr_scheduler_type) == (8, "constant")  # the tiny model's own
    assert script_arguments.reward_funcs == ["boxed_answer"]
    assert model.model_name_or_path.endswith("tiny_qwen3")
    assert settings([f"--config={config}"])[1].max_steps == 7


def test_a_named_model_does_not_get_the_tiny_models_settings():
    _, training, _ = settings(["--model_name_or_path", "Qwen/Qwen2.5-0.5B-Instruct", "--max_steps", "3"])
    assert training.learning_rate == GRPOConfig(output_dir="x", use_cpu=True, bf16=False).learning_rate
    assert training.output_dir == str(Path("outputs") / "Qwen2.5-0.5B-Instruct-word_problems")


@pytest.mark.parametrize("config", CONFIGS, ids=[path.stem for path in CONFIGS])
def test_every_yaml_fits_the_installed_trl(config):
    said = yaml.safe_load(config.read_text())
    parser = TrlParser((GSM8KArguments, GRPOConfig, ModelConfig))
    known = {action.dest for action in parser._actions}
    assert set(said) - known == set()
    script_arguments, training, _ = settings(["--config", str(config)])
    rewards = [get_reward(spec) for spec in script_arguments.reward_funcs]
    columns = ["question", "answer", "prompt"]
    check_rewards(rewards, columns=columns, weights=training.reward_weights).raise_for_errors()
    assert training.generation_batch_size % training.num_generations == 0
    assert f"accelerate launch recipes/gsm8k.py --config recipes/configs/{config.name}" in config.read_text()
