"""What importing the package costs, and what it offers."""

import importlib
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from places import ROOT

import grpo_rewards as gr
from grpo_rewards import installing
from grpo_rewards.public_names import MODULE_OF, OWN_REWARDS


def test_importing_the_package_is_quick(run_python: Callable[..., str]) -> None:
    # With all rewards, against a part of the standard library in the same process, the best of five: a busy or slow
    # machine changes nothing. Importing torch takes some thirty times as long as asyncio.
    timed = """
import time
start = time.process_time()
import asyncio
middle = time.process_time()
import grpo_rewards
grpo_rewards.boxed_answer
print((time.process_time() - middle) / (middle - start))
"""
    assert any(float(run_python("-c", timed)) < 10 for _ in range(5))


def test_every_public_name_exists_and_is_documented() -> None:
    for name in gr.__all__:
        assert getattr(gr, name).__doc__, name


def test_every_name_that_a_module_of_rewards_offers_is_public() -> None:
    parts = [importlib.import_module(f"grpo_rewards.{name}") for name in ("compose", "registry")]
    offered = {name for part in parts for name in part.__all__}
    offered |= {name for name, module in MODULE_OF.items() if module.startswith("grpo_rewards.checks.")}
    for path in (ROOT / "grpo_rewards" / "rewards").rglob("*.py"):
        module = importlib.import_module(
            ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        )
        rewards = [name for name in getattr(module, "__all__", ()) if isinstance(getattr(module, name), gr.Reward)]
        offered.update(rewards)
        assert all(OWN_REWARDS[name] == module.__name__ for name in rewards if not path.name.startswith("__"))
    assert {*gr.__all__} == offered | {"Verdict"}


def test_a_decorator_loads_the_registry_and_none_of_the_catalogue(run_python: Callable[..., str]) -> None:
    script = """
import sys, grpo_rewards as gr
@gr.reward
def long(completion: str) -> float:
    return float(len(completion) > 9)
print(*sorted(name for name in sys.modules if name.startswith(("grpo_rewards.rewards", "grpo_rewards.answers"))))
print(gr.get_reward("gated(long, by=max_length(max_tokens=9))"))
print(*sorted(name for name in sys.modules if name.startswith("grpo_rewards.rewards.length")))
"""
    loaded, made, then = run_python("-c", script).splitlines()
    assert (loaded, made) == ("", "gated(long, by=max_length(max_tokens=9))")
    assert then == "grpo_rewards.rewards.length"


def test_a_citation_names_this_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {gr.__version__}\n" in citation


def test_the_repository_has_one_address() -> None:
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]
    (wanted,) = re.findall(r"https://github\.com/(\S+)", urls["Repository"])
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").glob("*.ipynb")]
    repeated = {
        path.name: found
        for path in [*pages, ROOT / "CITATION.cff"]
        if (found := set(re.findall(r"github(?:\.com)?/([\w.-]+/grpo-rewards)\b", path.read_text())))
    }
    assert repeated.keys() >= {"README.md", "CITATION.cff", "tutorial.md", "tutorial.ipynb"}
    assert set.union(*repeated.values()) == {wanted}


def test_nobody_is_advised_to_install_what_a_stranger_may_publish() -> None:
    """There is no release, and the name on PyPI belongs to nobody: it would install whatever is there."""
    folders = [path for name in ("grpo_rewards", "recipes", "docs") for path in (ROOT / name).rglob("*")]
    texts = [
        path
        for path in (*folders, ROOT / "README.md", ROOT / "CONTRIBUTING.md")
        if path.suffix in (".py", ".md", ".yaml", ".ipynb")
    ]
    by_name = re.compile(r"""pip install\s+(-U\s+)?['"\\]*grpo[-_]rewards""")
    assert not [path.relative_to(ROOT) for path in texts if by_name.search(path.read_text(encoding="utf-8"))]


def test_an_extra_is_installed_from_the_clone_that_runs_or_from_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert installing.how_to_install("ray") == f"pip install -e '{ROOT}[ray]'"
    monkeypatch.setattr(installing, "__file__", str(tmp_path / "grpo_rewards" / "installing.py"))
    assert installing.how_to_install("ray") == "in a clone of grpo-rewards, pip install '.[ray]'"


def test_what_users_imported_under_earlier_names_is_still_there() -> None:
    from grpo_rewards.monitor import alerts
    from grpo_rewards.monitor.groups import zero_variance_groups
    from grpo_rewards.preflight.report import Finding
    from grpo_rewards.testing import check_reward

    names = (alerts, check_reward, gr.testing.check_reward, gr.checkup.examine, gr.probing.probe)
    for name in (*names, gr.preflight.check_rewards, zero_variance_groups, Finding):
        assert name.__module__.startswith("grpo_rewards.checks."), name
    pytest.importorskip("transformers", reason="the monitor is a callback of transformers, which is not installed")
    from grpo_rewards.monitor import RewardMonitor

    assert RewardMonitor.__module__.startswith("grpo_rewards.checks.")
