"""What would end a run only after its model was loaded, checked before: values, packages, output folder, model."""

import inspect
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from peft import PeftConfig
from transformers import AutoConfig, AutoTokenizer, GenerationConfig, PreTrainedTokenizerBase, Trainer, get_scheduler
from transformers.integrations.integration_utils import INTEGRATION_TO_CALLBACK, get_available_reporting_integrations
from transformers.utils import (
    find_adapter_config_file,
    is_bitsandbytes_available,
    is_flash_attn_2_available,
    is_liger_kernel_available,
)
from trl import GRPOConfig, GRPOTrainer, ModelConfig
from trl.import_utils import is_vllm_available

from grpo_rewards.errors import did_you_mean

__all__ = ["check_before_loading", "load_tokenizer", "missing_packages", "require_model", "require_writable"]

# Numbers that generation, or a seed, can have; the texts are for messages.
RANGES: dict[str, tuple[Callable[[float], bool], str]] = {
    "temperature": (lambda value: value > 0, "above 0"),
    "top_p": (lambda value: 0 < value <= 1, "above 0 and at most 1"),
    "top_k": (lambda value: value >= 0, "at least 0, which is all"),
    "min_p": (lambda value: 0 <= value <= 1, "from 0 to 1"),
    "repetition_penalty": (lambda value: value > 0, "above 0"),
    "max_completion_length": (lambda value: value >= 1, "at least 1"),
    "seed": (lambda value: 0 <= value < 2**32, "from 0 to 2**32 - 1"),
}
# Texts that TRL's trainer compares a field with, at a step or not at all. A newer TRL's stand in its code.
KNOWN = {
    "loss_type": ("bnpo", "cispo", "dapo", "dr_grpo", "grpo", "luspo", "sapo", "vespo"),
    "scale_rewards": ("batch", "group", "none"),
    "importance_sampling_level": ("sequence", "token"),
    "multi_objective_aggregation": ("normalize_then_sum", "sum_then_normalize"),
}


def check_before_loading(training_args: GRPOConfig, model_args: ModelConfig) -> None:
    """Ends the program with a message where the settings, this machine or the model's files would end the run later."""
    for message in (*refused(training_args), *missing_packages(training_args, model_args)):
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


def refused(args: GRPOConfig) -> Iterator[str]:
    """A message for each value that would be refused once it is used, or passed over in silence."""
    if args.max_steps == 0 or (args.max_steps < 0 and args.num_train_epochs <= 0):
        yield f"--max_steps {args.max_steps} with --num_train_epochs {args.num_train_epochs:g} trains zero steps."
    code = inspect.getsource(inspect.getmodule(GRPOTrainer) or GRPOTrainer)
    for field, known in KNOWN.items():
        value = getattr(args, field, None)
        if isinstance(value, str) and value not in known and f'"{value}"' not in code:
            yield f"--{field} {value} is unknown{did_you_mean(value, known)} Known: {', '.join(known)}."
    more: dict[str, Any] = {} if args.use_vllm else args.generation_kwargs or {}  # vLLM takes others, and says so
    for name in more:
        if name not in (known := GenerationConfig().to_dict()):
            yield f"--generation_kwargs: generation has no setting '{name}'{did_you_mean(name, known)}"
    given = vars(args) | more
    for name, (is_allowed, allowed) in RANGES.items():
        if given[name] is not None and not is_allowed(given[name]) and not (args.use_vllm and name == "top_k"):
            yield f"{name} must be {allowed}, not {given[name]}."
    for option, use in (("optim", use_optimizer), ("lr_scheduler_type", use_schedule)):
        try:
            use(args)
        except (ValueError, TypeError, ImportError, RuntimeError) as error:
            value = getattr(args, option)
            yield f"--{option} {getattr(value, 'value', value)}: {first_line(error)}"


def use_optimizer(args: GRPOConfig) -> None:
    if args.optim_target_modules is None:  # else it looks for them in a model
        Trainer.get_optimizer_cls_and_kwargs(args, torch.nn.Linear(1, 1))


def use_schedule(args: GRPOConfig) -> None:
    sgd, options = torch.optim.SGD([torch.zeros(1)]), dict(args.lr_scheduler_kwargs or {})
    get_scheduler(args.lr_scheduler_type, sgd, 1, 10, scheduler_specific_kwargs=options)


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
    """Makes the folder of an option; ends the program where that cannot be, or nothing can be written into it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        sys.exit(f"error: {option} {folder} cannot be written ({error}). Pass another {option}.")


def require_model(name: str, revision: str | None = None) -> None:
    """Ends the program where there is no model of that name in a folder or on the hub, or none below an adapter.

    Weights are not loaded.
    """
    folder = Path(name)
    try:
        if not (folder / "config.json").is_file() and find_adapter_config_file(name, revision=revision):
            adapter = PeftConfig.from_pretrained(name, revision=revision)
            require_model(str(adapter.base_model_name_or_path), adapter.revision)
        else:
            AutoConfig.from_pretrained(name, revision=revision)
    except (OSError, ValueError) as error:  # a ValueError: an architecture that this version does not have
        hub = f"there is no such folder (in {Path.cwd()}), and the hub, which gated models need hf auth login for, has"
        where = "the folder has" if folder.exists() else hub
        sys.exit(f"error: {name}: {where} no model that can be read: {first_line(error)}")


def first_line(error: BaseException) -> str:
    """The message of an error, up to the end of its first line."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
