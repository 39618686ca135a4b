"""Rewards that count tokens, over files of texts: a tokenizer stands for the ids that are not there."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from places import TINY

import grpo_rewards as gr
from grpo_rewards.scoring import score_files
from grpo_rewards.scoring.changes import changes_in

pytest.importorskip("transformers", reason="transformers is not installed")

TEXTS = ["It is 4.", "It is \\boxed{4}, as two and two are four, and nothing else.", "\ud800 4"]
OVERLONG = "soft_overlong(max_tokens=8, buffer=4)"
Scored = Callable[..., list[dict[str, Any]]]


def counts() -> list[int]:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(TINY))
    return [len(tokenizer(one.replace("\ud800", "?"), add_special_tokens=False)["input_ids"]) for one in TEXTS]


def rows(**columns: list[Any]) -> list[dict[str, Any]]:
    return [
        {"prompt": "2 + 2?", "completion": text, "answer": "4", **{name: its[at] for name, its in columns.items()}}
        for at, text in enumerate(TEXTS)
    ]


@pytest.fixture
def scored(tmp_path: Path) -> Scored:
    def score(specs: list[Any], held: list[dict[str, Any]] | None = None, **options: Any) -> list[dict[str, Any]]:
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in held or rows()), encoding="utf-8")
        score_files(specs, [str(path)], output=tmp_path / "out.jsonl", overwrite=True, **options)
        return [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]

    return score


def test_the_tokens_of_a_text_stand_for_the_ids(scored: Scored) -> None:
    by_hand = [
        gr.get_reward(OVERLONG).score(text, completion_ids=range(n)) for text, n in zip(TEXTS, counts(), strict=True)
    ]
    assert len({*by_hand}) > 1
    assert [row["soft_overlong"] for row in scored([OVERLONG], tokenizer=str(TINY))] == by_hand
    bound = gr.get_reward(OVERLONG).bind(tokenizer=str(TINY))
    assert [row["soft_overlong"] for row in scored([bound])] == by_hand


@pytest.mark.parametrize(
    "spec", ["cosine_length(max_tokens=60)", "relative_length", "clipped(max_length(max_tokens=9), low=0.25, high=1)"]
)
def test_every_reward_that_counts_is_reached(spec: str, scored: Scored) -> None:
    found = scored([spec], tokenizer=str(TINY))
    name = gr.get_reward(spec).name
    ids = [[*range(n)] for n in counts()]
    wanted = gr.get_reward(spec)(completions=TEXTS, prompts=["2 + 2?"] * 3, answer=["4"] * 3, completion_ids=ids)
    assert [row[name] for row in found] == wanted


def test_ids_that_are_there_are_the_ones_that_count(scored: Scored) -> None:
    held = rows(completion_ids=[[1] * 100, None, [1]])
    with_ids = [row["soft_overlong"] for row in scored([OVERLONG], held, tokenizer=str(TINY))]
    of_text = [row["soft_overlong"] for row in scored([OVERLONG], tokenizer=str(TINY))]
    assert with_ids == [-1.0, of_text[1], 0.0]


def test_what_several_turns_came_to_is_not_guessed(scored: Scored) -> None:
    said = [
        {"role": "assistant", "content": "a"},
        {"role": "tool", "content": "b"},
        {"role": "assistant", "content": "c"},
    ]
    (row,) = scored([OVERLONG], [{"completion": said}], tokenizer=str(TINY))
    assert (row["soft_overlong"], row["soft_overlong/reason"]) == (None, "tokens_unknown")


@pytest.mark.parametrize(
    ("specs", "tokenizer", "said"),
    [
        ([OVERLONG], None, r"no column 'completion_ids', and 'soft_overlong' counts them\. .* --tokenizer NAME"),
        (["gated(boxed_answer, by=max_length(max_tokens=9))"], None, "'max_length' counts them"),
        (["max_length(max_tokens=9, tokenizer='a')", "repetition(tokenizer='b')"], None, "bound to those of a, b"),
        ([OVERLONG], "nowhere", r"tokenizer='nowhere' cannot be loaded"),
    ],
)
def test_what_is_wrong_is_reported_before_anything_is_scored(
    specs: list[str], tokenizer: str | None, said: str, scored: Scored, tmp_path: Path
) -> None:
    with pytest.raises(gr.RewardError, match=said):
        scored(specs, tokenizer=tokenizer)
    assert not (tmp_path / "out.jsonl").exists()


def test_another_tokenizer_is_another_setting(tmp_path: Path) -> None:
    path, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(row | {"completion_ids": [1]}) + "\n" for row in rows()), encoding="utf-8")
    score_files([OVERLONG], [str(path)], output=out)
    with pytest.raises(gr.RewardError, match=r"different settings \(tokenizer\)"):
        score_files([OVERLONG], [str(path)], output=out, tokenizer=str(TINY))


def test_a_difference_counts_as_the_scores_do(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
    found = changes_in("max_length(max_tokens=1)", "max_length(max_tokens=9000)", [str(path)], tokenizer=str(TINY))
    assert found.changed == len(TEXTS)


def test_the_ids_of_a_cell_of_csv_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('completion,completion_ids\nfour,"[1, 2, 3]"\n')
    assert score_files("max_length(max_tokens=5)", tmp_path / "rows.csv").tally.means() == {"max_length": 1.0}


def test_a_cell_of_csv_that_says_null_has_no_ids(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('completion,completion_ids\nfour,null\nfour,"[1, 2, 3]"\n')
    summary = score_files("max_length(max_tokens=5)", tmp_path / "rows.csv", tokenizer=str(TINY))
    assert summary.tally.means() == {"max_length": 1.0}
