"""Names: how a reward gets one, who may have it, and how it is found again."""

from __future__ import annotations

import functools
import importlib
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import contract_rewards
import pytest

import grpo_rewards as gr
from grpo_rewards import Reward, RewardError, get_reward, list_rewards, reward

WriteModule = Callable[[str, str], ModuleType]


def test_a_bare_decorator_registers_a_function_under_its_own_name() -> None:
    @reward
    def named_after_its_function(completion: str) -> float:
        """What it does."""
        return 1.0

    assert isinstance(named_after_its_function, Reward)
    assert named_after_its_function.__name__ == "named_after_its_function"
    assert named_after_its_function.__doc__ == "What it does."
    assert get_reward("named_after_its_function") is named_after_its_function


def test_a_decorator_with_a_name_registers_under_that_name_alone() -> None:
    @reward(name="named_by_hand")
    def some_function(completion: str) -> float:
        return 1.0

    assert some_function.__name__ == "named_by_hand"
    assert get_reward("named_by_hand") is some_function
    assert "some_function" not in list_rewards()


def test_list_rewards_is_sorted_and_holds_every_public_reward() -> None:
    names = list_rewards()
    public = {name for name in gr.__all__ if isinstance(getattr(gr, name), Reward)}
    assert names == sorted(names)
    assert public <= set(names)
    assert all(get_reward(name).name == name for name in names)


def test_a_fresh_process_lists_the_public_rewards_and_no_others(run_python: Callable[..., str]) -> None:
    # -S: without site-packages there are no plugins
    listed = run_python("-S", "-c", "import grpo_rewards as gr; print(*gr.list_rewards())").split()
    assert listed == sorted(name for name in gr.__all__ if isinstance(getattr(gr, name), Reward))


def test_get_reward_passes_a_reward_through() -> None:
    bound = gr.boxed_answer.bind(think_opened=True)
    assert get_reward(bound) is bound


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("boxed_anser", "unknown reward 'boxed_anser'; did you mean 'boxed_answer'? Registered: arithmetic_steps, "),
        ("Pattern", "unknown reward 'Pattern'; did you mean 'pattern'? Registered: "),
        ("zzzzzz", "unknown reward 'zzzzzz'. Registered: arithmetic_steps, "),
        ("boxed_anser(think_opened=True)", "unknown reward 'boxed_anser'; did you mean 'boxed_answer'?"),
    ],
)
def test_an_unknown_name_is_told_the_nearest_one_and_all_there_are(name: str, said: str) -> None:
    with pytest.raises(RewardError) as error:
        get_reward(name)
    assert said in str(error.value)
    assert "think_format" in str(error.value)


# Two functions of one name.

IMPORT = "from grpo_rewards import reward, batch_reward\n"
FIRST = "@reward\ndef twice(completion):\n    return 1.0\n"
SECOND = "@reward\ndef twice(completion):\n    return 2.0\n"


def test_two_functions_of_one_name_in_one_file_are_refused_with_both_places(
    write_module: WriteModule, tmp_path: Path
) -> None:
    with pytest.raises(RewardError) as error:
        write_module("twice_in_one_file", IMPORT + FIRST + "\n" + SECOND)
    # IMPORT is line 1, so that the first definition begins, with its decorator, in line 2, and the second in line 6
    path = tmp_path / "twice_in_one_file.py"
    assert f"reward 'twice' is defined twice: at {path}:2 and at {path}:6." in str(error.value)
    assert '@reward(name="…")' in str(error.value)


def test_functions_of_one_name_in_two_files_are_refused_with_both_places(
    write_module: WriteModule, tmp_path: Path
) -> None:
    write_module("twice_here", IMPORT + FIRST)
    with pytest.raises(RewardError) as error:
        write_module("twice_there", IMPORT + "\n\n" + SECOND)
    assert f"at {tmp_path / 'twice_here.py'}:2 and at {tmp_path / 'twice_there.py'}:4." in str(error.value)


@pytest.mark.parametrize(
    "second",
    [
        pytest.param('@reward(name="twice")\ndef other(completion):\n    return 2.0\n', id="a name given by hand"),
        pytest.param("@batch_reward\ndef twice(completions):\n    return completions\n", id="a batch reward"),
        pytest.param(
            "class Family:\n    @reward\n    def twice(completion):\n        return 2.0\n", id="one in a class"
        ),
        pytest.param('@reward(name="boxed_answer")\ndef mine(completion):\n    return 2.0\n', id="one of the package"),
    ],
)
def test_a_name_is_refused_however_the_second_function_comes_by_it(second: str, write_module: WriteModule) -> None:
    with pytest.raises(RewardError, match=r"is defined twice: at \S+\.py:\d+ and at \S+\.py:\d+\."):
        write_module("twice_in_other_ways", IMPORT + FIRST + second)


