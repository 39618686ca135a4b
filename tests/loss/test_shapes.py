"""What the functions refuse, with what to write instead, and which shapes fit each other."""

import inspect
import math

import pytest
import torch
from tables import each_row
from torch import tensor
from torch.testing import assert_close

from grpo_rewards import loss as of
from grpo_rewards.loss import formulas

B, T, NAN = 3, 4, math.nan
ONES, A = torch.ones(2, 3), tensor([1.0, -1.0])
WEIGHTS = {"w": A}
GIVEN = {"logps": -ONES, "advantages": A, "mask": ONES}


def refused(call, *said):
    with pytest.raises((TypeError, ValueError)) as error:
        call()
    for words in said:
        assert words in str(error.value)
    return str(error.value)


@each_row(
    "changed, said",
    [
        ({"logps": torch.ones(2)}, "logps must be [B, T] with at least one completion, not [2]"),
        ({"mask": torch.ones(2, 4)}, "mask must have the shape [2, 3], not [2, 4]"),
        (
            {"advantages": torch.ones(3)},
            "advantages must have the shape [2, 1] or [2, 3], not [3]; give one value per completion or one per token.",
        ),
        ({"advantages": tensor([[1.0, 2.0]])}, "groups are rows one below the other here, so write advantages.reshape"),
        (
            {"old_logps": torch.ones(3, 2)},
            "old_logps must have the shape [2, 3], not [3, 2].",
        ),
        (
            {"ref_logps": torch.ones(2, 4)},
            "ref_logps must have the shape [2, 3], not [2, 4]; it is off by one token: logits at a position are those "
            "of the next token, so shift ref_logps.",
        ),
        ({"logps": ONES * NAN}, "logps is NaN at completion 0, token 0, where the mask is 1"),
        ({"beta": 0.1}, "beta is 0.1, so the KL needs ref_logps"),
        ({"loss_type": "ppo"}, "loss_type must be one of grpo, bnpo"),
        ({"loss_type": "gspo"}, "not 'gspo'. GSPO is 'grpo' with importance_sampling_level='sequence'."),
        ({"loss_type": "dr_grpo"}, "give max_completion_length"),
        # probabilities in the place of their logarithms, ids, and advantages in the mask's place
        ({"logps": ONES / 2}, "logps is 0.5 or more at every token that counts"),
        ({"logps": ONES / 2}, "write logps.log()"),
        ({"logps": ONES.long()}, "logps must hold log-probabilities, not torch.int64"),
        ({"mask": ONES / 2}, "mask must hold 0 and 1 alone, not 0.5. If these are advantages"),
        ({"beta": -0.04, "ref_logps": -ONES}, "epsilon and beta must be 0 or more"),
        ({"epsilon_high": -0.5}, "epsilon and epsilon_high must be 0 or more"),
        ({"delta": -1.0}, "delta above 0, not 0.2, 0.2 and -1.0"),
        ({"window_tokens": 0}, "window_tokens must be above 0, not 0"),
        ({"entropy_coef": 0.1}, "an entropy bonus needs the entropies"),
        ({"importance_sampling_level": "word"}, "must be one of token, sequence, sequence_token, not 'word'"),
        ({"logps": [[-1.0]]}, "logps must be a torch.Tensor, not list; write torch.as_tensor(logps)"),
        ({"advantages": [1.0, -1.0]}, "advantages must be a torch.Tensor, not list"),
        ({"mask": ONES.numpy()}, "mask must be a torch.Tensor, not ndarray"),
        # the outer call: not kl_k3, log_ratio or grpo, which the user did not write
        (
            {"advantages": torch.ones(3), "loss_type": "grpo"},
            "\nIn the call grpo_loss(logps=Tensor[2, 3], advantages=Tensor[3], mask=Tensor[2, 3], loss_type='grpo')",
        ),
    ],
)
def test_what_the_loss_refuses(changed, said):
    refused(lambda: of.grpo_loss(**{**GIVEN, **changed}), said)


UNSQUEEZE = "not [2]; for one value per completion write {}.unsqueeze(1)."


