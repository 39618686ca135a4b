"""Mistakes that one can make in a step of TRL outside of its loss, each planted in a copy of one of TRL's modules."""

# ruff: noqa: E501 - the pieces are as long as TRL's lines
from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple


class Planted(NamedTuple):
    """``module`` of ``trl.trainer``; the piece of source ``was`` must be there once, or ``times`` times."""

    module: str
    was: str
    becomes: str
    name: str = ""
    times: int = 1

    def __str__(self) -> str:
        return self.name or f"{self.module}: {self.was} -> {self.becomes}"


def plant(mutant: Planted, monkeypatch: Any) -> None:
    """Makes ``from trl import GRPOTrainer`` give the trainer with the mistake in it."""
    import trl
    from trl.trainer import grpo_trainer

    changed = _changed(mutant)
    monkeypatch.setitem(sys.modules, changed.__name__, changed)
    if mutant.module != "grpo_trainer":
        changed = _executed(grpo_trainer, Path(str(grpo_trainer.__file__)).read_text())
    monkeypatch.setitem(sys.modules, "trl.trainer.grpo_trainer", changed)
    monkeypatch.setattr(sys.modules["trl.trainer"], "grpo_trainer", changed, raising=False)
    monkeypatch.setattr(trl, "GRPOTrainer", changed.GRPOTrainer)


def _changed(mutant: Planted) -> ModuleType:
    original = importlib.import_module(f"trl.trainer.{mutant.module}")
    source = Path(str(original.__file__)).read_text()
    assert source.count(mutant.was) == mutant.times, f"{mutant.was!r} is there {source.count(mutant.was)} times"
    return _executed(original, source.replace(mutant.was, mutant.becomes))


def _executed(original: ModuleType, source: str) -> ModuleType:
    module = ModuleType(original.__name__)
    module.__package__, module.__file__ = original.__package__, original.__file__
    before = sys.modules.get(original.__name__)
    sys.modules[original.__name__] = module
    try:
        exec(compile(source, str(original.__file__), "exec"), vars(module))  # noqa: S102 - TRL's source, and a mistake
    finally:
        if before is not None:
            sys.modules[original.__name__] = before
    return module


GRPO = "grpo_trainer"


def planted_in(module: str, *pairs: tuple[Any, ...]) -> list[Planted]:
    return [Planted(module, *pair) for pair in pairs]


