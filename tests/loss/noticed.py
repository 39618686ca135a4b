"""Which comparison of validate-loss notices each mistake in ``mutants.toml``.

    PYTHONPATH=tests/shared python tests/loss/noticed.py > TABLE

A mistake that none notices is left to ``tests/trl_parity``, and the table says so.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
import torch
from mutants import OF_ADVANTAGES, OF_OURS, OF_TRL, Mutant, put_into_ours, put_into_trl
from tiny_copies import base
from trl import GRPOTrainer

from grpo_rewards.loss.trl_check import validate
from grpo_rewards.loss.trl_check.cases import loss_cases, scoring_cases


def noticed_by(mutant: Mutant) -> str:
    """The kind of the first case that is a mismatch: of a batch for what makes batches, else of a loss."""
    if mutant in OF_ADVANTAGES:
        compared = (validate._of_scoring(base(), case, torch.float64) for case in scoring_cases(torch.float64))
    else:
        losses = list(loss_cases())
        random.Random(0).shuffle(losses)  # so that a mistake is found soon
        compared = (validate._of_loss(base(), case, torch.float64) for case in losses)
    found = next((one.kind for one in compared if one.is_mismatch), None)
    return "`pytest tests/trl_parity`" if found is None else f"`validate-loss`: {found}"


def rows() -> Iterator[tuple[str, Mutant]]:
    """Where each mistake is put, and the mistake."""
    for where, mutants in (("TRL", [*OF_TRL, *OF_ADVANTAGES]), ("this package", OF_OURS)):
        for mutant in mutants:
            yield where, mutant


def shown(text: str) -> str:
    """A piece of source on one line of a table."""
    return f"`{' '.join(text.split())}`".replace("|", "\\|") if text.strip() else "nothing"


def main() -> None:
    base()
    torch.set_default_dtype(torch.float64)
    print("| in | function | what it has | and what instead | noticed by |\n|---|---|---|---|---|")
    for where, mutant in rows():
        with pytest.MonkeyPatch.context() as planted:
            if where == "TRL":
                put_into_trl(mutant, GRPOTrainer, planted)
            else:
                put_into_ours(mutant, planted)
            cells = where, f"`{mutant.owner}`", shown(mutant.was), shown(mutant.becomes), noticed_by(mutant)
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
