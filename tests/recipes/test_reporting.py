"""What a run shows while it trains, the log and the report that it keeps, and its end by Ctrl-C."""

import json
import re
import sys
from types import SimpleNamespace

import pytest

pytest.importorskip("plotly", reason="plotly, of the extra [report], is not installed")

import gsm8k
from reported_runs import leave
from training.arguments import RESUME, ends_with_one_message
from training.progress import LogCallback, ProgressLine
from transformers import TrainerState

import grpo_rewards as gr

QUICK = ["--thorough_check", "false", "--eval_size", "0", "--save_strategy", "no"]
LOG = {
    "reward": 0.75,
    "rewards/boxed_answer/mean": 0.5,
    "rewards/think_format/mean": 0.25,
    "frac_reward_zero_std": 0.0,  # TRL's, which float32 misleads
    "completions/mean_length": 24.0,
}


class Run:
    """A run as callbacks see it, on a terminal or on none."""

    def __init__(self, monkeypatch, terminal=False, first=True, disable_tqdm=False):
        self.monitor = SimpleNamespace(zero_variance=0.125)
        monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
        self.line = ProgressLine([gr.boxed_answer, gr.think_format], "boxed_answer", self.monitor, every=2)
        self.args = SimpleNamespace(disable_tqdm=disable_tqdm)
        self.state = TrainerState(max_steps=5, is_world_process_zero=first)
        self.control = SimpleNamespace(should_evaluate=False)
        self.tell("train_begin")

    def tell(self, event, **more):
        getattr(self.line, f"on_{event}")(self.args, self.state, self.control, **more)

    def step(self, log=LOG):
        self.tell("step_begin")
        self.state.global_step += 1
        self.tell("step_end")
        self.log(log)

    def log(self, logs):
        self.state.log_history.append({**logs, "step": self.state.global_step})


def test_a_terminal_has_a_bar_with_the_figures(monkeypatch, capsys):
    shown = Run(monkeypatch, terminal=True)
    shown.step()
    shown.log({"eval_sampled/boxed_answer": 0.9})
    shown.step({**LOG, "reward": 1.0})
    shown.tell("train_end")
    printed = capsys.readouterr()
    last = printed.err.strip().rsplit("\r", 1)[-1]
    assert "2/5" in last
    figures = "reward 1.000  boxed_answer 0.500  think_format 0.250  eval: boxed_answer 0.900  zero-var 12%"
    assert figures in last
    assert printed.out == ""  # no plain lines beside it


def test_it_says_nothing_of_what_it_does_not_know(monkeypatch, capsys):
    shown = Run(monkeypatch, terminal=True)
    shown.step({})
    shown.tell("train_end")
    assert not re.search("reward|eval|zero-", capsys.readouterr().err)


@pytest.mark.parametrize("how", [{}, {"terminal": True, "disable_tqdm": True}])
def test_elsewhere_plain_lines_are_printed(how, monkeypatch, capsys):
    shown = Run(monkeypatch, **how)
    shown.log({"eval_sampled/boxed_answer": 0.5})
    for _ in range(5):
        shown.step()
    shown.tell("train_end")
    rewards = "reward 0.750   boxed_answer 0.500   think_format 0.250   zero-var 12%   tokens 24.0"
    assert capsys.readouterr().out.splitlines() == [
        "step    0 of 5   eval: boxed_answer 0.500",
        *(f"step    {step} of 5   {rewards}" for step in (1, 2, 4, 5)),
    ]


def test_a_step_is_shown_with_the_count_of_its_own_table(monkeypatch, capsys):
    shown = Run(monkeypatch)
    shown.step()
    assert capsys.readouterr().out == ""  # the table is written after the log
    shown.monitor.zero_variance = 0.5
    shown.step()
    assert "zero-var 50%" in capsys.readouterr().out


def test_without_tables_there_is_no_share(monkeypatch, capsys):
    shown = Run(monkeypatch)
    shown.monitor.zero_variance = None
    shown.step()
    shown.tell("train_end")
    assert "think_format 0.250   tokens" in capsys.readouterr().out


@pytest.mark.parametrize("terminal", [True, False])
def test_the_first_process_alone_shows_something(terminal, monkeypatch, capsys):
    shown = Run(monkeypatch, terminal=terminal, first=False)
    shown.step()
    shown.tell("train_end")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("where", ["load_tokenizer", "train", "save_results"])
def test_ctrl_c_ends_with_one_line_and_the_status_of_an_interrupt(where, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(gsm8k, "train", lambda *_: None)
    monkeypatch.setattr(gsm8k, where, interrupted)
    with pytest.raises(SystemExit) as ended, ends_with_one_message(RESUME):
        gsm8k.main(QUICK)
    assert ended.value.code == 130
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("Interrupted. The same command line goes on from the last checkpoint")


def test_disable_tqdm_prints_lines_and_not_whole_logs(capsys):
    options = "--max_steps 1 --per_device_train_batch_size 8 --max_completion_length 8 --disable_tqdm true"
    gsm8k.main([*QUICK, *options.split()])
    said = capsys.readouterr().out
    assert "137,600 parameters, 1 steps on 2,000 problems." in said
    assert "step    1 of 1   reward " in said
    assert "grad_norm" not in said


def state_of(folder):
    log = json.loads((folder / "trainer_state.json").read_text())["log_history"]
    return TrainerState(global_step=len(log), log_history=log, is_world_process_zero=True)


def test_the_log_is_there_at_once(tmp_path):
    folder = leave(tmp_path / "run")
    state, kept, args = state_of(folder), LogCallback(), SimpleNamespace(output_dir=str(folder))
    (folder / "trainer_state.json").unlink()
    kept.on_log(args, state, None)
    assert state_of(folder).log_history == state.log_history
    assert kept.due > 0
    assert not list(folder.glob(".*"))
    LogCallback().on_log(
        SimpleNamespace(output_dir=str(tmp_path / "other")), TrainerState(is_world_process_zero=False), None
    )
    assert not (tmp_path / "other").exists()  # another process
