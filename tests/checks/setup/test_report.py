"""The report of a check: what it shows, in which order, and when it stops a script."""

import re
import tomllib

import pytest
from places import ROOT
from rich.console import Console

import grpo_rewards as gr
from grpo_rewards import RewardError
from grpo_rewards.checks.findings import Finding, Report

BAD = [gr.boxed_answer, gr.exact_match.bind(columns={"answer": "key"})]


def test_a_report_without_errors_hands_out_its_rewards() -> None:
    report = gr.check_rewards([gr.boxed_answer], {"prompt": ["?", "?"], "answer": ["4", "5"]})
    assert report.raise_for_errors() is report
    assert report.rewards == [gr.boxed_answer]
    assert {finding.severity for finding in report} == {"fine"}
    assert "the answers of all 2 rows can be read." in str(report)


def test_errors_come_first_and_all_of_them_are_raised_at_once() -> None:
    report = gr.check_rewards(BAD, columns=["prompt"], weights=[1.0])
    assert [finding.severity for finding in report.findings[:3]] == ["error"] * 3
    with pytest.raises(RewardError) as error:
        report.raise_for_errors()
    said = str(error.value)
    assert said.startswith("3 things must be mended before the run:\n1. reward 'boxed_answer' reads column 'answer'")
    assert "2. reward 'exact_match' reads column 'key'" in said
    assert "3. reward_weights must be a finite number for each of 2 rewards" in said


def test_one_error_is_raised_as_it_is() -> None:
    with pytest.raises(RewardError, match=r"^there are no rewards\. Name at least one in reward_funcs\.$"):
        gr.check_rewards([]).raise_for_errors()


def test_warnings_do_not_stop_a_script() -> None:
    report = gr.check_rewards([gr.boxed_answer], [{"prompt": "?", "answer": gold} for gold in ("4", "5", None)])
    (warning,) = report.warnings
    assert warning.rows == (2,)
    assert warning.reward == "boxed_answer"
    assert warning.remedy
    assert report.raise_for_errors() is report


def test_a_report_is_a_table_in_a_terminal_whatever_is_in_it() -> None:
    found = Finding("error", "answers", "row 1 holds '[red]\x1b[31m'", "Remove [/red].", "mine")
    console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: SIM115  # rich writes there
    console.print(Report([gr.boxed_answer], [found]))
    shown = console.export_text()
    assert "[red]" in shown
    assert "Remove [/red]." in shown
    assert "\x1b[31m" not in shown
    assert "1 reward, 1 error, 0 warnings" in shown


def test_every_message_is_used_and_every_one_that_is_used_is_there() -> None:
    folder = ROOT / "grpo_rewards" / "checks"
    messages = tomllib.loads((folder / "messages.toml").read_text())
    code = "\n".join(path.read_text() for path in folder.rglob("*.py"))
    used = set(re.findall(r'finding_of\(\s*"([\w.]+)"', code))
    known = {f"{check}.{name}": name for check, its in messages.items() for name in its}
    assert used <= known.keys()
    assert not [key for key, name in known.items() if name not in code]  # some are put together of check and name
