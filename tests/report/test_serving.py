"""The report of a run that goes on: on this machine alone, one page, renewed when the run has left something new."""

import http.client
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("jinja2", reason="jinja2, of the extra [report], is not installed")
pytest.importorskip("plotly", reason="plotly, of the extra [report], is not installed")
pytest.importorskip("pandas", reason="pandas is not installed")

from invoked import invoke
from processes import started
from reported_runs import leave

from grpo_rewards.report.serving import LiveReport, ReportServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ReportServer]:
    (tmp_path / "run").mkdir()
    with ReportServer(LiveReport([tmp_path / "run"])) as serving:
        thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


def asked(server: ReportServer, path: str, host: str | None = None, method: str = "GET") -> tuple[int, str]:
    connection = http.client.HTTPConnection(*server.server_address[:2], timeout=30)  # type: ignore[misc]
    connection.request(method, path, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_it_waits_for_a_run_and_follows_it(server: ReportServer, tmp_path: Path) -> None:
    status, page = asked(server, "/")
    assert (status, "holds no run" in page, "refresh" in page) == (200, True, True)
    shutil.rmtree(tmp_path / "run")
    leave(tmp_path / "run", steps=2)
    first = asked(server, "/version")[1]
    page = asked(server, "/")[1]
    assert f'data-version="{first}"' in page
    assert "connect-src &#39;self&#39;" in page or "connect-src 'self'" in page
    assert asked(server, "/")[1] == page
    shutil.rmtree(tmp_path / "run")
    leave(tmp_path / "run", steps=3)
    assert asked(server, "/version")[1] == first  # the next report is not due
    server.report.due = 0.0
    second = asked(server, "/version")[1]
    assert second != first
    assert f'data-version="{second}"' in asked(server, "/")[1]


@pytest.mark.parametrize("name", ["alerts.jsonl", "eval.json", "run.json", "trainer_state.json"])
def test_whatever_a_run_leaves_makes_a_new_report(server: ReportServer, tmp_path: Path, name: str) -> None:
    first = asked(server, "/version")[1]
    (tmp_path / "run" / name).write_text("{}\n", encoding="utf-8")
    assert asked(server, "/version")[1] != first


@pytest.mark.parametrize(
    "path", ["/../run/run.json", "/run.json", "/%2e%2e/etc/passwd", "//etc/passwd", "/?x", "/version/.."]
)
def test_no_path_leads_to_a_file(server: ReportServer, tmp_path: Path, path: str) -> None:
    leave(tmp_path / "run" / "inner", steps=1)
    assert asked(server, path)[0] == 404


def test_another_name_of_this_machine_is_refused_and_so_is_writing(server: ReportServer) -> None:
    port = server.server_address[1]
    assert asked(server, "/version", f"rebound.example:{port}")[0] == 403
    assert asked(server, "/version", f"localhost:{port}")[0] == 200
    assert asked(server, "/", method="POST")[0] == 501
    assert server.server_address[0] == "127.0.0.1"


def test_ctrl_c_ends_the_command_without_a_word(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "grpo_rewards", "watch", str(tmp_path), "--port", "0"]
    with started(command) as running:
        assert running.stdout is not None
        assert running.stdout.readline().startswith("http://127.0.0.1:")
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=30)
    assert (running.returncode, said) == (0, "")


def test_a_report_is_written_and_what_cannot_be_shown_is_reported_in_a_line(tmp_path: Path) -> None:
    run, path = str(leave(tmp_path / "run")), tmp_path / "report.html"
    done = invoke(["report", run, "-o", str(path)])
    assert (done.exit_code, done.stdout) == (0, f"{path}: {path.stat().st_size / 1e6:.1f} MB\n")
    for words, told in (
        (["report", str(tmp_path / "none")], "there is no folder"),
        (["report", str(tmp_path), "-o", str(path)], "holds no run"),
        (["watch", str(tmp_path / "none")], "there is no folder"),
        (["report", run, "-o", str(tmp_path)], "is a folder: name a file"),
    ):
        done = invoke(words)
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1), done.stderr
        assert told in done.stderr
