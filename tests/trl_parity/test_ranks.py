"""Each rank starts from the seed and its number, and no two sample the same."""

import random
from types import SimpleNamespace

import pytest
from tables import each_row

pytest.importorskip("trl", reason="trl is not installed")

import torch
from whole_step.comparing import Findings
from whole_step.configured import random_states, seeded_states
from whole_step.order import check_random_states


def rank_seen(rank, seed, before_generations):
    generated = [SimpleNamespace(random_state=state) for state in before_generations]
    return SimpleNamespace(rank=rank, config={"seed": 5}, random_states=seeded_states(seed), generated=generated)


@each_row("second, states, wrong", [(6, "cd", 0), (5, "cd", 1), (6, "ad", 1), (5, "ab", 3)])
def test_ranks_that_sample_the_same_are_reported(second, states, wrong):
    findings = Findings("two ranks")
    check_random_states(findings, [rank_seen(0, 5, "ab"), rank_seen(1, second, states)])
    assert sum(one.value > 0 for one in findings.found) == wrong
    assert len(findings.found) == 4


def test_the_states_are_those_of_a_seed_that_was_set():
    torch.manual_seed(7)
    random.seed(7)
    assert random_states() == seeded_states(7) != seeded_states(8)
