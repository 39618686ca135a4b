"""A reward of one's own, in a file that is written anew."""

import importlib
import sys

import pytest

HEAD = """
import grpo_rewards as gr

{before}

@gr.reward
def mine(completion: str) -> float:
    "What it is for."
    {body}
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Writes the module ``own_module`` with a reward ``mine`` of that body, and gives the reward."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def written(body, before=""):
        (tmp_path / "own_module.py").write_text(HEAD.format(body=body, before=before))
        sys.modules.pop("own_module", None)
        importlib.invalidate_caches()
        return importlib.import_module("own_module").mine

    yield written
    sys.modules.pop("own_module", None)
