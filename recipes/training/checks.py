"""What would end a run only after its model was loaded, checked before: packages, values, the output folder, the model.

No range is stated here: each value is handed to what will use it.
"""

from __future__ import annotations

import difflib
import inspect
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy
import torch
from huggingface_hub import constants, try_to_load_from_cache
from peft import PeftConfig
from transformers import (
    AutoConfig,
    AutoTokenizer,
    GenerationConfig,
    PretrainedConfig,
    PreTrainedTokenizerBase,
    Trainer,
    get_scheduler,
)
from transformers.generation.logits_process import (
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)
from transformers.integrations.integration_utils import INTEGRATION_TO_CALLBACK, get_available_reporting_integrations
from transformers.utils import (
    find_adapter_config_file,
    is_bitsandbytes_available,
    is_flash_attn_2_available,
    is_liger_kernel_available,
)
from trl import GRPOConfig, GRPOTrainer, ModelConfig
from trl.import_utils import is_vllm_available

__all__ = ["check_before_loading", "load_tokenizer", "missing_packages", "require_model", "require_writable"]

REFUSALS = (ValueError, TypeError, ImportError, RuntimeError)
# What changes the next token's probabilities, and the value at which transformers leaves it out.
PROCESSORS: dict[str, tuple[Any, float]] = {
    "temperature": (TemperatureLogitsWarper, 1),
    "top_p": (TopPLogitsWarper, 1),
    "top_k": (TopKLogitsWarper, 0),
    "min_p": (MinPLogitsWarper, 0),
    "repetition_penalty": (RepetitionPenaltyLogitsProcessor, 1),
}
# Texts that TRL's trainer compares a field with, at a step or not at all. A newer TRL's stand in its code.
KNOWN = {
    "loss_type": ("bnpo", "cispo", "dapo", "dr_grpo", "grpo", "luspo", "sapo", "vespo"),
    "scale_rewards": ("batch", "group", "none"),
    "importance_sampling_level": ("sequence", "token"),
    "multi_objective_aggregation": ("normalize_then_sum", "sum_then_normalize"),
}
WEIGHTS = [f"{name}{index}" for name in ("model.safetensors", "pytorch_model.bin") for index in ("", ".index.json")]


def check_before_loading(training_args: GRPOConfig, model_args: ModelConfig) -> None:
    """Ends the program with a message where the settings, this machine or the model's files would end the run later."""
    for message in (
        *no_steps(training_args),
        *refused(training_args),
        *missing_packages(training_args, model_args),
    ):
        sys.exit(f"error: {message}")
    require_writable(Path(training_args.output_dir))
    require_model(model_args.model_name_or_path, model_args.model_revision)


def load_tokenizer(model_args: ModelConfig) -> PreTrainedTokenizerBase:
    """The tokenizer of the model that is named; ends the program where it has no chat template."""
    name = model_args.model_name_or_path
    tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(name, revision=model_args.model_revision)
    if tokenizer.chat_template is None:
        sys.exit(f"error: {name} has no chat template; use an instruct model.")
    return tokenizer


def no_steps(args: GRPOConfig) -> Iterator[str]:
    """A message where the settings want no step at all; too few problems for one are reported with the rewards."""
    if args.max_steps == 0:
        yield "--max_steps 0 is no number of steps: set 1 or more, or leave it out and set --num_train_epochs."
    elif args.max_steps < 0 and args.num_train_epochs <= 0:
        yield "--num_train_epochs 0 trains zero steps: set --max_steps, or more epochs."


def refused(args: GRPOConfig) -> Iterator[str]:
    """A message for each value that would be refused once it is used, or passed over in silence."""
    code = inspect.getsource(inspect.getmodule(GRPOTrainer) or GRPOTrainer)
    for field, known in KNOWN.items():
        value = getattr(args, field, None)
        if isinstance(value, str) and value not in known and f'"{value}"' not in code:
            yield f"--{field} {value} is unknown. Known: {', '.join(known)}.{nearest(value, known)}"
    for field, use in USES.items():
        value = getattr(args, field)
        if value is None:
            continue
        try:
            use(args)
        except REFUSALS as error:
            yield f"--{field} {getattr(value, 'value', value)}: {first_line(error)}"


def process(values: Mapping[str, Any]) -> None:
    """Builds what changes the next token's probabilities in transformers."""
    for name, (kind, neutral) in PROCESSORS.items():
        value = values.get(name)
        if value is not None and value != neutral:
            kind(value)


def generation(args: GRPOConfig) -> None:
    """Builds the generation config; transformers passes over a name that it does not know."""
    more = args.generation_kwargs or {}
    if args.use_vllm:  # which takes other names, and refuses those that it does not know
        return
    known = GenerationConfig().to_dict()
    for name in more:
        if name not in known:
            raise ValueError(f"generation has no setting '{name}'.{nearest(name, known)}")
    GenerationConfig(**{"do_sample": True, "max_new_tokens": args.max_completion_length, **more}).validate()
    process(more)


