"""Trains the tiny model for two steps with whatever TRL is installed, and writes down what the rewards met there.

Run by ``older_trl.py`` and ``lowest.py`` with the Python of an environment: ``python two_steps.py FINDINGS.json``.
A finding is ``yes``, ``not in this TRL``, or ``NO`` with what was seen.
"""

import json
import math
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias, cast

import pandas
import trl.trainer.utils
from datasets import Dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

import grpo_rewards as gr

MODEL = Path(__file__).resolve().parents[2] / "recipes" / "embedded" / "tiny_word_problems"
STEPS, COMPLETIONS, GENERATIONS = 2, 8, 4
YES, NOT_OFFERED = "yes", "not in this TRL"
calls: list[dict[str, Any]] = []  # what ``witness`` was given


def witness(completions: list[Any], **given: Any) -> list[float]:
    """A reward as TRL takes it without this package: it remembers what it was given."""
    state = given["trainer_state"]
    calls.append({"completions": len(completions), "step": state.global_step, "names": set(given)})
    return [0.0] * len(completions)


@gr.reward
def at_step(completion: str, trainer_state: Any) -> float:
    """The number of the step."""
    return float(trainer_state.global_step)


@gr.reward
async def judged_in_a_step(completion: str) -> float:
    """1 for everything, as a coroutine."""
    return 1.0


def rewards_and_weights() -> dict[Any, float]:
    return {
        gr.boxed_answer: 1.0,
        gr.think_format: 0.2,
        gr.soft_overlong.bind(max_tokens=16, buffer=4): 0.5,
        gr.weighted({gr.boxed_format: 0.5, gr.repetition: 0.1}, name="points"): 2.0,
        at_step: 0.25,
    }


def rows(number: int) -> list[dict[str, str]]:
    return [
        {"prompt": f"Ana has {n} pens and finds 2 more. How many pens does Ana have now?\n", "answer": str(n + 2)}
        for n in range(2, 2 + number)
    ]


def as_messages(row: dict[str, str]) -> dict[str, Any]:
    return {**row, "prompt": [{"role": "user", "content": row["prompt"]}]}


class Run:
    """A training of two steps: the trainer, its logs, and its table of completions."""

    def __init__(self, rewards: list[Any], data: list[dict[str, Any]], weights: list[float] | None = None) -> None:
        calls.clear()
        self.rewards, self.weights = rewards, weights
        with tempfile.TemporaryDirectory() as folder:
            self.trainer = GRPOTrainer(
                model=str(MODEL),
                reward_funcs=rewards,
                args=config(folder, weights),
                train_dataset=Dataset.from_list(data),
                processing_class=tokenizer(),
            )
            self.trainer.train()
            files = sorted((Path(folder) / "completions").glob("*.parquet"))
            self.table = pandas.concat([pandas.read_parquet(path) for path in files])
        self.calls = list(calls)
        self.logs = [log for log in self.trainer.state.log_history if "reward" in log]
        assert self.trainer.state.global_step == STEPS, self.trainer.state.global_step
        assert len(self.logs) == STEPS, self.trainer.state.log_history

    def offers(self, name: str) -> bool:
        """Whether the trainer handed rewards an argument of this name."""
        return all(name in call["names"] for call in self.calls)

    def mean(self, log: dict[str, Any], reward: Any) -> float:
        return cast("float", log[f"rewards/{reward.__name__}/mean"])


def tokenizer() -> Any:
    """The tiny model's, which transformers 4 would have make an input that the model does not take."""
    return AutoTokenizer.from_pretrained(MODEL, padding_side="left", model_input_names=["input_ids", "attention_mask"])


def config(folder: str, weights: list[float] | None) -> GRPOConfig:
    return GRPOConfig(
        output_dir=folder,
        max_steps=STEPS,
        per_device_train_batch_size=COMPLETIONS,
        num_generations=GENERATIONS,
        max_completion_length=16,
        reward_weights=weights,
        logging_steps=1,
        log_completions=True,
        num_completions_to_print=0,
        report_to="none",
        save_strategy="no",
        bf16=False,
        use_cpu=True,
        gradient_checkpointing=False,
    )


