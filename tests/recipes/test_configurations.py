"""Every configuration under recipes/configs: its fields, its arithmetic, and what its header says."""

import re
from collections import Counter
from pathlib import Path

import pytest
from tables import each_row

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import gsm8k
import torch
import yaml
from memory import describe
from on_paper.headers import accelerate_file, header_of, launch_of, option
from on_paper.memory import rows
from on_paper.shapes import SHAPES
from other_machine import as_on_gpus
from places import RECIPES, ROOT
from stopped_recipe import settings
from training.arguments import ScriptArguments
from transformers import AutoModelForCausalLM, Qwen2Config, Qwen3Config
from trl import GRPOConfig, ModelConfig, TrlParser, get_peft_config, get_quantization_config

from grpo_rewards import check_rewards, get_reward

CONFIGS = sorted((RECIPES / "configs").rglob("*.yaml"))
EACH = pytest.mark.parametrize("config", CONFIGS, ids=[str(path.relative_to(RECIPES / "configs")) for path in CONFIGS])
ON_GPUS = [path for path in CONFIGS if launch_of(path).gpus]
EACH_ON_GPUS = pytest.mark.parametrize("config", ON_GPUS, ids=[f"{path.parent.name}/{path.stem}" for path in ON_GPUS])
KNOWN = {action.dest for action in TrlParser((ScriptArguments, GRPOConfig, ModelConfig))._actions}
ON_MATH = "recipes/competition_math.py"


def read(config):
    return yaml.safe_load(config.read_text())


def settled(config, processes, tmp_path, monkeypatch):
    """The configuration as the recipe reads it, on the machine that its header names."""
    if launch_of(config).gpus:
        as_on_gpus(monkeypatch, processes)
    known = tmp_path / config.name
    known.write_text(yaml.safe_dump({name: value for name, value in read(config).items() if name in KNOWN}))
    return settings(gsm8k, ["--config", str(known)])


def test_there_is_one_for_each_machine_and_method():
    names = {str(path.relative_to(RECIPES / "configs")) for path in CONFIGS}
    for task in ("gsm8k", "math"):
        models = {read(path)["model_name_or_path"] for path in CONFIGS if path.parent.name == task}
        assert set(SHAPES) - models <= {"Qwen/Qwen3-1.7B", "Qwen/Qwen3-4B"}
        assert any("Qwen3" in model for model in models)
    variants = ("dr_grpo", "dapo", "gspo", "cispo", "two_sided", "iterative")
    assert {f"variants/{name}.yaml" for name in variants} <= names
    used = Counter(Path(accelerate_file(list(launch_of(path).words))).name for path in CONFIGS)
    assert set(used) == {path.name for path in (RECIPES / "accelerate").glob("*.yaml")}


@EACH
def test_every_field_is_one_of_the_installed_trl_or_of_the_recipe(config):
    said = read(config)
    assert set(said) - KNOWN == set()
    assert len(re.findall(r"^\w+:", config.read_text(), re.MULTILINE)) == len(said)  # and no field twice


