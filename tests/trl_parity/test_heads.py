"""TRL's fused head is held to plain logits: it agrees as it is, and each mistake that is planted in it is noticed."""

import functools
import inspect
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("trl", reason="trl is not installed")

import torch
import trl
from mutants import some_and_all, unnoticed
from step_mutants import Planted, plant
from trl.kernels import chunked_logprob
from trl.trainer import utils
from whole_step import heads

from grpo_rewards.loss.trl_check.report import Report

KERNEL, FORWARD = "chunked_logprob", "utils"
# the module, what is there, how often, and what is written instead
MISTAKES = [
    # tiles of words
    (KERNEL, "local = targets - vocab_start", 1, "local = targets"),
    (KERNEL, "sum_exp.mul_(rescale).add_(e.sum(-1))", 1, "sum_exp.add_(e.sum(-1))"),
    (KERNEL, "x_sum_exp.mul_(rescale).add_((e * z).sum(-1))", 1, "x_sum_exp.copy_((e * z).sum(-1))"),
    (KERNEL, "torch.arange(vocab_start, vocab_start + n_cols, device=z.device)", 1, "torch.arange(n_cols)"),
    (KERNEL, "grad_weight[start:end], tile.t()", 1, "grad_weight[: end - start], tile.t()"),
    (KERNEL, "tile.add_(bias[start:end].to(compute_dtype))", 2, "tile.add_(bias[: end - start].to(compute_dtype))"),
    (KERNEL, "grad_bias[start:end] += tile", 1, "grad_bias[: end - start] += tile"),
    # tiles of positions
    (KERNEL, "_addmm_fp32(grad_hidden[token_start:token_end]", 1, "_addmm_fp32(grad_hidden[:n]"),
    (
        KERNEL,
        "entropy[token_start:token_end],\n                        grad_logprobs",
        1,
        "entropy[:n],\n                        grad_logprobs",
    ),
    (KERNEL, "grad_logprobs[token_start:token_end] if", 1, "grad_logprobs[:n] if"),
    (
        KERNEL,
        "log_z[token_start:token_end],\n                        entropy",
        1,
        "log_z[:n],\n                        entropy",
    ),
    # a bias, scaled and bounded logits, temperature
    (
        KERNEL,
        "if grad_bias is not None:\n                        grad_bias[",
        1,
        "if False:\n                        grad_bias[",
    ),
    (KERNEL, '"inv_t": 1 / temperature', 1, '"inv_t": 1.0'),
    (KERNEL, "tile.copy_(grad * logit_scale)", 1, "tile.copy_(grad)"),
    (KERNEL, "        grad = grad * (1 - t * t)\n    tile", 1, "        pass\n    tile"),
    (
        KERNEL,
        "z = softcap * torch.tanh(z / softcap)\n    return z * inv_t",
        1,
        "z = softcap * torch.tanh(z * inv_t / softcap)\n        return z\n    return z * inv_t",
    ),
    (
        KERNEL,
        "grad -= grad_entropy.unsqueeze(-1) * p * (log_p + entropy.unsqueeze(-1))",
        1,
        "grad -= grad_entropy.unsqueeze(-1) * p * log_p",
    ),
    (KERNEL, "(is_target.float() - p)", 1, "(is_target.float() - p.detach() * inv_t)"),
    (FORWARD, "1 / logits_scaling", 1, "logits_scaling"),
    (FORWARD, 'logit_scale = getattr(text_config, "logit_scale", None)', 1, "logit_scale = 1.0"),
    (FORWARD, '"final_logit_softcapping", None)', 1, '"attn_logit_softcapping", None)'),
    (FORWARD, "if cast_lm_head_to_fp32:", 1, "if False:"),
    (FORWARD, "torch.autocast(hidden_states.device.type, enabled=False)", 1, "nullcontext()"),
    (FORWARD, "weight, bias = lm_head.weight, lm_head.bias", 1, "weight, bias = lm_head.weight, None"),
    # the auxiliary loss
    (
        FORWARD,
        'num_experts, num_experts_per_tok, kwargs.get("attention_mask")',
        1,
        "num_experts, num_experts_per_tok, None",
    ),
    (FORWARD, "num_experts_per_tok = text_config.num_experts_per_tok", 1, "num_experts_per_tok = 1"),
]
COEFFICIENT = 'getattr(text_config, "router_aux_loss_coef", 0.0)'
OF_TRAINER = [
    Planted(
        "grpo_trainer",
        'cast_lm_head_to_fp32=args.cast_lm_head_to_fp32,\n            outputs=("log_probs", "entropy")',
        'outputs=("log_probs", "entropy")',
    ),
    Planted("grpo_trainer", f"{COEFFICIENT} if coef is None else coef", COEFFICIENT, "what is asked is not heeded"),
    Planted("grpo_trainer", f"{COEFFICIENT} if coef is None else coef", "coef or 0.0", "none, unless it is asked for"),
    Planted("grpo_trainer", f"{COEFFICIENT} if coef is None else coef", f"coef or {COEFFICIENT}", "0 is not heeded"),
    Planted("grpo_trainer", f"{COEFFICIENT} if", "0.001 if", "the same for all models"),
    Planted("grpo_trainer", f"{COEFFICIENT} if", COEFFICIENT.replace("0.0", "0.001") + " if", "not 0 for want of one"),
    Planted(
        "grpo_trainer",
        f"{COEFFICIENT} if",
        COEFFICIENT.replace("text_config", "type(text_config)()") + " if",
        "that of the family",
    ),
    Planted("grpo_trainer", "and self.router_aux_loss_coef != 0.0", "and False"),
]


