"""The metrics that TRL logs, computed again from what was generated, rewarded and learnt from."""

import math
from collections import defaultdict
from statistics import fmean
from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss.advantages import combine_rewards
from grpo_rewards.loss.kl import kl_k3
from grpo_rewards.loss.ratios import log_ratio
from grpo_rewards.loss.surrogates import gamma_weights
from whole_step.batches import Own
from whole_step.comparing import FUSED, Findings
from whole_step.environment import observed
from whole_step.live import Generated, Seen
from whole_step.reward_functions import columns_of, metrics_of
from whole_step.runs import Run
from whole_step.tiny import END_TOKEN, PAD_TOKEN, STOP_TOKEN
from whole_step.uses import Micro

OF_METRICS, OF_TABLE = "metrics", "table of completions"
Logged = dict[str, float | None]


def check_logs(
    findings: Findings, run: Run, ranks: list[Seen], batches: list[list[Own]], replay: list[list[Micro]]
) -> None:
    """Compares what was logged after each step, and in each evaluation, with what must have been."""
    seen = ranks[0]
    tokens = 0
    wanted: dict[str, list[float]] = defaultdict(list)
    for step in range(seen.config["max_steps"]):
        tokens = _of_generations(wanted, ranks, batches, True, step, tokens)
        micros = [[one for one in own if one.used.training and one.used.step == step] for own in replay]
        for some in zip(*micros, strict=True):
            _of_losses(wanted, seen.config, list(some))
        wanted["loss"].append(sum(float(one.loss) for own in micros for one in own) / len(ranks))
        if (step + 1) % int(seen.config["logging_steps"]) == 0:
            _compare(findings, seen, step + 1, "loss", "", wanted)
            wanted = defaultdict(list)
        if any(one.step == step + 1 and not one.training for one in seen.generated):
            of_evaluation: dict[str, list[float]] = defaultdict(list)
            _of_generations(of_evaluation, ranks, batches, False, step + 1, tokens)
            micros = [[one for one in own if not one.used.training and one.used.step == step + 1] for own in replay]
            for some in zip(*micros, strict=True):
                _of_losses(of_evaluation, seen.config, list(some))
            losses = [float(one.loss) for own in micros for one in own]
            of_evaluation["loss"] = [sum(losses) / len(losses)]
            _compare(findings, seen, step + 1, "eval_loss", "eval_", of_evaluation)
    _check_table(findings, run, ranks, batches)


def _compare(
    findings: Findings, seen: Seen, step: int, marked: str, prefix: str, wanted: dict[str, list[float]]
) -> None:
    logs: Logged = {}
    for log in seen.logs:
        own = {name for name in log if name.startswith("eval_") == bool(prefix)}
        if log["step"] == step:
            logs |= {name: log[name] for name in own}
    findings.same(OF_METRICS, f"step {step}: {marked} is logged", marked in logs, True)
    for name, values in wanted.items():
        known = [value for value in values if value == value]
        mine = sum(known) / len(known) if known else None
        findings.near(OF_METRICS, f"step {step}, {prefix}{name}", logs.get(prefix + name), mine, FUSED)
    others = sorted(name for name in KNOWN_METRICS if prefix + name in logs and name not in wanted)
    findings.same(OF_METRICS, f"step {step}: metrics that must not be there", others, [])


KNOWN_METRICS = tuple(
    """
    kl clip_ratio/low_mean clip_ratio/low_min clip_ratio/high_mean clip_ratio/high_max clip_ratio/region_mean
    tools/call_frequency tools/failure_frequency
    probe even cispo_clip_ratio vespo/phi_seq_mean policy_loss entropy_coef sampling/sampling_logp_difference/mean
    """.split()
)


