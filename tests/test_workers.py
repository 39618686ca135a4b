"""Symbolic comparison in worker processes: its outcomes, what a formula can do to a worker, and where it must work.

Most tests put a function of their own in place of math-verify, which does at once what a formula does at its worst.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

import grpo_rewards
from grpo_rewards.answers.symbolic import client as workers
from grpo_rewards.answers.symbolic.client import VARIABLE, compare_symbolically

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="without fork no pair is compared")

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(grpo_rewards.__file__).parents[1])}
EQUAL, DIFFERENT = (r"\frac{x}{2}", "0.5x"), ("x+1", "x+2")
BOMB = ("x+1", r"(10^{9}+1)!+x")

DECIDER = r"""
import ctypes, itertools, os, sys, time

kept, compared = [], 0

def decide(answer, prediction):
    global compared
    compared += 1
    return globals().get(answer, lambda _: {"equal": True, "different": False}.get(answer))(prediction)

def spin_in_c(_): sum(itertools.repeat(0))  # never returns to the interpreter

def spin_in_python(_):
    while True:
        try:
            while True: pass
        except BaseException: pass

def sleep(_): time.sleep(1000)
def memory(_):
    while True: kept.append(bytearray(1 << 26))
def crash(_): ctypes.string_at(0)
def leave(_): os._exit(0)
def error(_): raise ValueError
def say(_):
    print("[true, 0]" * 10_000, flush=True)
    os.write(1, b"\0\0\0\4true")
    os.write(2, b"said")
    return sys.stdin.read() == ""
def is_of_length(prediction): return len(prediction) == 3_000_000
def is_surrogate(prediction): return prediction == "\ud800"
def at_most_200(_): return compared <= 200
def grow(_): kept.append(bytearray(os.urandom(1)) * (300 << 20)); return True
def grown(_): return bool(kept)
def can_write(path):
    try:
        with open(path, "w") as file: file.write("x")
    except OSError: return False
    return True
"""


@pytest.fixture
def decider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Puts the functions above in place of math-verify."""
    path = tmp_path / "decider_of_tests.py"
    path.write_text(DECIDER)
    workers.close()
    monkeypatch.setattr(workers, "DECIDER", path)
    yield path
    workers.close()


def broker() -> psutil.Process:
    assert workers._broker is not None
    return psutil.Process(workers._broker.process.pid)


def family() -> list[psutil.Process]:
    return [broker(), *broker().children()]


