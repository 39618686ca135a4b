"""What only a GPU can show: bfloat16 with gradient checkpointing, LoRA, FSDP2, and what rewards take of a step.

Two steps each, of small models but for the last one; recipes/on_a_gpu.py measures all of it at full size.
"""

import time
from dataclasses import replace

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import torch
from measuring.parts import all_weights, fsdp2, lora, rewards
from measuring.place import Place
from measuring.scale import LARGE, SMALL
from on_paper.shapes import Shape

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU that torch can use"),
]

# a twentieth of Qwen2.5-0.5B's weights, with its vocabulary
WIDE = replace(SMALL, shape=Shape(4, 128, 128, 32, 512, 151_936, True, 2 * 128 + 128 + 2 * 32))


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path, WIDE, time.time() + 600)


def test_bfloat16_with_gradient_checkpointing(place):
    found = all_weights(place)  # which raises where the state is another one
    assert found["state"]["device"] == "cuda"
    assert len(found["steps"]) == 2
    assert 0 < found["memory"]["allocated"] <= found["memory"]["reserved"] <= found["memory"]["total"]
    # on paper is an upper bound: it takes prompts to have 512 tokens, and counts a tile of 4,096 of them
    assert found["memory"]["allocated"] < 1.2 * found["on_paper"]


def test_an_adapter(place):
    found = lora(place)
    assert 0 < found["state"]["trained"] < found["state"]["parameters"] / 2
    assert found["memory"]["allocated"] < 1.2 * found["on_paper"]


def test_fsdp2_on_one_process(place):
    state = fsdp2(place)["state"]  # which raises where the weights are not sharded
    assert (state["distributed"], state["fsdp_version"], state["sharded"], state["processes"]) == ("FSDP", 2, True, 1)


@pytest.mark.skipif(
    torch.cuda.is_available() and torch.cuda.get_device_properties(0).total_memory < 40e9,
    reason="256 completions of 512 tokens at once need a GPU of 40 GB",
)
def test_rewards_are_a_hundredth_of_a_step(tmp_path):
    scale = replace(LARGE, steps=2)
    (tmp_path / "run").mkdir()
    found = all_weights(Place(tmp_path / "run", scale, time.time() + 600))
    assert found["parts"]["rewards"] < 0.01 * found["step"]
    # random weights write no answers: what worked solutions cost is measured apart
    cost = rewards(Place(tmp_path, scale, time.time() + 600))
    assert cost["boxed_answer and three more"]["median"] < 0.01 * found["step"]
