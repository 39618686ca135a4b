"""The collected attacks: what each reward gives for them, and that none stalls, fills or crashes the process."""

import gzip
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from contract_cases import LISTED, case_of, check_outcome
from places import DATA
from tables import each_row

import grpo_rewards as gr
from grpo_rewards import Reward

ATTACKS = DATA / "attacks" / "attacks.jsonl.gz"
pytestmark = pytest.mark.skipif(not ATTACKS.exists(), reason=f"the attacks are not there ({ATTACKS.name})")


def attacks(wanted: Callable[[dict[str, Any]], bool]) -> list[Any]:
    """The attacks that are ``wanted``."""
    if not ATTACKS.exists():
        return [None]  # each test is skipped
    with gzip.open(ATTACKS, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [row for row in rows if wanted(row)]


def completion_of(row: dict[str, Any]) -> Any:
    found = row["completion_obj"] if "completion_obj" in row else row["completion"]
    return "" if found is None else found  # a trainer may hand over None; by hand it is refused


@each_row("row", attacks(lambda row: row["target"] == "accuracy"))
def test_an_attack_on_correctness_gets_what_it_deserves(
    row: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    memory = psutil.Process().memory_info().rss
    start = time.process_time()
    verdict = check_outcome(gr.boxed_answer, completion_of(row), answer=row["gold"])
    assert time.process_time() - start < 10 * row["expect"]["max_s"]  # a naive grader hangs
    assert psutil.Process().memory_info().rss - memory < 200 * 2**20
    assert not list(tmp_path.iterdir())  # nothing that the text says was done
    wanted = row["expect"].get("verdict")
    assert wanted is None or verdict.reward == wanted, row["why"]
    with ThreadPoolExecutor(1) as pool:
        there = pool.submit(gr.boxed_answer.explain, completion_of(row), answer=row["gold"]).result(timeout=300)
    assert there == verdict


@each_row("row", attacks(lambda row: row["class"] == "E"))
def test_an_attack_on_the_format_gets_what_it_deserves(row: dict[str, Any]) -> None:
    prompt = row.get("prompt_prefix")
    for one, wanted in (
        (gr.think_answer_format, row["expect"].get("verdict")),
        (gr.think_format, row["expect"].get("think_only")),
    ):
        verdict = check_outcome(one, row["completion"], prompt=prompt)
        assert wanted is None or verdict.reward == wanted, f"{one.__name__}: {verdict}"
        # the same where the chat template is known instead of looked for
        assert one.bind(think_opened=prompt is not None).explain(row["completion"]) == verdict


@each_row("row", attacks(lambda row: row["class"] in "CEF"))
def test_every_reward_stands_malformed_input_in_a_thread_as_well(row: dict[str, Any]) -> None:
    def scored() -> list[gr.Verdict]:
        found = []
        for name in LISTED:
            one, case = case_of(name)
            columns = {column: values[0] for column, values in case.columns.items()}
            columns |= {"answer": row["gold"]} if "answer" in columns else {}
            given = {"prompt": row.get("prompt_prefix"), "completion_ids": [1, 2, 3]}
            start = time.process_time()
            found.append(check_outcome(one, completion_of(row), **given, **columns))
            assert time.process_time() - start < 10 * row["expect"]["max_s"], name
        return found

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(scored).result(timeout=300) == scored()


LENGTHS = [
    gr.soft_overlong.bind(max_tokens=2000, buffer=1000),
    gr.cosine_length.bind(max_tokens=2000),
    gr.relative_length,
    gr.target_length.bind(target=1000, tolerance=1000),
    gr.max_length.bind(max_tokens=1000),
]


@each_row("row", attacks(lambda row: row["class"] == "F" and row["target"] == "length"))
@each_row("one", LENGTHS)
def test_padding_rewards_nothing(row: dict[str, Any], one: Reward) -> None:
    def points(text: str) -> float:
        # a token for every four characters, equal where these are
        ids = [hash(text[at : at + 4]) for at in range(0, len(text), 4)]
        value = one.score(text, completion_ids=ids, answer=row["gold"])
        assert value is not None
        return value

    assert points(row["completion"]) <= points(row["base_completion"]) + row["expect"]["eps"]


@each_row("row", attacks(lambda row: row["class"] == "F" and row["target"] == "repetition"))
def test_repetition_is_within_what_an_attack_expects(row: dict[str, Any]) -> None:
    low, high = row["expect"]["range"]
    assert low <= gr.repetition.score(row["completion"]) <= high
