"""Bad input is told what is wrong; what stands under the mask is not looked at."""

import inspect
import math

import pytest
from tables import each_row

pytest.importorskip("torch", reason="torch is not installed")

import torch
from torch import tensor

from grpo_rewards import loss as of
from grpo_rewards.loss import formulas

ONES = torch.ones(2, 3)
A = tensor([1.0, -1.0])
NAN = math.nan


@each_row(
    "call, said",
    [
        (lambda: of.combine_rewards(torch.ones(4), [1.0]), r"must be \[B, K\]"),
        (lambda: of.combine_rewards(torch.ones(4, 2), [1.0]), r"weights must have the shape \[2\], not \[1\]"),
        (lambda: of.group_advantages(torch.ones(5), 2), "5 rewards do not divide into groups of 2"),
        (lambda: of.group_advantages(torch.ones(4), 0), "do not divide into groups of 0"),
        (lambda: of.group_advantages(torch.ones(4, 1), 2), r"rewards must be \[B\]"),
        (lambda: of.group_advantages(torch.ones(4), 2, "rows"), "scale must be"),
        (lambda: of.grpo_loss(torch.ones(2), A, ONES), r"logps must be \[B, T\]"),
        (lambda: of.grpo_loss(-ONES, A, torch.ones(2, 4)), r"mask must have the shape \[2, 3\], not \[2, 4\]"),
        (lambda: of.grpo_loss(-ONES, torch.ones(3), ONES), r"advantages must have the shape \[2, 1\] or \[2, 3\]"),
        (lambda: of.grpo_loss(-ONES, A, ONES, old_logps=torch.ones(3, 2)), "old_logps must have the shape"),
        (lambda: of.grpo_loss(ONES * NAN, A, ONES), "logps is NaN at completion 0, token 0, where the mask is 1"),
        (lambda: of.grpo_loss(-ONES, A, ONES, beta=0.1), "beta is 0.1, so the KL needs ref_logps"),
        (lambda: of.grpo_loss(-ONES, A, ONES, loss_type="ppo"), "loss_type must be one of grpo, bnpo"),
        (
            lambda: of.grpo_loss(-ONES, A, ONES, loss_type="gspo"),
            "not 'gspo'. GSPO is 'grpo' with importance_sampling_l",
        ),
        (lambda: of.grpo_loss(-ONES, A, ONES, loss_type="dr_grpo"), "give max_completion_length"),
        # probabilities .5 and .9 in the place of their logarithms, and ids
        (
            lambda: of.grpo_loss(tensor([[0.5, 0.9]]), A[:1], ONES[:1, :2]),
            r"logps is 0.5 or more .* write logps.log\(\)",
        ),
        (lambda: of.grpo_loss(ONES.long(), A, ONES), "logps must hold log-probabilities, not torch.int64"),
        (lambda: of.grpo_loss(-ONES, tensor([[1.0, 2.0]]), ONES), r"write advantages.reshape\(-1\)"),
        (lambda: of.group_advantages(torch.ones(2, 2), 2), r"write rewards.reshape\(-1\)"),
        (lambda: of.grpo_loss(-ONES, A, ONES, ref_logps=-ONES, beta=-0.04), "epsilon and beta must be 0 or more"),
        (lambda: of.grpo_loss(-ONES, A, ONES, epsilon_high=-0.5), "epsilon and epsilon_high must be 0 or more"),
        (lambda: of.grpo_loss(-ONES, A, ONES, delta=-1.0), "delta above 0, not 0.2, 0.2 and -1.0"),
        (lambda: of.grpo_loss(-ONES, A, ONES, window_tokens=0), "window_tokens must be above 0, not 0"),
        (lambda: formulas.grpo(ONES, ONES, ONES / 2), "mask must hold 0 and 1 alone, not 0.5"),
        (lambda: formulas.grpo(ONES, ONES, torch.ones(3)), r"mask must be \[B, T\], not \[3\]"),
        (
            lambda: formulas.grpo(ONES, ONES, ONES[:, :2]),
            r"ratio must be .* to fit mask, which is \[2, 2\], not \[2, 3\]",
        ),
        (lambda: formulas.gspo(ONES, ONES, ONES, ONES[:, :2]), r"logps must have the shape \[2, 2\], not \[2, 3\]"),
        (lambda: formulas.vespo(ONES[:, :1], ONES, ONES, logps=ONES), r"log_ratio must have the shape \[2, 3\], not"),
        (lambda: of.grpo_loss(-ONES, A, ONES, entropy_coef=0.1), "needs the entropies"),
        (lambda: of.grpo_loss(-ONES, A, ONES, importance_sampling_level="word"), "must be one of token, sequence, seq"),
        (lambda: of.grpo_loss(-ONES, ONES, ONES / 2), "mask must hold 0 and 1 alone, not 0.5. If these are advantages"),
        (lambda: of.high_entropy_mask(ONES, ONES, 0.0), "must be above 0 and at most 1"),
        (lambda: of.importance_sampling_ratio(ONES, ONES, ONES, "clip"), "correction must be one of"),
        (lambda: of.importance_sampling_ratio(ONES, ONES, ONES, "token_truncate"), "a truncation needs a bound"),
        (lambda: of.token_logps(torch.ones(2, 3), torch.ones(2, 3).long()), r"logits must be \[B, T, V\]"),
        (lambda: of.token_logps(torch.ones(2, 3, 4), torch.ones(2, 3).long(), temperature=0), "temperature must be"),
        (lambda: of.token_entropies(torch.ones(2, 3, 4), chunk=0), "chunk must be at least 1"),
        (lambda: of.token_logps(torch.ones(2, 3, 4), ONES), r"ids must be integers, not torch.float32; write ids.long"),
    ],
)
def test_bad_input_is_reported_with_what_is_wrong(call, said):
    with pytest.raises(ValueError, match=said):
        call()


