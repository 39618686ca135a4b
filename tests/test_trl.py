"""Composites and coroutines in real trainers, for two steps, on the tiny model.

The usual rewards are in tests/environments/two_steps.py, which older versions of TRL are tried with as well.
"""

import pytest

pytest.importorskip("trl", reason="trl is not installed")

import pandas
from datasets import Dataset
from tiny_trainer import trainer

import grpo_rewards as gr

QUESTIONS = {n + 2: f"Ana has {n} pens and finds 2 more. How many pens does Ana have now?" for n in range(2, 8)}
QUICK = {"max_steps": 2, "log_completions": True, "num_completions_to_print": 0}
GENERATIONS = 4  # of the trainer


def reward_log(trainer) -> list[dict]:
    return [log for log in trainer.state.log_history if "reward" in log]


def test_one_composite_gives_the_same_total_as_trls_own_weights(tmp_path):
    composite = gr.weighted({gr.boxed_answer: 1.0, gr.think_format: 0.2}, name="points")
    rows = [{"prompt": [{"role": "user", "content": one}], "answer": gold} for gold, one in QUESTIONS.items()]
    totals = []
    for rewards, weights in ((composite.funcs, composite.weights), ([composite], None)):
        given = {"reward_funcs": rewards, "train_dataset": Dataset.from_list(rows)}
        run = trainer(tmp_path, given, reward_weights=weights, seed=3, **QUICK)
        run.train()
        totals.append([log["reward"] for log in reward_log(run)])
        parts = [log for log in reward_log(run) if "points/boxed_answer" in log]
        assert len(parts) == (0 if weights else 2)
    assert totals[0] == pytest.approx(totals[1], abs=1e-5)


COMPOSITES = [
    "gated(weighted(boxed_answer=1.0, boxed_format=0.5), by=think_answer_format)",
    "scheduled(tag_count, start=1.0, end=0.0, over=2)",
    "clipped(scaled(repetition, by=2), low=-0.5, high=0.0)",
    "routed({'even': max_length(max_tokens=8), 'odd': arithmetic_steps}, by='kind')",
]


@gr.reward
async def judged_by_length(completion: str) -> float:
    if not completion:
        raise ConnectionError("nothing to judge")
    return float(len(completion) % 2)


@gr.batch_reward
async def ranked_in_the_call(completions: list[str], *, num_generations: int) -> list[float]:
    """1 for a longest completion of each group, else 0."""
    groups = [completions[at : at + num_generations] for at in range(0, len(completions), num_generations)]
    return [float(len(one) == max(map(len, group))) for group in groups for one in group]


def test_composites_and_coroutines_in_a_real_run(tmp_path):
    kinds = ("even", "odd")
    rows = [{"prompt": one, "answer": str(gold), "kind": kinds[gold % 2]} for gold, one in QUESTIONS.items()]
    ranked = ranked_in_the_call.bind(num_generations=GENERATIONS)
    rewards = [*map(gr.get_reward, COMPOSITES), judged_by_length, ranked]
    checked = gr.check_rewards(rewards, columns=rows[0], weights=[1.0] * 6).raise_for_errors().rewards
    given = {"reward_funcs": checked, "train_dataset": Dataset.from_list(rows)}
    run = trainer(tmp_path, given, reward_weights=[1.0] * 6, **QUICK)
    run.train()
    logs = reward_log(run)
    assert run.state.global_step == 2
    for step, log in enumerate(logs):
        assert log["scheduled_tag_count/weight"] == 1 - step / 2  # the weight at the step that the state shows
        assert -0.5 <= log["rewards/clipped_scaled_repetition/mean"] <= 0
        assert {"gated_weighted/stopped", "weighted/boxed_answer", "judged_by_length/failed"} <= set(log)
        assert {f"rewards/{reward.name}/mean" for reward in rewards} <= set(log)
        assert log["rewards/ranked_in_the_call/mean"] >= 1 / GENERATIONS
    table = pandas.concat([pandas.read_parquet(path) for path in sorted((tmp_path / "completions").glob("*.parquet"))])
    assert {"max_length/reason", "arithmetic_steps/reason", "boxed_answer/reason"} <= set(table.columns)
    assert len(table) == 16
