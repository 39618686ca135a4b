"""grpo-rewards list and show: what they print, and what of plug-ins that are broken."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from invoked import invoke
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards.command_line.describing import entries

TABLES = tables_beside(__file__)


def run(*arguments: str, columns: int = 100) -> Any:
    return invoke(arguments, COLUMNS=str(columns))


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.usefixtures("no_rewards_of_tests")
@pytest.mark.parametrize(("columns", "width"), [(20, 60), (80, 80), (140, 140)])
def test_a_list_has_every_reward_in_full_whatever_the_width(columns: int, width: int) -> None:
    result = run("list", columns=columns)
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= width
    start = result.output.index("what it")
    told = "".join("".join(line[start:] for line in result.output.splitlines()).split())
    missing = [one.name for one in entries() if "".join(one.line.split()) not in told]
    assert not missing
    firsts = {line.split("  ")[0].strip() for line in result.output.splitlines()}
    assert {*gr.list_rewards(), "weighted", "gated", "correctness", "composite"} <= firsts


def test_a_list_of_a_family_has_no_other_reward() -> None:
    result = run("list", "--family", "format", columns=140)
    (row,) = [line for line in result.output.splitlines() if line.startswith("boxed_format ")]
    assert [cell.strip() for cell in row.split("  ") if cell.strip()][1:3] == ["completion, prompt", "0 to 1"]
    assert "boxed_answer" not in result.output


def test_the_list_is_there_as_json() -> None:
    found = json.loads(run("list", "--json").output)
    rows = {row["name"]: row for row in found["rewards"]}
    assert set(gr.list_rewards()) <= set(rows)
    names = ("columns", "optional_columns", "given", "family", "package", "range")
    wanted = [["answer"], ["choices"], ["completion", "prompt"], "correctness", "grpo_rewards", [0.0, 1.0]]
    assert [rows["multiple_choice"][name] for name in names] == wanted
    assert found["families"][:5] == ["content", "correctness", "format", "length", "composite"]
    assert found["failed_plugins"] == []


LISTED = """
import os, sys
sys.stderr = sys.stdout
os.environ["COLUMNS"] = "140"
from grpo_rewards.command_line import app
try:
    app({})
except SystemExit as end:
    print("exit", end.code)
"""


def test_plug_ins_are_listed_and_those_that_failed_with_why(install: Callable, run_forked: Callable[..., str]) -> None:
    decorated = "from grpo_rewards import reward\n@reward"
    good = f"{decorated}\ndef polite(completion):\n    '''1 if it thanks.'''\n    return 1.0"
    clash = f"{decorated}\ndef boxed_answer(completion):\n    '''Mine.'''\n    return 1.0"
    asks = f"{decorated}(dependencies={{'other': 'no_such'}})\ndef asking(completion, other):\n    return 1.0"
    bad = "raise RuntimeError('out of \\x1b[2J order')"
    folders = (
        install("plugin-good", "manners", good, "a = manners"),
        install("plugin-clash", "clashing", clash, "a = clashing"),
        install("plugin-asks", "asker", asks, "a = asker"),
        install("plugin-bad", "broken", bad, "a = broken:mine"),
    )
    text = words(run_forked(LISTED.format(["list"]), folders))
    assert "manners from manners polite completion 1 if it thanks." in text
    assert "warning: the reward 'boxed_answer' of 'clashing' (" in text
    assert "is not listed under that name, which is taken" in text
    assert r"plugin 'plugin-bad 1.0': rewards in 'broken:mine' cannot be loaded: out of \x1b[2J order" in text
    assert "the reward 'asking' of 'asker' cannot be used: " in text
    assert "unknown reward 'no_such'" in text
    assert text.endswith("exit 1")
    printed = run_forked(LISTED.format(["list", "--family", "manners", "--json"]), folders)
    found = json.loads(printed[printed.index("{") : printed.rindex("exit")])
    assert [row["name"] for row in found["rewards"]] == ["polite"]
    assert found["rewards"][0]["package"] == "manners"
    assert [one["plugin"] for one in found["failed_plugins"]] == ["plugin-bad 1.0"]


def test_a_reward_is_shown_with_options_as_bound_reasons_and_what_a_policy_would_try() -> None:
    result = run("show", "soft_overlong(max_tokens=100)")
    assert result.exit_code == 0
    text = words(result.output)
    assert "``" not in text
    missing = [said for said in TABLES["shown_of_soft_overlong"] if said not in text]
    assert not missing


def test_a_composite_is_shown_with_its_parts_and_a_composer_with_its_arguments() -> None:
    text = words(run("show", "weighted(boxed_answer=1.0, boxed_format=0.5)").output)
    assert "part 1 × boxed_answer part 0.5 × boxed_format" in text
    assert "range 0 to 1.5" in text
    text = words(run("show", "weighted").output)
    assert text.startswith("weighted composite, from grpo_rewards The weighted sum of several rewards.")
    assert "**by_name = {}" in text
    text = words(run("show", "gated").output)
    assert "by must be given (Reward or a string)" in text
    assert "range depends on its parts" in text


def test_a_reward_is_there_as_json() -> None:
    found = json.loads(run("show", "boxed_answer(boxed='only')", "--json").output)
    assert found["spec"] == "boxed_answer(boxed='only')"
    options = {one["name"]: (one["default"], one["value"], one["is_bound"]) for one in found["options"]}
    assert options["boxed"][1:] == ("'only'", True)
    assert not options["units"][2]
    assert found["reasons"]["timeout"] == "it used up its deadline"
    assert found["what_a_policy_would_try"].startswith("A policy would")
    options = json.loads(run("show", "routed({1: boxed_answer}, by='task')", "--json").output)["options"]
    values = {one["name"]: (one["default"], one["value"], one["is_bound"]) for one in options}
    assert (values["by"], values["default"]) == ((None, "'task'", True), ("None", "None", False))


@each_row("spec, said", TABLES["a_spec_that_is_wrong_is_a_usage_error_in_a_line"])
def test_a_spec_that_is_wrong_is_a_usage_error_in_a_line(spec: str, said: str) -> None:
    result = run("show", spec)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "\x1b" not in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_a_docstring_of_somebody_else_cannot_do_anything_to_the_terminal(
    write_module: Callable[[str, str], Any], tmp_path: Path
) -> None:
    source = r"""
from grpo_rewards import reward
@reward(reasons=["a"])
def hostile(completion, *, mark: str = "\x1b[31m"):
    '''Red \x1b[2J [bold]text[/bold] \u202e.

    Args:
        mark: \x07 [/]
    '''
    return 1.0
"""
    write_module("hostile_docstring", source)
    result = run("show", "hostile_docstring.hostile")
    assert result.exit_code == 0
    assert r"Red \x1b[2J [bold]text[/bold] \u202e." in result.output
    assert not {"\x1b", "\x07", "\u202e"} & set(result.output)


def test_a_reader_that_has_enough_is_no_finding() -> None:
    command = [sys.executable, "-m", "grpo_rewards", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, b"")
