"""What a run shows while it trains: one live line in a terminal, and plain lines elsewhere."""

import io
import re
import sys
from types import SimpleNamespace

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

from gsm8k import TASK
from rich.console import Console
from running import run, training
from running.reporting import ProgressLine
from tqdm.auto import tqdm

QUICK = ["gsm8k.py", "--thorough_check", "false", "--eval_size", "0", "--save_strategy", "no"]
LOG = {
    "reward": 0.75,
    "rewards/boxed_answer/mean": 0.5,
    "rewards/think_format/mean": 0.25,
    "frac_reward_zero_std": 0.0,  # TRL's, which float32 misleads
    "completions/mean_length": 24.0,
}


class Run:
    """A run as callbacks see it, and what is shown of it: on a terminal of that width, or on none."""

    def __init__(self, width=100, terminal=True, first=True, disable_tqdm=False):
        self.file = io.StringIO()
        self.counted = 0.125  # of the zero-variance groups
        # TERM=dumb, as of many test runners, is no terminal that could show a live line
        console = Console(file=self.file, force_terminal=terminal, width=width, _environ={"TERM": "xterm"})
        names = ["boxed_answer", "think_format"]
        self.line = ProgressLine(names, "boxed_answer", lambda: self.counted, every=2, console=console)
        self.args = SimpleNamespace(disable_tqdm=disable_tqdm)
        self.state = SimpleNamespace(global_step=0, max_steps=5, is_world_process_zero=first)
        self.control = SimpleNamespace(should_evaluate=False)

    def tell(self, event, **more):
        getattr(self.line, f"on_{event}")(self.args, self.state, self.control, **more)

    def step(self, log=LOG):
        self.tell("step_begin")
        self.state.global_step += 1
        self.tell("step_end")
        self.tell("log", logs=log)

    @property
    def screen(self):
        """What is left of each line of the screen, when all that moves the cursor has been heeded."""
        lines = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.file.getvalue()).split("\n")
        return [line.rsplit("\r", 1)[-1].rstrip() for line in lines if line.strip()]


def test_a_terminal_has_one_line_that_changes():
    shown = Run()
    shown.step()
    shown.tell("log", logs={"eval_sampled/boxed_answer": 0.9})
    shown.step({**LOG, "reward": 1.0})
    shown.tell("train_end")
    (line,) = shown.screen
    assert line.startswith("2/5 ")
    assert "reward 1.000  right 0.500  eval 0.900  zero-var 12%  tokens 24" in line
    assert line.endswith("left")
    assert "step    2" not in line  # no plain lines beside it


@pytest.mark.parametrize("width", [50, 80, 200])
def test_it_stays_one_line_however_wide_the_terminal_is(width):
    shown = Run(width)
    for _ in range(5):
        shown.step({**LOG, "eval_sampled/boxed_answer": 0.9})
    shown.line.close()
    (line,) = shown.screen
    assert line.startswith("5/5")
    assert len(line) <= width
    assert "reward 0.750" in line  # what matters most, and as much more as there is room for
    assert ("zero-var 12%" in line) == (width >= 80)


def test_it_says_nothing_of_what_it_does_not_know():
    shown = Run()
    shown.step({})
    shown.tell("train_end")
    assert not re.search("reward|eval|zero-", shown.file.getvalue())


def test_it_goes_on_where_a_resumed_run_does():
    shown = Run()
    shown.state.global_step = 3
    shown.tell("step_begin")
    shown.line.close()
    assert shown.screen[-1].startswith("3/5")


def test_an_evaluation_has_the_terminal_to_itself():
    shown = Run()
    shown.control.should_evaluate = True
    shown.step()
    assert not shown.line.live.live.is_started
    shown.tell("evaluate")
    assert shown.line.live.live.is_started
    shown.line.close()


def test_what_is_printed_meanwhile_stands_above_it():
    shown, before = Run(), sys.stderr
    shown.step()
    tqdm.write("alert: length grows", file=sys.stderr)  # as the monitor tells it
    print("a warning")
    shown.step()
    shown.tell("train_end")
    *above, line = shown.screen
    assert above == ["alert: length grows", "a warning"]
    assert line.startswith("2/5 ")
    assert sys.stderr is before


@pytest.mark.parametrize("how", [{"terminal": False}, {"disable_tqdm": True}])
def test_elsewhere_plain_lines_are_printed(how):
    shown = Run(**how)
    shown.tell("log", logs={"eval_sampled/boxed_answer": 0.5})
    for _ in range(5):
        shown.step()
    shown.tell("train_end")
    rewards = "reward 0.750   boxed_answer 0.500   think_format 0.250   zero-var 12%   tokens 24.0"
    assert shown.file.getvalue().splitlines() == [
        "step    0 of 5   eval: boxed_answer 0.500",
        *(f"step    {step} of 5   {rewards}" for step in (1, 2, 4, 5)),
    ]


def test_a_step_is_shown_with_the_count_of_its_own_table():
    shown = Run(terminal=False)
    shown.step()
    assert shown.screen == []  # the table is written after the log
    shown.counted = 0.5
    shown.step()
    (line,) = shown.screen
    assert "zero-var 50%" in line


def test_without_tables_the_share_is_called_trls():
    shown = Run(terminal=False)
    shown.counted = None
    shown.step()
    shown.tell("train_end")
    (line,) = shown.screen
    assert "TRL's zero-std 0%" in line


@pytest.mark.parametrize("terminal", [True, False])
def test_the_first_process_alone_shows_something(terminal):
    shown = Run(terminal=terminal, first=False)
    shown.step()
    shown.tell("train_end")
    assert shown.file.getvalue() == ""


def test_a_run_that_fails_leaves_the_terminal_as_it_was(tmp_path, monkeypatch):
    line = ProgressLine([], "boxed_answer", console=Run().line.console)

    def fails(trainer, *_):
        line.on_step_begin(trainer.args, SimpleNamespace(**LIVE), None)
        assert line.live.live.is_started
        raise ValueError("in the first step")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(training, "ProgressLine", lambda *_: line)
    monkeypatch.setattr(training, "train_and_evaluate", fails)
    monkeypatch.setattr(sys, "argv", QUICK)
    with pytest.raises(ValueError, match="in the first step"):
        run(TASK)
    assert line.live is None


@pytest.mark.parametrize("where", ["train_and_evaluate", "prepared", "report"])
def test_ctrl_c_ends_with_one_line_and_the_status_of_an_interrupt(where, tmp_path, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(training, "train_and_evaluate", lambda *_: {})
    monkeypatch.setattr(training, where, interrupted)
    monkeypatch.setattr(sys, "argv", QUICK)
    with pytest.raises(SystemExit) as ended:
        run(TASK)
    assert ended.value.code == 130
    said = capsys.readouterr().err.splitlines()[-1]
    at = " at step 0" if where == "train_and_evaluate" else ""
    assert said.startswith(f"Interrupted{at}. The same command line goes on from the last checkpoint")


LIVE = {"is_world_process_zero": True, "max_steps": 5, "global_step": 0}


def test_disable_tqdm_prints_lines_and_not_whole_logs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    options = "--max_steps 1 --per_device_train_batch_size 8 --max_completion_length 8 --disable_tqdm true"
    monkeypatch.setattr(sys, "argv", [*QUICK, *options.split()])
    run(TASK)
    said = capsys.readouterr().out
    assert "step    1 of 1   reward " in said
    assert "grad_norm" not in said