def test_the_first_function_keeps_a_name_that_a_second_one_was_refused(write_module: WriteModule) -> None:
    first = write_module("keeps_its_name", IMPORT + FIRST)
    with pytest.raises(RewardError):
        write_module("wants_its_name", IMPORT + SECOND)
    assert get_reward("twice") is first.twice


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


@pytest.mark.parametrize(
    "edited", [IMPORT + FIRST, IMPORT + SECOND, IMPORT + "\n\n\n" + SECOND, IMPORT + "A = 1\n" + FIRST + "B = 2\n"]
)
def test_a_module_edited_and_reloaded_replaces_its_reward_quietly(
    edited: str, write_module: WriteModule, tmp_path: Path
) -> None:
    module = write_module("edited_and_reloaded", IMPORT + FIRST)
    before = module.twice
    (tmp_path / "edited_and_reloaded.py").write_text(edited)
    importlib.reload(module)
    assert get_reward("twice") is module.twice
    assert module.twice is not before


def test_a_second_definition_that_an_edit_brings_in_is_refused(write_module: WriteModule, tmp_path: Path) -> None:
    module = write_module("edited_twice", IMPORT + FIRST)
    path = tmp_path / "edited_twice.py"
    path.write_text(IMPORT + "\n\n" + FIRST)  # moved down by two lines
    importlib.reload(module)
    path.write_text(IMPORT + FIRST + SECOND)  # in lines 2 and 5 of the file as it is now
    with pytest.raises(RewardError) as error:
        importlib.reload(module)
    assert f"at {path}:2 and at {path}:5." in str(error.value)


def test_a_factory_may_define_its_reward_again() -> None:
    def make(points: float) -> Reward:
        @reward
        def made_by_a_factory(completion: str) -> float:
            return points

        return made_by_a_factory

    make(1.0)
    assert make(2.0) is get_reward("made_by_a_factory")
    assert get_reward("made_by_a_factory").score("") == 2.0


@pytest.mark.parametrize(
    "arguments",
    [
        ["script.py"],
        ["-m", "script"],
        ["./script.py"],
    ],
)
def test_a_script_may_be_imported_under_its_own_name_as_well(
    arguments: list[str], run_python: Callable[..., str], tmp_path: Path
) -> None:
    # Trainers that take rewards by dotted path import the script that is already running as __main__.
    (tmp_path / "script.py").write_text(
        IMPORT + FIRST + "if __name__ == '__main__':\n"
        "    import grpo_rewards as gr\n    print(gr.get_reward('script.twice').score(''))\n"
    )
    assert run_python(*arguments, path=(tmp_path,)) == "1.0\n"


# Dotted paths.


def test_a_dotted_path_finds_a_reward_of_any_module() -> None:
    assert get_reward("contract_rewards.sample_ends_with") is contract_rewards.sample_ends_with
    assert get_reward("grpo_rewards.rewards.patterns.pattern") is gr.pattern


def test_a_dotted_path_takes_options() -> None:
    found = get_reward("contract_rewards.sample_ends_with(ending='?', name='asks')")
    assert found == contract_rewards.sample_ends_with.bind(ending="?", name="asks")
    assert found.score("Why?") == 1.0


def test_a_dotted_path_finds_a_bound_reward_with_its_options() -> None:
    assert get_reward("contract_rewards.short") is contract_rewards.short
    assert get_reward("contract_rewards.short(ending='x')").options == {"ending": "x"}


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (
            "contract_rewards.sample_end_with",
            "module 'contract_rewards' has no 'sample_end_with'; did you mean 'sample_ends_with'? Rewards in it: ",
        ),
        ("json.decoder.reward", "module 'json.decoder' has no 'reward'. Rewards in it: none."),
        ("no_such_module.mine", "there is no module 'no_such_module'. Is it installed, or its folder on PYTHONPATH?"),
        ("json.no_such_part.mine", "there is no module 'json.no_such_part'."),
        ("json.dumps", "'json.dumps' is <function dumps"),
        ("json.dumps", "not a Reward. Decorate it with @grpo_rewards.reward"),
    ],
)
def test_a_dotted_path_that_leads_nowhere_says_where_it_ends(path: str, said: str) -> None:
    with pytest.raises(RewardError) as error:
        get_reward(path)
    assert said in str(error.value)


def test_a_dependency_that_a_module_lacks_is_not_taken_for_the_module(
    write_module: WriteModule, tmp_path: Path
) -> None:
    (tmp_path / "needs_another.py").write_text("import no_such_dependency\n")
    write_module("stands_beside_it", "")
    with pytest.raises(ModuleNotFoundError, match="no_such_dependency"):
        get_reward("needs_another.mine")


