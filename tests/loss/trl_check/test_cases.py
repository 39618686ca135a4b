"""The cases under which TRL is compared: that what they are named for is in their tensors."""

from itertools import product

import torch

from grpo_rewards.loss.grpo import LOSS_TYPES
from grpo_rewards.loss.trl_check.cases import WINDOWS, LossCase, loss_cases, scoring_cases

GRPO = {"loss_type": "grpo", "importance_sampling_level": "token"}


def tensors(dtype=torch.float64, has_old=True, **kinds):
    return LossCase(GRPO, WINDOWS[0], has_old, True, **kinds).tensors(dtype)


def test_each_loss_type_is_compared_under_each_level_window_and_kind_of_policy():
    found = {
        (c.settings["loss_type"], c.settings["importance_sampling_level"], c.window, c.has_old) for c in loss_cases()
    }
    assert found == set(product(LOSS_TYPES, ("token", "sequence"), WINDOWS, (False, True)))


def test_a_case_is_the_same_whatever_the_settings_and_the_precision():
    one, other = tensors(), LossCase({**GRPO, "beta": 1.0}, WINDOWS[0], True, True).tensors(torch.float64)
    assert all(torch.equal(one[name], other[name]) for name in one)
    single = tensors(torch.float32)
    for name, double in one.items():
        torch.testing.assert_close(single[name].double(), double.double(), atol=1e-6, rtol=0)


def test_rewards_are_missing_and_equal_in_some_groups():
    cases = [case for case in scoring_cases(torch.float64) if case.kind == "advantages"]
    assert len(cases) == 3 * 3 * 3 * 4  # sizes, numbers of rewards, shares of None, ways to scale
    groups = [case.rewards.view(-1, case.settings["num_generations"], case.rewards.shape[1]) for case in cases]
    assert any(group.isnan().all(dim=1).any() for group in groups)  # a reward that is None for a whole group
    assert any((one == 1.0).all() for group in groups for one in group)
    assert any((case.settings["reward_weights"] < 0).any() for case in cases)


def test_ratios_are_bounded_above_below_and_on_both_sides():
    settings = [case.settings for case in scoring_cases(torch.float64) if case.kind == "importance ratio"]
    names = [f"vllm_importance_sampling_{name}" for name in ("mode", "clip_min", "clip_max")]
    found = {tuple(one[name] if "mode" in name else one[name] is None for name in names) for one in settings}
    assert len(found) == 4 * 3
    assert not any(low and high for _, low, high in found)
