"""How much room a run needs, without loading its model, and what happens where there is less."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from tables import each_row, tables_beside

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

from places import TINY
from running.before_loading.disk import checkpoint_bytes, checkpoints_at_once, require_space, require_writable, sizes
from transformers import AutoConfig, AutoModelForCausalLM, Qwen2Config
from trl import GRPOConfig, ModelConfig, get_peft_config

TABLES = tables_beside(__file__)

# Qwen2.5-0.5B-Instruct, as its config.json on the hub has it
QWEN = Qwen2Config(
    architectures=["Qwen2ForCausalLM"],
    hidden_size=896,
    intermediate_size=4864,
    num_hidden_layers=24,
    num_attention_heads=14,
    num_key_value_heads=2,
    tie_word_embeddings=True,
    vocab_size=151936,
    dtype="bfloat16",
)
QWEN_PARAMETERS = 494_032_768  # as its safetensors file on the hub counts them


def training(**settings):
    return GRPOConfig(output_dir="out", use_cpu=True, bf16=False, num_generations=8, **settings)


def test_parameters_are_counted_without_weights():
    assert sizes(QWEN, None) == (QWEN_PARAMETERS, QWEN_PARAMETERS)
    tiny = AutoModelForCausalLM.from_pretrained(TINY)
    assert sizes(AutoConfig.from_pretrained(TINY), None) == (tiny.num_parameters(), tiny.num_parameters())


def test_with_lora_the_adapter_is_counted():
    lora = ModelConfig(use_peft=True, lora_r=8, lora_target_modules=[".*q_proj"])
    # r · (in + out) for each of the 24 layers
    assert sizes(QWEN, get_peft_config(lora)) == (QWEN_PARAMETERS, 24 * 8 * 1792)


def test_an_architecture_of_ones_own_is_not_judged():
    assert sizes(SimpleNamespace(architectures=["MyOwnForCausalLM"]), None) is None
    assert sizes(SimpleNamespace(architectures=None), None) is None


@each_row("settings, model, expected", TABLES["a_checkpoint_takes_what_the_formula_says"])
def test_a_checkpoint_takes_what_the_formula_says(settings, model, expected):
    assert checkpoint_bytes(1000, 1000, training(**settings), ModelConfig(**model), QWEN) == 1000 * expected


@each_row("settings, expected", TABLES["checkpoints_are_counted_as_they_stand_side_by_side"])
def test_checkpoints_are_counted_as_they_stand_side_by_side(settings, expected):
    assert checkpoints_at_once(training(**settings), rows=40) == expected


def test_too_little_room_is_reported_with_the_sum(tmp_path, monkeypatch):
    settings = training(max_steps=100, save_steps=10, save_total_limit=2)
    settings.output_dir = str(tmp_path / "deep" / "out")
    needed = (3 * 3 + 1) * 4 * QWEN_PARAMETERS  # three checkpoints of weights and AdamW's two numbers, and the model
    room = SimpleNamespace(free=needed)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: room if path == tmp_path else None)
    require_space(settings, ModelConfig(), QWEN, rows=40)
    room.free = needed - 1
    with pytest.raises(SystemExit, match=r"3 checkpoints of 5\.93 GB and the model need 19\.76 GB\. Pass another"):
        require_space(settings, ModelConfig(), QWEN, rows=40)
    # what a checkpoint of this run takes already is given back
    old = tmp_path / "deep" / "out" / "checkpoint-10"
    old.mkdir(parents=True)
    (old / "model.safetensors").write_bytes(b"1")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: room)
    require_space(settings, ModelConfig(), QWEN, rows=40)
    with pytest.raises(SystemExit, match="checkpoints of"):  # what is put aside stays where it is
        require_space(settings, ModelConfig(), QWEN, rows=40, staying=[old])


def test_a_folder_that_can_be_made_is_not_made_yet(tmp_path):
    require_writable(tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("where", ["taken", "taken/run"])
def test_a_file_in_the_folders_place_is_named(where, tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(SystemExit, match=r"taken is a file\. Move it away"):
        require_writable(tmp_path / where)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no folder here refuses the administrator too")
def test_a_folder_that_refuses_is_reported():
    with pytest.raises(SystemExit, match="cannot be written"):
        require_writable(Path("/proc/run"))
