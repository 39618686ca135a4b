"""What the tests of the recipes share."""

import sys

import pytest


@pytest.fixture(autouse=True)
def own_import_path(monkeypatch):
    """A recipe looks for rewards in the folder that one works in, too: not for longer than its test."""
    monkeypatch.setattr(sys, "path", list(sys.path))