def _of_generations(
    wanted: dict[str, list[float]], ranks: list[Seen], batches: list[list[Own]], training: bool, step: int, tokens: int
) -> int:
    """Adds the metrics of what was generated before a step, and returns how many tokens were seen until then."""
    which = [at for at, one in enumerate(ranks[0].generated) if one.training == training and one.step == step]
    for at in which:
        events = [seen.generated[at] for seen in ranks]
        own = [batch[at] for batch in batches]
        lengths = _lengths(events)
        if training:
            tokens += sum(len(prompt) for one in events for prompt in one.prompts) + int(sum(lengths))
        wanted["num_tokens"] = [float(tokens)]
        _of_lengths(wanted, events, torch.tensor(lengths))
        _of_tools(wanted, events)
        _of_rewards(wanted, ranks[0], events[0].settings.group_size, own[0]["rewards_per_func"])
        _of_calls(wanted, events, step)
        if "importance_sampling_ratio" in events[0].settings.by_models:
            _of_sampling(wanted, own)
    return tokens


def _of_calls(wanted: dict[str, list[float]], events: list[Generated], step: int) -> None:
    """Adds the mean of what a reward function logged itself: each value counts once, whichever rank it is of."""
    calls = [metrics_of([row["row"] for row in one.rows], step) for one in events]
    for name in calls[0]:
        if values := [value for call in calls for value in call[name]]:
            wanted[name].append(sum(values) / len(values))


def _lengths(events: list[Generated]) -> list[float]:
    """Returns how many tokens of each completion are the model's own."""
    turns = [one.turns for one in events]
    rows = [row for one in turns for row in (one.completions if one.tool_masks is None else one.tool_masks)]
    counts_all = turns[0].tool_masks is None
    return [float(len(row) if counts_all else sum(row)) for row in rows]


def _of_tools(wanted: dict[str, list[float]], events: list[Generated]) -> None:
    """Adds how many calls there are of each completion, and how many calls fail."""
    calls, failures = ([getattr(one.turns, name) for one in events] for name in ("calls", "failures"))
    if None in calls:
        return
    wanted["tools/call_frequency"].append(sum(calls) / sum(len(one.rows) for one in events))
    wanted["tools/failure_frequency"].append(sum(failures) / sum(calls) if sum(calls) else 0.0)


def _of_lengths(wanted: dict[str, list[float]], events: list[Generated], lengths: Tensor) -> None:
    last = [row[-1] for one in events for row in one.turns.completions]
    ended = torch.tensor([token in (PAD_TOKEN, END_TOKEN, STOP_TOKEN) for token in last])
    terminated = lengths[ended] if ended.any() else torch.zeros(1)
    for name, some in (("length", lengths), ("terminated_length", terminated)):
        for what in ("mean", "min", "max"):
            wanted[f"completions/{what}_{name}"].append(float(getattr(some, what)()))
    wanted["completions/clipped_ratio"].append(float((~ended).double().mean()))


def _of_rewards(wanted: dict[str, list[float]], seen: Seen, size: int, rewards: Tensor) -> None:
    config, weights = seen.config, torch.tensor(seen.held["reward_weights"])
    for name, column in zip(seen.rewards, rewards.unbind(dim=1), strict=True):
        wanted[f"rewards/{name}/mean"].append(float(column.nanmean()))
        wanted[f"rewards/{name}/std"].append(_deviation(column))
    total = combine_rewards(rewards, weights)
    wanted["reward"].append(float(total.nanmean()))
    wanted["reward_std"].append(_deviation(total))
    scaled = total
    if config["multi_objective_aggregation"] == "normalize_then_sum":
        parts = [[_normal(group) for group in column.view(-1, size)] for column in rewards.unbind(dim=1)]
        columns = torch.stack([torch.cat(part) for part in parts], dim=1)
        scaled = (columns * weights).nansum(dim=1).masked_fill(total.isnan(), torch.nan)
    if config["scale_rewards"] == "batch" or config["multi_objective_aggregation"] == "normalize_then_sum":
        without = [abs(_deviation(scaled)) < 1e-8]
    else:
        without = [size == 1 or abs(_deviation(group)) < 1e-8 for group in scaled.view(-1, size)]
    wanted["frac_reward_zero_std"].append(sum(without) / len(without))


