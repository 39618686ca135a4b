"""Mistakes made one at a time in TRL's own source, each noticed by a watched run of three steps or fewer."""

import inspect
import textwrap

import pytest

pytest.importorskip("trl", reason="trl is not installed")

from datasets import Dataset
from tiny_trainer import trainer
from trl import GRPOTrainer
from trl.trainer import grpo_trainer

from grpo_rewards.loss import LossMismatch, watch_loss

SCORE, PREPARE, FORWARD = (
    "_generate_and_score_completions",
    "_prepare_inputs",
    "_get_per_token_logps_and_entropies",
)
KL, AGAIN, TWO = {"beta": 0.1}, {"num_iterations": 2}, {"gradient_accumulation_steps": 2}
FAST = {"learning_rate": 1e-2}  # so that a step moves the policy away from its reference
SHORT = {"mask_truncated_completions": True, "max_completion_length": 6}
BATCHES = {"steps_per_generation": 2, "num_iterations": 2}
# method, what is there, what is put in its place, the options of the run
MUTANTS = {
    "reference is the policy": (
        SCORE,
        "self.ref_model,\n                        prompt_comp",
        "self.model,\n                        prompt_comp",
        KL | FAST,
    ),
    "no reference": (SCORE, "if ref_per_token_logps is not None:", "if False:", KL),
    "old never computed": (SCORE, "if old_per_token_logps is not None:", "if False:", AGAIN),
    "old is the reference": (
        SCORE,
        'output["old_per_token_logps"] = old_per_token_logps',
        'output["old_per_token_logps"] = ref_per_token_logps',
        KL | AGAIN | FAST,
    ),
    "reference is the old": (
        SCORE,
        'output["ref_per_token_logps"] = ref_per_token_logps',
        'output["ref_per_token_logps"] = old_per_token_logps',
        KL | AGAIN | FAST,
    ),
    "old where none is needed": (
        SCORE,
        "if self.args.gradient_accumulation_steps % generate_every != 0 or (",
        "if True or (",
        {},
    ),
    "advantages rolled": (
        SCORE,
        "advantages = advantages[process_slice]",
        "advantages = advantages[process_slice].roll(1)",
        {},
    ),
    "advantages reversed": (
        SCORE,
        "advantages = advantages[process_slice]",
        "advantages = advantages[process_slice].flip(0)",
        {},
    ),
    "mean of the batch": (
        SCORE,
        "torch.nanmean(rewards.view(-1, num_generations), dim=1)\n",
        "torch.nanmean(rewards).expand(len(rewards) // num_generations)\n",
        {},
    ),
    "groups across": (
        SCORE,
        "mean_grouped_rewards.repeat_interleave(num_generations, dim=0)",
        "mean_grouped_rewards.repeat(num_generations)",
        {},
    ),
    "weights forgotten": (
        SCORE,
        "(rewards_per_func * self.reward_weights.to(device).unsqueeze(0)).nansum(dim=1)\n            rewards[unsc",
        "rewards_per_func.nansum(dim=1)\n            rewards[unsc",
        {"reward_weights": [0.2, 1.0]},
    ),
    "not divided by the deviation": (SCORE, 'if self.scale_rewards != "none":', "if False:", {}),
    "epsilon of a hundredth": (SCORE, "advantages / (std_rewards + 1e-4)", "advantages / (std_rewards + 1e-2)", {}),
    "deviation squared": (SCORE, "advantages / (std_rewards + 1e-4)", "advantages / (std_rewards**2 + 1e-4)", {}),
    "prompts padded on the right": (
        SCORE,
        'prompt_ids,\n            padding_value=self._tokenizer.pad_token_id,\n            padding_side="left"',
        'prompt_ids,\n            padding_value=self._tokenizer.pad_token_id,\n            padding_side="right"',
        {},
    ),
    "completions padded on the left": (
        SCORE,
        'completion_ids,\n            padding_value=self._tokenizer.pad_token_id,\n            padding_side="right"',
        'completion_ids,\n            padding_value=self._tokenizer.pad_token_id,\n            padding_side="left"',
        {},
    ),
    "truncated are kept": (SCORE, "if self.mask_truncated_completions:", "if False:", SHORT),
    "whole ones are dropped": (SCORE, "completion_mask * (~is_truncated)", "completion_mask * is_truncated", SHORT),
    "tokens counted on one rank twice": (
        SCORE,
        "self.accelerator.gather(loss_mask.sum()).sum()",
        "self.accelerator.gather(loss_mask.sum()).sum() * 2",
        {},
    ),
    "prompts counted": (
        SCORE,
        "self.accelerator.gather(loss_mask.sum()).sum()",
        "self.accelerator.gather(loss_mask.sum() + prompt_mask.sum()).sum()",
        {},
    ),
    "advantages shuffled alone": (
        PREPARE,
        "generation_batch = shuffle_sequence_dict(generation_batch)",
        "generation_batch = shuffle_sequence_dict(generation_batch)\n"
        "                generation_batch['advantages'] = generation_batch['advantages'].roll(1)",
        {},
    ),
    "always the first micro-batch": (
        PREPARE,
        "self._buffered_inputs[self._step % self.args.steps_per_generation]",
        "self._buffered_inputs[0]",
        BATCHES,
    ),
    "the last one twice": (
        PREPARE,
        "self._buffered_inputs[self._step % self.args.steps_per_generation]",
        "self._buffered_inputs[max(1, self._step % self.args.steps_per_generation)]",
        BATCHES,
    ),
    "generated too late": (PREPARE, "self._step % generate_every == 0", "self._step % (2 * generate_every) == 0", {}),
    "generated too early": (PREPARE, "self._step % generate_every == 0", "True", BATCHES),
    "one micro-batch too many": (
        PREPARE,
        "split_tensor_dict(generation_batch, self.args.steps_per_generation)",
        "split_tensor_dict(generation_batch, self.args.steps_per_generation * 2) * 2",
        TWO,
    ),
    "shifted by a token": (
        FORWARD,
        "outputs.log_probs[:, -logits_to_keep:]",
        "outputs.log_probs[:, -logits_to_keep:].roll(1, dims=1)",
        {},
    ),
    "padding attended to": (
        FORWARD,
        '"attention_mask": attention_mask_batch}',
        '"attention_mask": torch.ones_like(attention_mask_batch)}',
        {},
    ),
    "entropies with a gradient of their own": (
        "_compute_loss",
        "entropies * effective_mask",
        "entropies.detach() * effective_mask",
        {"entropy_coef": 0.1},
    ),
    "advantages doubled in place": (
        "_compute_loss",
        'advantages = inputs["advantages"]',
        'advantages = inputs["advantages"].mul_(2)',
        {},
    ),
    "a group of several prompts": (
        "_get_train_sampler",
        "mini_repeat_count=self.num_generations",
        "mini_repeat_count=1",
        {},
    ),
    "evaluated by another group size": (
        SCORE,
        'num_generations = self.num_generations if mode == "train" else self.num_generations_eval\n\n',
        "num_generations = self.num_generations\n\n",
        {"evaluates": True},
    ),
}


