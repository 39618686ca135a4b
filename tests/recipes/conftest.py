"""What the tests of the recipes share."""

import sys

import pytest


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """A recipe writes into the folder that one works in, and looks for rewards there: one of each test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