def _normal(group: Tensor) -> Tensor:
    deviation = _deviation(group) if len(group) > 1 else 0.0
    return (group - group.nanmean()) / (deviation + 1e-4)


def _deviation(values: Tensor) -> float:
    """Returns the standard deviation of the values that are not NaN, with n - 1; NaN for fewer than two of several."""
    known = values[~values.isnan()]
    return float(known.std()) if len(known) > 1 else torch.nan


def _of_sampling(wanted: dict[str, list[float]], ranks: list[Own]) -> None:
    apart, ratios = [], []
    for own in ranks:
        counted = (own["completion_mask"] * own.get("tool_mask", 1)).bool()
        off = (own["old_per_token_logps"] - own["sampling_per_token_logps"]).abs()[counted]
        apart.append(off[~off.isnan()])
        ratio = own["importance_sampling_ratio"]
        ratios.append(ratio.flatten() if ratio.shape != counted.shape else ratio[counted])
    # where no token counts, TRL logs 0
    for name, values, wanted_of in (
        ("sampling_logp_difference", apart, ("mean", "max")),
        ("importance_sampling_ratio", ratios, ("min", "mean", "max")),
    ):
        known = [one if one.numel() else one.new_zeros(1) for one in values]
        found = {what: [float(getattr(one, what)()) for one in known] for what in ("min", "mean", "max")}
        over_ranks = {"min": min(found["min"]), "mean": fmean(found["mean"]), "max": max(found["max"])}
        for what in wanted_of:
            wanted[f"sampling/{name}/{what}"].append(over_ranks[what])


def _of_losses(wanted: dict[str, list[float]], config: dict[str, Any], ranks: list[Micro]) -> None:
    """Adds the metrics of a micro-batch, on all ranks together."""
    mask = torch.cat([one.counted for one in ranks])
    wanted["entropy"].append(_mean(torch.cat([one.entropies for one in ranks]), mask))
    if config["entropy_coef"] != 0 or config["use_adaptive_entropy"]:
        wanted["policy_loss"].append(sum(one.policy_loss for one in ranks) / len(ranks))
    if ranks[0].control_after is not None:
        wanted["entropy_coef"].append(ranks[0].control_after)
    ratio = torch.cat([_ratio(config, one) for one in ranks])
    if config["beta"] != 0:
        kl = torch.cat([kl_k3(one.logps, one.inputs["ref_per_token_logps"]) for one in ranks])
        wanted["kl"].append(_mean(kl * ratio if config["use_bias_correction_kl"] else kl, mask))
    advantages = torch.cat([one.inputs["advantages"] for one in ranks]).unsqueeze(1)
    if config["loss_type"] == "cispo":
        wanted["cispo_clip_ratio"].append(_mean((ratio > _high(config)) & (advantages > 0), mask))
    elif config["loss_type"] == "vespo":
        wanted["vespo/phi_seq_mean"].append(_mean(torch.cat([_phi(config, one) for one in ranks]), mask))
    elif config["loss_type"] != "sapo":
        _of_clips(wanted, config, ratio, advantages, mask)


def _of_clips(
    wanted: dict[str, list[float]], config: dict[str, Any], ratio: Tensor, advantages: Tensor, mask: Tensor
) -> None:
    ratio = ratio if config["delta"] is None else ratio.clamp(max=config["delta"])
    low = (ratio < 1 - config["epsilon"]) & (advantages < 0)
    high = (ratio > 1 + _high(config)) & (advantages > 0)
    for name, clipped in (("low", low), ("high", high), ("region", low | high)):
        wanted[f"clip_ratio/{name}_mean"].append(_mean(clipped, mask))
    wanted["clip_ratio/low_min"].append(min(_by_row(low, mask), default=torch.nan))
    wanted["clip_ratio/high_max"].append(max(_by_row(high, mask), default=torch.nan))


def _high(config: dict[str, Any]) -> float:
    return float(config["epsilon"] if config["epsilon_high"] is None else config["epsilon_high"])


def _ratio(config: dict[str, Any], one: Micro) -> Tensor:
    old = one.inputs.get("old_per_token_logps", one.logps)
    return log_ratio(one.logps, old, one.counted, config["importance_sampling_level"]).exp()