@contextmanager
def doubles():
    usual, threads = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    yield
    torch.set_default_dtype(usual)
    torch.set_num_threads(threads)


@pytest.fixture(autouse=True)
def in_double():
    with doubles():
        yield


@pytest.fixture(autouse=True, scope="module")
def plain_side_once():
    """Computes once for all tests what no mistake is planted in: the plain models, their logits and their gradients."""
    kept = {}

    def once(key, make, *given):
        if key not in kept:
            kept[key] = make(*given)
        return kept[key]

    def gradients(of, scalar, make=heads._gradients):
        is_plain = any(of is one for one in kept.values())
        return once((id(of), scalar.item()), make, of, scalar) if is_plain else make(of, scalar)

    with pytest.MonkeyPatch.context() as changed:
        for name in ("_model", "_plainly"):
            make = getattr(heads, name)
            changed.setattr(
                heads, name, lambda case, *given, make=make, name=name: once((name, case.name), make, case, *given)
            )
        changed.setattr(heads, "_gradients", gradients)
        with doubles():
            checked()  # all is kept before the first mistake is planted, whichever test comes first
        yield


def checked(stop_at_first=False):
    report = Report(trl="1.16.0", least=dict(heads.LEAST_OF_HEADS))
    heads.check_heads(report, stop_at_first)
    return report


def changed(module, was, times, becomes):
    """Returns a copy of a module with a mistake in it."""
    source = Path(str(module.__file__)).read_text()
    assert source.count(was) == times, f"{was!r} is there {source.count(was)} times"
    copied = ModuleType(module.__name__)
    copied.__package__, copied.__file__ = module.__package__, module.__file__
    vars(copied).update({name: of for name, of in vars(module).items() if name not in vars(copied)})
    if module is utils:  # of which one function is enough
        source = "from __future__ import annotations\n" + inspect.getsource(utils.add_fused_lm_head).replace(
            was, becomes
        )
    else:
        source = source.replace(was, becomes)
    exec(compile(source, str(module.__file__), "exec"), vars(copied))  # noqa: S102 - TRL's source, and a mistake
    return copied


def test_the_heads_of_the_installed_trl_agree_with_plain_logits():
    report = checked()
    assert (report.mismatches, report.failed, report.short) == ([], {}, {})
    assert len(report.differences) == heads.LEAST_OF_HEADS[heads.FUSED_HEAD]


def put_in(mistake, monkeypatch):
    name, *how = mistake
    if name == KERNEL:
        kernel = changed(chunked_logprob, *how).ChunkedLogProbFunction
        monkeypatch.setattr(utils, "_ChunkedLogProbFunction", kernel)
    else:
        monkeypatch.setattr(utils, "add_fused_lm_head", changed(utils, *how).add_fused_lm_head)


@some_and_all(MISTAKES, 9)
def test_a_mistake_in_the_head_is_noticed(mutants):
    def is_noticed():
        report = checked(stop_at_first=True)
        return report.is_wrong and report.failed == {}  # it is a number that is off

    assert unnoticed(mutants, put_in, is_noticed) == []


@some_and_all(OF_TRAINER, 8)
def test_a_setting_that_the_trainer_does_not_hand_on_is_noticed(mutants):
    def is_noticed():
        wrong = {one.case for one in checked().mismatches}
        of_mixtures = "the coefficient of the auxiliary loss" in "".join(wrong)
        return wrong and all(("mixture" if of_mixtures else "in float32") in one for one in wrong)

    assert unnoticed(mutants, plant, is_noticed) == []


def test_a_default_of_the_option_that_is_not_the_models_is_noticed(monkeypatch):
    monkeypatch.setattr(trl, "GRPOConfig", functools.partial(trl.GRPOConfig, router_aux_loss_coef=0.001))
    monkeypatch.setattr(heads, "HEADS", [case for case in heads.HEADS if case.family == "Mixtral" and case.by_trainer])
    report = checked()
    [wrong] = report.mismatches
    assert wrong.case.startswith("the run 'a mixture, its own coefficient': the coefficient of the auxiliary loss: ")
    assert wrong.case.endswith("TRL has 0.001, 0.0625 was expected")


def test_a_head_that_cannot_be_queried_is_a_failure(monkeypatch):
    def raising(model, **settings):
        raise SystemExit(0)

    monkeypatch.setattr(utils, "add_fused_lm_head", raising)
    scope = inspect.unwrap(trl.GRPOTrainer.__init__).__globals__  # where it is known by name
    monkeypatch.setitem(scope, "add_fused_lm_head", raising)
    report = checked()
    assert len(report.failed[heads.FUSED_HEAD]) == len(heads.HEADS)
    assert report.failed[heads.FUSED_HEAD][0] == "SystemExit: 0 in a vocabulary of two tiles"


def test_plain_gradients_are_finite():
    """NaN on both sides would be taken for equal."""
    for case in heads.HEADS:
        model = heads._model(case)
        ids, mask, _ = heads._batch(case)
        logps, entropies, _ = heads._plainly(case, model, ids, mask, {})
        found = heads._gradients(model, heads.SCALARS["both"](logps, entropies)).values()
        assert all(one.isfinite().all() for one in found if one is not None), case.name


def test_a_case_reaches_beyond_one_tile():
    # TRL's tiles: 32,768 words, 4,096 positions
    assert heads.SEVERAL_TILES > utils._CHUNKED_LOGPROB_CHUNK_SIZE
    high = [case for case in heads.HEADS if case.rows * (case.length - 1) > chunked_logprob.TOKEN_CHUNK_SIZE]
    assert [case.family for case in high] == ["Llama", "Phi"]
