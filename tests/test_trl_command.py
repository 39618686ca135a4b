"""Rewards by their specs on the command line of TRL itself: ``trl grpo --reward_funcs``."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tables import tables_beside

pytest.importorskip("trl", reason="trl is not installed")

from contract_cases import LISTED, case_of
from places import TINY
from trl.scripts import grpo

import grpo_rewards as gr
from grpo_rewards import Reward, RewardError, get_reward

TABLES = tables_beside(__file__)

COMPOSITES = TABLES["composites"]
SPECS = [spec for spec in (*(repr(case_of(name)[0]) for name in LISTED), *COMPOSITES) if "." not in spec]


SETTINGS = """--bf16 false --use_cpu true --max_steps 2 --num_generations 4 --per_device_train_batch_size 8
    --max_completion_length 16 --report_to none --save_strategy no --logging_steps 1 --output_dir out
    --gradient_checkpointing false --dataset_name data --reward_weights 1 1 1 0.5 --log_completions true"""


class Told(BaseException):
    """What the script would give to the trainer; no more of it runs."""


def handed_over(monkeypatch: pytest.MonkeyPatch, *names: str) -> list[Any]:
    """The rewards that TRL's script finds under these names, by its own parser and its own imports."""

    def stopped(*args: Any, reward_funcs: list[Any], **more: Any) -> None:
        raise Told(reward_funcs)

    monkeypatch.setattr("trl.GRPOTrainer", stopped)
    monkeypatch.setattr("datasets.load_dataset", lambda *args, **more: {"train": None})
    monkeypatch.setattr(sys, "path", list(sys.path))
    settings = ["--model_name_or_path", str(TINY), "--dataset_name", "none", "--bf16", "false", "--use_cpu", "true"]
    script, training, model, data, *_ = grpo.make_parser().parse_args_and_config(
        [*settings, "--reward_funcs", *names], return_remaining_strings=True
    )
    with pytest.raises(Told) as told:
        grpo.main(script, training, model, data)
    found: list[Any] = told.value.args[0]
    return found


@pytest.mark.parametrize("spec", SPECS)
def test_trl_finds_each_reward_by_its_spec(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = handed_over(monkeypatch, f"grpo_rewards.{spec}")
    assert isinstance(found, Reward)
    assert found == get_reward(spec)


def test_several_are_found_at_once_and_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["grpo_rewards.boxed_answer", *(f"grpo_rewards.{spec}" for spec in (COMPOSITES[0], "think_format"))]
    for _ in range(2):
        first, second, third = handed_over(monkeypatch, *names)
        assert (first, second.name, third.name) == (gr.boxed_answer, "weighted", "think_format")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("soft_overlon(max_tokens=5e-1)", "unknown reward 'soft_overlon'; did you mean 'soft_overlong'"),
        ("scaled(boxed_answer, by=5e-1, at=2)", "got an unexpected keyword argument 'at'"),
        ("soft_overlong(max_tokens=len('a'))", "unknown reward 'len'"),
    ],
)
def test_a_mistake_is_reported_as_elsewhere(spec: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RewardError, match=said):
        handed_over(monkeypatch, f"grpo_rewards.{spec}")


def test_a_spec_with_a_dot_in_it_is_a_line_of_python_that_trl_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = r"weighted({pattern(regex=r'\d\.\d'): 0.5, contract_rewards.sample_ends_with(ending='.'): 1.0})"
    with pytest.raises((ValueError, ImportError)):
        handed_over(monkeypatch, f"grpo_rewards.{spec}")
    module = SimpleNamespace(mine=gr.get_reward(spec))
    monkeypatch.setitem(sys.modules, "rewards_of_a_run", module)
    assert handed_over(monkeypatch, "rewards_of_a_run.mine") == [get_reward(spec)]


@pytest.mark.full
def test_trl_trains_two_steps_with_specs_and_paths_on_its_command_line(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    rows = [{"prompt": [{"role": "user", "content": f"{n} + 2?"}], "answer": str(n + 2)} for n in range(8)]
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "our_rewards.py").write_text(
        "import grpo_rewards as gr\nshort = gr.max_length.bind(max_tokens=8, name='short')\n"
    )
    specs = ("boxed_answer", COMPOSITES[1], "soft_overlong(max_tokens=16, buffer=4)")
    command = [sys.executable, "-m", "trl.scripts.grpo", "--model_name_or_path", str(TINY), *SETTINGS.split()]
    done = subprocess.run(
        [*command, "--reward_funcs", "our_rewards.short", *(f"grpo_rewards.{spec}" for spec in specs)],
        cwd=tmp_path,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(Path(gr.__file__).parents[1])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for name in ("boxed_answer", "gated_think_format", "soft_overlong", "short"):
        assert f"rewards/{name}/mean" in done.stdout
    assert "boxed_answer/no_box" in done.stdout
    tables = (tmp_path / "out" / "completions").glob("*.parquet")
    assert all("boxed_answer/reason" in pandas.read_parquet(table).columns for table in tables)
