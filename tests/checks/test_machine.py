"""What is broken is an error, what is degraded a warning, what need not be there a note; and all is really tried."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest
from tables import each_row, tables_beside

from grpo_rewards.answers.symbolic import pool
from grpo_rewards.checks import machine
from grpo_rewards.checks.findings import Finding
from grpo_rewards.checks.machine import SUPPORTED_TRL, fits, unsupported_features
from grpo_rewards.installing import how_to_install

TABLES = tables_beside(__file__)


def told(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    return [(one.severity, one.check) for one in findings]


def with_versions(monkeypatch: pytest.MonkeyPatch, **versions: str | None) -> None:
    """Lets packages seem to have other versions; ``None``: not installed. Hyphens are written as underscores."""
    usual = machine.version_of
    changed = {name.replace("_", "-"): its for name, its in versions.items()}
    monkeypatch.setattr(machine, "version_of", lambda name: changed[name] if name in changed else usual(name))


def of(findings: Sequence[Finding], check: str) -> Finding:
    (found,) = [one for one in findings if one.check == check]
    return found


def assert_found(findings: Sequence[Finding], check: str, severity: str, *said: str) -> None:
    """Of a check there is one finding, of this severity, and its message and what to do have these in them."""
    found = of(findings, check)
    assert (found.severity, [one for one in said if one not in str(found)]) == (severity, []), found


def test_the_core_is_there_and_fits() -> None:
    findings = list(machine.installed_packages())
    for name in ("math-verify", "google-re2", "jsonschema-rs", "rich"):
        assert of(findings, name).severity == "fine"
    is_there = importlib.util.find_spec("py3langid") is not None
    assert of(findings, "[instructions]").severity == ("fine" if is_there else "note")


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (None, "It is not installed, and the package needs it."),
        ("0.8.0", "0.8.0 is outside of >=0.9,<1."),
        ("1.0", "1.0 is outside of"),
        ("", "Its version is outside of"),
    ],
)
def test_a_package_of_the_core_that_misses_or_does_not_fit_is_an_error(
    version: str | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_versions(monkeypatch, math_verify=version)
    found = list(machine.installed_packages())
    assert_found(found, "math-verify", "error", said, "pip install 'math-verify>=0.9,<1'")


def test_a_package_that_cannot_be_imported_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    found = list(machine.installed_packages())
    assert_found(found, "google-re2", "error", "cannot be imported: ModuleNotFoundError", "--force-reinstall")


def test_an_extra_that_is_not_there_is_a_note_and_one_that_does_not_fit_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_versions(monkeypatch, py3langid=None, peft="0.1", matplotlib=None)
    findings = list(machine.installed_packages())
    assert_found(findings, "[instructions]", "note", how_to_install("instructions"))
    recipes = [one for one in findings if one.check == "[recipes]"]
    assert "note" in {one.severity for one in recipes}
    assert "warning" in {one.severity for one in recipes}
    assert "peft 0.1 is outside of >=0.13" in " ".join(one.message for one in recipes)


def test_another_version_that_pip_has_installed_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    with_versions(monkeypatch, grpo_rewards="0.0.1")
    assert_found(list(machine.installed_packages()), "grpo-rewards", "warning", "while pip has installed 0.0.1")


def test_the_workers_are_started_and_decide() -> None:
    pool.close()
    (found,) = [one for one in machine.symbolic_workers() if one.severity == "fine"]
    assert "started, and each decided a pair of formulas, in" in found.message
    assert pool._broker is not None
    assert pool._broker.process.poll() is None


def test_workers_that_do_not_start_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    pool.close()
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert_found(list(machine.symbolic_workers()), "symbolic workers", "error", "/no/such/python")


@pytest.mark.parametrize(("number", "severity"), [("0", "warning"), ("many", "error"), ("-1", "error")])
def test_workers_that_are_turned_off_or_miscounted_are_reported(
    number: str, severity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRPO_REWARDS_WORKERS", number)
    assert_found(list(machine.symbolic_workers()), "symbolic workers", severity, "GRPO_REWARDS_WORKERS")


def test_the_machine_is_described() -> None:
    findings = list(machine.python_and_platform())
    assert [one.check for one in findings] == ["python", "platform", "memory limit"]
    assert_found(findings, "python", "fine", f"{sys.version_info[0]}.{sys.version_info[1]}.")


@pytest.mark.parametrize(
    ("script", "severity", "said"),
    [
        ("print('refused')", "fine", "is refused"),
        ("print('taken')", "warning", "a process may take more than its limit"),
        ("raise SystemExit('no resource')", "warning", "it could not be tried (no resource)"),
        ("import os; os.kill(os.getpid(), 9)", "warning", "it could not be tried (exit status -9)"),
    ],
)
def test_a_limit_on_memory_is_tried(script: str, severity: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "MEMORY_TRIAL", script)
    assert_found(list(machine.python_and_platform()), "memory limit", severity, said)


def test_a_python_that_is_newer_than_what_was_tried_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.sys, "version_info", (3, 99, 0))
    assert next(machine.python_and_platform()).severity == "note"


WORKS: dict[str, Any] = {"torch": "", "trl": "", "accelerator": None, "count": 0, "names": [], "built_for": None}


def trained_with(monkeypatch: pytest.MonkeyPatch, said: dict[str, Any], **versions: str | None) -> list[Finding]:
    with_versions(monkeypatch, **{"torch": "2.13.0+cpu", "trl": "1.16.0", **versions})
    monkeypatch.setattr(machine, "_tried", lambda: {**WORKS, **said})
    monkeypatch.setattr(machine, "NVIDIA_DRIVER", Path("/no/such/driver"))
    return list(machine.torch_and_trl())


@pytest.mark.parametrize(("trl", "severity", "said"), TABLES["a_trl_is_named_with_what_does_not_work"])
def test_a_trl_is_named_with_what_does_not_work(
    trl: str, severity: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_found(trained_with(monkeypatch, {}, trl=trl), "trl", severity, said)


def test_a_trl_that_cannot_be_imported_is_an_error_with_what_it_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"trl": "ModuleNotFoundError: No module named 'requests.adapters'"}
    first, second = [one for one in trained_with(monkeypatch, said, trl="1.0.0") if one.check == "trl"]
    assert (first.severity, first.remedy) == ("error", "pip install requests")
    assert second.severity == "warning"


@pytest.mark.parametrize(
    ("said", "driver", "severity", "message"),
    [
        ({}, False, "note", "none: training runs on the processor"),
        ({}, True, "warning", "torch is built without CUDA"),
        ({"built_for": "12.6"}, True, "warning", "torch is built for CUDA 12.6 and does not see it"),
        (
            {"accelerator": "cuda", "count": 2, "names": ["H200", "H200"], "bf16": True},
            True,
            "fine",
            "2 × cuda: H200, with bf16",
        ),
        ({"accelerator": "mps", "count": 1, "bf16": None}, False, "fine", "1 × mps"),
    ],
)
def test_accelerators_are_reported(
    said: dict[str, Any],
    driver: bool,
    severity: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    trained_with(monkeypatch, said)
    monkeypatch.setattr(machine, "NVIDIA_DRIVER", tmp_path if driver else tmp_path / "none")
    assert_found(list(machine.torch_and_trl()), "accelerator", severity, message)


def test_what_is_not_installed_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    with_versions(monkeypatch, torch=None, trl=None)
    monkeypatch.setattr(machine, "_tried", None)  # would fail if it were called
    assert list(machine.torch_and_trl()) == []


@pytest.mark.parametrize(
    ("torch", "said"),
    [
        ("raise ImportError('no libtorch')", "ImportError: no libtorch"),
        ("import os; os.kill(os.getpid(), 11)", "the process that imported it ended with -11."),
        ("import os; print('half a line', end=''); os._exit(3)", "the process that imported it ended with 3."),
        ("raise SystemExit(0)", "the process that imported it ended with 0."),
    ],
)
def test_a_torch_that_cannot_be_imported_or_crashes_is_reported(
    torch: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "torch.py").write_text(torch)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with_versions(monkeypatch, torch="2.13.0", trl=None)
    assert_found(list(machine.torch_and_trl()), "torch", "error", said)


def test_what_an_import_prints_does_not_hide_what_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = """
print("grpo-rewards is nice")
class accelerator:
    is_available = staticmethod(lambda: True)
    device_count = staticmethod(lambda: 3)
    current_accelerator = staticmethod(lambda: type("xpu", (), {"type": "xpu"}))
