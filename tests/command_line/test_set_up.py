"""``grpo-rewards check``: all that is wrong with a set-up, from one command, on real files and damaged ones."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from invoked import invoke
from places import RECIPES, TINY
from quick_probes import with_quick_probes  # noqa: F401  # a fixture
from row_files import KINDS, written
from tables import each_row, tables_beside

from grpo_rewards import RewardError
from grpo_rewards.checks.setup.all_checks import batches
from grpo_rewards.checks.setup.names import SetUp
from grpo_rewards.command_line.checks import SETTINGS_DEFAULTS, load_columns, misspelt, read_settings

TABLES = tables_beside(__file__)

pytestmark = pytest.mark.usefixtures("with_quick_probes")

for needed in ("datasets", "yaml"):
    pytest.importorskip(needed, reason=f"settings and data are read with {needed}, which is not installed")

ROWS = [{"prompt": f"What is {n} + {n}?", "answer": str(2 * n)} for n in range(3, 15)]
OPENS_THINKING = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}"
)


def run(*arguments: Any) -> Any:
    return invoke(["check", *map(str, arguments)], COLUMNS="300")


def findings(*arguments: Any) -> list[dict[str, Any]]:
    held: list[dict[str, Any]] = json.loads(run(*arguments, "--json").stdout)["findings"]
    return held


@pytest.fixture
def thinking(tmp_path: Path) -> Path:
    """A model's folder, without weights, whose chat template opens the reasoning."""
    pytest.importorskip("transformers", reason="transformers is not installed")
    folder = tmp_path / "thinking"
    shutil.copytree(TINY, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    (folder / "chat_template.jinja").write_text(OPENS_THINKING)
    return folder


def test_wrong_columns_unreadable_golds_and_an_opened_think_are_learnt_from_one_command(
    tmp_path: Path, thinking: Path
) -> None:
    rows = [{"question": row["prompt"], "solution": row["answer"]} for row in ROWS]
    rows[2]["solution"], rows[5]["solution"] = None, ""  # type: ignore[assignment]  # as a data set may have it
    data = written(tmp_path / "mine.jsonl", rows)
    result = run("boxed_answer", "think_format", "--dataset", data, "--model", thinking)
    said = " ".join(result.output.split())
    assert result.exit_code == 1
    for found in (
        "reward 'boxed_answer' reads column 'answer', which the dataset does not have",
        'rename_column("solution", "answer")',
        'rename_column("question", "prompt")',
        "cannot read the answers of 2 of 12 rows: rows 2, 5. There, answer is None or ''.",
        "the chat template opens <think>; bound in: boxed_answer, think_format.",
        "think_format(think_opened=True)",
    ):
        assert found in said


def test_mended_by_the_columns_named_it_is_fine(tmp_path: Path, thinking: Path) -> None:
    rows = [{"question": [{"role": "user", "content": row["prompt"]}], "solution": row["answer"]} for row in ROWS]
    data = written(tmp_path / "mine.jsonl", rows)
    names = ("--column", "answer=solution", "--column", "prompt=question")
    result = run("boxed_answer", "think_format", "--dataset", data, "--model", thinking, *names)
    assert result.exit_code == 0, result.output
    assert "0 errors, 0 warnings" in result.output


SETTINGS = """
reward_funcs: [boxed_answer, "soft_overlong(max_tokens=64, buffer=16)"]
reward_weights: [1.0]
num_generations: 3
learning_rate: 1e-6
max_completion_length: 32
"""


def test_settings_of_a_file_are_checked_without_torch(tmp_path: Path, run_forked: Callable[..., str]) -> None:
    written(tmp_path / "data.jsonl", ROWS)
    (tmp_path / "run.yaml").write_text(SETTINGS)
    script = """
import sys
from typer.testing import CliRunner
from quick_probes import quick_probes
from grpo_rewards.command_line import app
named = ["check", "--config", "run.yaml", "--dataset", "data.jsonl"]
with quick_probes():
    print(CliRunner().invoke(app, named, env={"COLUMNS": "300"}).output)
print({"torch", "trl", "transformers", "datasets"} & set(sys.modules))
"""
    said = " ".join(run_forked(script).split())
    assert "reward_weights must be a finite number for each of 2 rewards" in said
    assert "has max_tokens=64, and the run max_completion_length=32" in said
    assert said.endswith("set()")


@each_row("config", sorted((RECIPES / "configs").rglob("*.yaml")))
def test_the_configurations_of_the_recipes_are_read_and_fit_eight_processes(config: Path) -> None:
    settings = SimpleNamespace(**read_settings(str(config)), processes=8)
    run = SetUp([], {"prompt": range(10_000)}, args=settings)
    assert [one.severity for one in batches(run)] == ["fine"]  # whole groups, and rows enough


@each_row("name, contents, said", TABLES["damaged_files"])
def test_a_damaged_file_is_reported_in_a_line(name: str, contents: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(contents)
    result = run("boxed_answer", "--dataset", tmp_path / name)
    assert result.exit_code == 2
    assert said in result.output
    assert result.output.count("\n") == 1


def test_the_same_rows_come_out_of_every_kind_of_file(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    wanted = {name: [row[name] for row in ROWS] for name in ("prompt", "answer")}
    table = datasets.Dataset.from_list(ROWS)
    table.save_to_disk(tmp_path / "saved")
    datasets.DatasetDict({"train": table, "other": table.select([0])}).save_to_disk(tmp_path / "splits")
    (tmp_path / "columns.json").write_text(json.dumps(wanted))
    names = [written(tmp_path / f"a{kind}", ROWS).name for kind in KINDS]
    for name in (*names, "saved", "splits", "columns.json", "*.gz"):
        assert load_columns(str(tmp_path / name)) == wanted, name
    assert len(load_columns(str(tmp_path / "splits"), "other")["answer"]) == 1
    with pytest.raises(RewardError, match="has no split 'tran'; did you mean 'train'"):
        load_columns(str(tmp_path / "splits"), "tran")


def test_a_pattern_names_several_files_whose_columns_may_differ(tmp_path: Path) -> None:
    written(tmp_path / "part_10.jsonl", [{"answer": "3", "level": 2}])
    written(tmp_path / "part_9.jsonl", [{"answer": "1"}, {"answer": "2"}])
    assert load_columns(str(tmp_path / "part_*.jsonl")) == {"answer": ["1", "2", "3"], "level": [None, None, 2]}
    with pytest.raises(RewardError, match="no file matches"):
        load_columns(str(tmp_path / "none_*.jsonl"))


@each_row("arguments, said", TABLES["a_wrong_use_is_told_in_a_line"])
def test_a_wrong_use_is_reported_in_a_line(arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    result = run(*arguments)
    assert (result.exit_code, said in result.output) == (2, True), result.output


@each_row(
    "contents", ["a: [", "- a\n- b\n", "reward_funcs: {a: 1}\n", "reward_funcs: [{boxed_answer: 0.5}]\n", "a b: 1\n"]
)
def test_settings_that_are_none_are_reported(contents: str, tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text(contents)
    result = run("boxed_answer", "--config", tmp_path / "run.yaml")
    assert (result.exit_code, result.output.count("\n")) == (2, 1), result.output


def test_a_setting_that_is_misspelt_is_reported_with_the_nearest_name(tmp_path: Path) -> None:
    pytest.importorskip("trl", reason="the names of settings are TRL's, which is not installed")
    (tmp_path / "run.yaml").write_text("num_generation: 3\nmax_completion_lenght: 5\nsomething_of_mine: 1\n")
    found = findings("boxed_answer", "--config", tmp_path / "run.yaml")
    told = [one["message"] for one in found if (one["check"], one["severity"]) == ("settings", "warning")]
    assert [said.partition("did you mean ")[2] for said in told] == ["'num_generations'?", "'max_completion_length'?"]


@each_row("config", sorted((RECIPES / "configs").rglob("*.yaml")))
def test_no_setting_of_a_recipe_is_called_misspelt(config: Path) -> None:
    assert list(misspelt(read_settings(str(config)))) == []


def test_what_settings_leave_out_is_as_grpo_config_has_it() -> None:
    trl = pytest.importorskip("trl", reason="trl is not installed")
    usual = trl.GRPOConfig.__dataclass_fields__
    assert {name: usual[name].default for name in SETTINGS_DEFAULTS} == SETTINGS_DEFAULTS


def test_the_names_that_trl_grpo_knows_are_resolved_as_it_does(tmp_path: Path) -> None:
    pytest.importorskip("trl", reason="trl is not installed")
    names = ["accuracy_reward", "think_format_reward", "get_soft_overlong_punishment"]
    (tmp_path / "run.yaml").write_text(f"reward_funcs: {names}\n")
    rows = [{"prompt": [{"role": "user", "content": row["prompt"]}], "solution": row["answer"]} for row in ROWS]
    data = written(tmp_path / "a.jsonl", rows)
    result = run("--config", tmp_path / "run.yaml", "--dataset", data, "--json")
    assert json.loads(result.stdout)["rewards"] == [*names[:2], "soft_overlong_punishment_reward"]
    assert json.loads(result.stdout)["errors"] == 0, result.stdout


def test_a_function_that_never_sees_the_model_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "def rule_based_reward(prompt, response, answer):\n    return float(response == answer)\n"
    (tmp_path / "a_strangers_rewards.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    rows = [{**row, "response": row["answer"]} for row in ROWS]
    found = findings("a_strangers_rewards.rule_based_reward", "--dataset", written(tmp_path / "a.jsonl", rows))
    sys.modules.pop("a_strangers_rewards")
    (error,) = [one for one in found if one["severity"] == "error"]
    assert (error["check"], error["reward"]) == ("model", "rule_based_reward")
    assert error["remedy"].startswith("Did you mean 'completion' by 'response'? Rename it. Decorate the function")


def test_advice_about_columns_names_the_option_of_the_command(tmp_path: Path) -> None:
    rows = [{"q": row["prompt"], "a": row["answer"]} for row in ROWS]
    found = findings("boxed_answer", "--dataset", written(tmp_path / "a.jsonl", rows))
    answer, prompt = [one["remedy"] for one in found if one["severity"] == "error"]
    for way in ('rename_column("a", "answer")', 'bind(columns={"answer": "a"})', "--column answer=a"):
        assert way in answer
    assert (
        prompt == 'Rename one with dataset.rename_column("q", "prompt"). In grpo-rewards commands: --column prompt=q.'
    )