def in_thread(function: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    return thread


def wait_until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "waited for 20 s"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


# --- outcomes


@pytest.mark.parametrize(
    ("answer", "prediction", "outcome"),
    [
        (*EQUAL, "equal"),
        (*DIFFERENT, "different"),
        (r"(x+1)^2", r"x^2 + 2x + 1", "equal"),
        (r"2\sqrt{3}", r"\sqrt{12}", "equal"),
        (r"\begin{pmatrix} 1 \\" + "\n" + r" x \end{pmatrix}", r"\begin{pmatrix}1\\x\end{pmatrix}", "equal"),
        ("5", "x = 5", "equal"),
        ("x + y = 5", "x + y = 6", "different"),
        ("1 < x < 2", "(1, 2)", "equal"),
        ("(1, 2)", "1 < x < 2", "different"),
        (r"\frac{1}{", "1", "undecided"),
        ("x", "", "undecided"),
        ("x", "\ud800", "undecided"),
        # no part of a formula is taken for the answer
        ("5", r"7 \boxed{5}", "undecided"),
        (r"\frac{1}{2}", r"7 \text{answer} \frac{1}{2}", "undecided"),
        (r"5", r"7$ $5", "undecided"),
    ],
)
def test_formulas(answer: str, prediction: str, outcome: str) -> None:
    assert compare_symbolically([(answer, prediction)], workers=1) == [outcome]


def test_bombs_among_formulas_are_stopped_and_the_order_is_kept() -> None:
    workers.close()
    pairs = [(f"{i}x", f"x*{i if i % 2 else i + 1}") for i in range(64)]
    for index in (3, 4, 40, 63):
        pairs[index] = (f"x+{index}", BOMB[1])
    begin = time.monotonic()
    outcomes = compare_symbolically(pairs, workers=2)
    expected = ["equal" if i % 2 else "different" for i in range(64)]
    for index in (3, 4, 40, 63):
        expected[index] = "timeout"
    assert outcomes == expected
    # two seconds of each worker, and half a second to start; the rest is for a busy machine
    assert time.monotonic() - begin < 12


def test_no_pairs_start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    workers.close()
    assert compare_symbolically([]) == []
    monkeypatch.setenv(VARIABLE, "0")
    assert compare_symbolically([EQUAL, DIFFERENT]) == ["undecided", "undecided"]
    assert compare_symbolically([EQUAL], workers=0) == ["undecided"]
    assert workers._broker is None


@pytest.mark.parametrize("value", ["two", "-1", "1.5", "²"])
def test_a_bad_number_of_workers_is_named(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(VARIABLE, value)
    with pytest.raises(ValueError, match=rf"{VARIABLE}='{value}': write a whole number of processes, or 0 for none"):
        compare_symbolically([EQUAL])


@pytest.mark.parametrize(
    "options", [{"workers": -1}, {"deadline": 0.0}, {"deadline": float("nan")}, {"deadline": float("inf")}]
)
def test_bad_options(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="deadline"):
        compare_symbolically([EQUAL], **options)


@pytest.mark.parametrize(
    ("cores", "ranks", "count"), [(64, "", 4), (64, "8", 4), (16, "8", 2), (2, "8", 1), (1, "", 1), (3, "x", 3)]
)
def test_cores_are_shared_by_the_ranks(monkeypatch: pytest.MonkeyPatch, cores: int, ranks: str, count: int) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", ranks)
    assert workers.worker_count() == count
    monkeypatch.setenv(VARIABLE, "7")
    assert workers.worker_count() == 7


# --- what a pair can do to a worker


@pytest.mark.parametrize(
    ("action", "deadline", "outcome"),
    [
        ("spin_in_c", 0.1, "timeout"),
        ("spin_in_python", 0.1, "timeout"),
        ("sleep", 0.05, "timeout"),  # after 2 s by the clock
        ("memory", 20.0, "worker_killed"),
        ("crash", 20.0, "worker_killed"),
        ("leave", 20.0, "worker_killed"),
        ("error", 20.0, "worker_killed"),
        ("say", 20.0, "equal"),
    ],
)
@pytest.mark.usefixtures("decider")
def test_a_pair_harms_no_other(action: str, deadline: float, outcome: str, capfd: pytest.CaptureFixture[str]) -> None:
    pairs = [("equal", ""), (action, ""), ("different", ""), (action, "again"), ("neither", ""), ("equal", "again")]
    expected = ["equal", outcome, "different", outcome, "undecided", "equal"]
    for count in (1, 2):
        assert compare_symbolically(pairs, deadline=deadline, workers=count) == expected
    assert capfd.readouterr() == ("", "")


def test_a_worker_cannot_write_to_files(decider: Path) -> None:
    written = decider.with_name("written")
    assert compare_symbolically([("can_write", str(written))]) == ["different"]
    assert not written.exists() or not written.read_text()


@pytest.mark.usefixtures("decider")
def test_workers_are_replaced_before_they_grow() -> None:
    pairs = [("at_most_200", str(i)) for i in range(450)]
    assert compare_symbolically(pairs, workers=1) == ["equal"] * 450
    assert compare_symbolically([("grow", ""), ("grown", "")], deadline=10, workers=1) == ["equal", "different"]


@pytest.mark.usefixtures("decider")
def test_any_text_arrives() -> None:
    pairs = [("is_of_length", "x" * 3_000_000), ("is_surrogate", "\ud800"), ("is_of_length", "é" * 3_000_000)]
    assert compare_symbolically(pairs, workers=2) == ["equal"] * 3


@pytest.mark.usefixtures("decider")
def test_processor_time_decides_also_where_the_parent_ignores_or_blocks_the_signal() -> None:
    before = signal.signal(signal.SIGPROF, signal.SIG_IGN), signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPROF])
    try:
        begin = time.monotonic()
        pairs = [("spin_in_c", ""), ("equal", "")]
        assert compare_symbolically(pairs, deadline=0.5, workers=1) == ["timeout", "equal"]
        assert time.monotonic() - begin < 10  # by the clock it would be stopped after 15 s
    finally:
        workers.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGPROF, before[0])
        signal.signal(signal.SIGCHLD, before[1])


@pytest.mark.usefixtures("decider")
def test_a_killed_worker_is_replaced() -> None:
    outcomes: list[str] = []
    pairs = [("sleep", ""), ("equal", "")]
    call = in_thread(lambda: outcomes.extend(compare_symbolically(pairs, deadline=10, workers=1)))
    wait_until(lambda: workers._broker is not None and broker().children())
    broker().children()[0].kill()
    call.join(20)
    assert outcomes == ["worker_killed", "equal"]
    idle = broker().children()[0]
    idle.kill()
    wait_until(lambda: idle.status() == psutil.STATUS_ZOMBIE)
    assert compare_symbolically([("equal", "")]) == ["equal"]


# --- the broker's end, and the parent's