class version: cuda = None
"""
    (tmp_path / "torch.py").write_text(source)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with_versions(monkeypatch, torch="2.13.0", trl=None)
    assert told(list(machine.torch_and_trl())) == [("fine", "torch"), ("fine", "accelerator")]
    assert of(list(machine.torch_and_trl()), "accelerator").message == "3 × xpu"


def test_a_plug_in_that_fails_is_an_error_and_one_that_works_is_fine(
    install: Callable[..., Path], run_forked: Callable[..., str]
) -> None:
    good = "from grpo_rewards import reward\n@reward\ndef polite(completion):\n    return 1.0\n"
    clash = "from grpo_rewards import reward\n@reward\ndef boxed_answer(completion):\n    return 1.0\n"
    folders = (
        install("plugin-good", "manners", good, "a = manners"),
        install("plugin-clash", "clashing", clash, "a = clashing"),
        install("plugin-bad", "broken", "import no_such_dependency", "a = broken"),
    )
    script = """
from grpo_rewards.checks import machine
for one in machine.reward_plugins():
    print(one.severity, one.message, one.remedy)
"""
    lines = run_forked(script, folders).splitlines()
    assert lines[0] == (
        "error plugin-bad 1.0 cannot be loaded, with the rewards in 'broken': No module named 'no_such_dependency' "
        "Report it to its author, or pip uninstall plugin-bad."
    )
    assert lines[1].startswith("warning the reward 'boxed_answer' of 'clashing'")
    assert lines[2:] == [
        "fine plugin-clash 1.0, with the rewards in 'clashing' ",
        "fine plugin-good 1.0, with the rewards in 'manners' ",
    ]


def test_where_there_are_no_plug_ins_that_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "load_plugins", list)
    assert [(one.severity, one.message) for one in machine.reward_plugins()] == [
        ("fine", "no installed package offers rewards")
    ]


def test_what_is_needed_is_what_pip_knows_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    known = ["rich>=13", "trl<2,>=1.16; extra == 'recipes'", "trl>=0.29; extra == 'recipes'", "torch; extra == 'trl'"]
    monkeypatch.setattr(machine, "requires", lambda name: known)
    assert machine.needed() == {"rich": ">=13"}
    assert machine.needed("recipes") == {"trl": ">=1.16,>=0.29,<2"}
    assert machine.needed("trl") == {"torch": ""}


def test_a_package_that_pip_did_not_install_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> list[str]:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(machine, "requires", unknown)
    with_versions(monkeypatch, grpo_rewards=None)
    found = list(machine.installed_packages())
    assert [(one.severity, "pip has not installed" in one.message) for one in found] == [("note", True)]


@each_row(
    "bounds, fitting",
    [
        (">=1.16", ["1.16", "1.16.0", "1.16.0+cpu", "1.16.0.post1", "1.17.0.dev0", "2.0.0rc1", "10.0", "v1.16"]),
        (">=1.16,<2", ["1.16", "1.16.0+cpu", "1.17.0.dev0"]),
        (">=1.13,!=1.14.0rc1", ["1.14.0", "1.13.1"]),
    ],
)
def test_a_version_fits(bounds: str, fitting: list[str]) -> None:
    assert all(fits(one, bounds) for one in fitting)


@each_row(
    "bounds, others",
    [
        (">=1.16", ["1.15.0", "1.16.0.dev0", "1.16.0rc1", "0.29"]),
        (">=1.16,<2", ["2.0.0rc1", "2.0.0.dev1", "2.0.0", "10.0", "1.16.0rc1"]),
        (">=1.13,!=1.14.0rc1", ["1.14.0rc1"]),
    ],
)
def test_another_version_does_not_fit(bounds: str, others: list[str]) -> None:
    assert not any(fits(one, bounds) for one in others)


@each_row("version", ["", "unknown", "१.२", "1" * 5000, "1." * 5000, "\x1b[2J", "main@abc"])
def test_what_is_no_version_does_not_fit(version: str) -> None:
    assert not fits(version, ">=0.0")


def test_an_older_trl_misses_what_newer_ones_have() -> None:
    # the table of docs/stability.md
    assert unsupported_features("1.16.0") == []
    assert unsupported_features("1.15.0") == [
        "the recipes do not run, and validate-loss takes no steps and exits with 3"
    ]
    assert [len(unsupported_features(one)) for one in ("0.28.0", "0.29.1", "1.0.0", "1.14.0")] == [5, 4, 3, 2]
    assert unsupported_features("1.17.0") == []  # accepted, and not tested
    assert "not supported" in unsupported_features("2.0.0")[0]
    assert unsupported_features("1.16.0.dev0") == unsupported_features("1.15.0")


def test_the_supported_versions_of_trl_are_those_of_the_check_of_the_loss() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("trl", reason="trl is not installed")
    from grpo_rewards.loss.trl_check.contract import ACCEPTED_TRL

    first, last = ACCEPTED_TRL
    assert f">={first},<{last}" == SUPPORTED_TRL
