"""What the settings make of a quantized model: bitsandbytes is not needed to see what it would be asked for."""

import pytest
from tables import each_row

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import gsm8k
import torch
from stopped_recipe import settings
from training.arguments import peek
from trl import get_quantization_config

QLORA = ["--use_peft", "--load_in_4bit", "--use_cpu", "true"]
HALF = ["--bf16", "true"]


@each_row(
    "arguments, dtype",
    [
        (HALF, "bfloat16"),
        ([*HALF, "--dtype", "auto"], "bfloat16"),  # TRL would pass it on, and bitsandbytes knows no such type
        ([*HALF, "--dtype", "float32"], "float32"),  # asked for
        (["--bf16", "false", "--fp16", "true"], "float16"),
        (["--bf16", "false"], "float32"),
    ],
)
def test_a_quantized_model_computes_in_what_the_run_trains_in(arguments, dtype):
    _, training, model = settings(gsm8k, [*QLORA, *arguments])
    asked = get_quantization_config(model)
    assert asked.load_in_4bit
    assert asked.bnb_4bit_compute_dtype == getattr(torch, dtype)
    assert training.model_init_kwargs["dtype"] == dtype  # what is not quantized is kept in it


def test_the_yaml_can_ask_for_a_precision_as_well(tmp_path):
    config = tmp_path / "qlora.yaml"
    config.write_text("use_peft: true\nload_in_4bit: true\nbf16: true\nuse_cpu: true\n")
    assert settings(gsm8k, ["--config", str(config)])[2].dtype == "bfloat16"
    config.write_text(config.read_text() + "dtype: float32\n")
    assert settings(gsm8k, ["--config", str(config)])[2].dtype == "float32"


def test_a_model_that_is_not_quantized_keeps_its_precision():
    _, training, model = settings(gsm8k, ["--use_cpu", "true", *HALF])
    assert (model.dtype, training.model_init_kwargs["dtype"]) == ("float32", "float32")
    assert get_quantization_config(model) is None


@each_row(
    "line, said", [("--use_cpu", "true"), ("--use_cpu --seed 1", "true"), ("--use_cpu false", "false"), ("", None)]
)
def test_a_field_that_is_on_needs_no_value(line, said):
    assert peek(line.split(), ("use_cpu",))["use_cpu"] == said
