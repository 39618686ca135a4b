"""The measurements as modules of the tests' own process: each child that imports the package again takes a second."""

import importlib
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPTS = Path(__file__).parent


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Imports a measurement, whose folder is on the path meanwhile; afterwards it is forgotten with all it imported."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    before = {*sys.modules}
    yield importlib.import_module
    for name in {*sys.modules} - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "none").parent == SCRIPTS:
            del sys.modules[name]


@pytest.fixture
def printed() -> Callable[..., str]:
    """Runs a measurement's ``main`` with arguments; returns what it prints on a terminal that knows ASCII alone."""

    def run(module: ModuleType, *arguments: Any) -> str:
        terminal = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
        with redirect_stdout(terminal):
            module.main([str(one) for one in arguments])
        terminal.seek(0)
        return terminal.read()

    return run
