"""Says what a configuration takes of the memory of each GPU, on paper: no weights are loaded.

    python recipes/memory.py recipes/configs/math/qwen2.5-7b.yaml

It counts any model that transformers can build, by the model's own config.json. GPUs, processes and how they share the
model are those of the launch line in the file's header. CUDA's context, fragmentation and the buffers of NCCL are left
out: the configurations that are there leave a tenth of a GPU for them.
"""

from training import arguments  # isort: skip  # not found? Copy this beside gsm8k.py, or set PYTHONPATH

import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch
import yaml
from transformers import AutoConfig, AutoModelForCausalLM
from trl import GRPOConfig, ModelConfig

ROOT = Path(__file__).resolve().parents[1]
MULTI_NODE = "recipes/accelerate/multi_node.yaml"  # what multi_node.slurm launches with
PROMPT = 512  # tokens
TILE = 2 * 4096 * 32768 * 4  # bytes: TRL scores 4,096 tokens by 32,768 words at once, in float32, with a gradient
SMALL = {  # bytes of a weight that is stored in 4 bits, with a float32 scale for 64 of them, or with scaled scales
    False: 0.5 + 4 / 64,
    True: 0.5 + 1 / 64 + 4 / (64 * 256),
}


@dataclass(frozen=True)
class Shape:
    """What the memory of a model depends on.

    Attributes:
        parameters: its weights, each counted once.
        embeddings: those of the embedding and, if it is a matrix of its own, of the output.
        linear: those in the matrices of the layers, which are stored in 4 bits and get adapters.
        sides: the sum of both sides of these matrices: the weights of an adapter of rank 1.
        layers, width: of the model.
        queries, keys: heads times the width of one.
        inner: the width inside a layer.
    """

    parameters: int
    embeddings: int
    linear: int
    sides: int
    layers: int
    width: int
    queries: int
    keys: int
    inner: int


def shape_of(config: Any) -> Shape:
    """The shape of a model by its configuration. The model is built without its weights."""
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    text = config.get_text_config()
    head = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
    ends = {id(one.weight): one.weight for one in (model.get_input_embeddings(), model.get_output_embeddings())}
    linear = [
        one for one in model.modules() if isinstance(one, torch.nn.Linear) and id(one.weight) not in ends
    ]  # without the output, which gets no adapter
    return Shape(
        parameters=sum(weights.numel() for weights in model.parameters()),
        embeddings=sum(weights.numel() for weights in ends.values()),
        linear=sum(one.weight.numel() for one in linear),
        sides=sum(one.in_features + one.out_features for one in linear),
        layers=text.num_hidden_layers,
        width=text.hidden_size,
        queries=text.num_attention_heads * head,
        keys=(getattr(text, "num_key_value_heads", None) or text.num_attention_heads) * head,
        inner=getattr(text, "intermediate_size", None) or 4 * text.hidden_size,
    )


@dataclass(frozen=True)
class Launch:
    """A launch line, and the machine that it is for.

    Attributes:
        words: the line, split as a shell splits it.
        accelerate: accelerate's configuration.
        processes: how many are started, on all machines.
        sharing: how they share the model: ``"copies"``, ``"zero2"`` or ``"sharded"``.
        gpus: how many GPUs the header names, those of a server among them.
        gpu: the memory of one of them, in GB; both are 0 on a CPU.
    """

    words: tuple[str, ...]
    accelerate: dict[str, Any]
    processes: int
    sharing: str
    gpus: int
    gpu: int


