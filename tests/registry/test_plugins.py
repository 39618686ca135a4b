"""Rewards of other installed packages, offered through the entry-point group ``grpo_rewards``."""

from collections.abc import Callable
from textwrap import dedent

import pytest
from tables import tables_beside

TABLES = tables_beside(__file__)

RunWith = Callable[..., list[str]]

GOOD = """
from grpo_rewards import reward

@reward
def from_plugin(completion, *, points: float = 1.0):
    return points

@reward
def second_from_plugin(completion):
    return 2.0
"""


HEAD = "import sys, warnings\nimport grpo_rewards as gr\n"


@pytest.fixture
def run_with(run_forked: Callable[..., str]) -> RunWith:
    """The lines that a script prints in a process where the folders' distributions are installed."""
    return lambda *folders, script: run_forked(HEAD + dedent(script), folders).split("\n")[:-1]


LISTED = "print(*[name for name in gr.list_rewards() if 'plugin' in name])"
# Prints each warning, then the names of the rewards that plugins brought and whether the package's own are there.
WARNED_AND_LISTED = f"""
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    names = gr.list_rewards()
for warning in caught:
    print(warning.message)
{LISTED}
print("boxed_answer" in names)
"""


@pytest.mark.parametrize("entry", ["from_plugin = good:from_plugin", "all_of_them = good"])
def test_an_entry_point_names_a_reward_or_a_module_of_them(entry: str, install: Callable, run_with: RunWith) -> None:
    folder = install("plugin-good", "good", GOOD, entry)
    script = """
    print(gr.get_reward("from_plugin(points=0.5)").score(""), gr.weighted({"from_plugin": 3.0}).score(""))
    """
    # importing the module registers all that it decorates, whichever way it is named
    assert run_with(folder, script=dedent(script) + LISTED) == ["0.5 3.0", "from_plugin second_from_plugin"]


def test_plugins_are_not_imported_before_they_are_needed(install: Callable, run_python: Callable[..., str]) -> None:
    folder = install("plugin-good", "good", GOOD, "all_of_them = good")
    script = """
    print("good" in sys.modules)
    gr.get_reward("boxed_answer")
    print("good" in sys.modules)
    gr.get_reward("from_plugin")
    print("good" in sys.modules)
    """
    assert run_python("-c", HEAD + dedent(script), path=(folder,)).split() == ["False", "False", "True"]


@pytest.mark.parametrize(("source", "entry", "why"), TABLES["broken"].values(), ids=TABLES["broken"])
def test_a_broken_plugin_is_a_warning_that_names_its_distribution(
    source: str, entry: str, why: str, install: Callable, run_with: RunWith
) -> None:
    broken = install("plugin-broken", "broken", source, entry)
    good = install("plugin-good", "good", GOOD, "all_of_them = good")
    warning, names, own = run_with(broken, good, script=WARNED_AND_LISTED)
    assert warning.startswith(f"plugin 'plugin-broken 1.0': rewards in '{entry.split(' = ')[1]}' cannot be loaded: ")
    assert why in warning
    assert (names, own) == ("from_plugin second_from_plugin", "True")


def test_rewards_that_no_decorator_registered_are_listed(install: Callable, run_with: RunWith) -> None:
    source = """
import grpo_rewards as gr
short = gr.soft_overlong.bind(max_tokens=9, buffer=1, name='plugin_short')
points = gr.weighted({'pattern': 1.0}, name='plugin_points')
"""
    folder = install("plugin-bound", "bound", source, "short = bound:short", "points = bound:points")
    assert run_with(folder, script=WARNED_AND_LISTED) == ["plugin_points plugin_short", "True"]


# Names that are taken.

CLASHING = """
from grpo_rewards import reward

@reward
def pattern(completion, *, points: float = 7.0):
    return points

@reward
def beside_plugin(completion):
    return 2.0

@reward
def weighted(completion):
    return 3.0

@reward
def last_of_plugin(completion):
    return 4.0
"""
SCORES = """
print(gr.get_reward("clash.pattern").score(""), gr.get_reward("clash.pattern(points=1.0)").score(""))
print(gr.get_reward("weighted({clash.pattern: 2.0, beside_plugin: 1.0})").score(""))
print(gr.get_reward("clash.weighted").score(""), gr.pattern.bind(regex="a").score("a"))
"""


def test_only_the_name_that_is_taken_is_lost_and_is_the_packages_own(install: Callable, run_with: RunWith) -> None:
    folder = install(
        "plugin-clash", "clash", CLASHING, "one = clash:pattern", "two = clash:beside_plugin", "all = clash"
    )
    *warned, names, own, first, second, third = run_with(folder, script=WARNED_AND_LISTED + SCORES)
    assert [said.partition(" (")[0] for said in warned] == [
        "the reward 'pattern' of 'clash'",
        "the reward 'weighted' of 'clash'",
    ]
    assert all("is not listed under that name, which is taken" in said for said in warned)
    assert warned[0].endswith("In specs it is 'clash.pattern'.")
    assert (names, own) == ("beside_plugin last_of_plugin", "True")
    assert (first, second, third) == ("7.0 1.0", "16.0", "3.0 1.0")


def test_of_two_plugins_with_one_name_both_can_be_reached(install: Callable, run_with: RunWith) -> None:
    source = "from grpo_rewards import reward\n@reward\ndef of_both(completion): return {}"
    folders = [
        install(f"plugin-{name}", name, source.format(points), f"all = {name}")
        for name, points in (("zeta", 2.0), ("alpha", 1.0))
    ]
    script = """
    warnings.simplefilter("ignore")
    print(*[gr.get_reward(name).score("") for name in ("of_both", "alpha.of_both", "zeta.of_both")])
    """
    assert run_with(*folders, script=script) == ["1.0 1.0 2.0"]  # in the order of their names, not of their folders


def test_several_entry_points_of_one_broken_module_are_one_warning_and_what_failed_is_remembered(
    install: Callable, run_with: RunWith
) -> None:
    folder = install("plugin-broken", "broken", "1 / 0", "one = broken", "two = broken", "three = broken")
    good = install("plugin-good", "good", GOOD, "all_of_them = good")
    remembered = "print(*[tuple(one) for one in gr.registry.catalogue.load_plugins()])"
    warning, *listed = run_with(folder, good, script=WARNED_AND_LISTED * 2 + remembered)
    assert "division by zero" in warning
    assert listed[:4] == ["from_plugin second_from_plugin", "True"] * 2  # and it is warned about once
    why = "ZeroDivisionError: division by zero"
    assert listed[4] == f"('plugin-broken 1.0', 'broken', '{why}') ('plugin-good 1.0', 'good', '')"
