"""What the suite promises of itself: a table lists every wrong row, nothing is left behind, nothing hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from left_behind import put_back, shared_state, what_differs
from processes import started
from tables import each_row, each_row_by_kind, tables_beside


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


def test_a_row_that_is_shorter_leaves_none_and_one_that_is_longer_is_refused() -> None:
    seen = []
    each_row("text, gold, options", [("a", "A"), ("b", "B", ["B"])])(lambda **row: seen.append(row))()
    assert [row["options"] for row in seen] == [None, ["B"]]
    with pytest.raises(ValueError, match="a row has 3 values for 2 names"):
        each_row_by_kind("text, gold", {"some": [("a", "b", "c")]})(lambda text, gold: None)
    with pytest.raises(ValueError, match="a table without rows tests nothing"):
        each_row("text", [])


def test_a_table_lies_beside_its_test(tmp_path: Path) -> None:
    (tmp_path / "test_units.toml").write_text("equal = [\n    ['\\frac12', \"0.5\"],\n]\n", encoding="utf-8")
    assert tables_beside(str(tmp_path / "test_units.py")) == {"equal": [["\\frac12", "0.5"]]}


def change_environment() -> None:
    os.environ["LEFT_BEHIND"] = "1"


def change_handler() -> None:
    signal.signal(signal.SIGTERM, lambda *_: None)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (change_environment, "environment: LEFT_BEHIND was None and is '1'"),
        (lambda: os.chdir("/"), "working directory: was "),
        (lambda: sys.path.append("elsewhere"), "import path: was "),
        (change_handler, f"signal handlers: {signal.SIGTERM} was "),
    ],
)
def test_what_a_test_leaves_behind_is_named_and_put_back(change, named) -> None:
    before = shared_state()
    change()
    try:
        assert [line.startswith(named) for line in what_differs(before)] == [True]
    finally:
        put_back(before)
    assert what_differs(before) == []


def test_a_thread_and_a_process_that_are_left_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("left_behind.GRACE", 0.1)
    before, done = shared_state(), threading.Event()
    threading.Thread(target=done.wait, name="left running").start()
    try:
        assert what_differs(before) == ["threads: left running"]
    finally:
        done.set()
    if Path("/proc/self/task").is_dir():
        with started([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
            (line,) = what_differs(before)
            assert line.startswith(f"child processes: {child.pid} ")
    monkeypatch.setattr("left_behind.GRACE", 20)
    assert what_differs(before) == []


def test_a_deepspeed_configuration_that_is_left_is_named() -> None:
    deepspeed = pytest.importorskip("transformers.integrations.deepspeed")
    before, config = shared_state(), type("Config", (), {"is_zero3": lambda self: False})()
    deepspeed.set_hf_deepspeed_config(config)
    try:
        assert [line.split(":")[0] for line in what_differs(before)] == ["transformers"]
    finally:
        put_back(before)
    assert what_differs(before) == []


def test_a_child_obeys_interrupts_though_this_process_was_started_in_the_background() -> None:
    script = (
        "import sys; sys.path[:0] = [sys.argv[1]]\n"
        "from processes import started\n"
        "with started([sys.executable, '-c', 'print(1, flush=True); import time; time.sleep(60)']) as child:\n"
        "    child.stdout.readline(); child.send_signal(2); child.communicate(timeout=30)\n"
        "    print(child.returncode)"
    )
    ignoring = [
        "sh",
        "-c",
        'trap "" INT; exec "$@"',
        "sh",
        sys.executable,
        "-c",
        script,
        str(Path(__file__).parent / "shared"),
    ]
    done = subprocess.run(ignoring, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "-2\n"), done.stderr


def test_each_test_has_a_limit_of_time(request: pytest.FixtureRequest) -> None:
    if not request.config.pluginmanager.hasplugin("timeout"):
        pytest.skip("pytest-timeout, of the extra [test], is not installed")
    assert 0 < float(request.config.getini("timeout")) <= 300
