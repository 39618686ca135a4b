"""Mistakes that one can make in a step of TRL, each planted in a copy of one of its modules; the rows lie beside it."""

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from tables import tables_beside


class Planted(NamedTuple):
    """``module`` of ``trl.trainer`` or the kernel; the source ``was`` must be there once, or ``times`` times."""

    module: str
    was: str
    becomes: str
    name: str = ""
    times: int = 1

    def __str__(self) -> str:
        return self.name or f"{self.module}: {self.was} -> {self.becomes}"


def plant(mutant: Planted, monkeypatch: Any) -> None:
    """Makes ``from trl import GRPOTrainer`` give the trainer with the mistake in it."""
    import trl
    from trl.trainer import grpo_trainer

    made = changed(mutant)
    monkeypatch.setitem(sys.modules, made.__name__, made)
    if mutant.module != "grpo_trainer":
        made = _executed(grpo_trainer, Path(str(grpo_trainer.__file__)).read_text())
    monkeypatch.setitem(sys.modules, "trl.trainer.grpo_trainer", made)
    monkeypatch.setattr(sys.modules["trl.trainer"], "grpo_trainer", made, raising=False)
    monkeypatch.setattr(trl, "GRPOTrainer", made.GRPOTrainer)


def changed(mutant: Planted) -> ModuleType:
    """Returns a copy of the module with the mistake in it."""
    folder = "kernels" if mutant.module == "chunked_logprob" else "trainer"
    original = importlib.import_module(f"trl.{folder}.{mutant.module}")
    source = Path(str(original.__file__)).read_text()
    assert source.count(mutant.was) == mutant.times, f"{mutant.was!r} is there {source.count(mutant.was)} times"
    return _executed(original, source.replace(mutant.was, mutant.becomes))


def _executed(original: ModuleType, source: str) -> ModuleType:
    module = ModuleType(original.__name__)
    module.__package__, module.__file__ = original.__package__, original.__file__
    before = sys.modules.get(original.__name__)
    sys.modules[original.__name__] = module
    try:
        exec(compile(source, str(original.__file__), "exec"), vars(module))  # noqa: S102 - TRL's source, and a mistake
    finally:
        if before is not None:
            sys.modules[original.__name__] = before
    return module


ON_RANKS = ("together", "blind_on_ranks", "second_on_ranks")
MUTANTS = {
    name: [Planted(module, *row) for module, rows in by_module.items() for row in rows]
    for name, by_module in tables_beside(__file__).items()
}
