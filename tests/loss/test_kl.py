"""Estimators of the KL."""

import pytest

pytest.importorskip("torch", reason="torch is not installed")

import torch

from grpo_rewards import loss as of

ONES = torch.ones(2, 3)


@pytest.mark.parametrize("kl", [of.kl_k1, of.kl_k2, of.kl_k3])
def test_kl_of_a_policy_with_itself_is_0(kl):
    assert (kl(ONES, ONES) == 0).all()
