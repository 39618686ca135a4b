"""``grpo-rewards probe``: what it shows, and its exit codes."""

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


@pytest.mark.parametrize("width", [60, 140])
def test_a_sound_reward_ends_well(width: int) -> None:
    result = run("boxed_answer", width=width)
    assert (result.exit_code, "boxed_answer rewards none of " in " ".join(result.output.split())) == (0, True)
    assert max(map(len, result.output.splitlines())) <= width


def test_junk_that_is_rewarded_ends_in_1_and_is_named() -> None:
    result = run("boxed_answer", "code_block_format", "--json")
    assert result.exit_code == 1
    found = {
        one["name"]: [its["cheat"] for its in one["earned"] if its["is_paid"]] for one in json.loads(result.stdout)
    }
    assert found == {"boxed_answer": [], "code_block_format": ["a code block around pass"]}


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
