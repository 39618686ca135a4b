"""Installs the lowest versions that pyproject.toml allows, and sees that the package still works with them.

    python tests/environments/lowest.py               # the core, [trl] and [recipes]
    python tests/environments/lowest.py core trl

The core runs its tests as well. torch is that of constraints.txt, whatever bound is declared: no older one is tried.
Run it with Python 3.11, for which that torch is there. Exit status 1 if anything fails.
"""

import json
import re
import sys
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fresh_environments import HERE, ROOT, TESTS_NEED, CommandFailed, Environment, Workplace, at_once, workplace

PROJECT = ROOT / "pyproject.toml"
LOWER_BOUND = re.compile(r"([\w-]+)>=([\d.]+)")
TINY_RUN = ("--max_steps", "2", "--eval_size", "4", "--output_dir")


def main(names: list[str]) -> int:
    with workplace() as place:
        wheel = place.wheel()
        failures = at_once(partial(failure_of, place, wheel), names)
    for name, failure in zip(names, failures, strict=True):
        print(f"{name}: {'works' if failure is None else f'FAILED{chr(10)}{failure}'}")
    return int(any(failure is not None for failure in failures))


def failure_of(place: Workplace, wheel: Path, name: str) -> str | None:
    """Why the core, or an extra, does not work with its lowest versions; ``None`` if it does."""
    try:
        environment = place.environment(f"lowest-{name}")
        install_lowest(environment, name)
        environment.install("--no-deps", wheel)
        environment.run(HERE / "core_smoke.py")
        environment.run("-c", "from grpo_rewards.command_line import app; app(['--help'])")
        CHECKS[name](environment)
    except (CommandFailed, AssertionError) as failure:
        return str(failure)
    return None


def install_lowest(environment: Environment, name: str) -> None:
    """Installs each of its own requirements at its lower bound, and the others as low as these allow."""
    more = [] if name == "core" else ["--extra", name, environment.install_torch()]
    pins = [f"{one}=={bound}" for one, bound in lower_bounds(name).items() if one != "torch"]
    environment.install("--resolution", "lowest-direct", "--requirement", PROJECT, *pins, *more)
    installed = environment.versions()
    print(f"{name}: {', '.join(f'{one} {version}' for one, version in installed.items())}", flush=True)


def lower_bounds(name: str) -> dict[str, str]:
    """What the core, or an extra, asks for by itself, with the lower bound of each."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    asked = project["dependencies"] if name == "core" else project["optional-dependencies"][name]
    return {found[1]: found[2] for one in asked if (found := LOWER_BOUND.match(one))}


def check_core(environment: Environment) -> None:
    environment.install(*TESTS_NEED)
    print(
        f"core: {environment.run_core_tests('--ignore', 'tests/checks/contract/test_example_package.py')}", flush=True
    )


def check_trl(environment: Environment) -> None:
    """Two steps of GRPOTrainer."""
    file = environment.work / "findings.json"
    printed = environment.run(HERE / "two_steps.py", file)
    failed = {what: found for what, found in json.loads(file.read_text()).items() if found.startswith("NO")}
    assert not failed, f"{failed}\n{printed}"


def check_recipes(environment: Environment) -> None:
    """Two steps of the recipe, of the whole model and of an adapter."""
    recipe = ROOT / "recipes" / "gsm8k.py"
    environment.run(recipe, *TINY_RUN, "whole")
    whole = environment.work / "whole"
    assert json.loads((whole / "eval.json").read_text())["steps"] == 2
    for name in ("README.md", "model.safetensors"):
        assert (whole / name).stat().st_size > 0, name
    environment.run(recipe, *TINY_RUN, "adapter", "--use_peft", "--lora_target_modules", "all-linear")
    adapter = environment.work / "adapter"
    assert json.loads((adapter / "eval.json").read_text())["steps"] == 2
    assert (adapter / "adapter_model.safetensors").stat().st_size > 0


CHECKS: dict[str, Callable[[Environment], None]] = {"core": check_core, "trl": check_trl, "recipes": check_recipes}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(CHECKS)))
