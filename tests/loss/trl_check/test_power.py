"""The check of TRL's loss has the power to find mistakes: each of a hundred, made in TRL or in the loss, is noticed."""

import random

import pytest

pytest.importorskip("trl", reason="trl is not installed")

import torch
from mutants import OF_ADVANTAGES, OF_OURS, OF_TRL, put_into_ours, put_into_trl, some_and_all, unnoticed
from tiny_copies import base
from trl import GRPOTrainer

from grpo_rewards.loss.trl_check import validate
from grpo_rewards.loss.trl_check.cases import loss_cases, scoring_cases

CASES = list(loss_cases())
random.Random(0).shuffle(CASES)  # so that a mistake is found soon


@pytest.fixture(autouse=True)
def in_double():
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(usual)


def is_noticed():
    return any(validate._of_loss(base(), case, torch.float64).is_mismatch for case in CASES)


def test_there_are_enough_of_them():
    assert len(OF_TRL) >= 40
    assert len(OF_OURS) >= 40
    assert len(set(OF_TRL)) == len(OF_TRL)
    assert len(set(OF_OURS)) == len(OF_OURS)


def into_trl(mutant, monkeypatch):
    put_into_trl(mutant, GRPOTrainer, monkeypatch)


@some_and_all(OF_TRL)
def test_a_mistake_in_trls_loss_is_noticed(mutants):
    assert unnoticed(mutants, into_trl, is_noticed) == []


@some_and_all(OF_OURS)
def test_a_mistake_in_our_loss_is_noticed(mutants):
    assert unnoticed(mutants, put_into_ours, is_noticed) == []


def test_a_mistake_in_trls_advantages_is_noticed():
    def is_noticed():
        cases = scoring_cases(torch.float64)
        return any(validate._of_scoring(base(), case, torch.float64).is_mismatch for case in cases)

    assert unnoticed(OF_ADVANTAGES, into_trl, is_noticed) == []
