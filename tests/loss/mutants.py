"""Mistakes that one can make in the loss: a piece of source, what is written instead, and who has made it.

Each is applied to a copy of one function, of TRL's trainer or of this package, and must be noticed.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable, Sequence
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import pytest


class Mutant(NamedTuple):
    """``owner``: a method of GRPOTrainer, or ``module.function`` of ``grpo_rewards.loss``."""

    owner: str
    was: str
    becomes: str
    name: str = ""

    def __str__(self) -> str:
        return self.name or f"{self.owner}: {self.was} -> {self.becomes}"


LOSS = "_compute_loss"
SCALED_AUXILIARY = (
    'normalizer = self.current_gradient_accumulation_steps if mode == "train" else 1.0\n'
    "            loss = loss + self.router"
)
OF_TRL = [
    # mistakes that were made in public
    Mutant(
        LOSS,
        "normalizer = normalizer * self.current_gradient_accumulation_steps / self.args.steps_per_generation",
        "pass",
        "the normaliser without the window factor",
    ),
    Mutant(
        LOSS,
        "loss = (per_token_loss * mask).sum() / normalizer\n",
        "loss = (per_token_loss * mask).sum() / normalizer / self.current_gradient_accumulation_steps\n",
        "gradient accumulation divided twice",
    ),
    Mutant(
        LOSS,
        'normalizer = inputs["num_items_in_batch"].clamp(min=1.0) / self.accelerator.num_processes',
        "normalizer = mask.sum().clamp(min=1.0)",
        "per token over the local batch",
    ),
    Mutant(LOSS, "mask.sum(-1).clamp(min=1.0)).mean()", "mask.sum(-1).clamp(min=1.0)).sum()", "a sum over completions"),
    Mutant(
        LOSS,
        'completion_mask if "tool_mask" not in inputs else completion_mask * inputs["tool_mask"]',
        "completion_mask",
    ),
    Mutant(
        LOSS,
        "per_token_logps.detach() if old_per_token_logps is None",
        "per_token_logps if old_per_token_logps is None",
    ),
    Mutant(
        LOSS,
        "1 - self.epsilon_low, 1 + self.epsilon_high",
        "1 - self.epsilon_low, 1 + self.epsilon_low",
        "epsilon_high ignored",
    ),
    Mutant(LOSS, "1 - self.epsilon_low, 1 + self.epsilon_high", "1 - self.epsilon_high, 1 + self.epsilon_low"),
    Mutant(LOSS, "-torch.min(per_token_loss1, per_token_loss2)", "-torch.max(per_token_loss1, per_token_loss2)"),
    Mutant(LOSS, "-torch.min(per_token_loss1, per_token_loss2)", "-per_token_loss2", "the clipped ratio alone"),
    Mutant(LOSS, "coef_1 = torch.clamp(coef_1, max=self.args.delta)", "pass", "delta ignored"),
    Mutant(
        LOSS, "coef_1 = torch.clamp(coef_1, max=self.args.delta)", "coef_2 = torch.clamp(coef_2, max=self.args.delta)"
    ),
    Mutant(
        LOSS,
        "coef_1 = torch.clamp(coef_1, max=self.args.delta)",
        "coef_1 = torch.where(advantages > 0, torch.clamp(coef_1, max=self.args.delta), coef_1)",
        "delta for positive advantages alone",
    ),
    Mutant(LOSS, "per_token_kl = per_token_kl * coef_1", "pass", "the KL not corrected"),
    Mutant(LOSS, "per_token_kl = per_token_kl * coef_1", "per_token_kl = per_token_kl * coef_1.detach()"),
    Mutant(LOSS, "self.beta * per_token_kl\n", "self.beta * per_token_kl.detach()\n", "the KL detached"),
    Mutant(
        LOSS, "torch.exp(ref_per_token_logps - per_token_logps) -", "torch.exp(per_token_logps - ref_per_token_logps) -"
    ),
    Mutant(LOSS, "- (ref_per_token_logps - per_token_logps) - 1", "- (ref_per_token_logps - per_token_logps)"),
    Mutant(LOSS, "per_token_loss + self.beta * per_token_kl", "per_token_loss - self.beta * per_token_kl"),
    Mutant(
        LOSS, "log_ratio = per_token_logps - old_per_token_logps", "log_ratio = old_per_token_logps - per_token_logps"
    ),
    Mutant(LOSS, "(log_ratio * mask).sum(-1) / mask.sum(-1).clamp(min=1.0)", "(log_ratio * mask).sum(-1)"),
    Mutant(LOSS, "(log_ratio * mask).sum(-1) / mask.sum(-1).clamp(min=1.0)", "log_ratio.mean(-1)"),
    Mutant(LOSS, "torch.clamp(coef_1, max=self.epsilon_high).detach()", "torch.clamp(coef_1, max=self.epsilon_high)"),
    Mutant(
        LOSS,
        "torch.clamp(coef_1, max=self.epsilon_high).detach()",
        "torch.clamp(coef_1, max=1 + self.epsilon_high).detach()",
    ),
    Mutant(LOSS, "torch.where(advantages > 0, self.args.sapo", "torch.where(advantages < 0, self.args.sapo"),
    Mutant(LOSS, "torch.sigmoid(temperatures * (coef_1 - 1)) * 4", "torch.sigmoid(temperatures * (coef_1 - 1)) * 2"),
    Mutant(LOSS, "-phi_seq * advantages * per_token_logps", "-phi_seq * advantages * coef_1"),
    Mutant(LOSS, 'if mode == "train":  # in eval', "if True:  # in eval", "the window factor in evaluation"),
    Mutant(LOSS, ".clamp(min=1.0) / self.accelerator.num_processes", ".clamp(min=1.0)", "ranks forgotten"),
    Mutant(LOSS, "(per_token_loss.size(0) * self.max_completion_length)", "(per_token_loss.size(0) * mask.size(1))"),
    Mutant(LOSS, "/ mask.sum().clamp(min=1.0)\n            normalizer", "/ mask.sum()\n            normalizer"),
    Mutant(LOSS, "loss = (per_token_loss * mask).sum(-1).mean()", "loss = (per_token_loss * mask).mean(-1).mean()"),
    Mutant(LOSS, "per_token_loss = per_token_loss * off_policy_mask", "pass"),
    Mutant(LOSS, 'inputs.get("sampling_per_token_logps", old_per_token_logps)', "old_per_token_logps"),
    Mutant(LOSS, "per_token_loss = per_token_loss * entropy_mask", "pass"),
    Mutant(LOSS, "1 - self.top_entropy_quantile", "self.top_entropy_quantile"),
    Mutant(
        LOSS,
        "self.use_vllm and self.vllm_importance_sampling_correction and self.loss_type",
        "self.use_vllm and self.loss_type",
    ),
    Mutant(LOSS, 'correction and self.loss_type != "vespo"', "correction"),
    Mutant(LOSS, "effective_mask = mask if entropy_mask is None else mask * entropy_mask", "effective_mask = mask"),
    Mutant(LOSS, "loss = loss - apply_coef * entropy_loss", "loss = loss + apply_coef * entropy_loss"),
    Mutant(LOSS, "apply_coef = self.entropy_coef if", "apply_coef = 0.0 if", "the adaptive bonus never"),
    Mutant(
        LOSS,
        "self._last_world_entropy <= self.args.entropy_target else 0.0",
        "True else 0.0",
        "the adaptive bonus always",
    ),
    Mutant(
        LOSS,
        'accumulation_factor = self.current_gradient_accumulation_steps if mode == "train" else 1.0',
        "accumulation_factor = self.current_gradient_accumulation_steps",
    ),
    Mutant("get_off_policy_mask", "advantages >= 0", "advantages < 0"),
    Mutant("get_off_policy_mask", "seq_kl_sum / mask.sum(dim=1, keepdim=True).clamp(min=1.0)", "seq_kl_sum"),
    Mutant("get_off_policy_mask", "kl_div = torch.nan_to_num(kl_div, nan=0.0)", "pass"),
    Mutant("get_off_policy_mask", "(kl_div * mask).sum", "(kl_div.abs() * mask).sum"),
    Mutant("get_high_entropy_mask", "masked_entropies >= entropy_threshold", "masked_entropies > entropy_threshold"),
    Mutant("get_gamma_weights", "advantages >= 0", "advantages < 0"),
    Mutant("get_gamma_weights", "lambda_seq + k_seq * log_w_seq", "k_seq * log_w_seq"),
    Mutant("get_gamma_weights", "torch.where(is_nonneg_adv, k_pos, k_neg)", "torch.where(is_nonneg_adv, k_pos, k_pos)"),
    Mutant(
        "get_gamma_weights",
        "torch.where(is_nonneg_adv, lambda_pos, lambda_neg)",
        "torch.where(is_nonneg_adv, 3.0, lambda_neg)",
    ),
    Mutant("get_gamma_weights", "torch.clamp(log_ratio_per_token, -20.0, 20.0)", "log_ratio_per_token"),
    Mutant("get_gamma_weights", ".clamp(min=1e-4)", ""),
    # the auxiliary loss of a mixture of experts
    Mutant(
        LOSS,
        SCALED_AUXILIARY,
        "normalizer = 1.0\n            loss = loss + self.router",
        "the auxiliary loss not divided by the accumulation",
    ),
    Mutant(
        LOSS,
        SCALED_AUXILIARY,
        "normalizer = self.current_gradient_accumulation_steps\n            loss = loss + self.router",
        "the auxiliary loss divided in an evaluation",
    ),
    Mutant(LOSS, "self.router_aux_loss_coef * aux_loss", "aux_loss", "the auxiliary loss without its coefficient"),
    Mutant(LOSS, "self.router_aux_loss_coef * aux_loss", "self.router_aux_loss_coef * aux_loss.detach()"),
    Mutant(LOSS, "loss + self.router_aux_loss_coef", "loss - self.router_aux_loss_coef"),
    Mutant(LOSS, "gather_for_metrics(aux_loss)", "gather_for_metrics(aux_loss / normalizer)"),
]
SCORE = "_generate_and_score_completions"
OF_ADVANTAGES = [
    Mutant(SCORE, "advantages = advantages / (std_rewards + 1e-4)", "advantages = advantages / std_rewards"),
    Mutant(SCORE, "advantages = rewards - mean_grouped_rewards", "advantages = rewards - rewards.nanmean()"),
    Mutant(
        SCORE,
        "rewards[unscorable_mask] = torch.nan\n            mean",
        "pass\n            mean",
        "rows of None as rows of 0",
    ),
    Mutant(SCORE, "(grouped - mean_k) / (std_k + 1e-4)", "(grouped - mean_k)"),
    Mutant(SCORE, "(rewards - torch.nanmean(rewards)) / (std_rewards + 1e-4)", "rewards - torch.nanmean(rewards)"),
    Mutant(SCORE, 'in ["sequence_mask", "sequence_truncate"]', 'in ["sequence_mask"]'),
    Mutant(SCORE, "per_token_logps_diff = torch.nan_to_num(per_token_logps_diff, nan=0.0)", "pass"),
]
OF_OURS = [
    Mutant(
        "grpo.grpo_loss",
        'loss = whole if "window_tokens" in _named(formula) else whole / accumulation_steps',
        "loss = whole / accumulation_steps",
        "gradient accumulation divided twice",
    ),
    Mutant(
        "grpo.grpo_loss",
        'loss = whole if "window_tokens" in _named(formula) else whole / accumulation_steps',
        "loss = whole",
    ),
    Mutant(
        "aggregation.over_window",
        "window = mask.sum().clamp(min=1) if window_tokens is None else window_tokens",
        "window = mask.sum().clamp(min=1)",
        "per token over the local batch",
    ),
    Mutant("ratios.log_ratio", "old_logps.detach()", "old_logps"),
    Mutant("grpo._kl", "(batch.ratio if bias_correction_kl else 1)", "1"),
    Mutant("grpo._kl", "(batch.ratio if bias_correction_kl else 1)", "batch.ratio"),
    Mutant("grpo.grpo_loss", "own_ratio = beta * kl if", "own_ratio = beta * kl.detach() if", "the KL detached"),
    Mutant("grpo.grpo_loss", "own_ratio = beta * kl if", "own_ratio = -beta * kl if"),
    Mutant("grpo._adjustments", "factors.append(batch.entropy_mask)", "pass"),
    Mutant("grpo._adjustments", "is not None and not own_ratio", "is not None"),
    Mutant("grpo._adjustments", "factors.append(batch.importance_ratio)", "pass"),
    Mutant(
        "grpo._adjustments",
        "batch.old_logps if batch.sampling_logps is None else batch.sampling_logps",
        "batch.old_logps",
    ),
    Mutant(
        "grpo._mean_learning_entropy",
        "batch.mask if batch.entropy_mask is None else batch.mask * batch.entropy_mask",
        "batch.mask",
    ),
    Mutant(
        "grpo.grpo_loss",
        "entropy_coef * _mean_learning_entropy(batch) / accumulation_steps",
        "entropy_coef * _mean_learning_entropy(batch)",
    ),
    Mutant("formulas.grpo", "epsilon, epsilon_high, delta)", "epsilon, None, delta)", "epsilon_high ignored"),
    Mutant("formulas.dr_grpo", "epsilon, epsilon_high, delta)", "epsilon, epsilon_high)", "delta ignored"),
    Mutant("formulas.luspo", "length_scaled(", "per_sequence("),
    Mutant("formulas.bnpo", "per_token(", "per_sequence("),
    Mutant("formulas.dapo", "window_tokens, world_size)", "window_tokens)", "ranks forgotten by dapo"),
    Mutant("formulas.cispo", "ceiling=epsilon_high", "ceiling=1 + epsilon_high"),
    Mutant(
        "formulas.sapo",
        "sapo_temperature_pos, sapo_temperature_neg)",
        "sapo_temperature_neg, sapo_temperature_pos)",
    ),
    Mutant("formulas.vespo", "importance_ratio=importance_ratio, ", ""),
    Mutant("formulas._adjusted", "weights * tokens + penalty", "weights * (tokens + penalty)"),
    Mutant("surrogates.clipped_surrogate", "torch.minimum(", "torch.maximum("),
    Mutant("surrogates.clipped_surrogate", "ratio.clamp(1 - epsilon,", "ratio.clamp(0,"),
    Mutant("surrogates.clipped_surrogate", "-torch.minimum", "torch.minimum"),
    Mutant("surrogates.cispo_surrogate", ".detach()", ""),
    Mutant("surrogates.cispo_surrogate", "max=ceiling", "max=1 + ceiling"),
    Mutant("surrogates.sapo_surrogate", "advantages > 0", "advantages < 0"),
    Mutant("surrogates.sapo_surrogate", "-4 / temperature", "-4"),
    Mutant("surrogates.gamma_weights", "positive = advantages >= 0", "positive = advantages < 0"),
    Mutant("surrogates.gamma_weights", "rate * (1 - log_w.exp())", "-rate * log_w.exp()"),
    Mutant("surrogates.gamma_weights", "log_ratio_per_token.clamp(-TOKEN_BOUND, TOKEN_BOUND)", "log_ratio_per_token"),
    Mutant("surrogates.gamma_weights", "log_w = log_w + corrected.sum(dim=1, keepdim=True)", "pass"),
    Mutant("surrogates.weighted_surrogate", "* logps", "* logps.exp()"),
    Mutant("kl.kl_k3", "delta = ref_logps - logps", "delta = logps - ref_logps"),
    Mutant("kl.kl_k3", "- delta - 1", "- 1"),
    Mutant("aggregation.per_sequence", ".mean()", ".sum()"),
    Mutant("aggregation.per_sequence", "masked(per_token, mask)", "per_token", "mask forgotten"),
    Mutant("aggregation.per_token", "masked(per_token, mask)", "per_token", "mask forgotten"),
    Mutant("aggregation.per_token", "mask.sum().clamp(min=1)", "mask.numel()"),
    Mutant("aggregation.over_constant", "mask.shape[0] * length", "mask.shape[1] * length"),
    Mutant("aggregation.over_window", " * world_size", "", "ranks forgotten"),
    Mutant("aggregation.length_scaled", ".sum(dim=1).mean()", ".mean(dim=1).mean()"),
    Mutant("ratios.log_ratio", "logps - old_logps.detach()", "old_logps.detach() - logps"),
    Mutant("ratios.log_ratio", "/ mask.sum(dim=1, keepdim=True).clamp(min=1)", ""),
    Mutant("ratios.off_policy_mask", "advantages >= 0", "advantages < 0"),
    Mutant("ratios.off_policy_mask", "distance <= threshold", "distance >= threshold"),
    Mutant("ratios.high_entropy_mask", "1 - quantile", "quantile"),
    Mutant("ratios.high_entropy_mask", "entropies >= threshold", "entropies <= threshold"),
    Mutant(
        "expected._window_tokens",
        "return generated * share",
        "return generated",
        "the normaliser without the window factor",
    ),
]


def some_and_all(mutants: Sequence[Any], every: int = 15) -> pytest.MarkDecorator:
    """Gives a test ``mutants``: some of them, and with ``-m full`` all."""
    some, all_of_them = (
        pytest.param(mutants[::every], id="some"),
        pytest.param(mutants, id="all", marks=pytest.mark.full),
    )
    return pytest.mark.parametrize("mutants", [some, all_of_them])


def unnoticed(mutants: Sequence[Any], put_in: Callable[..., None], is_noticed: Callable[[], bool]) -> list[str]:
    """Plants one mutant after the other; returns those that nobody noticed."""
    found = []
    for mutant in mutants:
        with pytest.MonkeyPatch.context() as planted:
            put_in(mutant, planted)
            found += [] if is_noticed() else [str(mutant)]
    return found


def mutated(function: Any, mutant: Mutant) -> Any:
    """A copy of a function with the mistake in it."""
    plain: FunctionType = inspect.unwrap(function)
    source = textwrap.dedent(inspect.getsource(plain))
    was = mutant.was.replace("\n    ", "\n") if plain.__qualname__.count(".") else mutant.was  # as dedented as the rest
    assert was in source, f"{mutant.owner} has no {mutant.was!r} any more"
    lines = source.replace(
        was, mutant.becomes.replace("\n    ", "\n") if was != mutant.was else mutant.becomes
    ).splitlines()
    source = "\n".join(line for line in lines if line not in ("@staticmethod", "@profiling_decorator"))
    source = source.replace("super()._prepare_inputs", "self._prepare_inputs")  # which only images need
    names = dict(plain.__globals__)
    exec(compile(source, f"<{mutant}>", "exec"), names)  # noqa: S102  # this package's and TRL's own source
    return names[plain.__name__]


def put_into_trl(mutant: Mutant, trainer: type, monkeypatch: Any) -> None:
    found = trainer.__dict__[mutant.owner]
    is_static = isinstance(found, staticmethod)
    changed = mutated(found.__func__ if is_static else found, mutant)
    monkeypatch.setattr(trainer, mutant.owner, staticmethod(changed) if is_static else changed)


def put_into_ours(mutant: Mutant, monkeypatch: Any) -> None:
    """Wherever a module of the loss holds the function, by its name or in a table."""
    module, _, name = mutant.owner.rpartition(".")
    folder = "grpo_rewards.loss.trl_check" if module == "expected" else "grpo_rewards.loss"
    original = getattr(sys.modules[f"{folder}.{module}"], name)
    changed = mutated(original, mutant)
    for path, held in list(sys.modules.items()):
        if not path.startswith("grpo_rewards.loss") or not isinstance(held, ModuleType):
            continue
        if vars(held).get(name) is original:
            monkeypatch.setattr(held, name, changed)
        for table in [value for value in vars(held).values() if isinstance(value, dict)]:
            for key in [key for key, value in table.items() if value is original]:
                monkeypatch.setitem(table, key, changed)