def header_of(config: Path) -> str:
    """The comment at the head of a file, without its number signs."""
    lines = config.read_text(encoding="utf-8").splitlines()
    head = next((number for number, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return "\n".join(line.lstrip("#")[1:] for line in lines[:head])


def launch_of(config: Path) -> Launch:
    """How a configuration is launched; ends the program with a message where its header does not say so."""
    header = header_of(config)
    line = re.search(r"^ *((?:[A-Z_]+=\S+ )*(?:accelerate launch|sbatch) (?:.*\\\n)*.*)$", header, re.MULTILINE)
    machine = re.search(r"^Hardware: (?:(\d+) GPUs? with (\d+) GB|a CPU)", header, re.MULTILINE)
    if line is None or machine is None:
        sys.exit(f"error: the header of {config} has no launch line, or no 'Hardware: 8 GPUs with 80 GB'.")
    words = shlex.split(line[1].replace("\\\n", " "))
    accelerate: dict[str, Any] = yaml.safe_load((ROOT / accelerate_file(words)).read_text(encoding="utf-8"))
    sharing = "copies"
    if accelerate["distributed_type"] == "FSDP":
        sharing = "sharded"
    elif accelerate["distributed_type"] == "DEEPSPEED":
        sharing = {2: "zero2", 3: "sharded"}[accelerate["deepspeed_config"]["zero_stage"]]
    return Launch(
        words=tuple(words),
        accelerate=accelerate,
        processes=int(option(words, "--num_processes") or accelerate["num_processes"]),
        sharing=sharing,
        gpus=int(machine[1] or 0),
        gpu=int(machine[2] or 0),
    )


def accelerate_file(words: list[str]) -> str:
    """The configuration of accelerate that a launch line names."""
    named = MULTI_NODE if "sbatch" in words else option(words, "--config_file")
    return named or sys.exit(f"error: no --config_file in {shlex.join(words)!r}.")


def option(words: list[str], name: str) -> str | None:
    """The value of an option in a launch line."""
    return words[words.index(name) + 1] if name in words else None


def bytes_on_each(settings: Mapping[str, Any], launch: Launch, shape: Shape) -> dict[str, float]:
    """The bytes on each GPU, by what they are for.

    N processes, P parameters, A of an adapter, in bytes:

    - trained: 16 P (weight, gradient, two moments of AdamW in float32; the same sum in other parts with DeepSpeed);
      20 P under DDP, whose buckets hold the gradients again; ZeRO-2: 2 P + 14 P / N; ZeRO-3 and FSDP2: 16 P / N, and 2
      for each weight of the embeddings and of two layers, which are gathered. An adapter: 16 A, or 8 A beside a model
      in 4 bits, where TRL makes it bfloat16.
    - frozen: under an adapter 2 P in bfloat16 and 4 P in float32, or 4 bits and their scales for the matrices of the
      layers; a reference, with ``beta`` and no adapter, 4 P, 2 P with ZeRO-2, 4 P / N with ZeRO-3 and FSDP2.
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
    return part["trained"] + part["frozen"] + (max(later) if takes_turns(settings) else sum(later))


def takes_turns(settings: Mapping[str, Any]) -> bool:
    """Whether training uses the memory in which completions were sampled."""
    return not settings["use_vllm"] or bool(settings["vllm_enable_sleep_mode"])


def trained(settings: Mapping[str, Any], launch: Launch, shape: Shape) -> float:
    many = launch.processes
    if settings["use_peft"]:
        adapter = int(settings["lora_r"]) * shape.sides
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
        return (4 if settings["dtype"] == "float32" else 2) * shape.parameters * share
    if not settings["beta"]:
        return 0.0
    return shape.parameters * (2 if launch.sharing == "zero2" else 4) * share


def bytes_between(settings: Mapping[str, Any], launch: Launch) -> int:
    """The bytes of a number between layers, and of one in a key or a value."""
    in_float32 = settings["dtype"] == "float32" if settings["use_peft"] else launch.sharing == "copies"
    return 4 if in_float32 else 2


def activations(settings: Mapping[str, Any], launch: Launch, shape: Shape) -> float:
    tokens: int = settings["per_device_train_batch_size"] * (PROMPT + settings["max_completion_length"])
    wide = bytes_between(settings, launch)
    inside = 2 * (2 * shape.width + 2 * shape.queries + 2 * shape.keys + 4 * shape.inner) + 2 * wide * shape.width
    kept = shape.width * wide if settings["gradient_checkpointing"] else inside
    return tokens * (shape.layers * kept + 2 * inside) + TILE


def generation(settings: Mapping[str, Any], launch: Launch, shape: Shape) -> float:
    if settings["use_vllm"]:
        beside = settings["vllm_mode"] == "colocate"
        return float(settings["vllm_gpu_memory_utilization"]) * launch.gpu * 1e9 if beside else 0.0
    tokens = rows(settings, launch.processes) * (PROMPT + int(settings["max_completion_length"]))
    return tokens * 2 * shape.layers * shape.keys * bytes_between(settings, launch)


def rows(settings: Mapping[str, Any], processes: int) -> int:
    """How many completions a process samples at once."""
    step = settings["completions_per_step"]
    if together := settings["generation_batch_size"] or (not settings["steps_per_generation"] and step):
        return int(together) // processes
    times = settings["steps_per_generation"] or settings["gradient_accumulation_steps"]
    return int(settings["per_device_train_batch_size"] * times)


def read(config: Path) -> dict[str, Any]:
    """The settings of a configuration, and the defaults of TRL and of the recipes for what it does not set."""
    kinds = (GRPOConfig, ModelConfig, arguments.ScriptArguments)
    found = arguments.read_yaml(config)
    return {one.name: one.default for kind in kinds for one in fields(kind)} | found


def describe(config: Path) -> str:
    """One line, as it is in the header of each configuration."""
    settings, launch = read(config), launch_of(config)
    try:
        model = AutoConfig.from_pretrained(settings["model_name_or_path"])
    except (OSError, ValueError) as error:
        sys.exit(f"error: no config.json of {settings['model_name_or_path']}: {str(error).splitlines()[0]}")
    part = {name: round(number / 1e9, 1) for name, number in bytes_on_each(settings, launch, shape_of(model)).items()}
    sampling = "vLLM" if settings["use_vllm"] else "keys and values"
    later = f"{part['activations']} activations", f"{part['generation']} {sampling}"
    either = f"the larger of {later[0]} and {later[1]}" if takes_turns(settings) else " + ".join(later)
    total = at_once(settings, part)
    return f"{part['trained']} trained + {part['frozen']} frozen + {either} = {total:.1f} of {launch.gpu} GB"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python recipes/memory.py CONFIG.yaml …")
    for path in map(Path, sys.argv[1:]):
        print(f"{path}: {describe(path)}")
