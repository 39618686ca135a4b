"""The runs of the tiny model: few, but together they exercise each option that touches loss, advantages or data."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

__all__ = ["CONTEXT_WITH_TOOLS", "RUNS", "RUNS_OF_RANKS", "Run"]

Engine = Literal["scripted", "greedy", "vllm", "rollout"]
Adapter = Literal["none", "new", "given"]


class Run(NamedTuple):
    """One short training.

    Attributes:
        name: what it is for.
        settings: of ``GRPOConfig``, on top of ``USUAL_SETTINGS``.
        engine: who generates: a script in place of ``model.generate``, the model itself by its most probable token,
            what TRL takes for vLLM, or a ``rollout_func`` that marks tokens of tools.
        adapter: whether the policy is an adapter of PEFT: made by TRL, or given to it.
        evaluates: whether there is an ``eval_dataset``, looked at after each second step.
        chat: whether prompts are conversations.
        prompts: how many there are.
        streamed: whether the dataset can only be read from its beginning to its end.
        judged: whether reward models are among the rewards.
        tools: whether the model can call tools, and does.
        environment: whether one of its tools is an environment's, which adds to prompts and judges what was called.
        marks: whether the tokenizer marks where a text begins and ends.
        named: whether TRL loads the model and its tokenizer by their name.
        resumes: the step after which another trainer goes on, from a checkpoint.
    """

    name: str
    settings: dict[str, Any]
    engine: Engine = "scripted"
    adapter: Adapter = "none"
    evaluates: bool = False
    chat: bool = False
    prompts: int = 23
    streamed: bool = False
    judged: bool = False
    tools: bool = False
    environment: bool = False
    marks: bool = False
    named: bool = False
    resumes: int | None = None


# 23 prompts are no multiple of the prompts of a generation, and the learning rate takes the ratio out of its bounds.
USUAL_SETTINGS: dict[str, Any] = {
    "max_steps": 3,
    "per_device_train_batch_size": 4,
    "per_device_eval_batch_size": 4,
    "num_generations": 4,
    "gradient_accumulation_steps": 2,
    "max_completion_length": 8,
    "temperature": 0.7,
    "learning_rate": 0.02,
    "lr_scheduler_type": "constant",
    "max_grad_norm": 0.0,  # which leaves the gradient as it is
    "reward_weights": [1.0, 0.5, -0.25],
    "logging_steps": 1,
    "seed": 5,
}
WITH_VLLM = {"use_vllm": True, "vllm_mode": "colocate", "vllm_importance_sampling_correction": True}
WITH_JUDGES: dict[str, Any] = {
    "reward_weights": [1.0, 0.375, 0.5, -0.25, -0.75],
    # a reward model that is named is saved in float32, and loaded with these; TRL would add the second one itself
    "model_init_kwargs": {"dtype": "float64", "trust_remote_code": False},
}
# A prompt has up to eleven tokens, so that at times the context is too short for a result, and at times the budget is.
WITH_TOOLS: dict[str, Any] = {"max_completion_length": 33, "chat_template_kwargs": {"closing": "z"}}
CONTEXT_WITH_TOOLS = 43
EVALUATED = {"num_generations_eval": 2, "eval_strategy": "steps", "eval_steps": 2}
# Two steps of generation within four uses, while each step of the optimiser takes two
REUSED = {"steps_per_generation": 4, "num_iterations": 2, "max_steps": 7}

RUNS = (
    Run("on policy", {"loss_type": "dapo", "log_completions": True}, marks=True),
    Run(
        "reference",
        {"loss_type": "grpo", "beta": 0.2, "scale_rewards": "batch", "max_steps": 4, "epsilon_high": 0.3},
    ),
    Run(
        "moving reference",
        {
            "loss_type": "bnpo",
            "beta": 0.2,
            "use_bias_correction_kl": False,
            "sync_ref_model": True,
            "ref_model_sync_steps": 2,
            "ref_model_mixup_alpha": 0.3,
            "max_steps": 5,
            "entropy_coef": 0.1,
            "model_init_kwargs": {"dtype": "auto"},  # that of the weights, where TRL itself takes float32
        },
        named=True,
    ),
    Run(
        "each completion used twice",
        {
            **REUSED,
            "loss_type": "dr_grpo",
            "beta": 0.1,
            "epsilon": 0.05,
            "epsilon_high": 0.35,  # far from epsilon, so that ratios lie between the two
            "delta": 1.4,
            "mask_truncated_completions": True,
        },
    ),
    Run(
        "generated within a step",
        {
            "loss_type": "cispo",
            "gradient_accumulation_steps": 3,
            "generation_batch_size": 8,
            "epsilon_high": 1.1,
            "max_steps": 4,
            "seed": 6,
        },
    ),
    Run(
        "a short window at the end of an epoch",
        {"loss_type": "grpo", "gradient_accumulation_steps": 3, "generation_batch_size": 8, "max_steps": 4},
        prompts=5,  # four micro-batches an epoch: a step of three, and one of one
    ),
    Run(
        "generated twice a step",
        {
            "loss_type": "luspo",
            "importance_sampling_level": "sequence",
            "gradient_accumulation_steps": 4,
            "steps_per_generation": 2,
            "scale_rewards": "none",
            "shuffle_dataset": False,
        },
    ),
    Run(
        "by sequence, and filled up",
        {
            **REUSED,
            "loss_type": "grpo",
            "importance_sampling_level": "sequence",
            "pad_to_multiple_of": 5,
            "epsilon": 0.05,
            "off_policy_mask_threshold": 0.1,
        },
    ),
    Run(
        "vLLM, by token",
        {
            **WITH_VLLM,
            **REUSED,
            "loss_type": "vespo",
            "vllm_importance_sampling_mode": "token_truncate",
            "vllm_importance_sampling_clip_max": 1.2,
            "vespo_k_pos": 1.5,
            "vespo_lambda_pos": 1.1,
            "vespo_k_neg": 0.8,
            "vespo_lambda_neg": 0.6,
        },
        "vllm",
        marks=True,
    ),
    Run(
        "vLLM, by sequence",
        {
            **WITH_VLLM,
            "loss_type": "grpo",
            "vllm_importance_sampling_mode": "sequence_mask",
            "vllm_importance_sampling_clip_min": 0.6,
            "vllm_importance_sampling_clip_max": 1.6,
            "off_policy_mask_threshold": 0.05,
            "mask_truncated_completions": True,
        },
        "vllm",
    ),
    Run(
        "vLLM, not corrected",
        {
            **WITH_VLLM,
            **EVALUATED,
            "vllm_importance_sampling_correction": False,
            "off_policy_mask_threshold": 0.05,
            "steps_per_generation": 4,  # unlike the accumulation, which must not count in an evaluation
            "max_steps": 4,
        },
        "vllm",
        evaluates=True,
    ),
    Run(
        "entropy",
        {
            **REUSED,
            "loss_type": "sapo",
            "sapo_temperature_pos": 2.0,
            "sapo_temperature_neg": 0.7,
            "top_entropy_quantile": 0.6,
            "use_adaptive_entropy": True,
            "entropy_coef": 0.05,
            "entropy_target": 1.3,  # the coefficient falls first, then rises to its greatest, then falls to its least
            "entropy_coef_delta": 0.02,
            "entropy_coef_min": 0.01,
            "entropy_coef_max": 0.06,
        },
        resumes=4,
    ),
    Run(
        "each reward by itself",
        {"multi_objective_aggregation": "normalize_then_sum", "num_generations": 2, "shuffle_dataset": False},
        streamed=True,
    ),
    Run(
        "tools",
        {"beta": 0.1, "mask_truncated_completions": True, "steps_per_generation": 4, "max_steps": 4},
        "rollout",
    ),
    Run("a new adapter", {"beta": 0.2, "loss_type": "grpo", "disable_dropout": True}, adapter="new"),
    Run("a given adapter", {"beta": 0.2, "loss_type": "grpo", "disable_dropout": True}, adapter="given"),
    Run(
        "evaluated",
        {
            **EVALUATED,
            "steps_per_generation": 2,
            "num_iterations": 2,
            "beta": 0.1,
            "use_adaptive_entropy": True,  # from a coefficient of 0, which is TRL's default
            "entropy_target": 1.0,
            "max_steps": 4,
            "mask_truncated_completions": True,
        },
        evaluates=True,
        marks=True,
    ),
    Run(
        "evaluated one by one",
        {
            **EVALUATED,
            "shuffle_dataset": False,  # which is of the training alone
            "num_generations_eval": 1,
            "gradient_accumulation_steps": 1,
            "max_steps": 2,
            "multi_objective_aggregation": "normalize_then_sum",
        },
        evaluates=True,
    ),
    Run(
        "streamed",
        {
            **EVALUATED,
            "num_generations": 2,
            "num_generations_eval": 1,
            "steps_per_generation": 4,
            "num_iterations": 2,
            "max_steps": 6,
        },
        evaluates=True,
        streamed=True,
        prompts=11,  # a generation an epoch, which are shuffled in another order each
    ),
    Run(
        "logged every second step",
        {**EVALUATED, "eval_steps": 1, "logging_steps": 2, "max_steps": 4, "beta": 0.1, "entropy_coef": 0.1},
        evaluates=True,
    ),
    Run("the most probable token", {"top_k": 1, "gradient_accumulation_steps": 1, "top_p": 0.9}, "greedy"),
    Run(
        "conversations",
        {
            "gradient_accumulation_steps": 1,
            "num_iterations": 2,
            "max_steps": 9,
            "loss_type": "dapo",
            "min_p": 0.1,
            "repetition_penalty": 1.2,
            "generation_kwargs": {"top_p": 0.8},
            "chat_template_kwargs": {"closing": "z"},
        },
        chat=True,
        prompts=3,
        marks=True,
    ),
    Run(
        "called tools",
        {
            **WITH_TOOLS,
            "max_tool_calling_iterations": 1,  # more would fit
            "beta": 0.1,
            "learning_rate": 0.005,  # or the KL of long completions would leave nothing of float32
            **EVALUATED,
            "mask_truncated_completions": True,
            "multi_objective_aggregation": "normalize_then_sum",
            "max_steps": 4,
        },
        chat=True,
        evaluates=True,
        tools=True,
        marks=True,
    ),
    Run(
        "called tools, vLLM",
        {**WITH_TOOLS, **WITH_VLLM, "max_steps": 4},
        "vllm",
        chat=True,
        tools=True,
        environment=True,
    ),
    Run("judged", WITH_JUDGES, judged=True),
    Run("judged conversations", {**WITH_JUDGES, "chat_template_kwargs": {"closing": "z"}}, chat=True, judged=True),
)
# On two ranks 3 groups of 4 completions are generated, 6 on each: the second group is half here and half there.
STRADDLING = {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 3}
RUNS_OF_RANKS = (
    Run(
        "two ranks",
        {**STRADDLING, "loss_type": "dapo", "beta": 0.2, "top_entropy_quantile": 0.7, "seed": 7},
        marks=True,
    ),
    Run(
        "two ranks, reused and evaluated",
        {
            "loss_type": "grpo",
            "steps_per_generation": 4,
            "num_iterations": 2,
            "max_steps": 4,
            "epsilon": 0.1,
            "scale_rewards": "batch",
            "use_adaptive_entropy": True,
            "entropy_coef": 0.05,
            "entropy_target": 2.0,
            "mask_truncated_completions": True,
            "eval_strategy": "steps",
            "eval_steps": 2,
        },
        evaluates=True,
    ),
    Run(
        "two ranks, vLLM",
        {
            **STRADDLING,
            **WITH_VLLM,
            "loss_type": "cispo",
            "epsilon_high": 1.1,
            "multi_objective_aggregation": "normalize_then_sum",
        },
        "vllm",
    ),
    Run("two ranks, called tools", {**STRADDLING, **WITH_TOOLS, "max_steps": 2}, chat=True, tools=True),
)
