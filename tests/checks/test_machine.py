"""What is broken is an error, what is degraded a warning, what need not be there a note; and all is really tried."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet
from tables import each_row

from grpo_rewards.answers.symbolic import pool
from grpo_rewards.checks import machine
from grpo_rewards.checks.findings import Finding
from grpo_rewards.checks.machine import SUPPORTED_TRL, fits


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
    core = of(list(machine.installed_packages()), "core")
    assert core.severity == "fine"
    assert all(name in core.message for name in ("math-verify 0.9", "google-re2", "jsonschema-rs", "rich"))


@each_row(
    "versions, check, severity, said",
    [
        ({"math_verify": None}, "core", "error", "For every reward: math-verify is not installed. pip install 'math-v"),
        ({"math_verify": "0.8.0"}, "core", "error", "math-verify 0.8.0 is outside of <1,>=0.9. pip install 'math-ver"),
        ({"math_verify": "1.0"}, "core", "error", "math-verify 1.0 is outside of"),
        ({"math_verify": ""}, "core", "error", "math-verify  is outside of"),
        ({"py3langid": None}, "[instructions]", "note", "For the language of a text, which the reward instructions"),
        ({"py3langid": None}, "[instructions]", "note", "pip install 'py3langid<0.5,>=0.4'"),
        ({"peft": "0.1", "matplotlib": None}, "[recipes]", "warning", "matplotlib is not installed, "),
        ({"peft": "0.1", "matplotlib": None}, "[recipes]", "warning", "peft 0.1 is outside of >=0.13"),
        ({"grpo_rewards": "0.0.1"}, "grpo-rewards", "warning", "while pip has installed 0.0.1"),
        ({"grpo_rewards": None}, "grpo-rewards", "note", "was not installed by pip"),
    ],
)
def test_a_package_that_misses_or_does_not_fit_is_named(
    versions: dict[str, str | None], check: str, severity: str, said: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        with_versions(patch, **versions)
        found = [str(one) for one in machine.installed_packages() if (one.check, one.severity) == (check, severity)]
    assert len(found) == 1
    assert said in found[0]


def test_a_package_that_cannot_be_imported_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    (error,) = [str(one) for one in machine.installed_packages() if one.severity == "error"]
    assert error.startswith("google-re2 cannot be imported: ModuleNotFoundError")
    assert "--force-reinstall --no-deps google-re2" in error


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


def test_the_machine_is_described_and_a_python_that_is_newer_than_what_was_tried_is_a_note() -> None:
    findings = list(machine.python_and_platform())
    assert [one.check for one in findings] == ["python", "platform"]
    assert_found(findings, "python", "fine", f"{sys.version_info[0]}.{sys.version_info[1]}.")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine.sys, "version_info", (3, 99, 0))
        assert next(machine.python_and_platform()).severity == "note"


WORKS: dict[str, Any] = {"torch": "", "trl": "", "accelerator": None, "count": 0, "names": [], "built_for": None}


def trained_with(
    monkeypatch: pytest.MonkeyPatch, said: dict[str, Any], trl: str = "1.16.0", driver: Path = Path("/no/such/driver")
) -> list[Finding]:
    with_versions(monkeypatch, torch="2.13.0+cpu", trl=trl)
    monkeypatch.setattr(machine, "_tried", lambda: {**WORKS, **said})
    monkeypatch.setattr(machine, "NVIDIA_DRIVER", driver)
    return list(machine.torch_and_trl())


@each_row(
    "trl, severity, said",
    [
        ("1.16.0", "fine", "1.16.0, and GRPOTrainer can be imported"),
        ("1.17.2", "fine", "GRPOTrainer can be imported"),
        ("1.15.0", "warning", "TRL 1.15.0 is not >=1.16,<2. docs/stability.md says what works with another one."),
        ("0.20.0", "warning", "pip install 'trl>=1.16,<2'"),
        ("1.16.0.dev0", "warning", "is not >=1.16,<2"),
        ("2.1.0", "warning", "is not >=1.16,<2"),
    ],
)
def test_another_trl_is_a_warning(trl: str, severity: str, said: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        assert_found(trained_with(patch, {}, trl=trl), "trl", severity, said)


def test_a_trl_that_cannot_be_imported_is_an_error_with_what_it_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"trl": "ModuleNotFoundError: No module named 'requests.adapters'"}
    first, second = [one for one in trained_with(monkeypatch, said, trl="1.0.0") if one.check == "trl"]
    assert first.severity == "error"
    assert "No module named 'requests.adapters'" in first.message
    assert second.severity == "warning"


@each_row(
    "said, driver, severity, message",
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
def test_accelerators_are_reported(said: dict[str, Any], driver: bool, severity: str, message: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        found = trained_with(patch, said, driver=Path(__file__) if driver else Path("/no/such/driver"))
    assert_found(found, "accelerator", severity, message)


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
    assert sorted(lines)[0] == (
        "error plugin-bad 1.0 cannot be loaded, with the rewards in 'broken': No module named 'no_such_dependency' "
        "Report it to its author, or pip uninstall plugin-bad."
    )
    assert sorted(lines)[1:3] == [
        "fine plugin-clash 1.0, with the rewards in 'clashing' ",
        "fine plugin-good 1.0, with the rewards in 'manners' ",
    ]
    assert sorted(lines)[3].startswith("warning the reward 'boxed_answer' of 'clashing'")


def test_where_there_are_no_plug_ins_that_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "load_plugins", list)
    assert [(one.severity, one.message) for one in machine.reward_plugins()] == [
        ("fine", "no installed package offers rewards")
    ]


def test_what_is_needed_is_what_pip_knows_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    known = ["rich>=13", "trl<2,>=1.16; extra == 'recipes'", "trl>=0.29; extra == 'recipes'", "torch; extra == 'trl'"]
    monkeypatch.setattr(machine, "requires", lambda name: known)
    assert machine.needed() == {"rich": SpecifierSet(">=13")}
    assert machine.needed("recipes") == {"trl": SpecifierSet(">=1.16,>=0.29,<2")}
    assert machine.needed("trl") == {"torch": SpecifierSet()}


@each_row(
    "bounds, fitting, others",
    [
        (">=1.16,<2", "1.16 1.16.0+cpu 1.16.0.post1 1.17.0.dev0 v1.16", "1.15.0 1.16.0rc1 2.0.0.dev1 2.0.0 10.0"),
        (">=0.0", "", "unknown १.२ main@abc " + "1" * 5000),
    ],
)
def test_a_version_is_within_bounds_or_not(bounds: str, fitting: str, others: str) -> None:
    assert [one for one in fitting.split() if not fits(one, SpecifierSet(bounds))] == []
    assert [one for one in others.split() if fits(one, SpecifierSet(bounds))] == []


def test_the_supported_versions_of_trl_are_those_of_the_check_of_the_loss() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("trl", reason="trl is not installed")
    from grpo_rewards.loss.trl_check.contract import ACCEPTED_TRL

    first, last = ACCEPTED_TRL
    assert f">={first},<{last}" == SUPPORTED_TRL