ALONE = [
    *planted_in(
        GRPO,
        # held settings
        (
            "self.epsilon_high = args.epsilon_high if args.epsilon_high is not None else args.epsilon",
            "self.epsilon_high = args.epsilon",
        ),
        (
            "self.num_generations_eval = args.num_generations_eval or self.num_generations",
            "self.num_generations_eval = self.num_generations",
        ),
        (
            "self.reward_weights = torch.tensor(args.reward_weights, dtype=torch.float32)",
            "self.reward_weights = torch.ones(len(reward_funcs))",
        ),
        ('self._last_world_entropy = float("inf")', "self._last_world_entropy = 0.0"),
        (
            "eos_token_ids = [self._tokenizer.eos_token_id, *eos_token_ids]",
            "eos_token_ids = [self._tokenizer.eos_token_id]",
        ),
        ("self.eos_token_ids = eos_token_ids", "self.eos_token_ids = [self._tokenizer.eos_token_id]"),
        (
            "self._entropy_bonus_enabled = self.entropy_coef != 0.0 or self.use_adaptive_entropy",
            "self._entropy_bonus_enabled = False",
        ),
        ("set_seed(args.seed, device_specific=True)", "set_seed(args.seed + 1, device_specific=True)", "another seed"),
        (
            "eval_dataset = repeat_iterable_dataset(eval_dataset, mini_repeat_count=self.num_generations_eval)",
            "eval_dataset = repeat_iterable_dataset(eval_dataset, mini_repeat_count=self.num_generations)",
        ),
        (
            'tool_mask = extra_fields.pop("env_mask", None)',
            'tool_mask = extra_fields.get("env_mask", None)',
            "a rollout's mask handed to the rewards",
        ),
        (
            'num_generations = self.num_generations if mode == "train" else self.num_generations_eval\n'
            "            completion_ids, logprobs",
            "num_generations = self.num_generations\n            completion_ids, logprobs",
            "the engine asked for training's groups in an evaluation",
        ),
        (
            '"step": [self.state.global_step] * len(self._logs["prompt"])',
            '"step": [self._step] * len(self._logs["prompt"])',
            "micro-batches for the step in the table's files",
        ),
        ('"advantage": self._logs["advantages"],', '"advantage": list(self._logs["advantages"])[::-1],'),
        (
            "normalizer * self.current_gradient_accumulation_steps / self.args.steps_per_generation",
            "normalizer * self.args.gradient_accumulation_steps / self.args.steps_per_generation",
            "the share of a whole window for dapo's last, short one",
        ),
        (
            '            if mode == "train":  # in eval, the batch is neither split across steps nor accumulated\n    ',
            "            if True:\n    ",
            "an evaluation divided as a window of training, by dapo",
        ),
        (
            "mask.sum(-1).clamp(min=1.0)).mean()\n            normalizer = self.current_gradient_accumulation_steps if",
            "mask.sum(-1).clamp(min=1.0)).mean()\n            normalizer = self.args.gradient_accumulation_steps if",
            "a short window divided as a whole one",
        ),
        # reference
        (
            "                    self.ref_model,\n                        prompt_completion_ids",
            "                    self.model,\n                        prompt_completion_ids",
            "the policy for the reference",
        ),
        (
            'with use_adapter(model, adapter_name="ref" if "ref" in model.peft_config else None)',
            "with disable_gradient_checkpointing(model, None)",
            "the adapter left on",
        ),
        (
            'adapter_name="ref" if "ref" in model.peft_config else None',
            "adapter_name=None",
            "the base model for the given adapter",
        ),
        ("ref_param.data.copy_(param.data)", "pass", "the given adapter is not copied"),
        (
            "self.ref_model, temperature=self.temperature, cast_lm_head",
            "self.ref_model, temperature=1.0, cast_lm_head",
            "the reference without the temperature",
        ),
        (
            "            temperature=self.temperature,\n            cast_lm_head_to_fp32=args.cast_lm_head_to_fp32,\n            outputs",
            "            cast_lm_head_to_fp32=args.cast_lm_head_to_fp32,\n            outputs",
            "the policy without the temperature",
        ),
        (
            "self.ref_model = create_model_from_path(get_config_model_id(self.model.config), **model_init_kwargs)",
            "self.ref_model = create_model_from_path(get_config_model_id(self.model.config), **model_init_kwargs).float()",
            "a reference of less precision than the policy",
        ),
        (
            "model = create_model_from_path(model, **model_init_kwargs)",
            "model = create_model_from_path(model)",
            "a named policy without what it is to be loaded with",
        ),
        # a checkpoint
        ('"last_world_entropy": self._last_world_entropy', '"last_world_entropy": self.args.entropy_target + 1'),
        ('self.entropy_coef = state["entropy_coef"]', "pass", "the first coefficient after resuming"),
        (
            "if self.use_adaptive_entropy and self.args.should_save:",
            "if self.use_adaptive_entropy and self.state.global_step >= self.state.max_steps:",
            "the entropy's control saved at the end alone",
        ),
        # prompts
        (
            'prompt_ids = self.processing_class(text=prompts)["input_ids"]',
            "prompt_ids = [self._tokenizer.convert_tokens_to_ids(self._tokenizer.tokenize(text)) for text in prompts]",
            "a text without the marks of its tokenizer",
        ),
        (
            'prompt_ids = self.processing_class(text=prompts)["input_ids"]',
            'prompt_ids = [one[: -1 if one[-1] == self._tokenizer.eos_token_id else None] for one in self.processing_class(text=prompts)["input_ids"]]',
            "a text without the mark of its end",
        ),
        (
            'prompt_ids = tokenized["input_ids"]\n',
            'prompt_ids = self.processing_class(text=self.processing_class.batch_decode(tokenized["input_ids"]))["input_ids"]\n',
            "a conversation with marks beside those of its template",
        ),
        # sampler
        (
            "seed=self.args.seed,\n        )\n\n    # This method overrides",
            "seed=self.args.seed if self.shuffle_dataset else 0,\n        )\n\n    # This method overrides",
            "an evaluation ordered by the setting of the training",
        ),
        (
            "                dataset = dataset.shuffle(seed=self.args.seed)",
            "                dataset = dataset.shuffle(seed=0)",
            "a stream shuffled by another seed",
        ),
        (
            "            if self.shuffle_dataset:\n                dataset",
            "            if True:\n                dataset",
        ),
        (
            "eval_dataset = eval_dataset.shuffle(seed=self.args.seed)",
            "pass",
            "a stream to evaluate that is not shuffled",
        ),
        (
            "repeat_count=self.num_iterations * self.args.steps_per_generation,\n            shuffle",
            "repeat_count=self.args.steps_per_generation,\n            shuffle",
            "iterations forgotten by the sampler",
        ),
        (
            "repeat_count=self.num_iterations * self.args.steps_per_generation,\n            shuffle",
            "repeat_count=self.num_iterations,\n            shuffle",
        ),
        (
            "batch_size=self.args.generation_batch_size // self.num_generations,\n            repeat_count=self.num_iterations * self.args.steps_per_generation,\n            shuffle",
            "batch_size=self.args.per_device_train_batch_size // self.num_generations,\n            repeat_count=self.num_iterations * self.args.steps_per_generation,\n            shuffle",
        ),
        ("shuffle=self.shuffle_dataset,", "shuffle=True,"),
        ("shuffle=self.shuffle_dataset,", "shuffle=False,"),
        (
            "            shuffle=self.shuffle_dataset,\n            seed=self.args.seed,",
            "            shuffle=self.shuffle_dataset,",
        ),
        (
            "mini_repeat_count=self.num_generations_eval,\n            seed",
            "mini_repeat_count=self.num_generations,\n            seed",
        ),
        (
            "batch_size=self._train_batch_size * self.args.steps_per_generation,  # <",
            "batch_size=self._train_batch_size,  # <",
        ),
        # buffering
        (
            "generate_every = self.args.steps_per_generation * self.num_iterations\n",
            "generate_every = self.args.steps_per_generation\n",
        ),
        (
            "inputs = self._buffered_inputs[self._step % self.args.steps_per_generation]",
            "inputs = self._buffered_inputs[0]",
            "always the first micro-batch",
        ),
        (
            "inputs = self._buffered_inputs[self._step % self.args.steps_per_generation]",
            # one later would be the same parts in another order, which the shuffle has made anyway
            "inputs = self._buffered_inputs[2 * self._step % self.args.steps_per_generation]",
        ),
        (
            "inputs = self._buffered_inputs[self._step % self.args.steps_per_generation]",
            "inputs = self._buffered_inputs[self.state.global_step % self.args.steps_per_generation]",
        ),
        ("generation_batch = shuffle_sequence_dict(generation_batch)", "pass", "not shuffled"),
        (
            "generation_batch = shuffle_sequence_dict(generation_batch)",
            'generation_batch = {**shuffle_sequence_dict(generation_batch), "advantages": generation_batch["advantages"]}',
            "advantages left behind by the shuffle",
        ),
        ("self._step += 1", "self._step += 2"),
        # rewards
        (
            "rewards_per_func[:, i] = torch.tensor(output_reward_func, dtype=torch.float32, device=device)",
            "rewards_per_func[:, 0] = torch.tensor(output_reward_func, dtype=torch.float32, device=device)",
        ),
        ("rewards_per_func[:, idx] = ", "rewards_per_func[:, idx - 1] = "),
        (
            "output_reward_func = [reward if reward is not None else torch.nan for reward in output_reward_func]",
            "output_reward_func = [reward or 0.0 for reward in output_reward_func]",
            "None is 0",
        ),
        (
            "output = [r if r is not None else torch.nan for r in output]",
            "output = [r if r is not None else 0.0 for r in output]",
        ),
        (
            "rewards_per_func[:, i] = torch.tensor(output_reward_func, dtype=torch.float32, device=device)",
            "rewards_per_func[:, i] = torch.tensor(output_reward_func, dtype=torch.bfloat16, device=device)",
            "rewards through bfloat16",
        ),
        (
            "rewards_per_func[:, i] = torch.tensor(output_reward_func",
            "rewards_per_func[:, i] = torch.tensor(output_reward_func[::-1]",
        ),
        (
            "reward_kwargs = {key: [example[key] for example in inputs] for key in keys}",
            "reward_kwargs = {key: [inputs[0][key] for example in inputs] for key in keys}",
        ),
        # generation
        ('"temperature": self.temperature,\n', '"temperature": 1.0,\n'),
        ('"top_p": self.top_p,\n', ""),
        ('"top_k": self.top_k,\n', ""),
        ('"max_new_tokens": self.max_completion_length,', '"max_new_tokens": self.max_completion_length - 1,'),
        ('"eos_token_id": self.eos_token_ids,', '"eos_token_id": self._tokenizer.eos_token_id,'),
        (
            "completion_mask = (sequence_indices <= eos_idx.unsqueeze(1)).int()",
            "completion_mask = (sequence_indices < eos_idx.unsqueeze(1)).int()",
            "the end is cut off",
        ),
        (
            "completion_ids = prompt_completion_ids[:, prompt_length:]",
            "completion_ids = prompt_completion_ids[:, prompt_length - 1 : -1]",
        ),
        (
            "[torch.ones_like(t) for t in prompt_tensors],\n                padding_value=0",
            "[torch.ones_like(t) for t in prompt_tensors],\n                padding_value=1",
        ),
        (
            '                padding_value=self._tokenizer.pad_token_id,\n                padding_side="left",',
            '                padding_value=self._tokenizer.pad_token_id,\n                padding_side="right",',
        ),
        (
            "if self.state.global_step != self._last_loaded_step:\n                with",
            "if self._last_loaded_step == -1:\n                with",
            "weights given to vLLM once",
        ),
        # lengths
        ("[sum(mask) for mask in tool_mask]", "[len(mask) for mask in tool_mask]"),
        (
            "term_completion_lengths = agg_completion_lengths[~agg_is_truncated]",
            "term_completion_lengths = agg_completion_lengths[agg_is_truncated]",
        ),
        (
            "eos_and_pad = [*self.eos_token_ids, self._tokenizer.pad_token_id]\n        is_truncated",
            "eos_and_pad = [self._tokenizer.eos_token_id]\n        is_truncated",
        ),
        (
            '["completions/clipped_ratio"].append(agg_is_truncated.float().mean().item())',
            '["completions/clipped_ratio"].append(1 - agg_is_truncated.float().mean().item())',
        ),
        (
            "self.state.num_input_tokens_seen += (total_prompt_tokens + agg_completion_lengths.sum()).item()",
            "self.state.num_input_tokens_seen += agg_completion_lengths.sum().item()",
        ),
        # batch
        (
            "completion_mask = completion_mask * (~is_truncated).unsqueeze(1).int()",
            "completion_mask = completion_mask * is_truncated.unsqueeze(1).int()",
        ),
        ("tool_mask = tool_mask * (~is_truncated).unsqueeze(1).int()", "pass"),
        (
            "loss_mask = completion_mask if tool_mask is None else completion_mask * tool_mask",
            "loss_mask = completion_mask",
        ),
        ("prompt_mask, padding_value=0, padding_side", "prompt_mask, padding_value=1, padding_side"),
        (
            "attention_mask = torch.cat([prompt_mask, completion_mask], dim=1)  # (B, P+C)",
            "attention_mask = torch.ones_like(prompt_completion_ids)",
        ),
        (
            "attention_mask = torch.cat([prompt_mask, completion_mask], dim=1)\n",
            "attention_mask = torch.ones_like(input_ids)\n",
        ),
        (
            "if self.args.gradient_accumulation_steps % generate_every != 0 or (",
            "if self.num_iterations > 1 or (",
            "old log-probabilities for iterations alone",
        ),
        (
            "if self.args.gradient_accumulation_steps % generate_every != 0 or (",
            "if False and (",
            "old log-probabilities never",
        ),
        (
            "if self.args.gradient_accumulation_steps % generate_every != 0 or (",
            "if self.args.steps_per_generation % self.args.gradient_accumulation_steps != 0 or (",
        ),
        (
            "(old_per_token_logps - sampling_per_token_logps) * mask",
            "(sampling_per_token_logps - old_per_token_logps) * mask",
        ),
        ("(old_per_token_logps - sampling_per_token_logps) * mask", "(old_per_token_logps - sampling_per_token_logps)"),
        (
            "per_sequence_logps_diff = per_token_logps_diff.sum(dim=-1, keepdim=True)",
            "per_sequence_logps_diff = per_token_logps_diff.mean(dim=-1, keepdim=True)",
        ),
        # advantages
        (
            "advantages = rewards - mean_grouped_rewards\n",
            "advantages = (rewards - mean_grouped_rewards).roll(1)\n",
            "advantages of the row before",
        ),
        ("rewards[unscorable_mask] = torch.nan\n            mean_grouped", "pass\n            mean_grouped"),
        ('if self.scale_rewards != "none":', "if True:"),
        (
            'elif self.scale_rewards == "batch":\n                # Compute global std\n                if rewards.numel() > 1:\n                    std_rewards = nanstd(rewards).expand_as(rewards)',
            'elif self.scale_rewards == "batch":\n                if rewards.numel() > 1:\n                    std_rewards = nanstd(rewards.view(-1, num_generations), dim=1).repeat_interleave(num_generations)',
        ),
        (
            "mean_k = torch.nanmean(grouped, dim=1, keepdim=True)",
            "mean_k = grouped.nan_to_num().mean(dim=1, keepdim=True)",
            "None is 0 in the mean of a reward by itself",
        ),
        (
            'num_generations = self.num_generations if mode == "train" else self.num_generations_eval\n\n        # A',
            "num_generations = self.num_generations\n\n        # A",
        ),
        # metrics
        (
            'self._metrics[mode]["reward_std"].append(nanstd(rewards).item())',
            'self._metrics[mode]["reward_std"].append(std_rewards.mean().item())',
        ),
        (
            'self._metrics[mode]["reward"].append(torch.nanmean(rewards).item())',
            'self._metrics[mode]["reward"].append(rewards_per_func.nansum(dim=1).mean().item())',
        ),
        (".append(is_std_zero.float().mean().item())", ".append(1 - is_std_zero.float().mean().item())"),
        (
            'self._metrics[mode]["kl"].append(global_masked_mean(per_token_kl))',
            'self._metrics[mode]["kl"].append(per_token_kl.mean().item())',
        ),
        (
            'self._metrics[mode]["kl"].append(global_masked_mean(per_token_kl))',
            'self._metrics[mode]["kl"].append(self.beta * global_masked_mean(per_token_kl))',
        ),
        (
            'self._metrics[mode]["entropy"].append(global_masked_mean(entropies))',
            'self._metrics[mode]["entropy"].append(entropies.mean().item())',
        ),
        (
            "is_low_clipped = (coef_1 < 1 - self.epsilon_low) & (advantages < 0)",
            "is_low_clipped = coef_1 < 1 - self.epsilon_low",
        ),
        (
            "is_high_clipped = (coef_1 > 1 + self.epsilon_high) & (advantages > 0)",
            "is_high_clipped = (coef_1 > 1 + self.epsilon_low) & (advantages > 0)",
        ),
        (
            "is_region_clipped = is_low_clipped | is_high_clipped",
            "is_region_clipped = is_low_clipped & is_high_clipped",
        ),
        ("nanmin(gathered_low_clip)", "nanmax(gathered_low_clip)"),
        ("(coef_1 > self.epsilon_high) & (advantages > 0)", "(coef_1 > 1 + self.epsilon_high) & (advantages > 0)"),
        ("metrics[key] = sum(valid) / len(valid) if valid else None", "metrics[key] = val[-1]"),
        ("self._metrics[mode].clear()", "pass", "metrics pile up"),
        (
            "self._metrics[mode].clear()",
            "[metrics.clear() for metrics in self._metrics.values()]",
            "an evaluation's log that clears the metrics of the training",
        ),
        ('mode = "train" if self.model.training else "eval"\n        # Average', 'mode = "train"\n        # Average'),
        # what reward functions log
        (
            "self._pending_metrics[name].append(value)",
            "self._pending_metrics[name] = [value]",
            "the last value of a call",
        ),
        ("self._pending_metrics.clear()", "pass", "values of all calls pile up"),
        # where nothing counts
        (
            "return (x * mask).sum(-1) / mask.sum(-1)\n",
            "return ((x * mask).sum(-1) / mask.sum(-1)).nan_to_num()\n",
            "a truncated completion that is clipped nowhere",
        ),
        # entropy control
        (
            'if self.use_adaptive_entropy and mode == "train":',
            "if self.use_adaptive_entropy:",
            "the bonus moves in an evaluation",
        ),
        (
            "self._entropy_window_stats = None\n\n            # Log",
            "\n            # Log",
            "the entropies of all steps pile up",
        ),
        (
            "self.entropy_coef + self.args.entropy_coef_delta, self.args.entropy_coef_max",
            "self.entropy_coef + self.args.entropy_coef_delta, 1.0",
        ),
        (
            "self.entropy_coef - self.args.entropy_coef_delta, self.args.entropy_coef_min",
            "self.entropy_coef - 2 * self.args.entropy_coef_delta, self.args.entropy_coef_min",
        ),
        ("if world_entropy <= self.args.entropy_target:", "if world_entropy >= self.args.entropy_target:"),
        ("self._last_world_entropy = world_entropy", "pass"),
        # forward
        ("labels[:, :-logits_to_keep] = -100", "labels[:, : -logits_to_keep + 1] = -100"),
        (
            "all_logps.append(outputs.log_probs[:, -logits_to_keep:])",
            "all_logps.append(outputs.log_probs[:, -logits_to_keep:].roll(1, dims=1))",
        ),
        ('"attention_mask": attention_mask_batch}', '"attention_mask": None}'),
    ),
    *planted_in(
        "utils",
        ("indexes = [chunk for chunk in indexes if len(chunk) == self.batch_size]", "pass", "the odd rest is kept"),
        (
            "            for _ in range(self.repeat_count):\n                for index in chunk:\n                    for _ in range(self.mini_repeat_count):\n                        yield index",
            "            for index in chunk:\n                for _ in range(self.repeat_count):\n                    for _ in range(self.mini_repeat_count):\n                        yield index",
        ),
        ("permutation = torch.randperm(batch_size)", "permutation = torch.arange(batch_size)"),
        (
            "chunk_dict[key] = tensor[i * chunk_size : (i + 1) * chunk_size]",
            "chunk_dict[key] = tensor[i::num_chunks][:chunk_size] if key == 'advantages' else tensor[i * chunk_size : (i + 1) * chunk_size]",
        ),
        ("variance *= correction  # Bessel's correction", "pass", "the deviation of a population"),
        ("seq_start = output_shape[0] - t.shape[0]", "seq_start = 0", "padding on the other side"),
        ("with model.disable_adapter():\n            yield", "yield"),
        (
            "hidden_states = backbone_outputs.last_hidden_state[:, :-1]",
            "hidden_states = backbone_outputs.last_hidden_state[:, 1:]",
        ),
        ("                temperature,\n                _CHUNKED", "                1.0,\n                _CHUNKED"),
    ),
    *planted_in(
        "callbacks",
        (
            "target_param.data.mul_(1.0 - alpha).add_(copy_param.data, alpha=alpha)",
            "target_param.data.mul_(alpha).add_(copy_param.data, alpha=1.0 - alpha)",
        ),
        (
            "state.global_step % args.ref_model_sync_steps == 0",
            "state.global_step % (args.ref_model_sync_steps + 1) == 0",
        ),
    ),
]
# of the two reward models, which the runs that are judged have
OF_JUDGES = planted_in(
    GRPO,
    (
        "texts = [p + c for p, c in zip(prompts",
        "texts = [c for p, c in zip(prompts",
        "a completion judged without its prompt",
    ),
    (
        "texts = [p + c for p, c in zip(prompts",
        "texts = [p + c for p, c in zip([prompts[-1], *prompts[:-1]]",
        "a completion judged with the prompt of the row before",
    ),
    ("texts = [p + c for p, c", 'texts = [p + " " + c for p, c'),
    (
        'messages = [{"messages": p + c} for p',
        'messages = [{"messages": c} for p',
        "a conversation judged from its answer on",
    ),
    (
        'messages = [{"messages": p + c} for p, c',
        'messages = [{"messages": [*p, {**c[0], "role": "user"}]} for p, c',
        "a conversation whose answer is of the user",
    ),
    (
        "                            apply_chat_template(x, reward_processing_class, **self",
        "                            apply_chat_template(x, self.processing_class, **self",
        "the policy's template for a judge",
    ),
    ('reward_processing_class, **self.chat_template_kwargs)["text"]', 'reward_processing_class)["text"]'),
    (
        "reward_inputs = reward_processing_class(",
        "reward_inputs = self._tokenizer(",
        "the policy's tokenizer for a judge",
    ),
    ('padding=True, padding_side="right", add_special', 'padding=True, padding_side="left", add_special'),
    ('padding=True, padding_side="right", add_special', "padding=True, add_special"),
    ('padding_side="right", add_special_tokens=False', 'padding_side="right", add_special_tokens=True'),
    (
        "rewards_per_func[:, i] = reward_func(**reward_inputs).logits",
        'rewards_per_func[:, i] = reward_func(input_ids=reward_inputs["input_ids"]).logits',
        "a judge that attends to what fills up",
    ),
    (".logits[:, 0]", ".logits[:, -1]"),
    (".logits[:, 0]", ".logits.softmax(-1)[:, 0]"),
    (".logits[:, 0]", ".logits.flip(0)[:, 0]", "the judgement of another row"),
    ("rewards_per_func[:, i] = reward_func(", "rewards_per_func[:, i - 1] = reward_func("),
    ("reward_func(**reward_inputs)", "reward_func.train()(**reward_inputs)", "a judge with its dropout on"),
    ("reward_func.config.get_text_config().pad_token_id = reward_processing_class.pad_token_id", "pass"),
    ("reward_func, num_labels=1, **model_init_kwargs", "reward_func, num_labels=1"),
    ('get_config_model_id(reward_funcs[i].config).split("/")[-1]', "get_config_model_id(reward_funcs[i].config)"),
    (
        "self.reward_weights = torch.tensor(args.reward_weights, dtype=torch.float32)",
        "self.reward_weights = torch.tensor([1.0 if isinstance(one, nn.Module) else weight for one, weight in zip(reward_funcs, args.reward_weights)])",
        "a weight of 1 for each judge",
    ),
)
TOGETHER = [
    *planted_in(
        "utils",
        (
            "torch.randperm(batch_size)",
            "torch.randperm(batch_size, generator=torch.Generator().manual_seed(5))",
            "the same shuffle on all ranks",
        ),
    ),
    *planted_in(
        GRPO,
        (
            "loss = (per_token_loss * mask).sum() / mask.sum().clamp(min=1.0)",
            "loss = (per_token_loss * mask).sum() / self.accelerator.gather(mask.sum()).double().mean().clamp(min=1.0)",
            "the tokens of all ranks for bnpo's own",
        ),
        ("set_seed(args.seed, device_specific=True)", "set_seed(args.seed)", "all ranks sample the same"),
        (
            "self._metrics[mode][name].append(total / count)",
            "self._metrics[mode][name].append(sum(values) / len(values) if values else total / count)",
            "what one rank's rewards logged",
        ),
        (
            "self._metrics[mode][name].append(total / count)",
            "self._metrics[mode][name].append(total / self.accelerator.num_processes)",
        ),
        (
            "self._pending_extra_logs.get(column, [None] * len(prompts))",
            "self._pending_extra_logs.get(column, [])",
            "a column that is shorter where a rank has none",
        ),
        ("self._pending_extra_logs.clear()", "pass", "columns of all calls pile up"),
        (
            "self.accelerator.gather(torch.tensor(tool_call_count, device=device)).sum()",
            "torch.tensor(tool_call_count, device=device)",
            "calls of one rank",
        ),
        (
            "self.accelerator.gather(torch.tensor(tool_failure_count, device=device)).sum()",
            "torch.tensor(tool_failure_count, device=device)",
            "failures of one rank",
        ),
        (
            "self.accelerator.process_index * len(prompts),\n            (self.accelerator.process_index + 1) * len(prompts),",
            "0,\n            len(prompts),",
            "the first rank's advantages for all",
        ),
        ("rewards_per_func = gather(rewards_per_func)\n        return", "return", "rewards not gathered"),
        ("num_items_in_batch = self.accelerator.gather(loss_mask.sum()).sum()", "num_items_in_batch = loss_mask.sum()"),
        (
            "seed=self.args.seed,\n        )\n\n    def _get_eval",
            "seed=self.args.seed + self.accelerator.process_index,\n        )\n\n    def _get_eval",
        ),
        ("gathered = self.accelerator.gather(padded)\n", "gathered = padded\n", "the quantile of each rank by itself"),
        (
            'window_stats = self.accelerator.reduce(self._entropy_window_stats, reduction="sum")',
            "window_stats = self._entropy_window_stats",
        ),
        (
            'totals = self.accelerator.reduce(torch.stack([local_sum, local_count]), reduction="sum")',
            "totals = torch.stack([local_sum, local_count])",
        ),
        (
            "agg_completion_lengths = self.accelerator.gather(completion_lengths)",
            "agg_completion_lengths = completion_lengths",
        ),
        (
            '["num_items_in_batch"].clamp(min=1.0) / self.accelerator.num_processes',
            '["num_items_in_batch"].clamp(min=1.0)',
        ),
        (
            "generation_batch = shuffle_sequence_dict(generation_batch)",
            'generation_batch = {**shuffle_sequence_dict(generation_batch), "advantages": generation_batch["advantages"]}',
            "advantages left behind on two ranks",
        ),
    ),
]
