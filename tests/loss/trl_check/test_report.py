"""What is raised while TRL is compared is a failure that is named, and does not end the check."""

import pytest
import torch
from tables import each_row, tables_beside

from grpo_rewards.loss.trl_check.report import Difference, Report


@pytest.mark.parametrize(
    ("trl", "changed", "where"),
    [
        ("1.16.0", {}, "failed"),
        ("1.15.0", {}, "lacking"),
        ("1.17.0", {}, "lacking"),
        ("1.16.0", {"_generate": "is other"}, "lacking"),
    ],
)
def test_what_cannot_be_run_has_failed_in_a_trl_that_is_as_it_was_tested_alone(trl, changed, where):
    report = Report(trl=trl, changed=changed)
    for error, case in ((ValueError("option"), "a case"), (KeyError("nothing"), ""), (SystemExit(0), "another")):
        with report.failing("a kind", case):
            raise error
    found = {"lacking": report.lacking, "failed": report.failed}
    says = ["ValueError: option in a case", "KeyError: 'nothing'", "SystemExit: 0 in another"]
    assert {name: one for name, one in found.items() if one} == {where: {"a kind": says}}
    assert (report.status, report.is_wrong) == (("wrong", True) if where == "failed" else ("unknown", False))
    assert not report.passed


def case(value, **settings):
    return Difference("dapo", torch.float64, value, 0.0, str(settings), None, settings)


@each_row("wrong, right, says", tables_beside(__file__)["one_line_with_the_settings_that_tell_its_cases"])
def test_a_kind_that_is_off_is_one_line_with_the_settings_that_tell_its_cases(wrong, right, says):
    report = Report([*(case(1.0, **one) for one in wrong), *(case(0.0, **one) for one in right)], trl="1.16.0")
    (line,) = report.mismatch_lines()
    assert line.startswith(f"dapo: {len(wrong)} of {len(wrong) + len(right)} beyond tolerance")
    assert says in line


def test_tensors_come_before_steps_and_an_early_stop_misses_nothing():
    report = Report(least={"dapo": 1824, "steps": 2}, trl="1.16.0", stop_at_first=True)
    report.differences = [Difference("steps", torch.float32, 1.0, None, "a run"), case(1.0)]
    assert [line.partition(":")[0] for line in report.mismatch_lines()] == ["dapo", "steps"]
    assert report.short == {}


def test_an_interruption_ends_the_check():
    report = Report(trl="1.16.0")
    with pytest.raises(KeyboardInterrupt), report.failing("a kind"):
        raise KeyboardInterrupt
    assert report.failed == {}


def test_what_is_compared_next_is_reported_while_watching() -> None:
    seen: list[str] = []
    report = Report(on_case=seen.append)
    for kind in ("dapo", "advantages"):
        with report.failing(kind):
            report.differences.append(Difference(kind, torch.float64, 0.0, None, ""))
    assert seen == ["dapo: 0 comparisons so far", "advantages: 1 comparisons so far"]
