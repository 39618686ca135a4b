"""The side of the training process: its options, where it must work, and what ends with it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
import symbolic_outcomes
from processes import DECIDER, broker, family, heartbeat, in_thread, is_at_work, is_running, started, wait_until
from symbolic_outcomes import compare_symbolically
from tables import each_row

import grpo_rewards
from grpo_rewards.answers.symbolic import pool as workers
from grpo_rewards.answers.symbolic.pool import VARIABLE, compare_in_time

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="without fork no pair is compared")


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(grpo_rewards.__file__).parents[1])}
EQUAL, DIFFERENT = (r"\frac{x}{2}", "0.5x"), ("x+1", "x+2")


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


@each_row("options", [{"workers": -1}, {"deadline": 0.0}, {"deadline": float("nan")}, {"deadline": float("inf")}])
def test_bad_options(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"^{next(iter(options))}="):
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


# --- the broker's end, and the parent's


@pytest.mark.usefixtures("decider")
def test_a_broker_killed_between_calls_is_replaced() -> None:
    assert compare_symbolically([("equal", "")]) == ["equal"]
    before = family()
    before[0].kill()
    assert compare_symbolically([("equal", ""), ("different", "")]) == ["equal", "different"]
    wait_until(lambda: not any(is_running(process.pid) for process in before))


@pytest.mark.usefixtures("decider")
@pytest.mark.parametrize(
    ("attempts", "found"),
    [(1, ["worker_killed"] * 2), pytest.param(2, ["equal", "worker_killed"], marks=pytest.mark.full)],
)
def test_a_broker_killed_amid_a_batch(attempts: int, found: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "ATTEMPTS", attempts)
    outcomes: list[str] = []
    pairs = [("equal", ""), ("sleep", "")]
    call = in_thread(lambda: outcomes.extend(compare_symbolically(pairs, deadline=0.15)))
    wait_until(is_at_work)
    before = family()
    before[0].kill()
    call.join(120)
    assert outcomes == found
    assert compare_symbolically([("equal", "")]) == ["equal"]
    wait_until(lambda: not any(is_running(process.pid) for process in before))


@pytest.mark.usefixtures("decider")
def test_an_interrupt_amid_a_call_leaves_nothing_behind() -> None:
    compare_symbolically([("equal", "")], workers=2)
    before = family()

    def interrupt() -> None:
        wait_until(lambda: len(broker().children()) == 2)
        before.extend(broker().children())
        os.kill(os.getpid(), signal.SIGINT)

    in_thread(interrupt)
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
from grpo_rewards.answers.symbolic import pool as workers
from grpo_rewards.answers.symbolic.pool import VARIABLE
workers.DECIDER = pathlib.Path({str(decider)!r})
workers.compare_in_time([("spin_in_c", ""), ("spin_in_c", "2")], deadline=0.1, workers=2)
channel, started = workers._broker.channel.fileno(), workers._broker.process.pid
if {held}:
    subprocess.Popen(["sleep", "30"], pass_fds=[channel], stdout=subprocess.DEVNULL)
pairs = [("sleep", ""), ("sleep", "2")] if {busy} else [("equal", ""), ("spin_in_c", "")]
call = threading.Thread(target=workers.compare_in_time, args=[pairs], kwargs=dict(deadline=1, workers=2))
call.start()
if not {busy}: call.join()
print(started, flush=True)
time.sleep(1000)
"""
    family: list[psutil.Process] = []
    others: list[psutil.Process] = []
    try:
        with started([sys.executable, "-c", script], env=ENVIRONMENT) as parent:
            assert parent.stdout is not None
            child = psutil.Process(int(parent.stdout.readline()))
            wait_until(lambda: len(child.children()) == 2 * busy)
            others = [process for process in psutil.Process(parent.pid).children() if process != child]
            family = [child, *child.children()]
            parent.kill()
            parent.wait(timeout=60)
            wait_until(lambda: not any(is_running(process.pid) for process in family))
            for process in others:  # it holds the parent's pipes, too, to whose end `started` reads
                process.kill()
    finally:
        for process in [*family, *others]:
            if is_running(process.pid):
                process.kill()