@each_row(
    "call, said, quoted",
    [
        (lambda: of.combine_rewards(torch.ones(4), [1.0]), "rewards_per_func must be [B, K]"),
        (lambda: of.combine_rewards(torch.ones(4, 2), [1.0]), "weights must have the shape [2], not [1]"),
        (
            lambda: of.group_advantages(torch.ones(5), 2, scale="none"),
            "5 rewards do not divide into groups of 2",
            "group_advantages(rewards=Tensor[5], group_size=2, scale='none')",
        ),
        (lambda: of.group_advantages(torch.ones(4), 0), "do not divide into groups of 0"),
        (lambda: of.group_advantages(torch.ones(2, 2), 2), "rewards must be [B], not [2, 2]; groups are next to each"),
        (lambda: of.group_advantages(torch.ones(4), 2, "rows"), "scale must be"),
        (lambda: of.group_advantages([1.0, 0.0], 2), "rewards must be a torch.Tensor, not list"),
        (lambda: of.process_advantages(torch.zeros(4), 2), "must be [B, T], not [4]"),
        (lambda: of.process_advantages(torch.zeros(4, 2), 3), "4 completions do not divide into groups of 3"),
        (lambda: of.process_advantages(torch.zeros(4, 2), 0), "4 completions do not divide into groups of 0"),
        (lambda: of.process_advantages(torch.full((2, 2), math.inf), 2), "infinite"),
        (lambda: of.informative_groups(tensor([math.inf, 0.0]), 2), "infinite"),
        (lambda: of.dynamic_sampling([], 2, groups=0), "groups must be at least 1, not 0"),
        (lambda: of.uninformative_probability(1.5, 2), "from 0 to 1, not 1.5"),
        (lambda: of.uninformative_probability(0.5, 0), "at least 1, not 0"),
        (lambda: of.smallest_group_size(0.0, 0.1), "between 0 and 1, not 0.0"),
        (lambda: of.smallest_group_size(0.5, 1.0), "between 0 and 1, not 0.5 and 1.0"),
        (lambda: of.smallest_group_size(1e-9, 0.1), "even 1048576 would not do"),
        (lambda: of.refreshed_reference(WEIGHTS, WEIGHTS, 0.0), "alpha must be above 0 and at most 1, not 0.0"),
        (lambda: of.refreshed_reference(WEIGHTS, WEIGHTS, 1.5), "not 1.5"),
        (lambda: of.refreshed_reference({"v": A}, WEIGHTS), "only one of them has v, w"),
        (lambda: of.refreshed_reference({"w": ONES}, WEIGHTS), "w is [2, 3] in the policy and [2] in the reference"),
        (lambda: formulas.grpo(ONES, ONES, ONES / 2), "mask must hold 0 and 1 alone, not 0.5"),
        (lambda: formulas.grpo(ONES, ONES, torch.ones(3)), "mask must be [B, T], not [3]"),
        (lambda: formulas.grpo(ONES, ONES, ONES.tolist()), "mask must be a torch.Tensor, not list"),
        (lambda: formulas.grpo(ONES, ONES, ONES[:, :2]), "to fit mask, which is [2, 2], not [2, 3]"),
        (
            lambda: formulas.grpo(torch.ones(3, 3), torch.ones(3, 1), torch.ones(3, 3), weights=torch.ones(3)),
            "weights must be [B, 1] or [B, T] = [3, 1] or [3, 3] to fit",
            "grpo(ratio=Tensor[3, 3], advantages=Tensor[3, 1], mask=Tensor[3, 3], weights=Tensor[3])",
        ),
        (
            lambda: formulas.gspo(ONES, torch.ones(2, 2), torch.ones(2, 1), ONES),
            "old_logps must have the shape [2, 3], not [2, 2]",
            "gspo(logps=Tensor[2, 3], old_logps=Tensor[2, 2], advantages=Tensor[2, 1], mask=Tensor[2, 3])",
        ),
        (lambda: formulas.gspo([[-1.0]], ONES, ONES, ONES), "logps must be a torch.Tensor, not list"),
        (lambda: formulas.vespo(ONES[:, :1], ONES, ONES, logps=ONES), "log_ratio must have the shape [2, 3], not"),
        (lambda: of.high_entropy_mask(ONES, ONES, 0.0), "top_entropy_quantile must be above 0 and at most 1, not 0.0."),
        (lambda: of.importance_sampling_ratio(ONES, ONES, ONES, "clip"), "correction must be one of token_truncate, "),
        (lambda: of.importance_sampling_ratio(ONES, ONES, ONES, "token_truncate"), "a truncation needs a bound"),
        (lambda: of.off_policy_mask(ONES, ONES, A, A, 0.1), "mask must have the shape [2, 3], not [2]"),
        (lambda: of.token_logps(torch.ones(2, 3), ONES.long()), "logits must be [B, T, V]"),
        (lambda: of.token_logps(torch.ones(2, 3, 4), ONES.long(), temperature=0), "temperature must be"),
        (lambda: of.token_logps(torch.ones(2, 3, 4), ONES), "ids must be integers, not torch.float32; write ids.long"),
        (lambda: of.token_logps(torch.ones(1, 1, 4), [[1]]), "ids must be a torch.Tensor, not list"),
        (
            lambda: of.token_logps(torch.ones(2, 3, 4), torch.ones(2, 4).long(), temperature=2.0),
            "ids must have the shape [2, 3], not [2, 4]",
            "token_logps(logits=Tensor[2, 3, 4], ids=Tensor[2, 4], temperature=2.0)",
        ),
        # torch would have multiplied token t by the advantage of completion t
        (
            lambda: of.clipped_surrogate(torch.ones(2, 2), A, 0.2, delta=4.0),
            "advantages must be [B, 1] or [B, T] = [2, 1] or [2, 2] to fit ratio, which is [2, 2], "
            + UNSQUEEZE.format("advantages"),
            "clipped_surrogate(ratio=Tensor[2, 2], advantages=Tensor[2], epsilon=0.2, delta=4.0)",
        ),
        # a ratio by sequence: torch would have made [2, 2] of them
        (
            lambda: of.clipped_surrogate(torch.ones(2, 1), A, 0.2),
            "advantages must be [B, 1] = [2, 1] to fit ratio, which is [2, 1], " + UNSQUEEZE.format("advantages"),
        ),
        (lambda: of.sapo_surrogate(A, ONES, 1.0, 1.0), UNSQUEEZE.format("ratio")),
        # as many numbers as tokens: unsqueeze would not help
        (
            lambda: of.weighted_surrogate(torch.ones(2, 1), torch.ones(3), ONES),
            "advantages must be [B, 1] or [B, T] = [2, 1] or [2, 3] to fit logps, which is [2, 3], not [3].\n",
        ),
        (lambda: of.kl_k3(torch.ones(4), torch.ones(3)), "ref_logps must be [4] or a single number to fit logps, not"),
        (
            lambda: of.kl_k3(ONES, torch.ones(2, 2)),
            "ref_logps must be [B, 1] or [B, T] = [2, 1] or [2, 3] to fit logps, which is [2, 3], not [2, 2]; it is "
            "off by one token: logits at a position are those of the next token, so shift ref_logps.",
        ),
        (lambda: of.gamma_weights(ONES, A, ONES), UNSQUEEZE.format("advantages")),
        (lambda: of.gamma_weights(A, A, ONES), "log_ratio_per_token must have the shape [2, 3], not [2]"),
        (lambda: of.gamma_weights(ONES, ONES, ONES, importance_ratio=A), UNSQUEEZE.format("importance_ratio")),
    ],
)
def test_what_the_other_functions_refuse(call, said, quoted):
    message = refused(call, said)
    assert quoted is None or message.endswith(f"\nIn the call {quoted}")
    assert message.count("In the call") <= 1


