"""The callback in a real trainer: what it tells while the run goes on is what its files say afterwards."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("trl", reason="trl is not installed")

from datasets import Dataset
from places import TINY
from trl import GRPOConfig, GRPOTrainer

from grpo_rewards import RewardError, boxed_answer, get_reward, reward, soft_overlong
from grpo_rewards.checks import Alert, RewardMonitor, alerts, read_run
from grpo_rewards.checks.run.files import alert_of

STEPS = 12


@reward
def always_half(completion: str) -> float:
    """Half a point for everything."""
    return 0.5


def trained(folder: Path, monitor: RewardMonitor, steps: int, **settings: Any) -> GRPOTrainer:
    rows = [
        {"prompt": [{"role": "user", "content": f"Ana has {n} pens. How many?"}], "answer": "x = ?"} for n in range(8)
    ]
    arguments = GRPOConfig(
        str(folder), per_device_train_batch_size=4, num_generations=2, max_completion_length=2, max_steps=steps,
        logging_steps=1, log_completions=True, num_completions_to_print=0, save_steps=6, report_to="none", use_cpu=True,
        bf16=False, disable_tqdm=True,
    )  # fmt: skip
    for name, value in settings.items():
        setattr(arguments, name, value)
    trainer = GRPOTrainer(
        str(TINY), [always_half], args=arguments, train_dataset=Dataset.from_list(rows), callbacks=[monitor]
    )
    trainer.train(resume_from_checkpoint=settings.get("resume_from_checkpoint"))
    return trainer


def kept(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "alerts.jsonl").read_text().splitlines()]


def test_it_tells_once_and_keeps_what_the_files_say_afterwards(tmp_path: Path) -> None:
    told: list[Alert] = []
    monitor = RewardMonitor([always_half], on_alert=told.append)
    trained(tmp_path, monitor, STEPS)
    rules = {alert.rule for alert in told}
    assert {"never varies", "no signal", "truncation"} <= rules  # one reward for all, and two tokens are too few
    assert len(told) == len({(alert.rule, alert.reward) for alert in told})
    history, tables, gold = read_run(tmp_path)
    assert sorted(tables) == list(range(1, STEPS + 1))
    assert gold == ()
    assert alerts(history, tables, gold) == told
    head, *lines = kept(tmp_path)
    assert head == {"gold": []}
    assert lines == [alert.as_dict() for alert in told]

    again: list[Alert] = []  # resumed: what was told is known, and not told again
    monitor = RewardMonitor([always_half], on_alert=again.append)
    trained(tmp_path, monitor, STEPS + 2, resume_from_checkpoint=str(tmp_path / f"checkpoint-{STEPS}"))
    assert not {(alert.rule, alert.reward) for alert in again} & {(alert.rule, alert.reward) for alert in told}
    assert {(alert.rule, alert.reward) for alert in monitor.alerts} >= {(alert.rule, alert.reward) for alert in told}
    assert len(kept(tmp_path)) == 1 + len(monitor.alerts)


def test_without_tables_it_says_that_it_sees_little(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="set log_completions=True"):
        trained(tmp_path, RewardMonitor([always_half]), 1, log_completions=False)


def test_gold_based_are_rewards_that_compare_themselves_unless_others_are_named() -> None:
    brief = get_reward("relative_length(num_generations=8)")  # reads the answer through boxed_answer, which it asks
    rewards = [boxed_answer, soft_overlong.bind(max_tokens=32), always_half, brief, len]
    assert RewardMonitor(rewards).gold == ("boxed_answer",)
    assert RewardMonitor(rewards, gold=["always_half"]).gold == ("always_half",)
    assert RewardMonitor(boxed_answer).gold == RewardMonitor("boxed_answer").gold == ("boxed_answer",)


def test_a_folder_without_a_checkpoint_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RewardError, match=r"no checkpoint with a trainer_state\.json; save one with save_steps"):
        read_run(tmp_path)


def test_alerts_are_printed_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    RewardMonitor().on_alert(alert_of("health", "truncation", 7, "40 % are cut off.", "Raise it."))
    assert capsys.readouterr().err.strip() == "step 7, warning (truncation): 40 % are cut off. Raise it."


def test_a_damaged_table_does_not_end_a_training(tmp_path: Path) -> None:
    (tmp_path / "completions").mkdir()
    for step in (1, 2):
        (tmp_path / "completions" / f"completions_{step:05d}.parquet").write_bytes(b"PAR1" + b"x" * 99 + b"PAR1")
    arguments = SimpleNamespace(output_dir=str(tmp_path), log_completions=True)
    log = {"step": 1, "reward": 0.5, "rewards/always_half/mean": 0.5}
    state = SimpleNamespace(is_world_process_zero=True, log_history=[log], global_step=2)
    monitor = RewardMonitor([always_half])
    with pytest.warns(UserWarning, match=r"passes over .*completions_00001.parquet: it cannot be read"):
        monitor.on_train_begin(arguments, state, None)  # as of a run that is resumed
    monitor.on_log(arguments, state, None, {"reward": 0.5, "rewards/always_half/mean": 0.5})
    with pytest.warns(UserWarning, match=r"passes over .*completions_00002.parquet: it cannot be read"):
        monitor.on_train_end(arguments, state, None)
    assert monitor.watch.values("step") == [1, 2]


def test_a_place_where_nothing_can_be_written_does_not_end_a_training(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    arguments = SimpleNamespace(output_dir=str(tmp_path / "taken"), log_completions=True)
    with pytest.warns(UserWarning, match=r"does not keep its alerts: .*taken.alerts.jsonl: "):
        RewardMonitor([always_half]).on_train_begin(
            arguments, SimpleNamespace(is_world_process_zero=True, log_history=[]), None
        )