@pytest.mark.usefixtures("decider")
def test_a_broker_killed_between_calls_is_replaced() -> None:
    assert compare_symbolically([("equal", "")]) == ["equal"]
    before = family()
    before[0].kill()
    assert compare_symbolically([("equal", ""), ("different", "")]) == ["equal", "different"]
    wait_until(lambda: not any(is_running(process.pid) for process in before))


@pytest.mark.usefixtures("decider")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize(("attempts", "found"), [(1, ["worker_killed"] * 2), (2, ["equal", "timeout"])])
def test_a_broker_killed_or_stuck_amid_a_batch(
    how: signal.Signals, attempts: int, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "SILENCE", 2.0)
    monkeypatch.setattr(workers, "ATTEMPTS", attempts)
    outcomes: list[str] = []
    pairs = [("equal", ""), ("sleep", "")]
    call = in_thread(lambda: outcomes.extend(compare_symbolically(pairs, deadline=0.15)))
    wait_until(lambda: workers._broker is not None and broker().children())
    before = family()
    before[0].send_signal(how)
    call.join(30)
    assert outcomes == found
    assert compare_symbolically([("equal", "")]) == ["equal"]
    wait_until(lambda: not any(is_running(process.pid) for process in before))


@pytest.mark.usefixtures("decider")
def test_a_long_batch_is_not_taken_for_a_stuck_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "SILENCE", 2.5)
    # nothing to say for 4.5 s, thirty times the deadline
    assert compare_symbolically([("sleep", "")], deadline=0.15) == ["timeout"]


@pytest.mark.usefixtures("decider")
def test_an_interrupt_amid_a_call_leaves_nothing_behind() -> None:
    compare_symbolically([("equal", "")], workers=2)
    before = family()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        compare_symbolically([("sleep", ""), ("sleep", "again")], workers=2)
    time.sleep(0.7)  # what that batch would still have said must not be taken for the next one's
    assert compare_symbolically([("different", ""), ("equal", "")]) == ["different", "equal"]
    wait_until(lambda: not any(is_running(process.pid) for process in before))


