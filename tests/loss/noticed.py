"""Which comparison of validate-loss notices each mistake in ``mutants.toml``.

    PYTHONPATH=tests/shared python tests/loss/noticed.py > TABLE

A mistake that none notices is left to ``tests/trl_parity``, and the table says so.
"""

import random

import pytest
import torch
from mutants import EVERY, OF_ADVANTAGES, OF_OURS, Mutant, put_in
from tiny_copies import base

from grpo_rewards.loss.trl_check import validate
from grpo_rewards.loss.trl_check.cases import loss_cases, scoring_cases

LOSSES = list(loss_cases())
random.Random(0).shuffle(LOSSES)  # so that a mistake is found soon


def noticed_by(mutant: Mutant) -> str | None:
    """The kind of the first case that is a mismatch: of a batch for what makes batches, else of a loss."""
    compare, cases = validate._of_loss, LOSSES
    if mutant in OF_ADVANTAGES:
        compare, cases = validate._of_scoring, list(scoring_cases(torch.float64))
    trainer = base()  # before the mistake is there
    with pytest.MonkeyPatch.context() as planted:
        put_in(mutant, planted)
        compared = (compare(trainer, case, torch.float64) for case in cases)
        return next((one.kind for one in compared if one.is_mismatch), None)


def shown(text: str) -> str:
    """A piece of source on one line of a table."""
    return f"`{' '.join(text.split())}`".replace("|", "\\|") if text.strip() else "nothing"


def main() -> None:
    torch.set_default_dtype(torch.float64)
    print("| in | function | what it has | and what instead | noticed by |\n|---|---|---|---|---|")
    for mutant in EVERY:
        where = "this package" if mutant in OF_OURS else "TRL"
        found = noticed_by(mutant)
        by = "`pytest tests/trl_parity`" if found is None else f"`validate-loss`: {found}"
        cells = where, f"`{mutant.owner}`", shown(mutant.was), shown(mutant.becomes), by
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
