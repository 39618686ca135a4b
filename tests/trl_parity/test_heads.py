"""TRL's fused head is held to plain logits: it agrees as it is, and each mistake that is planted in it is noticed."""

import functools

import pytest
import trl
from mutants import some_and_all, unnoticed
from step_mutants import MUTANTS, changed, plant
from trl.kernels import chunked_logprob
from trl.trainer import utils
from whole_step import heads

from grpo_rewards.loss.trl_check.report import Report


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

    with pytest.MonkeyPatch.context() as kept_once:
        for name in ("_model", "_plainly"):
            make = getattr(heads, name)
            kept_once.setattr(
                heads, name, lambda case, *given, make=make, name=name: once((name, case.name), make, case, *given)
            )
        kept_once.setattr(heads, "_gradients", gradients)
        checked()  # all is kept before the first mistake is planted, whichever test comes first
        yield


def checked(stop_at_first=False):
    report = Report(trl="1.16.0", least=heads.LEAST_OF_HEADS, stop_at_first=stop_at_first)
    heads.check_heads(report)
    return report


def test_the_heads_of_the_installed_trl_agree_with_plain_logits():
    report = checked()
    assert (report.mismatches, report.failed, report.short) == ([], {}, {})
    assert len(report.differences) == heads.LEAST_OF_HEADS[heads.FUSED_HEAD]


def put_in(mutant, monkeypatch):
    module = changed(mutant)
    if mutant.module == "chunked_logprob":
        monkeypatch.setattr(utils, "_ChunkedLogProbFunction", module.ChunkedLogProbFunction)
    else:
        monkeypatch.setattr(utils, "add_fused_lm_head", module.add_fused_lm_head)


@some_and_all(MUTANTS["of_head"], 9)
def test_a_mistake_in_the_head_is_noticed(mutants):
    def is_noticed():
        report = checked(stop_at_first=True)
        return report.is_wrong and report.failed == {}  # it is a number that is off

    assert unnoticed(mutants, put_in, is_noticed) == []


@some_and_all(MUTANTS["of_head_settings"], 8)
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
    wide = [case for case in heads.HEADS if case.words > utils._CHUNKED_LOGPROB_CHUNK_SIZE]
    assert [case.family for case in wide] == ["Llama", "Phi"]
    high = [case for case in heads.HEADS if case.rows * (case.length - 1) > chunked_logprob.TOKEN_CHUNK_SIZE]
    assert [case.family for case in high] == ["Llama", "Phi"]
