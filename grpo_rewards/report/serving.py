"""The report of a run that goes on, served on this machine alone, and made anew when the run has left something new."""

import hashlib
import html
import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from grpo_rewards.checks.run.files import ALERTS_FILE, STATE_FILE
from grpo_rewards.registry import RewardError
from grpo_rewards.report.evaluation_answers import EVALUATION_FILES
from grpo_rewards.report.page import report_html

HOST = "127.0.0.1"
OWN_HOSTS = frozenset(("127.0.0.1", "localhost"))
READ = (
    "completions/completions_*.parquet",
    "completions.jsonl",
    STATE_FILE,
    f"checkpoint-*/{STATE_FILE}",
    ALERTS_FILE,
    *EVALUATION_FILES,
    "eval.json",
    "run.json",
)
LEAST_SECONDS = 3.0  # between two reports
SHARE_OF_TIME = 5  # a report is made at most for a fifth of the time: the run needs the machine
WAITING = """<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="3"><title>grpo-rewards</title>
<p>{why}</p><p>This page looks again every three seconds.</p>"""


class LiveReport:
    """The newest report of runs, kept until they have left something new."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = list(folders)
        self.lock = threading.Lock()
        self.version, self.page = "", b""
        self.due = 0.0

    def newest_version(self) -> str:
        """Names what the folders hold; while the next report is not due, what the last one was made of."""
        return self.version if time.monotonic() < self.due else _state_of(self.folders)

    def newest_page(self) -> bytes:
        """The report, made anew if the runs have moved on and it is due; without a run yet a page that reports that."""
        with self.lock:
            version = self.newest_version()
            if version != self.version or not self.page:
                began = time.monotonic()
                try:
                    self.page = report_html(self.folders, version=version).encode()
                except RewardError as error:
                    return WAITING.format(why=html.escape(str(error))).encode("utf-8", "replace")
                self.version = version
                now = time.monotonic()
                self.due = now + max(LEAST_SECONDS, SHARE_OF_TIME * (now - began))
            return self.page


def _state_of(folders: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in (path for folder in folders for pattern in READ for path in sorted(folder.glob(pattern))):
        try:
            stat = path.stat()
        except FileNotFoundError:  # a checkpoint that makes room for a newer one
            continue
        digest.update(f"{path} {stat.st_mtime_ns} {stat.st_size}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:16]


class ReportServer(ThreadingHTTPServer):
    """Serves one report on this machine; no path of a request ever becomes a path of a file.

    Args:
        report: what is served.
        port: to listen on; 0 for one that is free.
    """

    daemon_threads = True

    def __init__(self, report: LiveReport, port: int = 0) -> None:
        super().__init__((HOST, port), _Answers)
        self.report = report

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server_address[1]}/"


class _Answers(BaseHTTPRequestHandler):
    server: ReportServer
    server_version, sys_version = "grpo-rewards", ""

    def do_GET(self) -> None:
        # another site can have its own name lead here, and would read the answer: it cannot choose the Host header
        if self.headers.get("Host", "").rpartition(":")[0] not in OWN_HOSTS:
            self._answer(403, "text/plain", b"Ask for http://127.0.0.1 or http://localhost.\n")
        elif self.path == "/":
            self._answer(200, "text/html", self.server.report.newest_page())
        elif self.path == "/version":
            self._answer(200, "text/plain", self.server.report.newest_version().encode())
        else:
            self._answer(404, "text/plain", b"There is / and nothing else.\n")

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", f"{kind}; charset=utf-8"),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
        ):
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the reader has gone

    def log_message(self, format: str, *args: Any) -> None:
        """Prints nothing: the terminal is for what goes wrong."""
