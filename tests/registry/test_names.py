"""Which reward has which name: two of one name are refused, one that is defined again replaces itself."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tables import each_row

from grpo_rewards import RewardError, get_reward, reward

WriteModule = Callable[[str, str], ModuleType]
IMPORT = "from grpo_rewards import reward, batch_reward\n"
FIRST = "@reward\ndef twice(completion):\n    return 1.0\n"
SECOND = "@reward\ndef twice(completion):\n    return 2.0\n"


def test_who_comes_second_is_refused_with_both_places(write_module: WriteModule, tmp_path: Path) -> None:
    first = write_module("twice_here", IMPORT + FIRST)
    with pytest.raises(RewardError) as error:
        write_module("twice_there", IMPORT + "\n\n" + SECOND)
    assert f"at {tmp_path / 'twice_here.py'}:2 and at {tmp_path / 'twice_there.py'}:4." in str(error.value)
    assert '@reward(name="…")' in str(error.value)
    assert get_reward("twice") is first.twice
    with pytest.raises(RewardError, match=r"is defined twice: at \S+\.py:\d+ and at \S+\.py:\d+\."):
        write_module("wants_ours", IMPORT + "@reward(name='boxed_answer')\ndef mine(completion):\n    return 2.0")


def test_two_functions_in_the_same_wrapper_are_still_two_functions(write_module: WriteModule) -> None:
    wrapper = (
        "import functools\ndef timed(function):\n    @functools.wraps(function)\n    def timed_function(*given):\n"
        "        return function(*given)\n    return timed_function\n"
    )
    write_module("wrapper_of_both", wrapper)
    use = IMPORT + "from wrapper_of_both import timed\n"
    write_module("wrapped_here", use + "@reward\n@timed\ndef twice(completion):\n    return 1.0\n")
    with pytest.raises(RewardError, match=r"wrapped_here\.py:\d+ and at \S+wrapped_there\.py:\d+\."):
        write_module("wrapped_there", use + "\n\n@reward\n@timed\ndef twice(completion):\n    return 2.0\n")


# One function defined again.


def run_cell(source: str, number: int, namespace: dict[str, Any]) -> None:
    """Runs a notebook cell: each run has a file name of its own, and the module stays."""
    exec(compile(source, f"/tmp/ipykernel/{number}.py", "exec"), namespace)  # noqa: S102  # that is what a notebook does


@pytest.mark.parametrize("again", [FIRST, SECOND, "\n\n# moved\n" + SECOND])
def test_a_notebook_cell_run_again_replaces_its_reward_quietly(again: str) -> None:
    namespace: dict[str, Any] = {"__name__": "a_notebook"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run_cell(IMPORT + FIRST, 1, namespace)
        first = namespace["twice"]
        run_cell(IMPORT + again, 2, namespace)
    assert get_reward("twice") is namespace["twice"]
    assert get_reward("twice") is not first


@pytest.mark.parametrize("edited", [IMPORT + FIRST, IMPORT + "\n\n\n" + SECOND, IMPORT + FIRST + SECOND])
def test_a_module_edited_and_reloaded_replaces_its_reward_quietly(
    edited: str, write_module: WriteModule, tmp_path: Path
) -> None:
    module = write_module("edited_and_reloaded", IMPORT + FIRST)
    before = module.twice
    (tmp_path / "edited_and_reloaded.py").write_text(edited)
    importlib.reload(module)
    assert get_reward("twice") is module.twice
    assert module.twice is not before


@pytest.mark.parametrize("arguments", [["-m", "script"], ["./script.py"]])
def test_a_script_may_be_imported_under_its_own_name_as_well(
    arguments: list[str], run_python: Callable[..., str], tmp_path: Path
) -> None:
    # Trainers that take rewards by dotted path import the script that is already running as __main__.
    (tmp_path / "script.py").write_text(
        IMPORT + FIRST + "if __name__ == '__main__':\n"
        "    import grpo_rewards as gr\n    print(gr.get_reward('script.twice').score(''))\n"
    )
    assert run_python(*arguments, path=(tmp_path,)) == "1.0\n"


def test_threads_that_are_the_first_to_ask_find_all_rewards(run_python: Callable[..., str]) -> None:
    script = """
from concurrent.futures import ThreadPoolExecutor
from grpo_rewards.registry import get_reward
with ThreadPoolExecutor(8) as threads:
    print({one.name for one in threads.map(get_reward, ["boxed_answer"] * 8)})
"""
    assert run_python("-c", script) == "{'boxed_answer'}\n"


@each_row("name", ["class", "None", "two words", ""])
def test_a_name_that_no_spec_could_spell_is_refused(name: str) -> None:
    with pytest.raises(RewardError):
        reward(name=name)(lambda completion: 0.0)
