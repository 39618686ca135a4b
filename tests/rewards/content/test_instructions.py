"""The share of a row's instructions that a completion follows."""

import json
import sys
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards.checks import assert_linear
from grpo_rewards.constraints import TABLE
from grpo_rewards.constraints.arguments import readers_of, relation, texts

TABLES = tables_beside(__file__)

TWO: dict[str, Any] = {
    "instruction_id_list": ["punctuation:no_comma", "count:numbers"],
    "kwargs": [{}, {"N": 1}],
}
NO_SPACE: dict[str, Any] = {"instruction_id_list": ["format:no_whitespace"]}


@each_row("completion, fraction, whole, reason", TABLES["points_are_the_share_or_all"])
def test_points_are_the_share_or_all(completion: str, fraction: float, whole: float, reason: str) -> None:
    verdict = gr.instructions.explain(completion, **TWO)
    assert (verdict.reward, verdict.reason) == (fraction, reason)
    assert gr.instructions.bind(credit="all").score(completion, **TWO) == whole


def test_what_was_counted_is_stated() -> None:
    verdict = gr.instructions.explain("It is four.", **TWO)
    assert verdict.prediction == "1 of 2"
    assert verdict.details["instructions"] == [
        {"id": "punctuation:no_comma", "followed": True, "why": "it has none"},
        {"id": "count:numbers", "followed": False, "why": "0 numbers, wanted exactly 1"},
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"instruction_id_list": ["count:numbers"], "kwargs": [{}]}, "bad_instruction"),
        ({"instruction_id_list": []}, "bad_instruction"),
        ({"instruction_id_list": ["words:start_verb"]}, "unknown_instruction"),
    ],
)
def test_a_row_at_fault_is_not_scored_whatever_is_written(row: dict[str, Any], reason: str) -> None:
    for completion in ("", "It is 4.", "<think>"):
        verdict = gr.instructions.explain(completion, **row)
        assert (verdict.reward, verdict.reason) == (None, reason)
        assert verdict.details["why"]


def test_the_rows_at_fault_are_found_before_training() -> None:
    rows = {
        "instruction_id_list": [["punctuation:no_comma"], ["no:such"], ["count:numbers"]],
        "kwargs": [[{}], [{}], [{"N": None}]],
    }
    assert gr.check_answers(gr.instructions, rows) == {"instructions": [1, 2]}


def test_line_breaks_behind_the_reasoning_are_not_the_models() -> None:
    assert gr.instructions.score("<think>a b</think>\n\n4", **NO_SPACE) == 1.0
    assert gr.instructions.score("4\n", **NO_SPACE) == 0.0


def test_deciding_as_published_was_given_up() -> None:
    with pytest.raises(gr.RewardError, match="lm-eval"):
        gr.instructions.bind(as_published=True)


def test_loose_is_an_option() -> None:
    quoted = {"instruction_id_list": ["startend:quotation"]}
    assert gr.instructions.bind(loose=True).score('Sure:\n"It is 4."', **quoted) == 1.0


def test_the_data_sets_own_column_of_both_is_read() -> None:
    bound = gr.instructions.bind(columns={"instruction_id_list": "ground_truth"})
    held = json.dumps([{"instruction_id": ["count:numbers"], "kwargs": [{"N": 1}]}])
    assert bound(completions=["It is 4."], ground_truth=[held]) == [1.0]


def test_a_missing_detector_is_the_programmers_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    languages = sys.modules["grpo_rewards.constraints.reading.languages"]
    monkeypatch.setattr(languages.importlib.util, "find_spec", lambda name: None)
    row = {"instruction_id_list": ["language:response_language"], "kwargs": [{"language": "de"}]}
    with pytest.raises(gr.RewardError, match=r"pip install .*\[instructions\]"):
        gr.instructions.score("", **row)


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.sampled_from(["[1]", "{", "[["]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["N", "keywords", "kwargs"]), inner),
    max_leaves=5,
)


@settings(max_examples=50)
@given(
    ids=ANYTHING | st.lists(st.sampled_from(["count:numbers", "keywords:existence"]), max_size=2), arguments=ANYTHING
)
def test_no_row_raises(ids: Any, arguments: Any) -> None:
    verdict = gr.instructions.explain("It is 4.", instruction_id_list=ids, kwargs=arguments)
    assert verdict.reason in gr.instructions.reasons


def arguments_of(name: str) -> dict[str, Any]:
    """Some arguments that make sense."""
    special: dict[Any, Any] = {relation: "at least", texts: ["tea", "a b"]}
    by_name = {"language": "de", "letter": "e", "options": "yes/no", "phrase": "a b c d"}
    readers = readers_of(TABLE[name])
    made = {}
    for one, reader in readers.items():
        made[one] = special.get(reader, by_name.get(one, 2))
        try:
            reader(made[one])
        except ValueError:
            made[one] = "tea tea"
    return made


DETECTED = ("language:", "change_case:english")  # with py3langid, of the extra [instructions]
READABLE = [one for one in TABLE if find_spec("py3langid") or not one.startswith(DETECTED)]
PIECES = ["a. ", "* a\n", "*", "[", "<<", '"', "'a ", "(", "***", "\n", "1,", "e\u0301", "😀. ", "Question 1\n", "tea"]


@pytest.mark.parametrize("size", [5_000, pytest.param(20_000, marks=pytest.mark.full)])
@each_row("name", READABLE)
def test_every_instruction_reads_any_text_in_linear_time(name: str, size: int) -> None:
    row = {"instruction_id_list": [name], "kwargs": [arguments_of(name)]}
    assert gr.instructions.score("a warm start", **row) is not None
    for piece in PIECES:

        def scored(text: str) -> object:
            return gr.instructions.score(text, **row)

        assert_linear(scored, lambda size, piece=piece: piece * (size // len(piece)), size, piece)


HOSTILE = [
    "\ud800",
    "\x00",
    "\u0301" * 400,
    "]" * 9,
    "{" * 9_999,
    "[" * 9_999,
    '"' * 5,
    "\u2028\x85",
    "İſß",
    "\ue0f0.",
]


@each_row("name", READABLE)
def test_no_text_raises(name: str) -> None:
    row = {"instruction_id_list": [name], "kwargs": [arguments_of(name)]}
    for text in HOSTILE:
        assert gr.instructions.bind(loose=True).score(text, **row) in (0.0, 1.0)
