"""Every number has a reason, and a trainer's log carries it."""

from pathlib import Path
from typing import Any

import contract_rewards
import pytest
from contract_cases import LISTED, RIGHT, WRONG, case_of, chat
from tables import each_row, tables_beside
from trainer_log import GOLD, TEXTS, Log

import grpo_rewards as gr
from grpo_rewards import RewardError, Verdict, batch_reward, reward
from grpo_rewards.answers import STEPS
from grpo_rewards.registry import log as registry_log
from grpo_rewards.registry.log import GOLD_LIMIT, gold_cell, gold_columns


@pytest.fixture
def log() -> Log:
    return Log()


def test_the_share_of_every_declared_reason_is_logged_zero_included(log: Log) -> None:
    gr.boxed_answer(completions=TEXTS, answer=GOLD, **log.loggers)
    shares = dict(log.metrics)
    assert len(shares) == len(log.metrics)  # each once a call
    steps = {name: shares.pop(name) for name in list(shares) if name.startswith("boxed_answer/step/")}
    assert steps == dict.fromkeys((f"boxed_answer/step/{step}" for step in STEPS), 0.0) | {
        "boxed_answer/step/string": 0.25,
        "boxed_answer/step/value": 0.25,
    }
    assert shares.pop("boxed_answer/symbolic_seconds") == 0.0
    assert set(shares) == {f"boxed_answer/{reason}" for reason in gr.boxed_answer.reasons}
    # of four completions one right, one wrong, two without a box
    assert shares["boxed_answer/correct"] == 0.25
    assert shares["boxed_answer/wrong"] == 0.25
    assert shares["boxed_answer/no_box"] == 0.5
    assert shares["boxed_answer/bad_answer"] == 0.0
    assert sum(shares.values()) == 1.0


def test_what_a_meter_rose_by_is_logged_in_every_call(log: Log) -> None:
    used = [100]

    @batch_reward(meters={"characters": lambda: float(used[0])})
    def metered(completions: list[str]) -> list[float]:
        used[0] += sum(map(len, completions))
        return [0.0 for _ in completions]

    for completions in (["abc", "d"], ["e"]):
        metered(completions=completions, **log.loggers)
        metered.bind(name="bound")(completions=completions, **log.loggers)
        metered(completions=["not logged"])
    logged = [(name, value) for name, value in log.metrics if name.endswith("/characters")]
    assert logged == [(f"{name}/characters", value) for value in (4.0, 1.0) for name in ("metered", "bound")]


def test_reason_and_prediction_of_each_completion_go_into_the_table_once_a_call(log: Log) -> None:
    gr.boxed_answer(completions=TEXTS, answer=GOLD, **log.loggers)
    assert log.columns == [
        ("boxed_answer/reason", ["correct", "wrong", "no_box", "no_box"]),
        ("boxed_answer/prediction", ["4", "5", None, None]),
        ("boxed_answer/answer", ["4"] * 4),
        ("boxed_answer/step", ["string", "value", None, None]),
        ("boxed_answer/why", [None] * 4),
    ]


@pytest.mark.parametrize("logger", ["log_metric", "log_extra"])
def test_a_trainer_may_have_one_logger_without_the_other(logger: str, log: Log) -> None:
    # an asynchronous trainer has none, an older one only some
    assert gr.boxed_answer(completions=[], answer=[], **log.loggers) == log.metrics == []
    log.columns.clear()
    values = gr.boxed_answer(completions=TEXTS, answer=GOLD, **{logger: log.loggers[logger]})
    assert values == [1.0, 0.0, 0.0, 0.0]
    assert bool(log.metrics) == (logger == "log_metric")
    assert bool(log.columns) == (logger == "log_extra")


def test_a_reward_that_gives_bare_numbers_logs_no_reasons(log: Log) -> None:
    contract_rewards.sample_ends_with(completions=["a.", "b"], **log.loggers)
    contract_rewards.sample_distinct(completions=["a.", "b"], **log.loggers)
    contract_rewards.sample_value(completions=["a", "b"], value=[1.0, None], **log.loggers)
    assert (log.metrics, log.columns) == ([], [])


