"""The gold of a row in the completions table, from which the row is scored again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from contract_cases import LISTED, RIGHT, WRONG, case_of, chat
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards import RewardError
from grpo_rewards.registry.log import GOLD_LIMIT, gold_cell, gold_columns

CALLS = [{"name": "add", "arguments": {"a": 1, "b": [2, None], "c": True, "d": "x", "e": {"f": 0.5}}}]
GOLDS: dict[str, list[dict[str, Any]]] = {
    "multiple_choice": [{"answer": 1, "choices": ["3", "4"]}, {"answer": "B"}, {"answer": "4", "choices": ["3", "4"]}],
    "exact_match": [{"answer": one} for one in (True, False, ["4", "5"], 4, 4.5, "4", "{4}", "[4]", "true", "", None)],
    "token_f1": [{"answer": ["4", "5"]}, {"answer": "4"}],
    "rouge_l": [{"answer": ["4", "5"]}],
    "boxed_answer": [{"answer": one} for one in (4, 4.0, "4", "\\frac{8}{2}", "{4}", '{"answer": 5}', "五", None)],
    "numeric_answer": [{"answer": 4}, {"answer": "4"}, {"answer": 4.5}],
    "tool_calls": [{"answer": CALLS}, {"answer": str(CALLS)}, {"answer": []}],
    "bounding_box_iou": [{"answer": [0, 0, 1, 1]}, {"answer": "[0, 0, 1, 1]"}],
    "expression_reaches": [{"nums": [4], "target": 4}, {"nums": [1, 3], "target": 5}],
    "instructions": [
        {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]},
        {"instruction_id_list": ["length_constraints:number_words"], "kwargs": [{"num_words": 1}]},
    ],
}  # fmt: skip
WITH_GOLD = [name for name in LISTED if "answer" in (gr.get_reward(name).table or ())]
ROWS = [(name, row) for name in WITH_GOLD for row in GOLDS.get(name, [{}])]


@pytest.mark.parametrize(("name", "row"), ROWS, ids=[f"{name} {row}" for name, row in ROWS])
def test_every_reward_scores_again_what_a_table_holds(name: str, row: dict[str, Any], tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    one, case = case_of(name)
    columns = {column: [value] * 2 for column, value in row.items()} or case.columns
    given = {"completion_ids": [[1, 2], [3]], "prompts": [[{"role": "user", "content": "?"}]] * 2}
    logged: dict[str, Any] = {"completion": [chat(RIGHT), chat(WRONG)]}
    first = one.explain_all(logged["completion"], **columns, **given)
    one(completions=logged["completion"], **columns, **given, log_extra=logged.__setitem__)
    pandas.DataFrame(logged).to_parquet(tmp_path / "table.parquet")
    table = pandas.read_parquet(tmp_path / "table.parquet")
    again = one.explain_all(list(table["completion"]), **gold_columns(table[f"{one.name}/answer"]), **given)
    assert again == first
    if any(value is not None for values in columns.values() for value in values):
        read = gold_columns(table[f"{one.name}/answer"])
        assert [{**read}[column] for column in columns] == [list(values) for values in columns.values()]


@pytest.mark.parametrize("gold", ["x" * GOLD_LIMIT, ["x" * GOLD_LIMIT]])
def test_a_gold_that_was_cut_off_is_not_taken_for_one(gold: Any) -> None:
    logged: dict[str, Any] = {}
    gr.exact_match(completions=["x"], answer=[gold], log_extra=logged.__setitem__)
    assert len(logged["exact_match/answer"][0]) == GOLD_LIMIT
    with pytest.raises(RewardError, match="cut off at 2000"):
        gold_columns(logged["exact_match/answer"])


def test_the_column_has_the_name_that_the_dataset_gave_it() -> None:
    one, logged = gr.boxed_answer.bind(columns={"answer": "solution"}), {}
    one(completions=["\\boxed{4}"] * 2, solution=["4", "{4}"], log_extra=logged.__setitem__)
    cells = logged["boxed_answer/answer"]
    assert gold_columns(cells, "solution") == {"solution": ["4", "{4}"]}


def test_what_cannot_be_written_is_left_out_and_what_json_misses_is_a_text() -> None:
    assert gold_cell({"answer": 10**5000}) is None
    assert gold_cell({"answer": {(1, 2): 3}}) is None
    assert gold_cell({"answer": {1j}}) == '{"answer": "{1j}"}'
    assert gold_columns([None, float("nan")]) == {"answer": [None, None]}  # type: ignore[list-item]  # as pandas has it
    assert gold_columns([]) == {"answer": []}


# Which rewards compare completions themselves with what the dataset knows.


@gr.reward
def mentions(completion: str, answer: str) -> float:
    """1 if the answer stands anywhere."""
    return float(answer in completion)


@each_row("spec, expected", tables_beside(__file__)["one_that_asks_or_mixes_is_not"])
def test_a_reward_is_gold_based_by_the_columns_that_it_reads_itself(spec: str, expected: bool) -> None:
    assert gr.get_reward(spec).is_gold_based is expected
