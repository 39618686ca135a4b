"""The recipe as a user runs it, in short runs of the tiny model, and what it says when something is wrong."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tables import each_row, tables_beside

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import gsm8k
import pandas
import torch
from places import DATA, RECIPES, TINY
from stopped_recipe import settings, stopped
from trl import GRPOConfig

TABLES = tables_beside(__file__)

RECIPE = RECIPES / "gsm8k.py"
GSM8K = DATA / "gsm8k" / "train.jsonl"
QUICK = TABLES["quick"]
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
        assert 0.0 <= results[when]["sampled"]["boxed_answer"]["mean"] <= 1.0
    assert (folder / "model.safetensors").exists()
    assert "packed-chunk-0" in (folder / "report.html").read_text()
    assert "trl" in (folder / "README.md").read_text()  # TRL's card
    table = pandas.read_parquet(next((folder / "completions").glob("*.parquet")))
    assert {"boxed_answer", "boxed_answer/reason", "think_format/reason"} <= set(table.columns)
    history = json.loads((folder / "checkpoint-2" / "trainer_state.json").read_text())["log_history"]
    assert {"boxed_answer/no_box", "boxed_answer/correct", "rewards/boxed_answer/mean"} <= set(
        next(log for log in history if "reward" in log)
    )

    longer = run(*QUICK, "--max_steps", "3", cwd=tmp_path)
    assert longer.returncode == 0, longer.stderr[-3000:]
    assert "Resuming from" in longer.stdout
    assert "checkpoint-2" in longer.stdout
    results = json.loads((folder / "eval.json").read_text())
    assert results["steps"] == 3
    assert list(results["by_step"]) == ["0", "2", "3"]  # the figures from before training are those of the first start

    again = run(*QUICK, "--max_steps", "3", cwd=tmp_path)
    assert again.returncode == 0, again.stderr[-3000:]
    assert "finished at step 3" in again.stdout
    assert not (folder / "checkpoint-4").exists()

    other = run(*QUICK, "--seed", "7", cwd=tmp_path)
    assert other.returncode != 0
    assert "holds a run with other settings (max_steps was 3, now 2, seed was 42, now 7, " in other.stderr
    assert "--overwrite" in other.stderr


@pytest.mark.skipif(not GSM8K.exists(), reason=f"GSM8K's file is not at {GSM8K}")
def test_it_trains_on_gsm8ks_own_file_with_rewards_from_the_command_line(tmp_path, monkeypatch, capsys):
    rewards = "--reward_funcs boxed_answer soft_overlong(max_tokens=20,buffer=4) --reward_weights 1 0.1"
    rewards += " --thorough_check false"  # of all golds the next test asks
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    gsm8k.main(["--dataset_path", str(GSM8K), *QUICK, *rewards.split()])
    said = capsys.readouterr().out
    folder = tmp_path / "outputs" / "tiny-train"
    history = json.loads((folder / "checkpoint-2" / "trainer_state.json").read_text())["log_history"]
    (last,) = [log for log in history if log.get("step") == 2 and "reward" in log]
    assert last["boxed_answer/bad_answer"] == 0.0
    expected = last["rewards/boxed_answer/mean"] + 0.1 * last["rewards/soft_overlong/mean"]
    assert last["reward"] == pytest.approx(expected, abs=1e-5)
    assert "word_problems" not in said


@pytest.mark.skipif(not GSM8K.exists(), reason=f"GSM8K's file is not at {GSM8K}")
def test_every_gold_of_gsm8k_can_be_read():
    from grpo_rewards import boxed_answer, check_answers

    answers = [json.loads(line)["answer"] for line in GSM8K.read_text().splitlines()]
    assert check_answers([boxed_answer], {"answer": answers}) == {}
    assert len(answers) == 7473  # as published


@pytest.mark.full
def test_two_processes_share_the_work(tmp_path):
    launch = (script("torchrun"), "--nproc_per_node", "2", "--standalone")
    two = run(*QUICK, cwd=tmp_path, launch=launch)
    assert two.returncode == 0, two.stderr[-3000:]
    assert "world size 2:" in two.stdout
    assert two.stdout.count("held-out mean") == 1


def data(tmp_path: Path, rows: list[dict]) -> Path:
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


GOOD = [{"question": f"What is {n} + 1?", "answer": f"#### {n + 1}"} for n in range(40)]
OVERLONG = "soft_overlong(max_tokens=64, buffer=8)"
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
    "no question": ([], [{"question": None, "answer": "#### 1"}] * 3, "the prompt of 3 of 3 problems is no text"),
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
    "kind of file": (["--dataset_path", "bad.yaml"], None, "must end with .jsonl, .json, .csv, .parquet"),
    "damaged line": (["--dataset_path", "damaged.jsonl"], None, "line 3 is no JSON"),
    "column of the prompts": (
        ["--prompt_column", "problem"],
        GOOD,
        "--prompt_column problem: the problems have no such",
    ),
    "column that is taken": (["--answer_column", "question"], GOOD, "the problems have a column of that name already"),
    "columns of no data": (["--prompt_column", "problem"], None, "are about data: pass --dataset_path"),
    "data set": (["--dataset_name", "nobody/nothing"], None, "HF_HUB_OFFLINE forbids to fetch it"),
    "split": (["--dataset_name", "folder"], None, "has no split 'test'. Splits: train"),
    "model": (["--model_name_or_path", "nobody/nothing"], None, "nobody/nothing has no model that can be read"),
    "model's folder": (["--model_name_or_path", "./nowhere"], None, "./nowhere: there is no such folder"),
    "weights of the model": (["--model_name_or_path", "folder"], None, "has a configuration and no weights"),
    "output folder": (["--output_dir", "bad.yaml"], None, "is a file. Move it away"),
    "below a file": (["--output_dir", "bad.yaml/run"], None, "is a file. Move it away"),
    "unwritable folder": (["--output_dir", "/proc/run"], None, "--output_dir /proc/run cannot be written"),
    "logger": (["--report_to", "wandb"], None, "--report_to wandb needs a package: pip install wandb"),
    "unknown logger": (["--report_to", "wandbe"], None, "--report_to wandbe is unknown"),
    "vllm": (["--use_vllm"], None, 'pip install "trl[vllm]"'),
    "bitsandbytes": (["--use_peft", "--load_in_4bit"], None, "pip install bitsandbytes"),
    "flash attention": (["--attn_implementation", "flash_attention_2"], None, "pip install flash-attn"),
    "liger": (["--use_liger_kernel"], None, "pip install liger-kernel"),
    "no steps": (["--num_train_epochs", "0", "--max_steps", "-1"], None, "--num_train_epochs 0 trains zero steps"),
    "no accelerator": (["--bf16", "true"], None, "bf16 is set and there is no accelerator"),
    "limit too high": (
        ["--reward_funcs", OVERLONG, "--max_completion_length", "32"],
        None,
        "never costs the whole penalty",
    ),
    "limit too low": (
        ["--reward_funcs", OVERLONG, "--max_completion_length", "128"],
        None,
        "no more than a shorter one",
    ),
    "groups": (
        ["--num_generations", "7"],
        None,
        "so that groups are whole.",
    ),
    "generation batch": (
        ["--generation_batch_size", "200"],
        None,
        "Leave --generation_batch_size out",
    ),
    "both batches": (["--generation_batch_size", "128", "--steps_per_generation", "1"], None, "Leave one of them out."),
    "one completion": (["--num_generations", "1"], None, "Set --num_generations to 2 or more"),
    "evaluation": (
        [
            "--eval_size",
            "8",
            "--eval_strategy",
            "steps",
            "--num_generations_eval",
            "8",
            "--per_device_eval_batch_size",
            "7",
        ],
        None,
        "Leave --num_generations_eval out: the recipe has evaluations of its own.",
    ),
    "loss": (["--loss_type", "grpoo"], None, "--loss_type grpoo is unknown. Known: bnpo, cispo"),
    "scaling": (["--scale_rewards", "foo"], None, "--scale_rewards foo is unknown. Known: batch, group, none"),
    "ratios": (["--importance_sampling_level", "x"], None, "--importance_sampling_level x is unknown. Known: sequence"),
    "temperature": (
        ["--temperature", "0"],
        None,
        "--temperature 0.0: `temperature` (=0.0) has to be a strictly positive",
    ),
    "top_p": (["--top_p", "2"], None, "--top_p 2.0: `top_p` has to be a float"),
    "length": (["--max_completion_length", "0"], None, "--max_completion_length 0: `max_new_tokens` must be greater"),
    "seed": (["--seed", "-1"], None, "--seed -1: Seed must be between 0 and"),
    "generation": (["--generation_kwargs", '{"top_pp": 3}'], None, "generation has no setting 'top_pp'. Did you mean"),
    "warmer": (["--generation_kwargs", '{"temperature": 0.0}'], None, "--generation_kwargs {'temperature': 0.0}: "),
    "optimizer": (["--optim", "adamw_bnb_8bit"], None, "--optim adamw_bnb_8bit: You need to install `bitsandbytes`"),
    "schedule": (
        ["--lr_scheduler_type", "cosine_with_min_lr"],
        None,
        "--lr_scheduler_type cosine_with_min_lr: One of min_lr",
    ),
    "zero steps": (["--max_steps", "0"], None, "--max_steps 0 is no number of steps"),
    "deepspeed": (
        ["--deepspeed", "zero.json"],
        None,
        "distribution was not found and is required by this application. Install it",
    ),
    "JSON": (["--chat_template_kwargs", "{bad"], None, "{bad is no JSON"),
    "best model": (
        [
            *("--eval_size", "8", "--eval_steps", "1", "--save_steps", "1", "--load_best_model_at_end", "true"),
            *("--metric_for_best_model", "nope"),
        ],
        None,
        "--metric_for_best_model nope: no evaluation reports it. Known: eval_sampled/boxed_answer",
    ),
}


def circumstances(monkeypatch, name):
    """A machine on which what is asked for is missing, whatever this one has."""
    has_all = name not in ("logger", "vllm", "bitsandbytes", "flash attention", "liger")
    for what in ("vllm", "bitsandbytes", "flash_attn_2", "liger_kernel"):
        monkeypatch.setattr(f"training.checks.is_{what}_available", lambda: has_all)
    monkeypatch.setattr("training.checks.get_available_reporting_integrations", list)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("transformers.integrations.deepspeed._hf_deepspeed_config_weak_ref", None)  # then put back
    if name in ("optimizer", "deepspeed"):
        monkeypatch.setattr("transformers.trainer_optimizer.is_bitsandbytes_available", lambda: False)


# what this machine may have, by the mistake that one makes where it has not
THERE = {
    "optimizer": importlib.util.find_spec("deepspeed") is not None,
    "deepspeed": importlib.util.find_spec("deepspeed") is not None,
    "no accelerator": torch.accelerator.is_available(),
}


@each_row("name", [name for name in MISTAKES if not THERE.get(name)])
def test_mistakes_are_reported_before_a_model_is_loaded(name, tmp_path_factory):
    with pytest.MonkeyPatch.context() as monkeypatch:
        require_told(*MISTAKES[name], name, tmp_path_factory.mktemp("mistake"), monkeypatch)


def require_told(arguments, rows, says, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("helper.py").write_text(
        "import grpo_rewards as gr\n@gr.reward\ndef mine(completion, hint): return float(hint in completion)\n"
    )
    Path("bad.yaml").write_text("max_step: 3\n")
    Path("damaged.jsonl").write_text('{"question": "?", "answer": "1"}\n\n{"question": "?", \n')
    Path("folder").mkdir()
    Path("folder", "train.jsonl").write_text('{"question": "?", "answer": "1"}\n' * 9)
    shutil.copy(TINY / "config.json", "folder")
    Path("zero.json").write_text('{"zero_optimization": {"stage": 2}, "train_batch_size": "auto"}')
    circumstances(monkeypatch, name)
    given = ["--eval_size", "0", "--thorough_check", "false", *arguments]
    given += ["--per_device_train_batch_size", "4096"] if rows is GOOD and not arguments else []
    given += [] if rows is None else ["--dataset_path", str(data(tmp_path, rows))]
    said = stopped(gsm8k, given, monkeypatch, tmp_path)
    assert says in said
    assert said.count("\n") == 0


def test_the_command_line_wins_over_the_yaml_and_the_yaml_over_the_defaults(tmp_path):
    config = tmp_path / "some.yaml"
    config.write_text("learning_rate: 5.0e-5\nmax_steps: 7\nreward_funcs: boxed_answer\n")
    script_arguments, training, model = settings(gsm8k, ["--config", str(config), "--max_steps", "9"])
    assert (training.learning_rate, training.max_steps) == (5e-5, 9)
    assert (training.num_generations, training.lr_scheduler_type) == (8, "constant")  # the tiny model's own
    assert script_arguments.reward_funcs == ["boxed_answer"]
    assert model.model_name_or_path.endswith("tiny_word_problems")
    assert settings(gsm8k, [f"--config={config}"])[1].max_steps == 7


def test_a_named_model_does_not_get_the_tiny_models_settings():
    _, training, _ = settings(gsm8k, ["--model_name_or_path", "Qwen/Qwen2.5-0.5B-Instruct", "--max_steps", "3"])
    assert training.learning_rate == GRPOConfig(output_dir="x", use_cpu=True, bf16=False).learning_rate
    assert training.output_dir == str(Path("outputs") / "Qwen2.5-0.5B-Instruct-word_problems")
