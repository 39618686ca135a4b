"""A configuration of each kind trains a model of its architecture with about a hundredth of the weights, for two steps.

What a CPU cannot do is left out: vLLM, bfloat16, the data sets on the hub. Everything else of a file is as it stands.
"""

import gsm8k
import pytest
import torch
import yaml
from known_models import MODELS, PARAMETERS
from peft import PeftModel
from places import RECIPES, TINY
from transformers import AutoModelForCausalLM, AutoTokenizer, Qwen2Config, Qwen3Config
from trl import GRPOTrainer

# width, layers, heads, heads of keys and values, width of a head, inner width
SMALL = {
    "Qwen/Qwen2.5-0.5B-Instruct": (Qwen2Config, 224, 6, 14, 2, 16, 1216),  # a quarter of each
    "Qwen/Qwen3-1.7B": (Qwen3Config, 512, 4, 8, 4, 64, 1536),  # a quarter of widths, a seventh of the layers
}


def small_model(name, folder):
    """A model of the architecture with the vocabulary of the tiny one, in a folder; returns how many weights it has."""
    kind, width, layers, heads, keys, head, inner = SMALL[name]
    tokenizer = AutoTokenizer.from_pretrained(TINY)
    config = kind(
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=keys,
        intermediate_size=inner,
        vocab_size=len(tokenizer),
        tie_word_embeddings=MODELS[name].tie_word_embeddings,
        max_position_embeddings=512,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        **({"head_dim": head} if kind is Qwen3Config else {}),
    )
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return model.num_parameters()


def cut_down(config, folder):
    """The configuration for two steps of the small model on generated problems, and what of it is as it was."""
    said = yaml.safe_load((RECIPES / "configs" / config).read_text())
    weights = small_model(said["model_name_or_path"], folder / "model")
    assert 0.005 < weights / PARAMETERS[said["model_name_or_path"]] < 0.02
    left_out = ("dataset_", "vllm_", "use_vllm", "eval_steps", "report_to")
    kept = {name: value for name, value in said.items() if not name.startswith(left_out)}
    shorter = {"max_completion_length": 12, "completions_per_step": 16, "per_device_train_batch_size": 4}
    if "generation_batch_size" in said:  # the same share of a step
        shorter["generation_batch_size"] = 16 * said["generation_batch_size"] // said["completions_per_step"]
    shorter |= {"max_steps": 2, "save_steps": 2, "eval_size": 0}
    shorter |= {"model_name_or_path": str(folder / "model"), "output_dir": str(folder / "out"), "warmup_steps": 0}
    # of untrained weights nothing is right or well formed: repetition varies, so that there is something to learn from
    rewards = [spec.split("(")[0] for spec in said["reward_funcs"]]
    bound = "soft_overlong(max_tokens=12, buffer=4)"
    shorter |= {"reward_funcs": [bound if name == "soft_overlong" else name for name in rewards] + ["repetition"]}
    shorter |= {"reward_weights": [*said["reward_weights"], 1.0]}
    path = folder / "cut_down.yaml"
    path.write_text(yaml.safe_dump({**kept, **shorter}))
    return path, kept


def trained(config, tmp_path, monkeypatch):
    """The trainer after two steps, the weights before them, and what the configuration says."""
    seen = {}

    class Seen(GRPOTrainer):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            before = {name: weights.detach().clone() for name, weights in self.model.named_parameters()}
            seen.update(trainer=self, before=before)

    path, kept = cut_down(config, tmp_path)
    monkeypatch.chdir(tmp_path)
    gsm8k.main(["--config", str(path)], Seen)
    trainer = seen["trainer"]
    assert trainer.state.global_step == 2
    assert all(log["grad_norm"] > 0 for log in trainer.state.log_history if "grad_norm" in log)
    after = dict(trainer.model.named_parameters())
    moved = {name for name, weights in seen["before"].items() if not torch.equal(weights, after[name])}
    return trainer, moved, kept


@pytest.mark.full
def test_all_weights_of_qwen2(tmp_path, monkeypatch):
    trainer, moved, kept = trained("gsm8k/qwen2.5-0.5b.yaml", tmp_path, monkeypatch)
    assert moved == {name for name, _ in trainer.model.named_parameters()}
    assert trainer.model.config.model_type == "qwen2"
    assert (trainer.args.learning_rate, trainer.args.loss_type) == (kept["learning_rate"], kept["loss_type"])
    assert trainer.args.gradient_accumulation_steps == 4  # 16 completions, 4 at once
    assert trainer.args.steps_per_generation == 2  # which are sampled in two halves


@pytest.mark.full
def test_an_adapter_on_every_matrix(tmp_path, monkeypatch):
    trainer, moved, kept = trained("gsm8k/qwen2.5-0.5b-lora.yaml", tmp_path, monkeypatch)
    assert isinstance(trainer.model, PeftModel)
    matrices = "q_proj k_proj v_proj o_proj gate_proj up_proj down_proj".split()
    # B begins at 0, so that in the first step A has no gradient
    assert {name.split(".")[-4] for name in moved if "lora_B" in name} == set(matrices)
    assert all("lora_" in name for name in moved)
    assert len([name for name in moved if "lora_B" in name]) == 7 * 6
    assert trainer.model.peft_config["default"].r == kept["lora_r"]
    base = {weights.dtype for name, weights in trainer.model.named_parameters() if "lora_" not in name}
    assert base == {torch.bfloat16}
    assert (tmp_path / "out" / "adapter_model.safetensors").is_file()


@pytest.mark.full
def test_gradient_checkpointing_of_qwen3_that_thinks(tmp_path, monkeypatch):
    trainer, moved, kept = trained("gsm8k/qwen3-1.7b-thinking.yaml", tmp_path, monkeypatch)
    assert trainer.model.config.model_type == "qwen3"
    assert trainer.model.is_gradient_checkpointing
    assert moved == {name for name, _ in trainer.model.named_parameters()}
    assert trainer.chat_template_kwargs == kept["chat_template_kwargs"] == {"enable_thinking": True}