def optimizer(args: GRPOConfig) -> None:
    if args.optim_target_modules is None:  # else it looks for them in a model
        Trainer.get_optimizer_cls_and_kwargs(args, torch.nn.Linear(1, 1))


def schedule(args: GRPOConfig) -> None:
    sgd, options = torch.optim.SGD([torch.zeros(1)]), dict(args.lr_scheduler_kwargs or {})
    get_scheduler(args.lr_scheduler_type, sgd, 1, 10, scheduler_specific_kwargs=options)


# Of each field what uses it.
USES: dict[str, Any] = {
    "temperature": lambda args: process({"temperature": args.temperature}),
    "top_p": lambda args: process({"top_p": args.top_p}),
    "min_p": lambda args: process({"min_p": args.min_p}),
    "repetition_penalty": lambda args: process({"repetition_penalty": args.repetition_penalty}),
    "top_k": lambda args: None if args.use_vllm else process({"top_k": args.top_k}),
    "max_completion_length": lambda args: GenerationConfig(max_new_tokens=args.max_completion_length).validate(),
    "generation_kwargs": generation,
    "seed": lambda args: numpy.random.RandomState(args.seed),
    "optim": optimizer,
    "lr_scheduler_type": schedule,
}


def missing_packages(args: GRPOConfig, model: ModelConfig) -> Iterator[str]:
    """A message for each package that a setting needs and that is not installed."""
    available = get_available_reporting_integrations()
    for name in args.report_to:
        if name not in INTEGRATION_TO_CALLBACK:
            yield f"--report_to {name} is unknown. Known: none, {', '.join(sorted(INTEGRATION_TO_CALLBACK))}."
        elif name not in available:
            yield f"--report_to {name} needs a package: pip install {name.replace('_', '-')}, or --report_to none."
    flash = model.attn_implementation == "flash_attention_2"
    for setting, wanted, is_available, install in (
        ("--use_vllm", args.use_vllm, is_vllm_available, '"trl[vllm]"'),
        ("--load_in_4bit", model.load_in_4bit, is_bitsandbytes_available, "bitsandbytes"),
        ("--load_in_8bit", model.load_in_8bit, is_bitsandbytes_available, "bitsandbytes"),
        ("--attn_implementation", flash, is_flash_attn_2_available, "flash-attn --no-build-isolation"),
        ("--use_liger_kernel", args.use_liger_kernel, is_liger_kernel_available, "liger-kernel"),
    ):
        if wanted and not is_available():
            yield f"{setting} needs a package that cannot be used here: pip install {install}, or leave it out."


def require_writable(folder: Path, option: str = "--output_dir") -> None:
    """Ends the program where the folder of an option, or what would have to be made for it, cannot be written into."""
    there = next(part for part in (folder.absolute(), *folder.absolute().parents) if part.exists())
    if not there.is_dir():
        sys.exit(f"error: {option} {folder}: {there} is a file. Move it away, or pass another {option}.")
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        sys.exit(f"error: {option} {folder} cannot be written ({error.strerror}). Pass another {option}.")


def require_model(name: str, revision: str | None = None) -> PretrainedConfig:
    """The configuration of a model in a folder or on the hub, or of an adapter's base; without loading its weights.

    Ends the program with a message where it, or its weights, are not there.
    """
    folder = Path(name)
    if not folder.exists() and (name.startswith(("/", ".", "~")) or name.count("/") > 1):
        sys.exit(f"error: --model_name_or_path {name}: there is no such folder (in {Path.cwd()}).")
    try:
        if not (folder / "config.json").is_file() and find_adapter_config_file(name, revision=revision):
            adapter = PeftConfig.from_pretrained(name, revision=revision)
            return require_model(str(adapter.base_model_name_or_path), adapter.revision)
        config = AutoConfig.from_pretrained(name, revision=revision)
    except (OSError, ValueError) as error:  # a ValueError: an architecture that this version does not have
        help_ = "Check the name and the network; for a gated or private model, hf auth login."
        sys.exit(f"error: {name} has no model that can be read, in a folder or on the hub: {first_line(error)} {help_}")
    if folder.is_dir():
        has_weights = any((folder / file).is_file() for file in WEIGHTS)
    else:
        cached = (try_to_load_from_cache(name, file, revision=revision) for file in WEIGHTS)
        has_weights = not constants.HF_HUB_OFFLINE or any(isinstance(one, str) for one in cached)
    if not has_weights:
        sys.exit(f"error: {name} has a configuration and no weights ({', '.join(WEIGHTS)}): copy or download them.")
    return config


def nearest(name: str, known: Any) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean '{near[0]}'?" if near else ""


def first_line(error: BaseException) -> str:
    """The message of an error, up to the end of its first line."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
