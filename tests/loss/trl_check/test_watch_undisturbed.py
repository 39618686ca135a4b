"""What a watch computes again changes nothing of the run, and is no alarm where a model makes it hard."""

import random

import pytest
import torch
from accelerate.state import AcceleratorState, PartialState
from places import TINY
from tables import tables_beside
from tiny_trainer import trainer, uneven
from transformers import (
    AutoTokenizer,
    LlamaConfig,
    LlamaForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
    OPTConfig,
    OPTForCausalLM,
)
from trl import GRPOTrainer

from grpo_rewards.loss import LossMismatch, watch_loss
from grpo_rewards.loss.trl_check import expected

TABLES = tables_beside(__file__)

SCORE = GRPOTrainer._generate_and_score_completions
TOKENIZER = AutoTokenizer.from_pretrained(str(TINY))
TOKENS = {
    "vocab_size": len(TOKENIZER),
    "pad_token_id": TOKENIZER.pad_token_id,
    "bos_token_id": TOKENIZER.eos_token_id,
    "eos_token_id": TOKENIZER.eos_token_id,
}
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, **TOKENS}
LIKE_LLAMA = {**SMALL, "intermediate_size": 32, "num_key_value_heads": 2, "initializer_range": 0.3}
NOISE = "log-probabilities not in 2, for random numbers in the model"


def opt():
    return OPTForCausalLM(OPTConfig(**SMALL, word_embed_proj_dim=32, ffn_dim=32, max_position_embeddings=128))


def llama(**options):
    return LlamaForCausalLM(LlamaConfig(**{**LIKE_LLAMA, "max_position_embeddings": 256, **options}))


def mixtral():
    return MixtralForCausalLM(MixtralConfig(**LIKE_LLAMA, num_local_experts=4, router_jitter_noise=0.1))


def of(make, folder, given=None, **options):
    torch.manual_seed(0)
    model = make()
    if "beta" in options and not given:  # the reference is loaded from a folder
        model.save_pretrained(folder / "model")
        model = str(folder / "model")
    given = {"model": model, "processing_class": TOKENIZER, "reward_funcs": [uneven], **(given or {})}
    return trainer(folder, given, **{"learning_rate": 1e-3, "max_steps": 2, "max_completion_length": 8, **options})


@pytest.fixture
def own_accelerator():
    """The precision of a test's runs is not that of the next test's, nor of a trainer that other tests share."""
    held = [(one._shared_state, dict(one._shared_state)) for one in (PartialState, AcceleratorState)]
    yield
    for state, before in held:
        state.clear()
        state.update(before)


def ended(run):
    """All that a run leaves: its weights, its log, and the state of the random numbers."""
    own = ("time", "runtime", "per_second", "max_abs_diff")
    logs = [{name: one for name, one in log.items() if not name.endswith(own)} for log in run.state.log_history]
    weights = torch.cat([one.detach().reshape(-1) for one in run.model.parameters()])
    return weights, logs, torch.get_rng_state(), random.getstate()


@pytest.mark.parametrize(
    ("make", "options"),
    [(opt, {}), (mixtral, {}), (llama, {"bf16": True, "beta": 0.1, "num_iterations": 2})],
    ids=["dropout", "jitter", "autocast"],
)
@pytest.mark.usefixtures("own_accelerator")
def test_a_watched_run_is_the_unwatched_one_to_the_bit(make, options, tmp_path):
    # two steps of the same seed; what is drawn or changed beside the run would move the next completions
    ends = []
    for watched in (False, True):
        run = of(make, tmp_path, **options)
        if watched:
            watch_loss(run, every=1)
        run.train()
        ends.append(ended(run))
    (weights, logs, torch_state, python_state), (same_weights, same_logs, same_torch, same_python) = ends
    assert torch.equal(weights, same_weights)
    assert torch.equal(torch_state, same_torch)
    assert python_state == same_python
    assert logs == same_logs


@pytest.mark.parametrize(
    ("make", "options"),
    [(opt, {}), (lambda: llama(attention_dropout=0.1), {}), (mixtral, {}), (llama, {"neftune_noise_alpha": 5.0})],
    ids=["OPT", "attention dropout", "router jitter", "embeddings"],
)
def test_noise_in_a_forward_pass_is_reported_to_hide_the_log_probabilities(make, options, tmp_path):
    run = of(make, tmp_path, **options)
    watch = watch_loss(run, every=1)
    run.train()
    assert NOISE in str(watch)