def test_a_reason_that_was_not_declared_is_not_logged_but_warned_of(log: Log) -> None:
    # its zeros would be missing in other calls and processes, and its share would be too large
    @reward(reasons=("known",))
    def declares_one(completion: str) -> Verdict:
        return Verdict(0.0, completion)

    with pytest.warns(
        UserWarning, match="'declares_one' gives reasons that it does not declare: new. Their shares are"
    ):
        declares_one(completions=["known", "new"], **log.loggers)
    assert log.metrics == [("declares_one/known", 0.5)]
    assert ("declares_one/reason", ["known", "new"]) in log.columns


@pytest.mark.parametrize("tasks", [["a", "b", "b", "b"], ["b"] * 4])
def test_a_share_is_one_of_all_completions_also_of_a_reward_that_sees_some_rows(tasks: list[str], log: Log) -> None:
    # a process with one row of a kind and one with four would otherwise count alike, and one with none not at all
    tasked = gr.routed({"a": "boxed_answer", "b": "boxed_format"}, by="task")
    tasked(completions=TEXTS, task=tasks, answer=GOLD, **log.loggers)
    shares = dict(log.metrics)
    assert shares["boxed_answer/correct"] == tasks.count("a") / 4
    assert shares["boxed_format/no_box"] == 0.5
    assert shares["boxed_format/boxed"] == tasks[:2].count("b") / 4
    assert shares["boxed_answer/symbolic_seconds"] == 0.0
    reasons = [f"{one.name}/{reason}" for one in tasked.parts for reason in one.reasons]
    assert sum(shares[reason] for reason in reasons) == 1.0


def test_the_mean_of_a_detail_is_logged_over_the_completions_that_have_it(log: Log) -> None:
    @reward(reasons=("read",), means=("words", "is_long"))
    def counts_words(completion: str) -> Verdict:
        words = len(completion.split())
        details = {"words": words, "is_long": words > 2} if words else {"words": None, "is_long": float("nan")}
        return Verdict(0.0, "read", details=details)

    counts_words(completions=["a b c", "", "d"], **log.loggers)
    assert dict(log.metrics) == {"counts_words/read": 1.0, "counts_words/words": 2.0, "counts_words/is_long": 0.5}


def test_of_several_processes_a_mean_is_that_of_all_their_numbers(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_log, "world_size", lambda: 2)
    points = gr.weighted({gr.boxed_answer: 1.0})
    points(completions=TEXTS[:1], answer=["4"], **log.loggers)  # the mean of means would be 0.5, and so it was
    points(completions=[TEXTS[1]] * 3, answer=["4"] * 3, **log.loggers)
    assert log.means()["weighted/boxed_answer"] == 0.25


def test_cells_are_short_texts_that_can_be_written_and_the_same_columns_in_every_call(log: Log) -> None:
    @reward(reasons=("said",), table=("answer", "count", "odd"))
    def says_anything(completion: str, gold: str) -> Verdict:
        values = {"a": 1, "b": 10**5000, "c": ["x"], "d": "\ud800" * 3000}
        return Verdict(0.0, "said", answer=gold, details={"count": values.get(completion), "odd": completion * 300})

    given = {"completions": [*"abcd", ""], "gold": ["g" * 1_000_000, None, "4", "\ud800", ""]}
    says_anything(**given, **log.loggers)
    columns = dict(log.columns)
    assert columns["says_anything/count"] == [
        "1",
        "int with an integer of thousands of digits",
        "['x']",
        "?" * 200,
        None,
    ]
    assert columns["says_anything/odd"][0] == "a" * 200
    assert columns["says_anything/answer"] == ["g" * 2000, None, "4", "?", ""]
    assert set(columns) == {f"says_anything/{one}" for one in ("reason", "prediction", "answer", "count", "odd")}


def test_the_table_has_the_same_columns_in_every_call(log: Log) -> None:
    # TRL makes one table of all calls of a step; a column that one of them lacks would not line up
    @reward(reasons=("long",))
    def sometimes_a_verdict(completion: str) -> Verdict | float:
        return Verdict(1.0, "long", completion) if len(completion) > 1 else 0.0

    for completions, reason, prediction in ((["a", "b"], None, None), (["aa", "b"], "long", "aa")):
        sometimes_a_verdict(completions=completions, **log.loggers)
        assert log.columns[-2:] == [
            ("sometimes_a_verdict/reason", [reason, None]),
            ("sometimes_a_verdict/prediction", [prediction, None]),
        ]
    assert len(log.columns) == 4


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