def test_options_for_a_reward_that_has_none_to_bind_are_refused(write_module: WriteModule) -> None:
    write_module("holds_a_sum", "import grpo_rewards as gr\nmine = gr.weighted({'boxed_format': 1.0})\n")
    assert get_reward("holds_a_sum.mine").score(r"\boxed{1}") == 1.0
    with pytest.raises(
        RewardError, match=r"'weighted' has no option 'regex'.*those of its parts are bound to the parts"
    ):
        get_reward("holds_a_sum.mine(regex='a')")


# Binding.


def test_bind_makes_a_new_reward_and_leaves_the_old_one_as_it_was() -> None:
    bound = contract_rewards.sample_ends_with.bind(ending="!", name="shouts")
    assert (bound.__name__, bound.options) == ("shouts", {"ending": "!"})
    assert contract_rewards.sample_ends_with.__name__ == "sample_ends_with"
    assert contract_rewards.sample_ends_with.options == {"ending": "."}
    assert "shouts" not in list_rewards()


def test_bind_keeps_what_was_bound_before() -> None:
    once = gr.soft_overlong.bind(max_tokens=100, name="brief")
    assert once.bind(buffer=20).options == {"max_tokens": 100, "buffer": 20}
    assert once.bind(buffer=20).__name__ == "brief"
    assert once.bind(max_tokens=50, buffer=20).options == {"max_tokens": 50, "buffer": 20}


def test_rewards_are_equal_if_their_function_name_and_options_are() -> None:
    one = gr.pattern.bind(regex="a")
    assert one == gr.pattern.bind(regex="a")
    assert hash(one) == hash(gr.pattern.bind(regex="a"))
    assert one != gr.pattern.bind(regex="b")
    assert one != gr.pattern.bind(regex="a", name="other")
    assert one != gr.boxed_answer


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_token": 3}, "reward 'soft_overlong' has no option 'max_token'; did you mean 'max_tokens'?"),
        ({"max_tokens": "3"}, "option 'max_tokens' of reward 'soft_overlong' must be a whole number, not '3'."),
        ({"max_tokens": 3.0}, "option 'max_tokens' of reward 'soft_overlong' must be a whole number, not 3.0."),
        ({"max_tokens": True}, "option 'max_tokens' of reward 'soft_overlong' must be a whole number, not True."),
        ({"max_tokens": 3, "buffer": 4}, "reward 'soft_overlong': max_tokens must be at least 1 and buffer between"),
        ({"name": " "}, "name of reward 'soft_overlong' must be a non-empty string, not ' '."),
    ],
)
def test_bind_refuses_what_the_reward_could_not_use(options: dict[str, Any], said: str) -> None:
    with pytest.raises(RewardError) as error:
        gr.soft_overlong.bind(**options)
    assert said in str(error.value)


def test_a_reward_whose_options_are_not_bound_says_how_to_bind_them() -> None:
    with pytest.raises(RewardError) as error:
        gr.soft_overlong.bind(buffer=1)(completions=["a"], completion_ids=[[1]])
    assert "reward 'soft_overlong' needs max_tokens. Bind it: soft_overlong.bind(max_tokens=…)" in str(error.value)


def test_an_option_given_as_if_it_were_a_column_is_pointed_to_bind() -> None:
    with pytest.raises(RewardError, match=r"'regex' is an option of reward 'pattern'.*pattern\.bind\(regex=…\)\.score"):
        gr.pattern.score("a", regex="a")


# What importing costs.


def test_importing_the_package_imports_nothing_heavy(run_python: Callable[..., str]) -> None:
    imported = json.loads(run_python("-c", "import grpo_rewards, json, sys; print(json.dumps(list(sys.modules)))"))
    assert "grpo_rewards.rewards" in imported
    assert not {"torch", "trl", "sympy", "transformers", "datasets", "numpy", "math_verify"} & set(imported)


def test_importing_the_package_is_quick(run_python: Callable[..., str]) -> None:
    # Meant to stay under 0.15 s of wall time on a fast machine; processor time, the best of three, and a wide margin
    # keep this from failing on a busy one. Importing torch alone takes longer.
    timed = "import time; start = time.process_time(); import grpo_rewards; print(time.process_time() - start)"
    assert min(float(run_python("-c", timed)) for _ in range(3)) < 0.75


def test_every_public_name_exists_and_is_documented() -> None:
    for name in gr.__all__:
        assert getattr(gr, name).__doc__, name


def test_the_name_that_trl_logs_is_the_rewards_own() -> None:
    # TRL unwraps functools.partial and then reads __name__.
    assert functools.partial(gr.boxed_answer).func.__name__ == "boxed_answer"
    assert gr.boxed_answer.bind(name="mine").__name__ == "mine"
