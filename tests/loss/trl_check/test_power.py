"""The check of TRL's loss has the power to find mistakes: each of a hundred, made in TRL or in the loss, is noticed."""

import pytest
import torch
from mutants import EVERY, OF_OURS, OF_TRL, some_and_all
from noticed import noticed_by


@pytest.fixture(autouse=True)
def in_double():
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(usual)


def test_there_are_enough_of_them():
    assert min(len(OF_TRL), len(OF_OURS)) >= 40
    assert len(set(EVERY)) == len(EVERY)


@some_and_all(EVERY, 8)
def test_a_mistake_is_noticed(mutants):
    assert [str(mutant) for mutant in mutants if noticed_by(mutant) is None] == []
