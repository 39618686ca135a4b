"""What TRL's weight sync to vLLM does to the frozen weights under an adapter: docs/lora-and-vllm.md."""

import contextlib
import types

import torch
import yaml
from peft import LoraConfig, get_peft_model
from places import RECIPES, TINY
from transformers import AutoModelForCausalLM
from trl.generation.vllm_generation import VLLMGeneration

WIDTH = 3584  # of Qwen2.5-7B
CONFIGS = sorted((RECIPES / "configs").rglob("*.yaml"))


def synced(model):
    """What TRL would send to vLLM, by its own code: it merges the adapter in place, and subtracts it again."""
    stand_in = types.SimpleNamespace(
        model=model,
        _dist=types.SimpleNamespace(gather_params=lambda _: contextlib.nullcontext(), is_fsdp=False),
        _fix_param_name_to_vllm=lambda name, **_: name,
    )
    return {name: weights.clone() for name, weights in VLLMGeneration._iter_named_params(stand_in)}


def frozen(model):
    return {name: weights for name, weights in model.named_parameters() if "lora_" not in name}


def drift(dtype, steps=60):
    """How far the frozen weights are from where they began after steps with a sync each, relative to their norm."""
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_pretrained(TINY, dtype=dtype)
    model = get_peft_model(model, LoraConfig(r=16, lora_alpha=32, target_modules="all-linear"))
    begun = {name: weights.detach().double().clone() for name, weights in frozen(model).items()}
    # a hundredfold learning rate, so that an adapter of 60 steps is as large as one of some thousands
    optimizer = torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=1e-3)
    ids = torch.randint(10, 400, (4, 32))
    for _ in range(steps):
        with torch.autocast("cpu", torch.bfloat16):
            model(input_ids=ids, labels=ids).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        sent = synced(model)
    assert not any("lora_" in name for name in sent)
    changed = sum((weights.double() - begun[name]).norm() ** 2 for name, weights in frozen(model).items())
    return float((changed / sum(weights.norm() ** 2 for weights in begun.values())).sqrt())


def test_frozen_weights_in_bfloat16_drift_and_in_float32_stay():
    assert drift(torch.bfloat16) > 1e-3
    assert drift(torch.float32) < 1e-6


def test_no_configuration_has_an_adapter_on_bfloat16_with_vllm():
    said = {path.stem: yaml.safe_load(path.read_text()) for path in CONFIGS}
    merged = {name for name, one in said.items() if one.get("use_peft") and one.get("use_vllm")}
    assert merged == {"qwen2.5-1.5b-lora", "qwen2.5-7b-lora"}
    assert {said[name]["dtype"] for name in merged} == {"float32"}


def moved(dtype, learning_rate, steps=300):
    """The share of the entries of A that are not where they began, as TRL trains an adapter beside 4 bits."""
    torch.manual_seed(0)
    bound = WIDTH**-0.5  # as peft begins
    a = torch.nn.Parameter(torch.empty(8, WIDTH).uniform_(-bound, bound).to(dtype))
    b = torch.nn.Parameter(torch.zeros(64, 8, dtype=dtype))
    begun, optimizer = a.detach().clone(), torch.optim.AdamW([a, b], lr=learning_rate, weight_decay=0)
    wanted = 0.01 * torch.randn(WIDTH, 64)
    for _ in range(steps):
        inputs = torch.randn(16, WIDTH)
        with torch.autocast("cpu", torch.bfloat16):
            loss = (inputs @ a.T @ b.T - inputs @ wanted).float().pow(2).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([a, b], 0.2)
        optimizer.step()
        optimizer.zero_grad()
    return (a != begun).float().mean().item()


def test_an_adapter_in_bfloat16_needs_the_learning_rate_of_the_configuration_to_move():
    rate = yaml.safe_load((RECIPES / "configs" / "gsm8k" / "qwen2.5-7b-qlora.yaml").read_text())["learning_rate"]
    assert moved(torch.bfloat16, 1e-5) < 0.3
    assert moved(torch.bfloat16, rate) > 0.9
    assert moved(torch.float32, 1e-5) > 0.99
