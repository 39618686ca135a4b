"""Whatever keeps a model from being found is told apart: a hub that answers so, one that cannot be reached, a cache."""

import json
import os
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

from huggingface_hub import constants
from huggingface_hub.errors import (
    GatedRepoError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from places import RECIPES, TINY
from running.before_loading.model_files import adapter_of, configuration, why_not_found

# What the hub answers for each model: its status, and the code in its header that says why.
ANSWERS = {
    "some/gated": (403, "GatedRepo"),
    "some/missing": (404, "RepoNotFound"),
    "some/other": (404, "RevisionNotFound"),
}
SAID = {
    "some/gated": "is gated: request access at {hub}/some/gated, then log in with hf auth login",
    "some/missing": "there is no model some/missing on {hub}, or it is private",
    "some/other": "some/other has no revision 'main'",
}
ASK = """
import sys
from running.before_loading.model_files import configuration
for name in sys.argv[1:]:
    try:
        configuration(name)
    except SystemExit as stopped:
        print(stopped)
"""


class Hub(BaseHTTPRequestHandler):
    def do_GET(self):
        name = next((one for one in ANSWERS if one in self.path), "some/missing")
        status, code = ANSWERS[name]
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("X-Error-Message", "as the test wants it")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def asked(*names, cwd, **environment):
    """What is printed about each model, by a process of its own: the hub's address is read when Python starts."""
    given = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    given |= {"HF_HOME": str(cwd / "cache"), "PYTHONPATH": f"{RECIPES}:{RECIPES.parent}", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", ASK, *names]
    done = subprocess.run(command, cwd=cwd, env={**given, **environment}, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.mark.full
def test_what_a_hub_answers_is_distinguished(tmp_path):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    hub = f"http://127.0.0.1:{server.server_port}"
    try:
        said = asked(*ANSWERS, cwd=tmp_path, HF_ENDPOINT=hub)
    finally:
        server.shutdown()
        server.server_close()
    assert len(said) == len(ANSWERS)
    for line, expected in zip(said, SAID.values(), strict=True):
        assert expected.format(hub=hub) in line


def raised(cause):
    """What transformers raises, led to by an error of the hub's client."""
    error = OSError("many\nlines")
    error.__cause__ = cause
    return error


REFUSED = SimpleNamespace(headers={}, request=None, status_code=403)


@pytest.mark.parametrize(
    ("cause", "offline", "says"),
    [
        (GatedRepoError("no", response=REFUSED), False, "is gated: request access at https://"),
        (RepositoryNotFoundError("no", response=REFUSED), False, "there is no model some/model on https://"),
        (RevisionNotFoundError("no", response=REFUSED), False, "some/model has no revision 'v9'"),
        (LocalEntryNotFoundError("no"), True, "HF_HUB_OFFLINE forbids to fetch it"),
        (LocalEntryNotFoundError("no"), False, "cannot be reached. Check the network"),
    ],
)
def test_the_clients_errors_are_distinguished(cause, offline, says, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", offline)
    said = why_not_found("some/model", "v9", raised(cause))
    assert says in said
    assert "\n" not in said


@pytest.mark.full
def test_a_hub_that_cannot_be_reached_is_reported(tmp_path):
    # nothing listens on port 9, which is that of the discard service
    (said,) = asked("some/model", cwd=tmp_path, HF_ENDPOINT="http://127.0.0.1:9")
    assert "http://127.0.0.1:9 cannot be reached" in said
    assert "hf download some/model" in said
    (said,) = asked("some/model", cwd=tmp_path, HF_HUB_OFFLINE="1")
    assert "HF_HUB_OFFLINE forbids to fetch it" in said


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("./nowhere", "there is no such folder"),
        ("outputs/some/run", "there is no such folder"),
        ("empty", "empty is no model's folder"),
        ("strange", "strange: The checkpoint you are trying to load has model type `unheard_of`"),
        ("bare", "bare has a configuration and no weights"),
    ],
)
def test_a_folder_without_a_model_is_reported(name, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("empty", "strange", "bare"):
        (tmp_path / folder).mkdir()
    (tmp_path / "strange" / "config.json").write_text('{"model_type": "unheard_of"}')
    shutil.copy(TINY / "config.json", tmp_path / "bare")
    with pytest.raises(SystemExit) as stopped:
        configuration(name)
    assert says in str(stopped.value)
    assert "\n" not in str(stopped.value)


def test_an_adapters_configuration_is_that_of_its_model(tmp_path):
    (tmp_path / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": str(TINY)}))
    assert adapter_of(str(tmp_path)) == {"base_model_name_or_path": str(TINY)}
    assert configuration(str(tmp_path)).to_dict() == configuration(str(TINY)).to_dict()
    shutil.copy(TINY / "config.json", tmp_path)  # a whole model, beside which an adapter was left
    assert adapter_of(str(tmp_path)) is None
