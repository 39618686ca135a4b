"""The policy that is evaluated where nothing is trained: a checkpoint, in a trainer that only generates, or in vLLM."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from accelerate import PartialState
from datasets import Dataset
from peft import LoraConfig
from trl import GRPOConfig, GRPOTrainer, ModelConfig, get_quantization_config

from grpo_rewards import Reward
from running.before_loading.machine import missing_packages
from running.command_line import peek
from running.evaluation.checkpoints import Checkpoint
from running.evaluation.engine import EnginePolicy
from running.evaluation.policies import Policy, TrainersPolicy

__all__ = ["BATCH_TOKENS", "NOT_TRAINED", "policy_of", "refuse_what_cannot_load"]

BATCH_TOKENS = 32_768  # prompts and answers at once: some 2 GB of keys and values for a model of 7 billion parameters
# What only training reads, at values that fit any number of processes: a configuration of a run may be for eight.
NOT_TRAINED = (
    *("--num_generations", "2", "--per_device_train_batch_size", "2"),
    *("--beta", "0", "--sync_ref_model", "false", "--log_completions", "false", "--eval_strategy", "no"),
    *("--report_to", "none", "--push_to_hub", "false", "--load_best_model_at_end", "false"),
    *("--optim", "adamw_torch", "--lr_scheduler_type", "constant"),
)


def policy_of(
    loaded: Checkpoint,
    rewards: list[Reward],
    problems: Dataset,
    training: GRPOConfig,
    model: ModelConfig,
    options: Sequence[str],
) -> Policy:
    """What generates: the model in a trainer, which generates as in training, or in vLLM."""
    if training.use_vllm:
        memory = peek(options, ("vllm_gpu_memory_utilization",))["vllm_gpu_memory_utilization"]
        return EnginePolicy(loaded, training, float(memory or 0.9), model.dtype or "auto")
    return TrainersPolicy(trainer_of(loaded, rewards, problems, training, model))


def refuse_what_cannot_load(training: GRPOConfig, model: ModelConfig) -> None:
    """Ends the program where a requested package is missing on this machine, or vLLM is to do what it cannot."""
    for message in missing_packages(training, model):
        sys.exit(f"error: {message}")
    if training.use_vllm and training.world_size > 1:
        sys.exit("error: vLLM is called by one process; share a model by --vllm_tensor_parallel_size instead.")
    if training.use_vllm and get_quantization_config(model) is not None:
        sys.exit("error: --use_vllm loads the model unquantized: pass --load_in_4bit false --load_in_8bit false.")


def trainer_of(
    checkpoint: Checkpoint, rewards: list[Reward], problems: Dataset, training: GRPOConfig, model: ModelConfig
) -> GRPOTrainer:
    """A trainer that trains nothing: it is what generates in a run.

    An adapter is merged, but not into a quantized model, which would round it: there it stays upon its base, as in
    training. A trainer takes a quantized model only under an adapter; a whole one gets one that changes nothing, as a
    run's is before its first step.
    """
    quantization = get_quantization_config(model)
    is_whole = checkpoint.base is None
    options = training.model_init_kwargs or {}
    if is_whole:
        loaded = checkpoint.name
    elif quantization is None:
        loaded = checkpoint.merged(**options)
    else:
        loaded = checkpoint.model(**options, quantization_config=quantization, device_map={"": PartialState().device})
    return GRPOTrainer(
        model=loaded,
        reward_funcs=list(rewards),
        args=training,
        train_dataset=problems,
        processing_class=checkpoint.tokenizer,
        quantization_config=quantization if is_whole else None,
        peft_config=LoraConfig(task_type="CAUSAL_LM", target_modules="all-linear")
        if is_whole and quantization is not None
        else None,
    )
