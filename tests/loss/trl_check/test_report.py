"""What is raised while TRL is compared is a failure that is named, and does not end the check."""

import pytest

pytest.importorskip("torch", reason="torch is not installed")

import torch

from grpo_rewards.loss.trl_check.report import Difference, Report


@pytest.mark.parametrize(
    ("error", "case", "says"),
    [
        (KeyError("nothing"), "", "KeyError: 'nothing'"),
        (SystemExit(0), "a case", "SystemExit: 0 in a case"),
    ],
)
def test_what_is_raised_is_a_failure(error, case, says):
    report = Report(trl="1.16.0")
    with report.failing("a kind", case):
        raise error
    assert report.failed == {"a kind": [says]}
    assert report.is_wrong
    assert not report.passed


@pytest.mark.parametrize(("trl", "where"), [("1.15.0", "lacking"), ("1.16.0", "failed")])
def test_what_is_lacking_is_so_in_a_version_that_is_not_supported_alone(trl, where):
    report = Report(trl=trl)
    with report.failing("a kind", "a case", lambda error: f"no {error}"):
        raise ValueError("option")
    found = {"lacking": report.lacking, "failed": report.failed}
    assert {name: one for name, one in found.items() if one} == {
        where: {"a kind": ["no option" if where == "lacking" else "ValueError: option in a case"]}
    }


def test_what_an_older_version_has_and_gets_wrong_is_a_failure():
    report = Report(trl="1.15.0")
    with report.failing("a kind", "a case", lambda error: None):
        raise ValueError("option")
    assert (report.failed, report.lacking) == ({"a kind": ["ValueError: option in a case"]}, {})


def test_an_interruption_ends_the_check():
    report = Report(trl="1.16.0")
    with pytest.raises(KeyboardInterrupt), report.failing("a kind"):
        raise KeyboardInterrupt
    assert report.failed == {}


def test_who_watches_is_told_what_is_compared_next() -> None:
    seen: list[str] = []
    report = Report(on_case=seen.append)
    for kind in ("dapo", "advantages"):
        with report.failing(kind):
            report.differences.append(Difference(kind, torch.float64, 0.0, None, ""))
    assert seen == ["dapo: 0 comparisons so far", "advantages: 1 comparisons so far"]
