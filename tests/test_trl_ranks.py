"""Two processes that train together: groups and shares are those of all completions, in TRL's own log."""

from pathlib import Path

import pytest

pytest.importorskip("trl", reason="trl is not installed")

import pandas
from places import TINY
from together import together

import grpo_rewards as gr

# Each process has two completions a step, which are half of a group of four, and the second a reason that the first
# has not; of the rows that a route takes, one process has none.
RUN = f"""
import pathlib
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer
import grpo_rewards as gr

@gr.reward
def undeclared(completion: str) -> gr.Verdict:
    return gr.Verdict(len(completion) / 1e3, "of the second" if RANK else "of both")

@gr.reward(reasons=("even", "odd", "rare"), means=("characters",))
def declared(completion: str, number: int) -> gr.Verdict:
    reason = "rare" if RANK and len(completion) % 3 else "odd" if number % 2 else "even"
    return gr.Verdict(0.0, reason, details={{"characters": len(completion)}} if RANK else {{}})

@gr.reward(reasons=("counted",), table=("tokens",))
def counts(completion_ids: list[int]) -> gr.Verdict:
    return gr.Verdict(0.0, "counted", details={{"tokens": len(completion_ids)}})

rows = [{{"prompt": "1 + 1?", "answer": "2", "number": number}} for number in range(8)]
routed = gr.routed({{0: "boxed_format", 1: "max_length(max_tokens=12)"}}, by="kind", default="boxed_format")
rows = [{{**row, "kind": row["number"] % 2}} for row in rows]
args = GRPOConfig(output_dir="out", max_steps=3, per_device_train_batch_size=2, num_generations=4,
    max_completion_length=12, logging_steps=1, log_completions=True, num_completions_to_print=0, report_to="none",
    save_strategy="no", bf16=False, use_cpu=True, gradient_checkpointing=False, disable_tqdm=True)
rewards = [gr.relative_length.bind(correct=gr.boxed_format), undeclared, declared, counts, routed]
report = gr.check_rewards(rewards, rows, args=args).raise_for_errors()
data = Dataset.from_list(rows)
trainer = GRPOTrainer(model={str(TINY)!r}, reward_funcs=report.rewards, args=args, train_dataset=data)
pathlib.Path("out").mkdir(exist_ok=True)
trainer.train()
say([log for log in trainer.state.log_history if "reward" in log])
"""


@pytest.mark.full
def test_groups_and_shares_of_two_processes_are_those_of_all_completions(tmp_path: Path) -> None:
    logs, _ = together(tmp_path, RUN, limit=400)
    tables = [pandas.read_parquet(path) for path in sorted((tmp_path / "out" / "completions").glob("*.parquet"))]
    assert len(logs) == len(tables) == 3
    for log, table in zip(logs, tables, strict=True):
        assert len(table) == 4  # two of each process
        for name, reasons in {
            "declared": ["even", "odd", "rare"],
            "boxed_format": list(gr.boxed_format.reasons),
            "max_length": list(gr.max_length.reasons),
            "relative_length": [*gr.boxed_format.reasons, "group_unknown"],
        }.items():
            for reason in reasons:
                assert log[f"{name}/{reason}"] == (table[f"{name}/reason"] == reason).mean(), (name, reason)
        assert (
            sum(log[f"boxed_format/{one}"] for one in gr.boxed_format.reasons)
            + sum(log[f"max_length/{one}"] for one in gr.max_length.reasons)
            == 1.0
        )
        assert not {"undeclared/of both", "undeclared/of the second"} & set(log)  # in the table alone
        assert sorted(table["undeclared/reason"]) == ["of both"] * 2 + ["of the second"] * 2
        assert log["relative_length/group_unknown"] == 0.0
        assert log["declared/characters"] == pytest.approx(table["completion"].map(len)[2:].mean())
        alone = gr.relative_length.bind(num_generations=4, correct=gr.boxed_format).explain_all(
            list(table["completion"]),
            prompts=list(table["prompt"]),
            completion_ids=[range(int(tokens)) for tokens in table["counts/tokens"]],
        )
        assert [verdict.reward for verdict in alone] == list(table["relative_length"])
