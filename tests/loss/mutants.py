"""Mistakes that one can make in the loss: a piece of source, what is written instead, and who has made it.

Each is applied to a copy of one function, of TRL's trainer or of this package, and must be noticed.
"""

import inspect
import sys
import textwrap
from collections.abc import Callable, Sequence
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import pytest
from tables import tables_beside
from trl import GRPOTrainer


class Mutant(NamedTuple):
    """``owner``: a method of GRPOTrainer, or ``module.function`` of ``grpo_rewards.loss``."""

    owner: str
    was: str
    becomes: str
    name: str = ""

    def __str__(self) -> str:
        return self.name or f"{self.owner}: {self.was} -> {self.becomes}"


TABLES = tables_beside(__file__)
OF_TRL, OF_ADVANTAGES, OF_OURS = (
    [Mutant(*row) for row in TABLES[name]] for name in ("of_trl", "of_advantages", "of_ours")
)
EVERY = [*OF_TRL, *OF_ADVANTAGES, *OF_OURS]


def some_and_all(mutants: Sequence[Any], every: int = 15) -> pytest.MarkDecorator:
    """Gives a test ``mutants``: some of them, and with ``-m full`` all."""
    some, all_of_them = (
        pytest.param(mutants[::every], id="some"),
        pytest.param(mutants, id="all", marks=pytest.mark.full),
    )
    return pytest.mark.parametrize("mutants", [some, all_of_them])


def unnoticed(mutants: Sequence[Any], put_in: Callable[..., None], is_noticed: Callable[[], bool]) -> list[str]:
    """Plants one mutant after the other; returns those that nobody noticed."""
    found = []
    for mutant in mutants:
        with pytest.MonkeyPatch.context() as planted:
            put_in(mutant, planted)
            found += [] if is_noticed() else [str(mutant)]
    return found


def mutated(function: Any, mutant: Mutant) -> Any:
    """A copy of a function with the mistake in it."""
    plain: FunctionType = inspect.unwrap(function)
    source = textwrap.dedent(inspect.getsource(plain))
    was, becomes = mutant.was, mutant.becomes
    if plain.__qualname__.count("."):  # a method, which is dedented
        was, becomes = (one.replace("\n    ", "\n") for one in (was, becomes))
    assert was in source, f"{mutant.owner} has no {mutant.was!r} any more"
    lines = source.replace(was, becomes).splitlines()
    source = "\n".join(line for line in lines if line not in ("@staticmethod", "@profiling_decorator"))
    source = source.replace("super()._prepare_inputs", "self._prepare_inputs")  # which only images need
    names = dict(plain.__globals__)
    exec(compile(source, f"<{mutant}>", "exec"), names)  # noqa: S102  # this package's and TRL's own source
    return names[plain.__name__]


def put_in(mutant: Mutant, monkeypatch: Any) -> None:
    """In TRL's trainer, or wherever a module of the loss holds the function, by its name or in a table."""
    module, _, name = mutant.owner.rpartition(".")
    if not module:
        found = GRPOTrainer.__dict__[name]
        is_static = isinstance(found, staticmethod)
        changed = mutated(found.__func__ if is_static else found, mutant)
        monkeypatch.setattr(GRPOTrainer, name, staticmethod(changed) if is_static else changed)
        return
    folder = "grpo_rewards.loss.trl_check" if module == "expected" else "grpo_rewards.loss"
    original = getattr(sys.modules[f"{folder}.{module}"], name)
    changed = mutated(original, mutant)
    for path, held in list(sys.modules.items()):
        if not path.startswith("grpo_rewards.loss") or not isinstance(held, ModuleType):
            continue
        if vars(held).get(name) is original:
            monkeypatch.setattr(held, name, changed)
        for table in [value for value in vars(held).values() if isinstance(value, dict)]:
            for key in [key for key, value in table.items() if value is original]:
                monkeypatch.setitem(table, key, changed)
