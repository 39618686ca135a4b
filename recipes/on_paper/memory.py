"""The bytes that a training takes on each GPU, by a formula."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from on_paper.headers import Launch
from on_paper.shapes import Shape

__all__ = ["PROMPT", "at_once", "bytes_on_each"]

PROMPT = 512  # tokens
TILE = 2 * 4096 * 32768 * 4  # bytes: TRL scores 4,096 tokens by 32,768 words at once, in float32, with a gradient
SMALL = {  # bytes of a weight that is stored in 4 bits, with a float32 scale for 64 of them, or with scaled scales
    False: 0.5 + 4 / 64,
    True: 0.5 + 1 / 64 + 4 / (64 * 256),
}


def bytes_on_each(settings: Mapping[str, Any], launch: Launch, shape: Shape) -> dict[str, float]:
    """The bytes on each GPU, by what they are for.

    N processes, P parameters, A of an adapter, in bytes:

    - trained: 16 P (weight, gradient, two moments of AdamW in float32; the same sum in other parts with DeepSpeed);
      20 P under DDP, whose buckets hold the gradients again; ZeRO-2: 2 P + 14 P / N; ZeRO-3 and FSDP2: 16 P / N, and 2
      for each weight of the embeddings and of two layers, which are gathered. An adapter: 16 A, or 8 A beside a model
      in 4 bits, where TRL makes it bfloat16.
    - frozen: under an adapter 2 P, or 4 bits and their scales for the matrices of the layers; a reference, with
      ``beta`` and no adapter, 4 P, 2 P with ZeRO-2, 4 P / N with ZeRO-3 and FSDP2.
    - activations: what checkpointing keeps of a layer, its input, for each token and layer, and one layer in full with
      its gradients, for the tokens of a micro-batch; and the tiles in which TRL scores tokens.
    - generation: keys and values of all completions that a process samples at once; with vLLM beside the training, its
      share of the GPU; 0 where it is a server's.

    Prompts are taken to have ``PROMPT`` tokens.
    """
    return {
        "trained": trained(settings, launch, shape),
        "frozen": frozen(settings, launch, shape),
        "activations": activations(settings, launch, shape),
        "generation": generation(settings, launch, shape),
    }


def at_once(settings: Mapping[str, Any], part: Mapping[str, float]) -> float:
    """What of these parts is there at one time: sampling and training follow each other in the same memory, unless vLLM
    keeps its own."""
    later = part["activations"], part["generation"]
    asleep = not settings["use_vllm"] or settings["vllm_enable_sleep_mode"]
    return part["trained"] + part["frozen"] + (max(later) if asleep else sum(later))


def trained(settings: Mapping[str, Any], launch: Launch, shape: Shape) -> float:
    many = launch.processes
    if settings["use_peft"]:
        adapter = shape.adapter(settings["lora_r"])
        return adapter * (8 if settings["load_in_4bit"] else 16) / (many if launch.sharing == "sharded" else 1)
    if launch.sharing == "zero2":
        return shape.parameters * (2 + 14 / many)
    if launch.sharing == "sharded":
        gathered = shape.embeddings + 2 * shape.linear / shape.layers
        return 16 * shape.parameters / many + 2 * gathered
    return shape.parameters * (16 if many == 1 else 20)


def frozen(settings: Mapping[str, Any], launch: Launch, shape: Shape) -> float:
    share = 1 / launch.processes if launch.sharing == "sharded" else 1.0
    if settings["load_in_4bit"]:
        return SMALL[settings["use_bnb_nested_quant"]] * shape.linear + 2 * (shape.parameters - shape.linear)
    if settings["use_peft"]:
        return 2 * shape.parameters * share
    if not settings["beta"]:
        return 0.0
    return shape.parameters * (2 if launch.sharing == "zero2" else 4) * share


def activations(settings: Mapping[str, Any], launch: Launch, shape: Shape) -> float:
    tokens: int = settings["per_device_train_batch_size"] * (PROMPT + settings["max_completion_length"])
    wide = 2 if settings["use_peft"] or launch.sharing in ("zero2", "sharded") else 4  # bytes between layers
    inside = 2 * (2 * shape.width + 2 * shape.queries + 2 * shape.keys + 4 * shape.inner) + 2 * wide * shape.width
    kept = shape.width * wide if settings["gradient_checkpointing"] else inside
    return tokens * (shape.layers * kept + 2 * inside) + TILE


def generation(settings: Mapping[str, Any], launch: Launch, shape: Shape) -> float:
    if settings["use_vllm"]:
        return (
            float(settings["vllm_gpu_memory_utilization"]) * launch.gpu * 1e9
            if settings["vllm_mode"] == "colocate"
            else 0.0
        )
    number = 2 if settings["use_peft"] or launch.sharing in ("zero2", "sharded") else 4
    tokens = rows(settings, launch.processes) * (PROMPT + int(settings["max_completion_length"]))
    return tokens * 2 * shape.layers * shape.keys * number


def rows(settings: Mapping[str, Any], processes: int) -> int:
    """How many completions a process samples at once."""
    if together := settings["generation_batch_size"] or (
        not settings["steps_per_generation"] and settings["completions_per_step"]
    ):
        return int(together) // processes
    times = settings["steps_per_generation"] or settings["gradient_accumulation_steps"]
    return int(settings["per_device_train_batch_size"] * times)
