"""What TRL, transformers and torch take is told from what they refuse by these themselves."""

import pytest
from training.checks import KNOWN, refused
from trl import GRPOConfig

from grpo_rewards.loss import LOSS_TYPES


def config(tmp_path, **settings):
    return GRPOConfig(str(tmp_path), use_cpu=True, bf16=False, **settings)


def test_the_known_losses_are_those_of_the_oracle_and_a_newer_trls_stand_in_its_code(tmp_path):
    assert set(KNOWN["loss_type"]) == set(LOSS_TYPES)  # written from the papers
    (said,) = refused(config(tmp_path, loss_type="grpoo"))
    assert "loss_type grpoo is unknown; did you mean 'grpo'? Known: bnpo, cispo" in said
    assert list(refused(config(tmp_path, loss_type="eval"))) == []  # a text that the trainer's module has


@pytest.mark.parametrize(
    "settings",
    [
        *({"loss_type": name} for name in LOSS_TYPES),
        # as a YAML may have them
        *({"scale_rewards": False}, {"temperature": 1}, {"repetition_penalty": 1}, {"top_p": 1}, {"min_p": 0.0}),
        *({"top_k": 0}, {"top_k": 50}, {"generation_kwargs": {"no_repeat_ngram_size": 2, "temperature": 0.7}}),
        *({"use_vllm": True, "top_k": -1}, {"use_vllm": True, "generation_kwargs": {"logit_bias": {1: 2.0}}}),
        {"lr_scheduler_type": "cosine_with_min_lr", "lr_scheduler_kwargs": {"min_lr": 1e-6}},
        {"optim": "adafactor"},
    ],
    ids=str,
)
def test_what_they_take_is_let_through(settings, tmp_path):
    assert list(refused(config(tmp_path, **settings))) == []