def mutated(method, before, after):
    """The method of TRL with one change in its source."""
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(getattr(GRPOTrainer, method))))
    source = textwrap.indent(source, "    ")
    assert source.count(before) >= 1, f"{before!r} is not in TRL's {method}"
    changed = (
        source.replace(before, after).replace("@profiling_decorator", "").replace("super()", "super(GRPOTrainer, self)")
    )
    space = {}
    exec("class Mutated:\n" + changed, vars(grpo_trainer) | {"GRPOTrainer": GRPOTrainer}, space)  # noqa: S102 - TRL's own source
    return vars(space["Mutated"])[method]


def uneven(completions, **_):
    """Another number for each completion."""
    return [len(text) / 3 + index**2 / 8 for index, text in enumerate(completions)]


@pytest.mark.full
@pytest.mark.parametrize("name", MUTANTS)
def test_a_mistake_in_trl_is_noticed(name, tmp_path, monkeypatch):
    method, before, after, options = MUTANTS[name]
    options = dict(options)
    given = {"reward_funcs": [uneven, uneven] if "reward_weights" in options else [uneven]}
    if options.pop("evaluates", False):
        given["eval_rows"] = 4
        options |= {"eval_strategy": "steps", "eval_steps": 1, "num_generations_eval": 2}
    monkeypatch.setattr(GRPOTrainer, method, mutated(method, before, after))
    # prompts of unequal lengths
    rows = [{"prompt": f"{n} + 2?" + "?" * (3 * n) + "\n", "answer": str(n + 2)} for n in range(8)]
    given["train_dataset"] = Dataset.from_list(rows)
    watched = trainer(tmp_path, given, **options)
    watch_loss(watched, every=1)
    with pytest.raises(LossMismatch):
        watched.train()
