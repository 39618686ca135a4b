"""What the suite promises of itself: a table lists every wrong row, nothing is left behind, nothing hangs."""

import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from forked import RunForked
from left_behind import LIMITS, end_left_processes, shared_state, what_differs
from places import ROOT
from processes import started, wait_until
from tables import each_row, each_row_by_kind


def test_every_wrong_row_of_a_table_is_listed_with_what_was_seen() -> None:
    @each_row("number, square", [(2, 4), (3, 8), (4, 16), ("x", 1)])
    def squares(number: int, square: int) -> None:
        assert number * number == square

    with pytest.raises(pytest.fail.Exception) as failure:
        squares()
    first, *rows = str(failure.value).split("\n- ")
    assert first == "2 of 4 rows:"
    assert rows[0].startswith("number=3, square=8\n    assert (3 * 3) == 8")
    assert rows[1].startswith("number='x', square=1\n    TypeError: can't multiply sequence")


def test_rows_that_skip_are_left_out_and_a_table_of_nothing_else_is_skipped() -> None:
    @each_row("number", [1, 2])
    def even(number: int) -> None:
        if number % 2:
            pytest.skip("odd")
        assert number == 2

    even()
    with pytest.raises(pytest.skip.Exception, match="each row skips"):
        each_row("number", [1, 3])(lambda number: pytest.skip("odd"))()


def test_a_row_that_ends_the_program_is_one_that_is_wrong() -> None:
    with pytest.raises(pytest.fail.Exception, match="1 of 2 rows:\n- code=2\n    SystemExit: 2"):
        each_row("code", [0, 2])(lambda code: sys.exit(code) if code else None)()


def test_the_limit_of_a_test_ends_its_table_and_names_the_row(request: pytest.FixtureRequest) -> None:
    seen = []

    @each_row("number", [1, 2])
    def waits(number: int) -> None:
        seen.append(number)
        pytest.fail("Timeout (>2.0s) from pytest-timeout.")

    with pytest.raises(pytest.fail.Exception, match="Timeout") as failure:
        waits()
    assert (seen, failure.value.__notes__) == ([1], ["in the row number=1"])


NEVER_ENDS = {
    "a table": "@each_row('n', [1, 2])\ndef test(n): threading.Event().wait()",
    "examples": "@given(st.integers())\ndef test(n): threading.Event().wait()",
    "a loop in C": "def test(): sum(itertools.repeat(0))",
}


@pytest.mark.full
@pytest.mark.parametrize("body", list(NEVER_ENDS.values()), ids=list(NEVER_ENDS))
def test_no_test_can_hang(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pytest_timeout")
    imports = "import itertools, pathlib, sys, threading\nfrom hypothesis import given, strategies as st\n"
    shared = Path(__file__).parent / "shared"
    conftest = (Path(__file__).parent / "conftest.py").read_text(encoding="utf-8")
    (tmp_path / "conftest.py").write_text(conftest.replace("GRACE = 60", "GRACE = 2"))
    (tmp_path / "shared").symlink_to(shared)
    (tmp_path / "test_hang.py").write_text(f"{imports}from tables import each_row\n\n{body}\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", f"pythonpath={shared}", "-o"]
    with started([*command, "timeout=2", "test_hang.py"], cwd=tmp_path) as running:
        printed = "".join(running.communicate(timeout=60))
    assert running.returncode != 0
    assert re.search(r'test_hang\.py(:|", line )[0-9]+', printed), printed  # the stack says where it hung


def test_a_row_that_is_shorter_leaves_none_and_one_that_is_longer_is_refused() -> None:
    seen = []
    each_row("text, gold, options", [("a", "A"), ("b", "B", ["B"])])(lambda **row: seen.append(row))()
    assert [row["options"] for row in seen] == [None, ["B"]]
    with pytest.raises(ValueError, match="a row has 3 values for 2 names"):
        each_row_by_kind("text, gold", {"some": [("a", "b", "c")]})(lambda text, gold: None)
    with pytest.raises(ValueError, match="is a list of values, not 'ab'"):
        each_row("text, gold", ["ab"])(lambda text, gold: None)
    with pytest.raises(ValueError, match="a table without rows tests nothing"):
        each_row("text", [])


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda patch: patch.setenv("LEFT_BEHIND", "1"), "environment: LEFT_BEHIND was None and is '1'"),
        (lambda patch: patch.chdir("/"), "working directory: was "),
        (lambda patch: patch.setattr(sys, "path", ["elsewhere"]), "import path: was "),
        (lambda patch: patch.setattr(signal, "getsignal", str), "signal handlers: "),
        (lambda patch: patch.setitem(LIMITS, "recursion", lambda: 1), "limits: recursion was "),
    ],
)
def test_what_a_test_leaves_behind_is_named(change, named, monkeypatch: pytest.MonkeyPatch) -> None:
    before = shared_state()
    change(monkeypatch)
    assert [line.startswith(named) for line in what_differs(before)] == [True]