def called(run: Run) -> str:
    seen = [call["completions"] for call in run.calls]
    assert seen == [COMPLETIONS] * STEPS, f"rewards were called with {seen} completions"
    assert len(run.table) == STEPS * COMPLETIONS, f"the table has {len(run.table)} rows"
    return YES


def mean_logged(run: Run) -> str:
    for log in run.logs:
        for reward in run.rewards:
            assert math.isfinite(run.mean(log, reward)), f"{reward.__name__}: {run.mean(log, reward)}"
    return YES


def weights_applied(run: Run) -> str:
    """The advantages are those of the weighted sum: its distance from the group's mean, in the group's deviations."""
    assert run.weights is not None
    totals = sum(weight * run.table[one.__name__] for one, weight in zip(run.rewards, run.weights, strict=True))
    groups = totals.groupby([place // GENERATIONS for place in range(len(totals))])
    expected = (totals - groups.transform("mean")) / (groups.transform("std") + 1e-4)
    off = (run.table["advantage"] - expected).abs().max()
    assert off < 1e-3, f"the advantages are off by up to {off}"
    assert expected.abs().max() > 0.1, "every advantage is 0, so this shows nothing"
    return YES


def weighted_sum_logged(run: Run) -> str:
    assert run.weights is not None
    for log in run.logs:
        means = [run.mean(log, one) for one in run.rewards]
        if math.isclose(log["reward"], sum(means), abs_tol=1e-5):
            return "their plain sum"
        expected = sum(weight * mean for mean, weight in zip(means, run.weights, strict=True))
        assert math.isclose(log["reward"], expected, abs_tol=1e-5), f"reward {log['reward']}, expected {expected}"
    return YES


def trainer_state_passed(run: Run) -> str:
    assert [call["step"] for call in run.calls] == list(range(STEPS)), run.calls
    assert [run.mean(log, at_step) for log in run.logs] == [0.0, 1.0], run.logs
    return YES


def shares_logged(run: Run) -> str:
    """Every completion has exactly one reason, so a reward's shares sum to 1; of a composite the parts are logged."""
    logged = [name for name in run.logs[0] if name.startswith(("boxed_answer/", "points/"))]
    if not run.offers("log_metric"):
        assert not logged, logged
        return NOT_OFFERED
    for log in run.logs:
        for reward in run.rewards[:3]:
            total = sum(log[f"{reward.name}/{reason}"] for reason in reward.reasons)
            assert math.isclose(total, 1.0, abs_tol=1e-5), f"{reward.name}: shares sum to {total}"
        assert math.isclose(log["boxed_answer/correct"], run.mean(log, gr.boxed_answer), abs_tol=1e-6), log
        assert {"points/boxed_format", "points/repetition"} <= set(log), sorted(log)
    return YES


def reasons_in_table(run: Run) -> str:
    columns = set(run.table.columns)
    wanted = {"boxed_answer/reason", "boxed_answer/prediction", "think_format/reason"}
    if not run.offers("log_extra"):
        assert not wanted & columns, columns
        return NOT_OFFERED
    assert wanted <= columns, columns
    right = run.table["boxed_answer/reason"] == "correct"
    assert (right == (run.table["boxed_answer"] == 1.0)).all(), run.table
    return YES


def unreadable_answer_left_out(run: Run) -> str:
    """One of the two prompts of each step has no gold: half of the values are missing, the mean is over the rest."""
    for step, log in enumerate(run.logs, 1):
        values = run.table[run.table["step"] == step]["boxed_answer"]
        missing = int(values.isna().sum())
        assert missing == GENERATIONS, f"step {step}: {missing} of {len(values)} values are missing"
        assert math.isclose(run.mean(log, gr.boxed_answer), values.mean(), abs_tol=1e-6), log
        assert log.get("boxed_answer/bad_answer", 0.5) == 0.5, log
        assert math.isfinite(log["reward"]), log
    return YES


def nothing_but_unreadable_answers(run: Run) -> str:
    for log in run.logs:
        mean = run.mean(log, gr.boxed_answer)
        assert mean is None or math.isnan(mean), f"the mean is {mean}"
        assert log["reward"] == run.mean(log, witness) == 0.0, log
    return YES


def coroutine_awaited(run: Run) -> str:
    assert [run.mean(log, judged_in_a_step) for log in run.logs] == [1.0] * STEPS, run.logs
    return YES


def everyday(data: list[dict[str, Any]]) -> Run | None:
    weighted = rewards_and_weights()
    rewards, weights = [*weighted, witness], [*weighted.values(), 1.0]
    gr.check_rewards(rewards, columns=data[0], weights=weights)
    return Run(rewards, data, weights)


def without_gold(*data: dict[str, str]) -> Run | None:
    return Run([gr.boxed_answer, witness], [*data])


def coroutine() -> Run | None:
    return Run([judged_in_a_step, witness], rows(6)) if hasattr(trl.trainer.utils, "is_async_callable") else None


def coroutine_in_function() -> Run | None:
    """What every TRL takes for a coroutine function."""

    async def awaited(**given: Any) -> Any:
        return await cast("Any", judged_in_a_step)(**given)

    awaited.__name__ = judged_in_a_step.name
    return Run([awaited, witness], rows(6))


Train: TypeAlias = Callable[[], "Run | None"]
Check: TypeAlias = Callable[[Run], str]
EVERYDAY: dict[str, Check] = {
    "rewards are called with every completion": called,
    "`rewards/<name>/mean` is logged": mean_logged,
    "`reward_weights` are applied": weights_applied,
    "`reward` is logged as the weighted sum": weighted_sum_logged,
    "`trainer_state` is passed": trainer_state_passed,
    "shares of reasons are logged (`log_metric`)": shares_logged,
    "reasons are in the completions table (`log_extra`)": reasons_in_table,
}
ROWS = rows(6)
UNREADABLE = [{**row, "answer": ""} for row in ROWS]
RUNS: list[tuple[str, Train, dict[str, Check]]] = [
    ("messages", lambda: everyday([as_messages(row) for row in ROWS]), EVERYDAY),
    ("text", lambda: everyday([*ROWS]), EVERYDAY),
    (
        "text",
        lambda: without_gold(ROWS[0], UNREADABLE[1]),
        {"a row without a readable answer is left out": unreadable_answer_left_out},
    ),
    ("text", lambda: without_gold(*UNREADABLE), {"no row has a readable answer": nothing_but_unreadable_answers}),
    ("text", coroutine, {"a reward that is a coroutine": coroutine_awaited}),
    ("text", coroutine_in_function, {"the same behind an `async def`": coroutine_awaited}),
]


def findings() -> Iterator[tuple[str, str]]:
    """Each thing that was looked at, with what was found."""
    for data, train, checks in RUNS:
        names = [f"{name}, {data}" for name in checks]
        try:
            run = train()
        except Exception as error:  # noqa: BLE001  # whatever an old TRL raises is a finding
            traceback.print_exc()
            yield from ((name, no(error)) for name in names)
            continue
        if run is None:
            yield from ((name, NOT_OFFERED) for name in names)
            continue
        for name, check in zip(names, checks.values(), strict=True):
            try:
                yield name, check(run)
            except (AssertionError, KeyError) as error:
                traceback.print_exc()
                yield name, no(error)


def no(error: Exception) -> str:
    return f"NO: {type(error).__name__}: {error}".replace("\n", " ").replace("|", "/")[:300]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(dict(findings()), indent=2))
