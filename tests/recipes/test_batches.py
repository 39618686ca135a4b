"""A step has as many completions as it is told to have, on however many processes."""

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import gsm8k
from other_machine import as_on_gpus
from stopped_recipe import settings

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
