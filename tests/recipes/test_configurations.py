"""Every configuration under recipes/configs: its fields, its arithmetic, and what its header says."""

import re

import gsm8k
import memory
import pytest
import torch
import yaml
from known_models import MODELS, PARAMETERS
from memory import accelerate_file, describe, header_of, launch_of, option, rows, shape_of
from other_machine import as_on_gpus
from places import RECIPES, ROOT, TINY
from stopped_recipe import settings
from tables import each_row
from training.arguments import ScriptArguments
from transformers import AutoConfig, AutoModelForCausalLM
from trl import GRPOConfig, GRPOTrainer, ModelConfig, TrlParser, get_peft_config, get_quantization_config

from grpo_rewards import check_rewards

CONFIGS = sorted((RECIPES / "configs").rglob("*.yaml"))
EACH = pytest.mark.parametrize("config", CONFIGS, ids=[str(path.relative_to(RECIPES / "configs")) for path in CONFIGS])
ON_GPUS = [path for path in CONFIGS if launch_of(path).gpus]
EACH_ON_GPUS = pytest.mark.parametrize("config", ON_GPUS, ids=[f"{path.parent.name}/{path.stem}" for path in ON_GPUS])
KNOWN = {action.dest for action in TrlParser((ScriptArguments, GRPOConfig, ModelConfig))._actions}
ON_MATH = "recipes/competition_math.py"


def read(config):
    return yaml.safe_load(config.read_text())


@pytest.fixture
def known_models(monkeypatch):
    """The hub's config.json of the models that are named."""
    monkeypatch.setattr(memory.AutoConfig, "from_pretrained", lambda name: MODELS[name])


def settled(config, tmp_path, monkeypatch):
    """The configuration as the recipe reads it, on the machine that its header names."""
    if launch_of(config).gpus:
        as_on_gpus(monkeypatch, launch_of(config).processes)
    known = tmp_path / config.name
    known.write_text(yaml.safe_dump({name: value for name, value in read(config).items() if name in KNOWN}))
    return settings(gsm8k, ["--config", str(known)])


@EACH
def test_every_field_is_one_of_the_installed_trl_or_of_the_recipe(config):
    said = read(config)
    assert set(said) - KNOWN == set()
    assert len(re.findall(r"^\w+:", config.read_text(), re.MULTILINE)) == len(said)  # and no field twice


@EACH
def test_the_settings_are_what_trl_accepts_and_the_arithmetic_is_right(config, tmp_path, monkeypatch):
    script, training, model = settled(config, tmp_path, monkeypatch)
    said = {name: [value] if name == "report_to" else value for name, value in read(config).items()}
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
    script, training, _ = settled(config, tmp_path, monkeypatch)
    golds = ["6 * 7 = 42\n#### 42", "It is \\boxed{\\frac{1}{2}}."]
    data = {"prompt": ["What is it?"] * 600, "question": ["What is it?"] * 600, "answer": golds * 300}
    check_rewards(script.reward_funcs, data, args=training).raise_for_errors()
    for bound in re.findall(r"max_tokens=(\d+)", " ".join(script.reward_funcs)):
        assert int(bound) == training.max_completion_length
    if training.use_vllm and training.vllm_mode == "colocate":
        assert training.vllm_max_model_length == training.max_completion_length + 1024


@EACH_ON_GPUS
def test_it_says_what_somebody_who_pays_for_the_gpus_wants_to_know(config):
    said = read(config)
    assert {"eval_steps", "report_to", "attn_implementation"} <= set(said)
    assert said["max_steps"] % said["eval_steps"] == 0
    (published,) = re.findall(r"^Published: (.*(?:\n  .*)*)$", header_of(config), re.MULTILINE)
    for word, unit in (("accuracy", r"[\d.]+ %"), ("hours", r"\d+ hours")):
        assert "unpublished" in published or (re.search(unit, published) and "(" in published), word


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


def test_the_values_of_dapo_and_of_deepseek_r1_zero_are_in_our_units():
    dapo = read(RECIPES / "configs" / "variants" / "dapo.yaml")
    weights = dict(zip(dapo["reward_funcs"], dapo["reward_weights"], strict=True))
    # verl: an answer is +1 or -1, a penalty 0 to -1; boxed_answer is 1 or 0, soft_overlong 0 to -1
    verl, (answer, length) = (2.0, 1.0), weights.values()
    assert length / answer == verl[1] / verl[0]
    zero = read(RECIPES / "configs" / "variants" / "iterative.yaml")
    # TRL, docs/source/paper_index.md
    published = {"loss_type": "grpo", "beta": 0.001, "epsilon": 10.0, "num_generations": 16, "temperature": 1.0}
    assert {name: zero[name] for name in published} == published
    assert (zero["completions_per_step"], zero["generation_batch_size"]) == (512, 16 * 512)