@pytest.mark.usefixtures("decider")
@pytest.mark.parametrize("executable", ["", "/no/such/python", "/bin/false", "relative"])
def test_a_python_that_does_not_start_is_reported(executable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(RuntimeError, match=rf"(?s)does not start with '{executable}'.*set {VARIABLE}=0"):
        compare_symbolically([EQUAL])
    assert workers._broker is None


def test_a_missing_package_is_reported(decider: Path) -> None:
    decider.write_text("import no_such_package")
    with pytest.raises(RuntimeError, match=r"(?s)No module named 'no_such_package'.*Install math-verify"):
        compare_symbolically([EQUAL])
    decider.write_text(DECIDER)
    assert compare_symbolically([("equal", "")]) == ["equal"]


ENDED_AT_ONCE = """
import os, pathlib
starts = pathlib.Path({starts!r})
starts.write_text(starts.read_text() + "x")
if len(starts.read_text()) <= {times}:
    {end}
"""


@each_row(
    "end, times, found, starts",
    [
        ("os.kill(os.getpid(), 9)", 1, ["equal"], 2),
        ("os.kill(os.getpid(), 15)", 1, ["equal"], 2),
        ("os.abort()", 2, ["equal"], 3),
        ("os.kill(os.getpid(), 9)", 99, ["worker_killed"], 3),  # when it was started ahead, and at both attempts
    ],
)
def test_a_broker_killed_while_it_starts_is_started_again(
    end: str, times: int, found: list[str], starts: int, decider: Path, tmp_path: Path
) -> None:
    begun = tmp_path / "starts"
    begun.write_text("")
    decider.write_text(ENDED_AT_ONCE.format(starts=str(begun), times=times, end=end) + DECIDER)
    workers.close()
    workers.start()
    assert compare_symbolically([("equal", "")]) == found
    assert len(begun.read_text()) == starts


def test_a_formula_is_not_to_blame_for_a_broker_that_is_killed(decider: Path) -> None:
    decider.write_text("import os; os.kill(os.getpid(), 9)")
    verdict = grpo_rewards.boxed_answer.explain(r"\boxed{\int_0^1 x^2 e^x dx}", answer="e - 2")
    assert (verdict.reward, verdict.reason) == (None, "worker_killed")


@pytest.mark.parametrize("end", ["os._exit(3)", "sys.exit(3)"])
def test_a_broker_that_exits_while_it_starts_is_reported_with_its_status(end: str, decider: Path) -> None:
    decider.write_text(f"import os, sys; {end}")
    with pytest.raises(RuntimeError, match=r"(?s)does not start.*\(exit status 3\)"):
        compare_symbolically([EQUAL])


@pytest.mark.usefixtures("decider")
def test_a_broker_that_never_gets_ready_is_reported(decider: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "START_SECONDS", 0.5)
    decider.write_text("import time; time.sleep(1000)")
    before = psutil.Process().children()  # what other tests keep running
    with pytest.raises(RuntimeError, match="no sign of life"):
        compare_symbolically([EQUAL])
    started = [child for child in psutil.Process().children() if child not in before]
    assert not [child for child in started if child.status() != psutil.STATUS_ZOMBIE]


# For scripts, which find what the tests share only when they are told where it is.
OUTCOMES = f"""
import sys
sys.path.append({str(Path(symbolic_outcomes.__file__).parent)!r})
from symbolic_outcomes import compare_symbolically
"""
ASK = f"""{OUTCOMES}
def ask(): return compare_symbolically([("2x", "x*2"), ("x", "y")], workers=1)
"""
ANSWER = "['equal', 'different']\n"


@pytest.fixture
def asking(decider: Path) -> str:
    """The beginning of a script that asks the functions of the tests, which need an installed package as well."""
    decider.write_text("import psutil\n" + DECIDER)
    return f"""
import pathlib, sys
from grpo_rewards.answers.symbolic import pool
pool.DECIDER = pathlib.Path({str(decider)!r})
{OUTCOMES}
def ask(): return compare_symbolically([("equal", ""), ("different", "")], workers=1)
"""


def test_a_script_without_a_main_guard_beside_a_sympy_of_its_own(
    asking: str, tmp_path: Path, run_python: Callable[..., str]
) -> None:
    for name in ("sympy", "math_verify", "mpmath", "logging_", "psutil"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong one')")
    script = tmp_path / "script.py"
    script.write_text(ASK + "print(ask())\nassert 'sympy' not in sys.modules and 'math_verify' not in sys.modules\n")
    assert run_python(script) == ANSWER
    assert run_python("-c", asking + "print(ask())") == ANSWER


def test_a_script_read_from_stdin(asking: str) -> None:
    done = subprocess.run(
        [sys.executable, "-"],
        input=asking + "print(ask())",
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.stdout, done.stderr) == (ANSWER, "")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_daemonic_process(method: str, asking: str, tmp_path: Path, run_python: Callable[..., str]) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        asking
        + f"""
def show(): print(ask(), flush=True)
if __name__ == "__main__":
    import multiprocessing
    if {method!r} == "fork": show()
    child = multiprocessing.get_context({method!r}).Process(target=show, daemon=True)
    child.start()
    child.join(100)
    print(child.exitcode)
"""
    )
    assert run_python(script) == (ANSWER if method == "fork" else "") + ANSWER + "0\n"


@pytest.mark.usefixtures("decider")
def test_threads_get_their_own_answers_and_let_others_run() -> None:
    answers: dict[str, list[str]] = {}

    def ask(name: str) -> None:
        pairs = [(name, ""), ("spin_in_c", name), (name, "again")]
        answers[name] = compare_symbolically(pairs, deadline=0.3, workers=2)

    with heartbeat() as beats:
        threads = [in_thread(lambda name=name: ask(name)) for name in ("equal", "different", "neither")]
        for thread in threads:
            thread.join(120)
    outcomes = {"equal": "equal", "different": "different", "neither": "undecided"}
    assert answers == {name: [outcome, "timeout", outcome] for name, outcome in outcomes.items()}
    assert len(beats) >= 10  # of nearly a second of the workers, in which this process waits


@pytest.mark.parametrize(
    "starting",
    [False, pytest.param(True, marks=pytest.mark.full)],
    ids=["of a running broker", "that is starting one"],
)
def test_a_fork_amid_a_call(starting: bool, decider: Path, run_python: Callable[..., str]) -> None:
    decider.write_text(DECIDER + f"time.sleep({3 * starting})\n")
    script = f"""
import os, pathlib, sys, threading, time, warnings
import psutil
from grpo_rewards.answers.symbolic import pool
warnings.simplefilter("ignore", DeprecationWarning)
pool.DECIDER = pathlib.Path({str(decider)!r})
{OUTCOMES}
outcomes = []
pairs = [("sleep", ""), ("equal", "")]
call = threading.Thread(target=lambda: outcomes.extend(compare_symbolically(pairs, deadline=0.05)))
call.start()
def at_work(): return any(child.children() for child in psutil.Process().children())
while not (psutil.Process().children() if {starting} else at_work()): time.sleep(0.01)
if os.fork() == 0:
    print(compare_symbolically([("equal", ""), ("different", "")]))
    sys.exit()  # by way of atexit, which must leave the parent's broker alone
print(os.waitstatus_to_exitcode(os.wait()[1]))
call.join()
print(outcomes, compare_symbolically([("equal", "")]))
"""
    assert run_python("-c", script) == "['equal', 'different']\n0\n['worker_killed', 'equal'] ['equal']\n"


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


def test_a_working_directory_that_is_gone(asking: str, run_python: Callable[..., str]) -> None:
    script = "import os; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')\nprint(ask())"
    assert run_python("-c", asking + script) == ANSWER


# --- a signal handler that compares, while its own thread is comparing


def test_a_signal_handler_compares_amid_a_comparison(decider: Path, run_python: Callable[..., str]) -> None:
    script = f"""
import pathlib, signal, threading
import psutil
from grpo_rewards.answers.symbolic import pool
pool.DECIDER = pathlib.Path({str(decider)!r})
{OUTCOMES}
handled = []
def handle(*_):
    handled.append(compare_symbolically([("equal", "in the handler"), ("different", "")], workers=1))
signal.signal(signal.SIGALRM, handle)
pool.start()
for deadline, every, least in ((1, 0, 1), (2, 0.7, 2)):  # once, and again and again
    handled.clear()
    signal.setitimer(signal.ITIMER_REAL, 0.3, every)
    pairs = [("spin_in_c", ""), ("equal", "")]
    outcomes = compare_symbolically(pairs, deadline=deadline, workers=1)
    signal.setitimer(signal.ITIMER_REAL, 0)
    again = compare_symbolically([("different", "after")], workers=1)
    print(outcomes, again, len(handled) >= least, all(one == ["equal", "different"] for one in handled))
    print([child.pid for child in psutil.Process().children()] == [pool._broker.process.pid])
"""
    assert run_python("-X", "dev", "-c", script) == "['timeout', 'equal'] ['different'] True True\nTrue\n" * 2


def test_a_handler_that_raises_after_it_compared_leaves_nothing_behind(
    decider: Path, run_python: Callable[..., str]
) -> None:
    script = f"""
import pathlib, signal
import psutil
from grpo_rewards.answers.symbolic import pool
pool.DECIDER = pathlib.Path({str(decider)!r})
{OUTCOMES}
for error in (KeyboardInterrupt, TimeoutError):
    def handle(*_):
        print(compare_symbolically([("equal", "")]))
        raise error
    signal.signal(signal.SIGALRM, handle)
    pool.start()
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        compare_symbolically([("sleep", "")], deadline=1)
    except error:
        print("interrupted", len(psutil.Process().children()))
    print(compare_symbolically([("different", "")]))
"""
    assert run_python("-X", "dev", "-c", script) == "['equal']\ninterrupted 1\n['different']\n" * 2


def test_a_handler_that_compares_while_the_broker_starts(decider: Path, run_python: Callable[..., str]) -> None:
    decider.write_text(DECIDER + "time.sleep(2)\n")
    script = f"""
import pathlib, signal
import psutil
from grpo_rewards.answers.symbolic import pool
pool.DECIDER = pathlib.Path({str(decider)!r})
{OUTCOMES}
signal.signal(signal.SIGALRM, lambda *_: print(compare_symbolically([("equal", "")])))
signal.setitimer(signal.ITIMER_REAL, 0.5)
pool.start()
print(compare_symbolically([("different", "")]), len(psutil.Process().children()))
"""
    assert run_python("-X", "dev", "-c", script) == "['equal']\n['different'] 1\n"


@pytest.mark.usefixtures("decider")
def test_a_broker_that_is_stuck_at_the_end_of_a_call_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "LATE_SECONDS", 0.5)
    found: list[workers.Found] = []
    pairs = [("equal", ""), ("sleep", "")]
    until = time.monotonic() + 2
    call = in_thread(lambda: found.extend(compare_in_time(pairs, deadline=10, until=until)))
    wait_until(is_at_work)
    broker().send_signal(signal.SIGSTOP)
    call.join(30)  # else it would wait for a minute
    assert [one.outcome for one in found] == ["call_timeout"] * 2
    assert compare_symbolically([("equal", "")]) == ["equal"]