@each_row(
    "call, said",
    [
        (
            lambda: of.grpo_loss([[-1.0]], A[:1], ONES[:1, :1]),
            "logps must be a torch.Tensor, not list; write torch.as_",
        ),
        (lambda: of.grpo_loss(-ONES, [1.0, -1.0], ONES), "advantages must be a torch.Tensor, not list"),
        (lambda: of.grpo_loss(-ONES, A, ONES.numpy()), "mask must be a torch.Tensor, not ndarray"),
        (lambda: formulas.gspo([[-1.0]], ONES, ONES, ONES), "logps must be a torch.Tensor, not list"),
        (lambda: of.token_logps(torch.ones(1, 1, 4), [[1]]), "ids must be a torch.Tensor, not list"),
        (lambda: of.group_advantages([1.0, 0.0], 2), "rewards must be a torch.Tensor, not list"),
        (lambda: formulas.grpo(ONES, ONES, ONES.tolist()), "mask must be a torch.Tensor, not list"),
    ],
)
def test_what_is_no_tensor_is_reported(call, said):
    with pytest.raises(TypeError, match=said):
        call()


def test_cispo_without_a_bound_of_its_own_has_a_fifth_of_the_gradient_and_says_so():
    leaf = (-ONES).requires_grad_()
    with pytest.warns(UserWarning, match="give it, such as 5.0.* bounded, at 0.2") as said:
        loss = of.grpo_loss(leaf, A, ONES, loss_type="cispo").loss
    assert said[0].filename == __file__  # the line that called
    of_dapo = torch.autograd.grad(of.grpo_loss(leaf, A, ONES, loss_type="dapo").loss, leaf)[0]
    torch.testing.assert_close(torch.autograd.grad(loss, leaf)[0], 0.2 * of_dapo)


def test_a_sure_token_may_be_a_little_above_0():
    # rounded: bfloat16 near a logit of 100 has steps of 0.5, and float32 of 8e-6; the other tokens are below 0
    for logps in (tensor([[0.25, -1.0], [1e-6, -0.5]]), tensor([[8e-6], [1e-6]])):
        assert of.grpo_loss(logps, A, ONES[:, : logps.shape[1]]).loss.isfinite()


@pytest.mark.full
@each_row("name", ["grpo", "cispo", "vespo", "gspo", "gspo_token"])
def test_a_formula_can_be_compiled_as_one_graph(name):
    torch._dynamo.reset()  # what other formulas left: they share a wrapper
    function = getattr(formulas, name)
    given = {"ratio": ONES, "logps": -ONES, "old_logps": -ONES, "log_ratio": 0 * ONES, "epsilon_high": 0.3}
    given = {key: value for key, value in given.items() if key in inspect.signature(function).parameters}
    compiled = torch.compile(function, fullgraph=True, backend="eager")
    assert torch.equal(
        compiled(advantages=A[:, None], mask=ONES, **given), function(advantages=A[:, None], mask=ONES, **given)
    )


@each_row("name", ["importance_ratio", "entropy_mask", "entropies", "sampling_logps"])
@each_row("shape", [(1, 3), (3,), (), (2, 2), (3, 2, 3)])
def test_no_tensor_is_broadcast_by_accident(name, shape):
    with pytest.raises(ValueError, match=f"{name} must have the shape"):
        of.grpo_loss(-ONES, A, ONES, **{name: torch.ones(shape)})


@each_row("name", ["advantages", "importance_ratio", "entropies", "entropy_mask"])
def test_nan_at_a_place_that_counts_is_an_error_and_under_the_mask_nothing(name):
    mask = tensor([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    given = {"advantages": torch.ones(2, 3), name: torch.ones(2, 3)}
    rubbish = given[name].masked_fill(mask == 0, NAN)
    results = []
    for held in (given[name], rubbish):
        for level in ("token", "sequence"):
            leaf = torch.full((2, 3), -1.0, requires_grad=True)
            arguments = {**given, name: held, "entropy_coef": 0.1, "entropies": held if name == "entropies" else ONES}
            loss = of.grpo_loss(
                leaf, mask=mask, old_logps=ONES * -1.1, importance_sampling_level=level, **arguments
            ).loss
            (gradient,) = torch.autograd.grad(loss, leaf)
            assert gradient.isfinite().all()
            results.append(loss.item())
    assert results[:2] == results[2:]
    broken = given[name].clone()
    broken[0, 1] = NAN
    with pytest.raises(ValueError, match=f"{name} is NaN at completion 0, token 1"):
        of.grpo_loss(torch.full((2, 3), -1.0), mask=mask, **{**given, name: broken})
