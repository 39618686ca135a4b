"""Reading a row's instructions, strict and loose."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tables import each_row, tables_beside

from grpo_rewards.constraints import BadInstructionError, Instruction, judge, read_instructions
from grpo_rewards.constraints.reading import languages

TABLES = tables_beside(__file__)

NUMBERS = [Instruction("count:numbers", {"N": 2})]


@each_row(
    "ids, arguments",
    [
        (["count:numbers"], [{"N": 2}]),
        # as a table of a data set holds it, with what other rows need
        (["count:numbers"], [{"N": 2.0, "keyword": None, "relation": None}]),
        (("count:numbers",), ({"N": 2},)),
        ('["count:numbers"]', '[{"N": 2}]'),
        (["count:numbers"], ['{"N": 2}']),
        ("count:numbers", [{"N": 2}]),
        # as IFTrain holds both, and as it is published: a Python literal, or a list of one
        ("[{'instruction_id': ['count:numbers'], 'kwargs': [{'N': 2, 'keyword': None}]}]", None),
        (["[{'instruction_id': ['count:numbers'], 'kwargs': [{'N': 2}]}]"], None),
        (['{"instruction_id": ["count:numbers"], "kwargs": [{"N": 2}]}'], None),
        ([{"instruction_id": ["count:numbers"], "kwargs": [{"N": 2}]}], None),
        (json.dumps([{"instruction_id": ["count:numbers"], "kwargs": [{"N": 2}]}]), None),
    ],
)
def test_instructions_are_read_as_data_sets_hold_them(ids: Any, arguments: Any) -> None:
    assert read_instructions(ids, arguments) == NUMBERS


def test_arrays_are_lists() -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    ids, words = numpy.array(["keywords:existence"], dtype=object), numpy.array(["river"], dtype=object)
    assert read_instructions(ids, [{"keywords": words}])[0].arguments == {"keywords": ("river",)}
    assert read_instructions(["count:numbers"], [{"N": numpy.int64(2)}]) == NUMBERS


def test_arguments_may_be_left_out_where_there_are_none() -> None:
    for arguments in (None, [None], [{}], ["{}"]):
        assert read_instructions(["punctuation:no_comma"], arguments) == [Instruction("punctuation:no_comma", {})]


@each_row(
    "ids, arguments",
    [
        ([], []),
        (None, None),
        (["count:numbers"], []),  # for which the published checkers draw a number at random
        (["count:numbers"], [{}]),
        (["count:numbers"], [{"N": None}]),
        (["count:numbers"], [{"N": -1}]),
        (["count:numbers"], [{"N": 1.5}]),
        (["count:numbers"], [{"N": True}]),
        (["count:numbers"], [{"N": float("nan")}]),
        (["count:numbers"], [{"N": float("inf")}]),
        (["count:numbers"], [{"N": "2"}]),
        (["count:numbers"], [{"N": 10**5000}]),
        (["count:numbers"], [3]),
        (["count:numbers"], ['{"N": ']),
        (["count:numbers", "punctuation:no_comma"], [{"N": 1}]),
        (["keywords:existence"], [{"keywords": []}]),
        (["keywords:existence"], [{"keywords": "river"}]),
        (["keywords:existence"], [{"keywords": ["river", " "]}]),
        (["keywords:existence"], [{"keywords": ["\u200b"]}]),
        (["keywords:frequency"], [{"keyword": "a", "frequency": 1, "relation": "about"}]),
        (["keywords:letter_frequency"], [{"letter": "ab", "let_frequency": 1, "let_relation": "at least"}]),
        (["language:response_language"], [{"language": "xx"}]),
        (["count:word_count_range"], [{"min_words": 5, "max_words": 4}]),
        (
            ["length_constraints:nth_paragraph_first_word"],
            [{"num_paragraphs": 1, "nth_paragraph": 2, "first_word": "a"}],
        ),
        (["ratio:stop_words"], [{"percentage": 101}]),
        (["count:words_japanese"], [{"N": 0}]),
    ],
)
def test_a_row_that_makes_no_sense_is_refused(ids: Any, arguments: Any) -> None:
    with pytest.raises(BadInstructionError) as raised:
        read_instructions(ids, arguments)
    assert raised.value.reason == "bad_instruction"


@each_row("name", ["words:start_verb", "words:odd_even_syllables", "keywords:exist", 3, None, ["a"]])
def test_an_unknown_instruction_is_stated_to_be_one(name: Any) -> None:
    with pytest.raises(BadInstructionError) as raised:
        read_instructions([name, "punctuation:no_comma"], [{}, {}])
    assert raised.value.reason == "unknown_instruction"


def test_a_missing_detector_is_stated_at_once_and_only_where_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages.importlib.util, "find_spec", lambda name: None)
    read_instructions(["language:response_language"], [{"language": "ko"}])
    for ids, arguments in [
        (["language:response_language"], [{"language": "de"}]),
        (["change_case:english_capital"], [{}]),
    ]:
        with pytest.raises(languages.MissingDetectorError, match=r"pip install .*\[instructions\]"):
            read_instructions(ids, arguments)


def test_the_constraints_need_neither_the_answers_nor_the_registry(run_python: Callable[..., str]) -> None:
    script = """
import sys
from grpo_rewards.constraints import judge, read_instructions
assert judge("No comma", read_instructions(["punctuation:no_comma"]))[0].followed
print(*sorted(set(sys.modules) & set("numpy py3langid re2 jsonschema sympy torch".split())))
own = [name for name in sys.modules if name.startswith("grpo_rewards.") and name.count(".") == 1]
print(*sorted(name for name in own if sys.modules[name].__spec__))  # and not under an earlier name
"""
    assert run_python("-c", script).split("\n")[:2] == [
        "",
        "grpo_rewards.completion grpo_rewards.constraints grpo_rewards.installing grpo_rewards.public_names",
    ]


LOOSE = TABLES["loose"]


@each_row("name, arguments, text", LOOSE)
def test_loose_forgives_a_first_and_last_line_and_asterisks(name: str, arguments: dict[str, Any], text: str) -> None:
    instruction = read_instructions([name], [arguments])
    assert not judge(text, instruction)[0].followed
    assert judge(text, instruction, loose=True)[0].followed


@each_row("text", ["", " \n\t", "\u200b", "***"])
def test_a_blank_text_follows_nothing(text: str) -> None:
    instruction = read_instructions(["punctuation:no_comma", "format:no_whitespace"])
    followed = [one.followed for one in judge(text, instruction, loose=True)]
    assert followed == [bool(text.strip("\u200b \n\t"))] * 2


@each_row("ids", ["[" * 100_000, "[9**9**9]", "[print('x')]", "[{'a':" + "(" * 5_000, ["[" * 300], "[[]"])
def test_a_literal_is_read_and_never_run(ids: Any) -> None:
    with pytest.raises(BadInstructionError, match="literal"):
        read_instructions(ids)


def test_arguments_cannot_multiply_the_work() -> None:
    periodic = {"phrase": "a " + "b " * 40 + "a", "small_n": 1}
    (finding,) = judge("a " * 150_000, read_instructions(["copy:repeat_phrase"], [periodic]))
    assert finding.why == "too many places look like the phrase"
    for too_much in ({"forbidden_words": ["a"] * 201}, {"forbidden_words": ["a" * 501]}):
        with pytest.raises(BadInstructionError, match="at most"):
            read_instructions(["keywords:forbidden_words"], [too_much])
    with pytest.raises(BadInstructionError, match="51 instructions are more than 50"):
        read_instructions(["punctuation:no_comma"] * 51)
