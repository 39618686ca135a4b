"""Mistakes in a step of TRL that were written from its source alone, before anyone looked at what notices them."""

# ruff: noqa: E501 - the pieces are as long as TRL's lines
from __future__ import annotations

from step_mutants import GRPO, planted_in

BLIND = planted_in(
    GRPO,
    # masks and weights of the loss
    ("local = entropies[mask.bool()].float()", "local = entropies.flatten().float()", "padding among the entropies"),
    ("torch.quantile(gathered, threshold)", 'torch.quantile(gathered, threshold, interpolation="lower")'),
    (
        "kl_div = sampling_per_token_logps - per_token_logps.detach()",
        "kl_div = per_token_logps.detach() - sampling_per_token_logps",
    ),
    ("lower_clamp = math.log(1e-8)", "lower_clamp = -20.0"),
    ("torch.sum(log_ratio_clamped * mask, dim=-1, keepdim=True)", "torch.sum(log_ratio_clamped, dim=-1, keepdim=True)"),
    ("seq_log_ratio += torch.sum(log_is_ratio", "seq_log_ratio -= torch.sum(log_is_ratio"),
    ("torch.where(is_nonneg_adv, k_pos, k_neg)", "torch.where(is_nonneg_adv, k_neg, k_pos)"),
    # the loss
    ("if self.args.use_bias_correction_kl:", "if not self.args.use_bias_correction_kl:"),
    ("coef_1 = torch.exp(log_importance_weights)", "coef_1 = 1 + log_importance_weights"),
    (
        "log_ratio = per_token_logps - old_per_token_logps",
        "log_ratio = torch.clamp(per_token_logps - old_per_token_logps, -10, 10)",
    ),
    ("* 4 / temperatures", "* 4"),
    ("per_token_loss = -soft_coef_1 * advantages", "per_token_loss = -soft_coef_1 * advantages * per_token_logps"),
    (
        "(per_token_loss.size(0) * self.max_completion_length)",
        "(self.args.per_device_train_batch_size * self.max_completion_length)",
        "an evaluation divided by the completions of training, by dr_grpo",
    ),
    (
        "mask.sum(-1).clamp(min=1.0)).mean()\n            normalizer",
        "mask.sum(-1).clamp(min=1.0)).sum() / (mask.sum(-1) > 0).sum().clamp(min=1)\n            normalizer",
        "masked completions not counted by grpo",
    ),
    ("loss = (per_token_loss * mask).sum(-1).mean()", "loss = per_token_loss.sum(-1).mean()", "luspo without the mask"),
    ("effective_mask.sum().clamp(min=1.0) / accumulation_factor", "effective_mask.sum().clamp(min=1.0)"),
    # the entropy bonus
    (
        "stats = torch.stack([(entropies * effective_mask).sum(), effective_mask.sum()])",
        "stats = torch.stack([(entropies * mask).sum(), mask.sum()])",
    ),
    (
        "self._entropy_window_stats = self._entropy_window_stats + stats",
        "self._entropy_window_stats = stats",
        "the entropy of the last micro-batch",
    ),
    (
        "(window_stats[0] / window_stats[1].clamp(min=1.0)).item()",
        "(window_stats[0] / window_stats[1].clamp(min=1.0) / self.accelerator.num_processes).item()",
    ),
    (
        "self.entropy_coef - self.args.entropy_coef_delta, self.args.entropy_coef_min",
        "self.entropy_coef - self.args.entropy_coef_delta, 0.0",
    ),
    (
        'self._last_world_entropy = state["last_world_entropy"]',
        "pass",
        "the last entropy not taken up from a checkpoint",
    ),
    (
        "if self.aux_loss_enabled:\n            normalizer",
        'if self.aux_loss_enabled and mode == "train":\n            normalizer',
    ),
    # metrics
    (
        "self.accelerator.gather(policy_loss).nanmean().item()",
        "self.accelerator.gather(loss.detach()).nanmean().item()",
    ),
    ("(coef_1 > self.epsilon_high) & (advantages > 0)", "(coef_1 > self.epsilon_high) & (advantages < 0)"),
    ("return (x * mask).sum(-1) / mask.sum(-1)\n", "return x.mean(-1)\n"),
    ("(x * mask).sum(), mask.sum().float()", "(x * completion_mask).sum(), completion_mask.sum().float()"),
    (
        '"clip_ratio/region_mean"].append(global_masked_mean(is_region_clipped.float()))',
        '"clip_ratio/region_mean"].append(global_masked_mean(is_low_clipped.float()))',
    ),
    (
        'if mode == "train" and self.accelerator.sync_gradients:\n                self._metrics[mode]["entropy_coef"]',
        'if mode == "train":\n                self._metrics[mode]["entropy_coef"]',
    ),
    ("loss = loss.mean().detach()", "loss = loss.mean().detach() * self.current_gradient_accumulation_steps"),
    ("valid = [v for v in val if not math.isnan(v)]", "valid = [0.0 if math.isnan(v) else v for v in val]"),
    ("sum(valid) / len(valid) if valid else None", "sum(valid) / len(valid) if valid else 0.0"),
    ('metrics = {f"eval_{key}": val for key, val in metrics.items()}', "metrics = dict(metrics)"),
    (
        "mean_rewards = torch.nanmean(rewards_per_func[:, i]).item()",
        "mean_rewards = rewards_per_func[:, i].nan_to_num().mean().item()",
    ),
    (
        "std_func_rewards = nanstd(rewards_per_func[:, i]).item()",
        "std_func_rewards = nanstd(rewards_per_func[: len(prompts), i]).item()",
    ),
    ("delta = delta[mask & ~torch.isnan(delta)]", "delta = torch.nan_to_num(delta[mask])"),
    (
        'if mode == "train":\n            self.state.num_input_tokens_seen',
        "if True:\n            self.state.num_input_tokens_seen",
        "an evaluation counted in num_tokens",
    ),
    (
        '"completions/min_length"].append(agg_completion_lengths.float()',
        '"completions/min_length"].append(completion_lengths.float()',
    ),
    ("rewards[unscorable_mask] = torch.nan  # exclude", "pass  # exclude"),
    (
        "is_std_zero = torch.isclose(std_rewards, torch.zeros_like(std_rewards))  # for logging\n\n        elif",
        "is_std_zero = torch.isclose(mean_grouped_rewards, torch.zeros_like(std_rewards))  # for logging\n\n        elif",
    ),
    ("all_process_advantages = advantages.clone()", "all_process_advantages = advantages[: len(prompts)].clone()"),
    ('f"completions_{self.state.global_step:05d}.parquet"', 'f"completions_{self._step:05d}.parquet"'),
    # which completions are used when
    (
        "if self._step % generate_every == 0 or self._buffered_inputs is None:",
        "if self.state.global_step % generate_every == 0 or self._buffered_inputs is None:",
    ),
    (
        "inputs = self._generate_and_score_completions(generation_batch)\n        return inputs",
        'inputs = self._first = getattr(self, "_first", None) or self._generate_and_score_completions(generation_batch)\n        return inputs',
        "an evaluation that generates once",
    ),
    (
        "mini_repeat_count=self.num_generations_eval,\n            seed=self.args.seed,",
        "mini_repeat_count=self.num_generations_eval,\n            seed=0,",
    ),
    (
        "                repeat_count=self.num_iterations * self.args.steps_per_generation,\n            )",
        "                repeat_count=self.args.steps_per_generation,\n            )",
        "a stream without its iterations",
    ),
    # rewards and advantages
    (
        "completion_ids=completion_ids_list, **reward_kwargs\n                    )\n                    # Convert",
        "completion_ids=[ids[:-1] for ids in completion_ids_list], **reward_kwargs\n                    )\n                    # Convert",
        "tokens without the last one for a reward",
    ),
    ("return index, output\n", "return index, output[::-1]\n"),
    (
        "rewards_per_func[:, i] = torch.tensor(output_reward_func, dtype=torch.float32, device=device)",
        "rewards_per_func[:, i] = torch.tensor(output_reward_func, dtype=torch.float32, device=device).clamp(min=0)",
        "negative rewards are 0",
    ),
    (
        "self.reward_weights = torch.tensor(args.reward_weights, dtype=torch.float32)",
        "self.reward_weights = torch.tensor(args.reward_weights, dtype=torch.float32) / sum(args.reward_weights)",
    ),
    (
        "unscorable_mask = torch.isnan(rewards_per_func).all(dim=1)",
        "unscorable_mask = torch.isnan(rewards_per_func).any(dim=1)",
    ),
    (
        "advantages = (rewards - torch.nanmean(rewards)) / (std_rewards + 1e-4)",
        "advantages = rewards / (std_rewards + 1e-4)",
    ),
    # tokens
    (
        "add_generation_prompt=True,\n                tokenize=True,\n                return_dict=True,\n                **({",
        "add_generation_prompt=False,\n                tokenize=True,\n                return_dict=True,\n                **({",
    ),
    (
        'prompt_ids = self.processing_class(text=prompts)["input_ids"]',
        'prompt_ids = self.processing_class(text=prompts, truncation=True, max_length=512)["input_ids"]',
    ),
    (
        "is_eos.int().argmax(dim=1)[is_eos.any(dim=1)]",
        "(is_eos.size(1) - 1 - is_eos.int().flip(1).argmax(dim=1))[is_eos.any(dim=1)]",
        "a completion to its last end",
    ),
    (
        "[ids[-1] not in eos_and_pad for ids in completion_ids_list]",
        "[len(ids) >= self.max_completion_length for ids in completion_ids_list]",
        "as long as may be is truncated",
    ),
    (
        "completion_mask = [torch.ones_like(ids, dtype=torch.long) for ids in completion_ids]",
        "completion_mask = [(ids != self._tokenizer.pad_token_id).long() for ids in completion_ids]",
        "a completion that ends in padding without its end",
    ),
    (
        "logps_diff = per_sequence_logps_diff",
        "logps_diff = per_sequence_logps_diff / mask.sum(dim=-1, keepdim=True).clamp(min=1)",
    ),
    ("(vllm_importance_sampling_ratio < min_val) | (", "(vllm_importance_sampling_ratio < min_val) & ("),
    ("input_ids_batch = input_ids[start:end]", "input_ids_batch = input_ids[: end - start]"),
    ('"min_p": self.min_p,\n                "repetition', '"min_p": None,\n                "repetition'),
)

# By their places: what is noticed on tensors, and what two ranks take to show; the others show in a run of one process.
OF_LOSS = [BLIND[at] for at in (*range(2, 16), 21)]
ON_RANKS = [BLIND[at] for at in (18, 33, 36, 39)]
# the sum of rewards that are each normalised within their group has the mean 0 already; no prompt is as long as 512 tokens
NOT_NOTICED = [BLIND[at] for at in (50, 52)]
IN_STEPS = [one for one in BLIND if one not in (*OF_LOSS, *ON_RANKS, *NOT_NOTICED)]
