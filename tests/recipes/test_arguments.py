"""The command line of a recipe: what wins, how large a step is on any number of processes, and a model's precision."""

from pathlib import Path

import gsm8k
import pytest
import torch
from other_machine import as_on_gpus
from stopped_recipe import settings
from tables import each_row
from training.arguments import peek
from trl import GRPOConfig, get_quantization_config


def test_the_command_line_wins_over_the_yaml_and_the_yaml_over_the_defaults(tmp_path):
    config = tmp_path / "some.yaml"
    config.write_text("learning_rate: 5.0e-5\nmax_steps: 7\nreward_funcs: boxed_answer\n")
    script_arguments, training, model = settings(gsm8k, ["--config", str(config), "--max_steps", "9"])
    assert (training.learning_rate, training.max_steps) == (5e-5, 9)
    assert (training.num_generations, training.lr_scheduler_type) == (8, "constant")  # the tiny model's own
    assert script_arguments.reward_funcs == ["boxed_answer"]
    assert model.model_name_or_path.endswith("tiny_word_problems")
    assert settings(gsm8k, [f"--config={config}"])[1].max_steps == 7


def test_a_named_model_does_not_get_the_tiny_models_settings():
    _, training, _ = settings(gsm8k, ["--model_name_or_path", "Qwen/Qwen2.5-0.5B-Instruct", "--max_steps", "3"])
    assert training.learning_rate == GRPOConfig(output_dir="x", use_cpu=True, bf16=False).learning_rate
    assert training.output_dir == str(Path("outputs") / "Qwen2.5-0.5B-Instruct-word_problems")


NAMED = ["--model_name_or_path", "Qwen/Qwen2.5-0.5B-Instruct", "--per_device_train_batch_size", "16"]


@pytest.mark.parametrize(("count", "micro_steps"), [(1, 32), (4, 8), (8, 4), (32, 1)])
def test_a_step_is_the_same_on_any_number_of_processes(count, micro_steps, monkeypatch):
    as_on_gpus(monkeypatch, count)
    script, training, _ = settings(gsm8k, [*NAMED, "--completions_per_step", "512"])
    assert script.completions_per_step == 512
    assert training.gradient_accumulation_steps == micro_steps  # 512 / (16 * count)
    assert training.generation_batch_size == 512


def test_it_reads_the_batch_from_the_yaml_too_and_the_command_line_wins(tmp_path, monkeypatch):
    as_on_gpus(monkeypatch, 2)
    config = tmp_path / "some.yaml"
    config.write_text("completions_per_step: 256\nper_device_train_batch_size: 8\n")
    assert settings(gsm8k, ["--config", str(config)])[1].gradient_accumulation_steps == 16
    more = ["--config", str(config), "--per_device_train_batch_size", "32", "--completions_per_step", "64"]
    assert settings(gsm8k, more)[1].gradient_accumulation_steps == 1


def test_the_tiny_model_keeps_its_own_batch_and_takes_another(monkeypatch):
    as_on_gpus(monkeypatch, 2)
    assert settings(gsm8k, [])[1].generation_batch_size == 128
    assert settings(gsm8k, ["--completions_per_step", "256"])[1].gradient_accumulation_steps == 2  # of 2 * 64


def test_steps_that_cannot_be_shared_out_are_reported(monkeypatch):
    as_on_gpus(monkeypatch, 3)
    with pytest.raises(SystemExit, match=r"512 is no multiple of 48, which 3 processes with .*_size 16 train on at"):
        settings(gsm8k, [*NAMED, "--completions_per_step", "512"])
    with pytest.raises(SystemExit, match="0 is no multiple of 48"):
        settings(gsm8k, [*NAMED, "--completions_per_step", "0"])
    with pytest.raises(SystemExit, match="give one of the two"):
        settings(gsm8k, [*NAMED, "--completions_per_step", "48", "--gradient_accumulation_steps", "1"])
    with pytest.raises(SystemExit):
        settings(gsm8k, [*NAMED, "--completions_per_step", "many"])


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