def test_a_thread_that_is_left_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("left_behind.GRACE", 0.1)
    before, done = shared_state(), threading.Event()
    threading.Thread(target=done.wait, name="left running").start()
    try:
        assert what_differs(before) == ["threads: left running"]
    finally:
        done.set()
    monkeypatch.setattr("left_behind.GRACE", 20)
    assert what_differs(before) == []


def test_a_process_that_is_left_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/proc/self/task").is_dir():
        pytest.skip("children are looked at on Linux only")
    monkeypatch.setattr("left_behind.GRACE", 0.1)
    before = shared_state()
    left = subprocess.Popen(["sleep", "100"])
    wait_until(lambda: what_differs(before))  # a process has no command line until it is loaded
    assert what_differs(before) == [f"child processes: {left.pid} sleep 100"]
    end_left_processes(before)
    assert left.wait(timeout=60) == -signal.SIGKILL


def test_a_script_that_hangs_takes_no_later_one_with_it(forked: RunForked, tmp_path: Path) -> None:
    limit = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("too long"))  # as the limit of a test does
    left = signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(pytest.fail.Exception, match="too long"):
            forked("import time; time.sleep(100)", within=tmp_path)
    finally:
        signal.signal(signal.SIGALRM, limit)
        signal.setitimer(signal.ITIMER_REAL, *left)
    assert forked("print(7)", within=tmp_path).output == "7\n"


def test_a_deepspeed_configuration_that_is_left_is_named() -> None:
    deepspeed = pytest.importorskip("transformers.integrations.deepspeed")
    before, config = shared_state(), type("Config", (), {"is_zero3": lambda self: False})()
    deepspeed.set_hf_deepspeed_config(config)
    try:
        assert [line.split(":")[0] for line in what_differs(before)] == ["transformers"]
    finally:
        deepspeed.unset_hf_deepspeed_config()
    assert what_differs(before) == []


def test_a_child_obeys_interrupts_though_this_process_was_started_in_the_background() -> None:
    script = (
        "import sys; sys.path[:0] = [sys.argv[1]]\n"
        "from processes import started, wait_until\n"
        "with started([sys.executable, '-c', 'print(1, flush=True); import time; time.sleep(60)']) as child:\n"
        "    child.stdout.readline(); child.send_signal(2); child.communicate(timeout=30)\n"
        "    print(child.returncode)"
    )
    shared = str(Path(__file__).parent / "shared")
    ignoring = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-c", script, shared]
    done = subprocess.run(ignoring, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "-2\n"), done.stderr


def test_each_test_has_a_limit_of_time(request: pytest.FixtureRequest) -> None:
    if not request.config.pluginmanager.hasplugin("timeout"):
        pytest.skip("pytest-timeout, of the extra [test], is not installed")
    assert 0 < float(request.config.getini("timeout")) <= 300


@pytest.mark.parametrize("script", ["run", "full"])
def test_the_files_that_continuous_integration_names_are_there(script: str) -> None:
    named = set(re.findall(r"tests/[\w/]+(?:\.py)?", (ROOT / ".ci" / script).read_text(encoding="utf-8")))
    assert named
    assert sorted(name for name in named if not (ROOT / name).exists()) == []