def test_one_model_is_served_over_all_gpus_of_the_server():
    header = header_of(RECIPES / "configs" / "gsm8k" / "qwen2.5-7b-server.yaml")
    assert "--tensor-parallel-size 4" in header
    assert "--data-parallel-size" not in header


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
def test_its_memory_is_what_the_formula_says_and_fits(config, known_models):
    line = describe(config)
    assert line in header_of(config)
    needed, there = re.search(r"= ([\d.]+) of (\d+) GB$", line).groups()
    assert float(needed) <= 0.9 * int(there)
    said = read(config)
    if said.get("use_vllm") and said["vllm_mode"] == "colocate":  # its own weights, in bfloat16, and room beside them
        weights = 2 * PARAMETERS[said["model_name_or_path"]] / 1e9
        assert said["vllm_gpu_memory_utilization"] * int(there) > 1.5 * weights


def test_the_memory_of_one_is_what_its_parts_are_by_hand(known_models):
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


@each_row("name", MODELS)
def test_the_shape_of_a_model_is_counted_from_its_configuration(name):
    shape, config = shape_of(MODELS[name]), MODELS[name]
    assert shape.parameters == PARAMETERS[name]
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    queries, keys = config.num_attention_heads * head, config.num_key_value_heads * head
    width, inner = config.hidden_size, config.intermediate_size
    matrices = [(width, queries), (width, keys), (width, keys), (queries, width), *3 * [(width, inner)]]
    assert shape.linear == config.num_hidden_layers * sum(one * other for one, other in matrices)
    assert shape.sides == config.num_hidden_layers * sum(one + other for one, other in matrices)
    assert shape.embeddings == config.vocab_size * width * (1 if config.tie_word_embeddings else 2)


@each_row("model", [str(TINY), "gpt2", "llama", "phi"])
def test_any_model_has_a_shape(model):
    small = {"n_layer": 2, "n_embd": 64, "n_head": 4} if model == "gpt2" else {"num_hidden_layers": 2}
    config = AutoConfig.from_pretrained(model) if model == str(TINY) else AutoConfig.for_model(model, **small)
    shape = shape_of(config)
    with torch.device("meta"):
        assert shape.parameters == AutoModelForCausalLM.from_config(config).num_parameters()
    assert shape.layers == 2
    assert shape.linear + shape.embeddings < shape.parameters or model == "gpt2"  # whose matrices are Conv1D


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
    (tmp_path / "some.yaml").write_text(text.replace("Qwen/Qwen2.5-7B-Instruct", str(tmp_path)))
    with pytest.raises(SystemExit, match=r"no config.json of .*: "):
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


@pytest.mark.full
@pytest.mark.parametrize("name", ["qwen2.5-0.5b", "qwen2.5-0.5b-lora", "qwen3-1.7b-thinking"])
def test_two_steps_of_the_tiny_model_change_what_a_configuration_trains(name, tmp_path):
    """What a CPU or so small a model cannot do is left out or smaller; everything else of a file is as it stands."""
    said, seen = read(RECIPES / "configs" / "gsm8k" / f"{name}.yaml"), []
    left_out = ("dataset_", "vllm_", "use_vllm", "eval_steps", "report_to")
    kept = {one: value for one, value in said.items() if not one.startswith(left_out)}
    kept |= {"max_completion_length": 12, "completions_per_step": 16, "per_device_train_batch_size": 4}
    kept |= {"max_steps": 2, "save_steps": 2, "eval_size": 0, "warmup_steps": 0, "model_name_or_path": str(TINY)}
    if "generation_batch_size" in said:  # the same share of a step
        kept["generation_batch_size"] = 16 * said["generation_batch_size"] // said["completions_per_step"]
    # of 12 tokens nothing is right or well formed: repetition varies, so that there is something to learn from
    specs = [re.sub(r"max_tokens=\d+, buffer=\d+", "max_tokens=12, buffer=4", one) for one in said["reward_funcs"]]
    kept |= {"reward_funcs": [*specs, "repetition"], "reward_weights": [*said["reward_weights"], 1.0]}
    (tmp_path / "smaller.yaml").write_text(yaml.safe_dump(kept))

    class Seen(GRPOTrainer):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            seen.append((self, {one: weights.detach().clone() for one, weights in self.model.named_parameters()}))

    gsm8k.main(["--config", "smaller.yaml"], Seen)
    ((trainer, before),) = seen
    after = dict(trainer.model.named_parameters())
    moved = {one for one, weights in before.items() if not torch.equal(weights, after[one])}
    adapted = {one for one in before if "lora_B" in one}  # B begins at 0, so that in the first step A has no gradient
    assert len(adapted) == (7 * 2 if said.get("use_peft") else 0)  # all matrices of two layers
    assert adapted or moved == before.keys()
    assert adapted <= moved <= {one for one in before if "lora_" in one or not adapted}
    assert (trainer.args.gradient_accumulation_steps, trainer.state.global_step) == (4, 2)  # 16 completions, 4 at once
    assert trainer.model.is_gradient_checkpointing
    assert trainer.chat_template_kwargs == said.get("chat_template_kwargs", {})
