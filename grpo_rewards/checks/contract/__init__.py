"""The contract of a reward, so that trainers can call it: ``check_reward`` and ``find_breaches`` see to all clauses."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from grpo_rewards.checks.contract.clauses import CLAUSES, Breach, Rows, case_of
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import did_you_mean, listed

__all__ = ["BrokenContract", "check_reward", "clauses_without", "find_breaches"]

OF_TIME = "linear"
# Which tests may still leave out.
FORMER_CLAUSES = "columns docstring empty_batch inputs logs name prompts reasons spawned threads".split()
FIRST = ("model", "values", "determinism")  # where one is broken, the others have nothing to compare


class BrokenContract(AssertionError):
    """A reward breaks clauses of the contract; the message lists them. ``breaches`` are the same as objects."""

    def __init__(self, name: str, breaches: Sequence[Breach]) -> None:
        self.breaches = tuple(breaches)
        many = "a clause" if len(breaches) == 1 else f"{len(breaches)} clauses"
        super().__init__("\n".join([f"reward '{name}' breaks {many} of the contract.", *map(str, breaches)]))


def check_reward(
    reward: Any, rows: Rows | None = None, *, group: int | None = None, without: Collection[str] = ()
) -> None:
    """Checks that a reward works with every trainer, in every process, on every text.

    Args:
        reward: a reward, the spec of one, or a function that a trainer calls with keywords.
        rows: what it may be called on: ``{"completion": …}`` with, beside it, the dataset columns that it reads, and
            ``prompt`` and ``completion_ids`` where these matter. Further texts are tried with the same columns. Left
            out, the row is made of the ``example`` in the reward's decorator.
        group: how many consecutive rows are of one prompt, if the reward compares them. Left out, its option
            ``num_generations``, else 1.
        without: names of clauses (``CLAUSES``) to leave out.

    Raises:
        BrokenContract: an ``AssertionError`` that lists every broken clause with what was seen and what to do.
        RewardError: the reward, its rows or a name in ``without`` cannot be used.

    >>> check_reward("boxed_answer", [{"completion": r"\\boxed{4}", "answer": "4"}], without=["linear"])
    """
    breaches = find_breaches(reward, rows, group=group, without=without)
    if breaches:
        raise BrokenContract(str(breaches[0].reward), breaches)


def find_breaches(
    reward: Any, rows: Rows | None = None, *, group: int | None = None, without: Collection[str] = ()
) -> list[Breach]:
    """The clauses that a reward breaks, as a list that may be empty; arguments as of ``check_reward``.

    Where plain calls already fail, or give other numbers each time, only that breach is returned.
    """
    case, names = case_of(reward, rows, group), clauses_without(without)
    found: list[Breach] = []
    for name in names:
        breach = CLAUSES[name].breach(case)
        found += [] if breach is None else [breach]
        if found and name in FIRST:
            break
    if case.stalled and OF_TIME not in names:  # what was not looked for, and met: it is no matter of the others
        found.append(CLAUSES[OF_TIME].broken(case, case.stalled[0]))
    return found


def clauses_without(without: Collection[str]) -> list[str]:
    """The names of all clauses but these. Raises RewardError for one that does not exist."""
    for name in [without] if isinstance(without, str) else without:
        if name not in (*CLAUSES, *FORMER_CLAUSES) or isinstance(without, str):
            hint = f"{did_you_mean(name, CLAUSES)} Clauses: {listed(CLAUSES)}."
            raise RewardError(f"without={without!r} must be a list of clauses{hint}")
    return [name for name in CLAUSES if name not in without]