@each_row(
    "losses, mask, said",
    [
        ((B,), (B, T), "not [3]; for one value per completion write per_token.unsqueeze(1)"),
        (
            (T,),
            (B, T),
            "per_token must be [B, 1] or [B, T] = [3, 1] or [3, 4] to fit mask, which is [3, 4], not [4].\n",
        ),
        ((B, T), (B, 1), "per_token must be [B, 1] = [3, 1] to fit mask, which is [3, 1], not [3, 4]"),
        ((B, T), (1, T), "not [3, 4]"),
        ((B, T), (T,), "mask must be [B, T], not [4].\nIn the call "),
        ((T,), (T,), "mask must be [B, T], not [4].\nIn the call "),
    ],
)
def test_an_aggregation_refuses_what_does_not_fit(losses, mask, said):
    for aggregate in AGGREGATIONS:
        refused(lambda aggregate=aggregate: aggregate(torch.ones(losses), torch.ones(mask)), said)


# of what one of its arguments is, the other is [B, T]; each returns a number for each token
OF_TWO = {
    "clipped, of advantages": lambda wide, other: of.clipped_surrogate(wide, other, 0.2, 0.3, 2.0),
    "clipped, of ratios": lambda wide, other: of.clipped_surrogate(other, wide, 0.2),
    "cispo, of advantages": lambda wide, other: of.cispo_surrogate(wide, other, wide, 3.0),
    "cispo, of ratios": lambda wide, other: of.cispo_surrogate(other, wide, wide, 3.0),
    "cispo, of logps": lambda wide, other: of.cispo_surrogate(wide, wide, other, 3.0),
    "sapo, of advantages": lambda wide, other: of.sapo_surrogate(wide, other, 1.0, 1.05),
    "sapo, of ratios": lambda wide, other: of.sapo_surrogate(other, wide, 1.0, 1.05),
    "weighted, of weights": lambda wide, other: of.weighted_surrogate(other, wide, wide),
    "weighted, of advantages": lambda wide, other: of.weighted_surrogate(wide, other, wide),
    "gamma weights, of advantages": lambda wide, other: of.gamma_weights(wide, other, torch.ones_like(wide)),
    "k1": of.kl_k1,
    "k2": of.kl_k2,
    "k3": of.kl_k3,
    "k3, the other way": lambda wide, other: of.kl_k3(other, wide),
}
AGGREGATIONS = (
    of.per_sequence,
    of.per_token,
    lambda losses, mask: of.over_constant(losses, mask, 9),
    lambda losses, mask: of.over_window(losses, mask, 7.0, 2),
    of.length_scaled,
)


