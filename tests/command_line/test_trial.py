"""``grpo-rewards probe``: what it shows, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from invoked import invoke
from quick_probes import with_quick_probes  # noqa: F401  # a fixture
from row_files import written

pytestmark = pytest.mark.usefixtures("with_quick_probes")


def run(*arguments: str, width: int = 140) -> Any:
    return invoke(["probe", *arguments], COLUMNS=str(width))


@pytest.mark.parametrize("width", [60, 80, 140])
def test_a_sound_reward_ends_well(width: int) -> None:
    result = run("boxed_answer", width=width)
    assert result.exit_code == 0
    assert "boxed_answer rewards none of " in " ".join(result.output.split())
    assert max(map(len, result.output.splitlines())) <= width


def test_junk_that_is_rewarded_ends_in_1_and_is_named() -> None:
    result = run("boxed_answer", "code_block_format")
    assert result.exit_code == 1
    assert "a code block around pass" in result.output
    assert "gated(code_block_format, by=…)" in " ".join(result.output.split())


def test_it_is_json_for_programs() -> None:
    result = run("code_block_format", "--json")
    (found,) = json.loads(result.stdout)
    assert found["name"] == "code_block_format"
    assert [one["cheat"] for one in found["earned"] if one["is_paid"]] == ["a code block around pass"]


def test_rows_that_have_completions_are_rows_and_a_missing_column_is_named(tmp_path: Path) -> None:
    rows = [{"prompt": f"{at}?", "completion": "so", "gold": str(at)} for at in range(3)]
    path = written(tmp_path / "rows.jsonl", rows)
    result = run("boxed_answer", "--dataset", str(path))
    assert result.exit_code == 2
    assert "reads column 'answer', which the dataset does not have" in result.stderr
    assert "--column answer=gold" in result.stderr
    result = run("boxed_answer", "--dataset", str(path), "--column", "answer=gold")
    assert result.exit_code == 0, result.output
    assert "3 rows" in result.output


def test_a_reward_of_the_folder_is_tried_on_rows_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    Path("own_rewards_here.py").write_text(
        "import grpo_rewards as gr\n\n@gr.reward\ndef in_own_words(completion: str, asked_for: str) -> float:\n"
        "    return float(completion == asked_for)\n"
    )
    written(Path("rows.jsonl"), [{"prompt": "?", "gold": word} for word in ("ab", "cd", "ef")])
    refused = run("own_rewards_here.in_own_words")
    assert refused.exit_code == 2
    assert "Give rows of your own" in refused.output
    result = run(
        "own_rewards_here.in_own_words", "--dataset", "rows.jsonl", "--column", "asked_for=gold", "--rows", "2"
    )
    assert result.exit_code == 0, result.output
    assert "2 rows" in result.output