@pytest.mark.parametrize(
    ("held", "busy"),
    [(False, True), (True, True), (True, False)],
    ids=["busy", "busy, socket held by another process", "idle, socket held by another process"],
)
def test_nothing_outlives_a_killed_parent(decider: Path, held: bool, busy: bool) -> None:
    script = f"""
import pathlib, subprocess, threading, time
from grpo_rewards.answers.symbolic import client as workers
workers.DECIDER = pathlib.Path({str(decider)!r})
workers.compare_symbolically([("spin_in_c", ""), ("spin_in_c", "2")], deadline=0.1, workers=2)
channel = workers._broker.channel.fileno()
if {held}:
    subprocess.Popen(["sleep", "30"], pass_fds=[channel], stdout=subprocess.DEVNULL)
pairs = [("sleep", ""), ("sleep", "2")] if {busy} else [("equal", ""), ("spin_in_c", "")]
call = threading.Thread(target=workers.compare_symbolically, args=[pairs], kwargs=dict(deadline=1, workers=2))
call.start()
if not {busy}: call.join()
print(workers._broker.process.pid, flush=True)
time.sleep(1000)
"""
    parent = subprocess.Popen([sys.executable, "-c", script], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    wait_until(lambda: len(child.children()) == 1 + busy)
    others = [process for process in psutil.Process(parent.pid).children() if process != child]
    family = [child, *child.children()]
    parent.kill()
    parent.communicate()
    try:
        wait_until(lambda: not any(is_running(process.pid) for process in family))
    finally:
        for process in [*family, *others]:
            if is_running(process.pid):
                process.kill()


@pytest.mark.usefixtures("decider")
@pytest.mark.parametrize("executable", ["", "/no/such/python", "/bin/false", "relative"])
def test_a_python_that_does_not_start_is_told(executable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(RuntimeError, match=rf"(?s)does not start with '{executable}'.*set {VARIABLE}=0"):
        compare_symbolically([EQUAL])
    assert workers._broker is None


def test_a_missing_package_is_told(decider: Path) -> None:
    decider.write_text("import no_such_package")
    with pytest.raises(RuntimeError, match=r"(?s)No module named 'no_such_package'.*Install math-verify"):
        compare_symbolically([EQUAL])
    decider.write_text(DECIDER)
    assert compare_symbolically([("equal", "")]) == ["equal"]


@pytest.mark.usefixtures("decider")
def test_a_broker_that_never_gets_ready_is_told(decider: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "START", 0.5)
    decider.write_text("import time; time.sleep(1000)")
    with pytest.raises(RuntimeError, match="TimeoutError"):
        compare_symbolically([EQUAL])
    assert not [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]


# --- where it must work

ASK = """
import sys
from grpo_rewards.answers.symbolic.client import compare_symbolically
def ask(): return compare_symbolically([("2x", "x*2"), ("x", "y")], workers=1)
"""
ANSWER = "['equal', 'different']\n"


def test_a_script_without_a_main_guard_beside_a_sympy_of_its_own(
    tmp_path: Path, run_python: Callable[..., str]
) -> None:
    for name in ("sympy", "math_verify", "mpmath", "logging_"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong one')")
    script = tmp_path / "script.py"
    script.write_text(ASK + "print(ask())\nassert 'sympy' not in sys.modules and 'math_verify' not in sys.modules\n")
    assert run_python(script) == ANSWER
    assert run_python("-c", ASK + "print(ask())") == ANSWER


def test_a_script_read_from_stdin() -> None:
    done = subprocess.run(
        [sys.executable, "-"], input=ASK + "print(ask())", env=ENVIRONMENT, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == (ANSWER, "")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_daemonic_process(method: str, tmp_path: Path, run_python: Callable[..., str]) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        ASK
        + f"""
def show(): print(ask(), flush=True)
if __name__ == "__main__":
    import multiprocessing
    if {method!r} == "fork": show()
    child = multiprocessing.get_context({method!r}).Process(target=show, daemon=True)
    child.start()
    child.join(60)
    print(child.exitcode)
"""
    )
    assert run_python(script) == (ANSWER if method == "fork" else "") + ANSWER + "0\n"


@pytest.mark.usefixtures("decider")
def test_threads_get_their_own_answers_and_let_others_run() -> None:
    late, done = [0.0], threading.Event()

    def beat() -> None:
        while not done.is_set():
            begin = time.monotonic()
            time.sleep(0.1)
            late.append(time.monotonic() - begin - 0.1)

    heart = in_thread(beat)
    answers: dict[str, list[str]] = {}

    def ask(name: str) -> None:
        pairs = [(name, ""), ("spin_in_c", name), (name, "again")]
        answers[name] = compare_symbolically(pairs, deadline=0.7, workers=2)

    threads = [in_thread(lambda name=name: ask(name)) for name in ("equal", "different", "neither")]
    for thread in threads:
        thread.join(30)
    done.set()
    heart.join()
    outcomes = {"equal": "equal", "different": "different", "neither": "undecided"}
    assert answers == {name: [outcome, "timeout", outcome] for name, outcome in outcomes.items()}
    assert max(late) < 0.5


@pytest.mark.parametrize("starting", [False, True], ids=["of a running broker", "that is starting one"])
def test_a_fork_amid_a_call(starting: bool, decider: Path, run_python: Callable[..., str]) -> None:
    decider.write_text(DECIDER + f"time.sleep({int(starting)})\n")
    script = f"""
import os, pathlib, sys, threading, time, warnings
import psutil
from grpo_rewards.answers.symbolic import client as workers
warnings.simplefilter("ignore", DeprecationWarning)
workers.DECIDER = pathlib.Path({str(decider)!r})
outcomes = []
pairs = [("sleep", ""), ("equal", "")]
call = threading.Thread(target=lambda: outcomes.extend(workers.compare_symbolically(pairs, deadline=0.05)))
call.start()
while not (psutil.Process().children() if {starting} else workers._broker): time.sleep(0.01)
before = workers._broker
assert (before is None) == {starting}
if os.fork() == 0:
    print(workers.compare_symbolically([("equal", ""), ("different", "")]))
    sys.exit()  # by way of atexit, which must leave the parent's broker alone
print(os.waitstatus_to_exitcode(os.wait()[1]))
call.join()
print(outcomes, before in (None, workers._broker), workers.compare_symbolically([("equal", "")]))
"""
    assert run_python("-c", script) == "['equal', 'different']\n0\n['timeout', 'equal'] True ['equal']\n"


def test_no_secret_gets_into_the_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ("HF_TOKEN", "WANDB_API_KEY", "AWS_SECRET_ACCESS_KEY", "PYTHONPATH", "LD_PRELOAD_", "CUDA_HOME")
    for name in secrets:
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    workers.close()
    assert compare_symbolically([EQUAL]) == ["equal"]
    for process in family():
        environment = process.environ()
        assert not set(secrets) & set(environment)
        assert "secret" not in environment.values()
        assert environment["LC_ALL"] == "C.UTF-8"
        assert environment["CUDA_VISIBLE_DEVICES"] == ""


def test_a_working_directory_that_is_gone(tmp_path: Path, run_python: Callable[..., str]) -> None:
    script = "import os; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')\nprint(ask())"
    assert run_python("-c", ASK + script) == ANSWER