def drawn(*shape):
    return torch.rand(shape, generator=torch.Generator().manual_seed(0)) + 0.5


@each_row("shape", [(B, T), (B, 1), ()])
def test_shapes_that_fit_are_what_they_are_when_written_out(shape):
    wide, other, mask = drawn(B, T), drawn(*shape), (drawn(B, T) > 0.8).float()
    for call in OF_TWO.values():
        assert_close(call(wide, other).expand(B, T), call(wide, other.expand(B, T)))
    for aggregate in AGGREGATIONS:
        assert_close(aggregate(other, mask), aggregate(other.expand(B, T), mask))


@each_row("shape", [(B,), (T,), (1,), (1, T), (1, 1), (B + 1, 1), (B, T + 1), (1, B, T)])
def test_other_shapes_are_refused(shape):
    for name, call in OF_TWO.items():
        with pytest.raises(ValueError, match=r" must be .* to fit .*, not "):
            assert not call(drawn(B, T), drawn(*shape)), name


@each_row("shape", [(), (1,), (T,), (1, B, T)])
def test_equal_shapes_of_any_kind_fit_and_one_number_may_be_a_float(shape):
    assert of.kl_k3(drawn(*shape), drawn(*shape)).shape == shape
    assert of.clipped_surrogate(drawn(*shape), 2.0, epsilon=0.2).shape == shape


@each_row("name", ["importance_ratio", "entropy_mask", "entropies", "sampling_logps"])
@each_row("shape", [(1, 3), (3,), (), (2, 2), (3, 2, 3)])
def test_no_tensor_is_broadcast_by_accident(name, shape):
    refused(lambda: of.grpo_loss(**GIVEN, **{name: torch.ones(shape)}), f"{name} must have the shape")


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
            arguments |= {"old_logps": ONES * -1.1, "importance_sampling_level": level}
            loss = of.grpo_loss(leaf, mask=mask, **arguments).loss
            (gradient,) = torch.autograd.grad(loss, leaf)
            assert gradient.isfinite().all()
            results.append(loss.item())
    assert results[:2] == results[2:]
    broken = given[name].clone()
    broken[0, 1] = NAN
    said = f"{name} is NaN at completion 0, token 1"
    refused(lambda: of.grpo_loss(torch.full((2, 3), -1.0), mask=mask, **{**given, name: broken}), said)


def test_cispo_without_a_bound_of_its_own_has_a_fifth_of_the_gradient_and_says_so():
    leaf = (-ONES).requires_grad_()
    with pytest.warns(UserWarning, match="give it, such as 5.0.* bounded, at 0.2") as said:
        loss = of.grpo_loss(leaf, A, ONES, loss_type="cispo").loss
    assert said[0].filename == __file__  # the line that called
    of_dapo = torch.autograd.grad(of.grpo_loss(leaf, A, ONES, loss_type="dapo").loss, leaf)[0]
    assert_close(torch.autograd.grad(loss, leaf)[0], 0.2 * of_dapo)


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
    given |= {"advantages": A[:, None], "mask": ONES}
    compiled = torch.compile(function, fullgraph=True, backend="eager")
    assert torch.equal(compiled(**given), function(**given))