@EACH
def test_the_settings_are_what_trl_accepts_and_the_arithmetic_is_right(config, tmp_path, monkeypatch):
    script, training, model = settled(config, launch_of(config).processes, tmp_path, monkeypatch)
    said = read(config)
    assert {name: getattr(training, name) for name in said if name in GRPOConfig.__dataclass_fields__} == {
        name: value for name, value in said.items() if name in GRPOConfig.__dataclass_fields__
    }
    step = training.per_device_train_batch_size * training.world_size * training.gradient_accumulation_steps
    assert script.completions_per_step in (None, step)
    assert step % training.num_generations == 0
    assert training.generation_batch_size % training.num_generations == 0
    # a step is trained on whole generations, or a generation on whole steps, and saved between generations
    assert step % training.generation_batch_size == 0 or training.generation_batch_size % step == 0
    assert training.save_steps % max(training.generation_batch_size // step, 1) == 0
    assert training.max_steps % training.save_steps == 0
    get_peft_config(model)
    if model.load_in_4bit:
        assert get_quantization_config(model).bnb_4bit_compute_dtype == torch.bfloat16


@EACH
def test_its_rewards_are_there_and_fit(config, tmp_path, monkeypatch):
    script, training, _ = settled(config, launch_of(config).processes, tmp_path, monkeypatch)
    rewards = [get_reward(spec) for spec in script.reward_funcs]
    columns = ["question", "answer", "prompt"]
    check_rewards(rewards, columns=columns, weights=training.reward_weights).raise_for_errors()
    for bound in re.findall(r"max_tokens=(\d+)", " ".join(script.reward_funcs)):
        assert int(bound) == training.max_completion_length
    if training.use_vllm and training.vllm_mode == "colocate":
        assert training.vllm_max_model_length == training.max_completion_length + 1024


@EACH_ON_GPUS
def test_its_comment_counts_problems_and_rounds_as_they_are(config):
    said = read(config)
    found = re.search(
        r"optimisation: (\d+) problems with (\d+) completions each in one step; "
        r"(\d+) steps are ([\d.]+) rounds through the ([\d,]+) problems",
        config.read_text(),
    )
    problems, each, steps = map(int, found.groups()[:3])
    assert (problems * each, each, steps) == (said["completions_per_step"], said["num_generations"], said["max_steps"])
    size = int(found[5].replace(",", ""))
    assert size == {"openai/gsm8k": 7473, "DigitalLearningGmbH/MATH-lighteval": 7500}[said["dataset_name"]]
    assert float(found[4]) == round(steps * problems / size, 1)


@EACH_ON_GPUS
@pytest.mark.parametrize("processes", [1, 2, 4, 8])
def test_a_step_stays_as_it_is_on_other_numbers_of_gpus(config, processes, tmp_path, monkeypatch):
    _, training, _ = settled(config, processes, tmp_path, monkeypatch)
    step = training.per_device_train_batch_size * processes * training.gradient_accumulation_steps
    assert step == read(config)["completions_per_step"]


SOURCED = re.compile(r"^# (GRPO|optimisation|adapters|the reference)\b(.*)$")


@EACH_ON_GPUS
def test_every_value_of_the_method_says_where_it_is_from(config):
    block, cited = "", False
    for line in config.read_text().splitlines():
        if line.startswith("#"):
            heading = SOURCED.match(line)
            block, cited = (heading[1], ":" in heading[2] and block != "optimisation") if heading else (block, cited)
        elif not line:
            block = ""
        elif block and "#" not in line:
            assert cited, f"{block}: {line}"


@EACH
def test_its_launch_line_names_what_is_there(config):
    launch = launch_of(config)
    words = list(launch.words)
    assert option(words, "--config") == str(config.relative_to(ROOT))
    files = [word for word in words if word.startswith("recipes/")]
    assert [word for word in files if not (ROOT / word).is_file()] == []
    script = next(word for word in files if word.endswith(".py"))
    assert (config.parent.name == "math") == (script == ON_MATH) or config.parent.name == "variants"
    visible = [len(found.split(",")) for found in re.findall(r"CUDA_VISIBLE_DEVICES=([\d,]+)", header_of(config))]
    assert launch.gpus == (sum(visible) or (launch.processes if launch.gpu else 0))
    if visible:
        assert visible[-1] == launch.processes


@EACH_ON_GPUS
def test_its_memory_is_what_the_formula_says_and_fits(config):
    line = describe(config)
    assert line in header_of(config)
    needed, there = re.search(r"= ([\d.]+) of (\d+) GB$", line).groups()
    assert float(needed) <= 0.9 * int(there)
    said = read(config)
    if said.get("use_vllm") and said["vllm_mode"] == "colocate":  # its own weights, in bfloat16, and room beside them
        weights = 2 * SHAPES[said["model_name_or_path"]].parameters / 1e9
        assert said["vllm_gpu_memory_utilization"] * int(there) > 1.5 * weights


def test_the_memory_of_one_is_what_its_parts_are_by_hand():
    # Qwen2.5-7B, FSDP2 on 8 GPUs: 7,615,616,512 parameters, 152,064 x 3,584 in each of embedding and output, 28 layers
    # with 6,525,288,448 in their matrices
    trained = 16 * 7_615_616_512 / 8 + 2 * (2 * 152_064 * 3_584 + 2 * 6_525_288_448 / 28)
    # 8 completions of 2,048 tokens after 512: 28 layers keep 2 bytes of a width of 3,584; one has in full, forward and
    # backward, 2 bytes each of 2 widths, 2 of queries, 2 of 512 keys and 4 of 18,944, and 2 of 2 widths more
    inside = 2 * (2 * 3584 + 2 * 3584 + 2 * 512 + 4 * 18944) + 2 * 2 * 3584
    kept = 8 * 2560 * (28 * 2 * 3584 + 2 * inside) + 2 * 4096 * 32768 * 4
    line = describe(RECIPES / "configs" / "math" / "qwen2.5-7b.yaml")
    assert line.startswith(f"{trained / 1e9:.1f} trained + 0.0 frozen + the larger of {kept / 1e9:.1f} activations")
    tiny = read(RECIPES / "configs" / "tiny" / "iterative.yaml")
    assert (tiny["beta"] > 0, f"{20 * 137_600 / 1e6:.1f} MB") == (True, "2.8 MB")


@each_row("name", SHAPES)
def test_the_shapes_by_which_memory_is_counted_are_the_models(name):
    shape = SHAPES[name]
    kind, head = (Qwen3Config, 128) if "Qwen3" in name else (Qwen2Config, 64 if "0.5B" in name else 128)
    config = kind(
        hidden_size=shape.width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.queries // head,
        num_key_value_heads=shape.keys // head,
        intermediate_size=shape.inner,
        vocab_size=shape.words,
        tie_word_embeddings=shape.tied,
        **({"head_dim": head} if kind is Qwen3Config else {}),
    )
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    assert sum(weights.numel() for weights in model.parameters()) == shape.parameters
    linear = [module for name, module in model.model.layers.named_modules() if isinstance(module, torch.nn.Linear)]
    assert sum(module.weight.numel() for module in linear) == shape.linear
    assert sum(16 * (module.in_features + module.out_features) for module in linear) == shape.adapter(16)


@EACH
def test_the_readme_lists_it_as_its_header_says(config):
    launch, said = launch_of(config), read(config)
    (row,) = re.findall(
        rf"^\| `{config.relative_to(RECIPES / 'configs')}` \|(.*)\|$", (RECIPES / "README.md").read_text(), re.MULTILINE
    )
    model, how, machine, accelerate, script = (cell.strip(" `") for cell in row.split("|"))
    assert model == said.get("model_name_or_path", "/the tiny one").split("/")[1]
    assert machine == (f"{launch.gpus} GPU{'s' * (launch.gpus > 1)}, {launch.gpu} GB" if launch.gpus else "a CPU")
    assert f"recipes/accelerate/{accelerate}.yaml" == accelerate_file(list(launch.words))
    assert f"recipes/{script}" in launch.words
    for word, holds in {
        "QLoRA": "load_in_4bit",
        "LoRA": "use_peft",
        "vLLM": "use_vllm",
        "thinking": "chat_template",
    }.items():
        if config.parent.name in ("gsm8k", "math"):
            assert (word in how) == any(name.startswith(holds) for name in said), word


def test_a_file_that_is_no_configuration_is_reported(tmp_path):
    with pytest.raises(SystemExit, match=r"cannot read .*missing.yaml: .*No such file"):
        describe(tmp_path / "missing.yaml")
    (tmp_path / "some.yaml").write_text("- 1\n")
    with pytest.raises(SystemExit, match="must hold 'key: value' lines"):
        describe(tmp_path / "some.yaml")
    text = (RECIPES / "configs" / "math" / "qwen2.5-7b.yaml").read_text()
    (tmp_path / "some.yaml").write_text(text.replace("Qwen/Qwen2.5-7B-Instruct", "some/other"))
    with pytest.raises(
        SystemExit, match=r"no shape for some/other; add it to SHAPES .* There: Qwen/Qwen2.5-0.5B-Instruct"
    ):
        describe(tmp_path / "some.yaml")


def test_what_a_process_samples_at_once_is_what_trl_makes_of_the_settings():
    given = {"generation_batch_size": None, "steps_per_generation": None, "completions_per_step": None}
    given |= {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 8}
    assert rows(given, 2) == 4 * 8
    assert rows({**given, "steps_per_generation": 3}, 2) == 4 * 3
    assert rows({**given, "steps_per_generation": 3, "completions_per_step": 64}, 2) == 4 * 3
    assert rows({**given, "completions_per_step": 64}, 2) == 32
    assert rows({**given, "completions_per_step": 64, "generation_batch_size": 128}, 2) == 64


def test_a_header_that_does_not_say_what_is_needed_is_reported(tmp_path):
    (tmp_path / "some.yaml").write_text("# Hardware: 1 GPU with 24 GB\nmax_steps: 1\n")
    with pytest.raises(SystemExit, match="has no launch line"):
        launch_of(tmp_path / "some.yaml")
    (tmp_path / "some.yaml").write_text("# Hardware: 1 GPU with 24 GB\n#   accelerate launch recipes/gsm8k.py\n")
    with pytest.raises(SystemExit, match="no --config_file in 'accelerate launch"):
        launch_of(tmp_path / "some.yaml")