def _phi(config: dict[str, Any], one: Micro) -> Tensor:
    old = one.inputs.get("old_per_token_logps", one.logps)
    given = {name: config[f"vespo_{name}"] for name in ("k_pos", "lambda_pos", "k_neg", "lambda_neg")}
    given["importance_ratio"] = one.inputs.get("importance_sampling_ratio")
    return gamma_weights(one.logps - old, one.inputs["advantages"].unsqueeze(1), one.counted, **given)


def _mean(values: Tensor, mask: Tensor) -> float:
    """Returns the mean over tokens that count, or over completions where there is one value for each, [B, 1]."""
    values = values.double()
    if values.shape[1] == 1:
        return float(values.mean())
    return float((values * mask).sum() / mask.sum().clamp(min=1))


def _by_row(values: Tensor, mask: Tensor) -> list[float]:
    if values.shape[1] == 1:
        return [float(one) for one in values.double().flatten()]
    rows = zip(values.double(), mask, strict=True)
    return [float((row * own).sum() / own.sum()) for row, own in rows if own.any()]


def _check_table(findings: Findings, run: Run, ranks: list[Seen], batches: list[list[Own]]) -> None:
    """Compares the last rows of the table of completions with the last generation, and each file with its own."""
    seen = ranks[0]
    if seen.generated[-1].training:
        held = {"advantages": seen.table["advantages"], **{name: seen.table[name] for name in ("completion", "prompt")}}
        _compare_rows(findings, run, ranks, batches, -1, "", {**held, **seen.table["rewards"], **seen.table["extra"]})
    if not seen.config["log_completions"]:
        return
    steps = sorted({log["step"] for log in seen.logs if "reward" in log})
    findings.same(OF_TABLE, "files", sorted(seen.files), [f"completions_{step:05d}.parquet" for step in steps])
    for step, file in zip(steps, (seen.files[name] for name in sorted(seen.files)), strict=False):
        where = f"in the file of step {step}, "
        findings.same(OF_TABLE, f"{where}its step", set(file["step"]), {step})
        at = max(at for at, one in enumerate(seen.generated) if one.step < step)
        held = {**file, "advantages": file.get("advantage")}
        _compare_rows(findings, run, ranks, batches, at, where, held)


def _compare_rows(
    findings: Findings, run: Run, ranks: list[Seen], batches: list[list[Own]], at: int, where: str, held: dict[str, Any]
) -> None:
    """Compares a table of completions, by columns, with a generation on all ranks."""
    last, own = [one.generated[at] for one in ranks], [batch[at] for batch in batches]
    findings.near(OF_TABLE, f"{where}advantages", held["advantages"], torch.cat([one["advantages"] for one in own]))
    for name, column in zip(ranks[0].rewards, own[0]["rewards_per_func"].unbind(dim=1), strict=True):
        findings.near(OF_TABLE, f"{where}{name}", _numbers(held.get(name)), column)
    said = [messages for one in last for messages in one.turns.messages]
    if not held["completion"] or isinstance(held["completion"][0], str):
        said = [messages[0]["content"] for messages in said]
    findings.same(OF_TABLE, f"{where}completions", held["completion"], said)
    calls = [columns_of(one.completions, [row["row"] for row in one.rows]) for one in last]
    for name in sorted({name for call in calls for name in call}):  # None where a rank's call does not have it
        pairs = zip(calls, last, strict=True)
        values = [value for call, one in pairs for value in call.get(name, [None] * len(one.rows))]
        findings.same(OF_TABLE, f"{where}{name}, a column of log_extra", held.get(name), values)
    prompts = [observed(run, row) for one in last for row in one.rows]
    findings.same(OF_TABLE, f"{where}prompts", held["prompt"], prompts)


def _numbers(column: Any) -> list[float] | None:
    """A column of rewards, with NaN for a row without one, which a file may have as nothing."""
    return None if column is None else [math.nan if one is None else one for one in column]
