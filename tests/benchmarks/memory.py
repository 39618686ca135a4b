"""The memory that the models of PPO and of GRPO hold, counted on a small model after one step of AdamW.

    python tests/benchmarks/memory.py [--model DIR]

Weights, gradients and the optimizer's state, in bytes, as they lie in memory; no activations. In float32.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSequenceClassification

TINY = Path(__file__).parents[2] / "recipes" / "embedded" / "tiny_word_problems"
MIB = 2**20


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=str(TINY), help="folder of a model's configuration")
    config = AutoConfig.from_pretrained(parser.parse_args(arguments).model)
    config.num_labels, config.pad_token_id = 1, config.pad_token_id or 0
    torch.manual_seed(0)
    policy, reference = (AutoModelForCausalLM.from_config(config, dtype=torch.float32) for _ in range(2))
    critic, judge = (AutoModelForSequenceClassification.from_config(config, dtype=torch.float32) for _ in range(2))
    models = {"policy, trained": policy, "critic, trained": critic, "reference": reference, "reward model": judge}
    held = {
        name: trained(model) if name.endswith("trained") else size(model.parameters()) for name, model in models.items()
    }
    print(f"{sum(one.numel() for one in policy.parameters()):,} parameters, torch {torch.__version__}\n")
    print("| | MiB | bytes for each parameter |\n|---|---|---|")
    for name, number in held.items():
        parameters = sum(one.numel() for one in models[name].parameters())
        print(f"| {name} | {number / MIB:.2f} | {number / parameters:.1f} |")
    total = sum(held.values())
    with_reference = held["policy, trained"] + held["reference"]
    print(f"| PPO | {total / MIB:.2f} | |")
    print(f"| GRPO, β > 0 | {with_reference / MIB:.2f} | |")
    print(f"| GRPO, β = 0 | {held['policy, trained'] / MIB:.2f} | |")


def trained(model: torch.nn.Module) -> int:
    """Bytes of a model's weights, gradients and moments after one step."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    output = model(input_ids=torch.ones(1, 4, dtype=torch.long))
    output.logits.float().square().sum().backward()
    optimizer.step()
    moments = (value for state in optimizer.state.values() for value in state.values() if torch.is_tensor(value))
    gradients = (one.grad for one in model.parameters() if one.grad is not None)
    return size(model.parameters()) + size(gradients) + size(moments)


def size(tensors: Iterable[torch.Tensor]) -> int:
    return sum(one.numel() * one.element_size() for one in tensors)


if __name__ == "__main__":
    main()