@pytest.mark.parametrize(
    "rope",
    TABLES["rotary_embeddings_by_length_are_no_alarm_where_a_completion_is_looked_at_in_part"],
    ids=lambda rope: rope["rope_type"],
)
def test_rotary_embeddings_by_length_are_no_alarm_where_a_completion_is_looked_at_in_part(rope, tmp_path, monkeypatch):
    # 30 tokens is where the factors change: the whole row is longer, the part that is looked at is shorter
    monkeypatch.setattr(expected, "TOKENS_AT_MOST", 8)
    parameters = {"rope_theta": 10000.0, **rope}
    longest = 30 if rope["rope_type"] == "dynamic" else 120
    run = of(
        lambda: llama(max_position_embeddings=longest, rope_parameters=parameters),
        tmp_path,
        max_completion_length=40,
        max_steps=2,
        generation_kwargs={"min_new_tokens": 40},
    )
    watch = watch_loss(run, every=1)
    run.train()
    assert "log-probabilities of one completion computed again in 2 micro-batches" in str(watch)


def test_products_in_tf32_are_known_by_either_setting(tmp_path):
    run = of(llama, tmp_path)
    assert expected._is_exact(run)
    torch.set_float32_matmul_precision("high")
    try:
        assert not expected._is_exact(run)
    finally:
        torch.set_float32_matmul_precision("highest")
    products = torch.backends.cuda.matmul
    if hasattr(products, "fp32_precision"):  # with which torch raises an error where the older one is asked
        before, products.fp32_precision = products.fp32_precision, "tf32"
        try:
            assert not expected._is_exact(run)
        finally:
            products.fp32_precision = before


@pytest.mark.parametrize(
    ("kind", "settings", "rate"),
    [
        ("LoraConfig", {"r": 2, "target_modules": ["q_proj"]}, 1.0),  # an adapter begins as nothing
        ("PromptTuningConfig", {"num_virtual_tokens": 4}, 1e-2),
        ("PrefixTuningConfig", {"num_virtual_tokens": 4}, 1e-2),
    ],
)
def test_under_peft_the_reference_is_the_model_without_its_adapter(kind, settings, rate, tmp_path, monkeypatch):
    peft = pytest.importorskip("peft", reason="peft is not installed")
    given = {"peft_config": getattr(peft, kind)(task_type="CAUSAL_LM", **settings)}
    options = {"beta": 0.1, "num_iterations": 2, "learning_rate": rate, "max_steps": 3}
    run = of(llama, tmp_path, given, **options)
    watch = watch_loss(run, every=1)
    run.train()
    assert "reference computed again in 3 micro-batches" in str(watch)
    monkeypatch.setattr(GRPOTrainer, "_generate_and_score_completions", left_on)
    run = of(llama, tmp_path, given, **options)
    watch_loss(run, every=1)
    with pytest.raises(LossMismatch, match="ref_per_token_logps at completion"):
        run.train()


def left_on(self, inputs):
    from contextlib import nullcontext

    from trl.trainer import grpo_trainer

    before, grpo_trainer.use_adapter = grpo_trainer.use_adapter, lambda *_, **__: nullcontext()
    try:
        return SCORE(self, inputs)
    finally:
        grpo_trainer.use_adapter = before


def test_only_the_logits_of_the_tokens_that_are_looked_at_are_computed(tmp_path, monkeypatch):
    monkeypatch.setattr(expected, "TOKENS_AT_MOST", 8)
    run = of(llama, tmp_path)
    seen = []
    inputs = {name: torch.ones(2, 40, dtype=torch.long) for name in ("prompt_ids", "prompt_mask")}
    inputs |= {name: torch.ones(2, 16, dtype=torch.long) for name in ("completion_ids", "completion_mask")}
    run.model.lm_head.register_forward_hook(lambda _, given, logits: seen.append(tuple(logits.shape)))
    with_it = expected.own_logps(run, run.model, inputs, 0)
    monkeypatch.setattr(expected, "_keeps_logits", lambda model: False)
    torch.testing.assert_close(with_it, expected.own_logps(run, run.model, inputs, 0))
    assert seen == [(1, 8, len(TOKENIZER)), (1, 56, len(TOKENIZER))]


@pytest.mark.parametrize("same", [float("nan"), float("-inf")])
def test_what_is_not_finite_on_both_sides_passes_and_on_one_does_not(same, tmp_path):
    run = of(llama, tmp_path)
    inputs, both = {"completion_mask": torch.ones(1, 2)}, torch.tensor([same, -1.0])
    assert expected.compare_logps(run, "logps", both, both.clone(), inputs, 0) == []
    assert expected.compare_logps(run, "logps", both, torch.tensor([-1.0, -1.0]), inputs, 0)
    assert expected.compare_logps(run, "logps", both, torch.tensor([same, -2.0]), inputs, 0)
