"""From a name, a spec or a dotted path to a reward."""

import contextlib
import importlib
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import contract_rewards
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import each_row, refused, tables_beside

import grpo_rewards as gr
from grpo_rewards import Reward, RewardError, get_reward, list_rewards, reward

TABLES = tables_beside(__file__)

WriteModule = Callable[[str, str], ModuleType]


def test_list_rewards_is_sorted_and_each_name_leads_to_its_reward() -> None:
    names = list_rewards()
    assert names == sorted(names)
    assert all(get_reward(name).name == name for name in names)


def test_a_fresh_process_lists_the_public_rewards_and_no_others(run_python: Callable[..., str]) -> None:
    # -S: without site-packages there are no plugins
    listed = run_python("-S", "-c", "import grpo_rewards as gr; print(*gr.list_rewards())").split()
    assert listed == sorted(name for name in gr.__all__ if isinstance(getattr(gr, name), Reward))


def test_get_reward_passes_a_reward_through() -> None:
    bound = gr.boxed_answer.bind(think_opened=True)
    assert get_reward(bound) is bound


@each_row(
    "name, said",
    [
        ("boxed_anser", "unknown reward 'boxed_anser'; did you mean 'boxed_answer'? grpo-rewards list shows"),
        ("Pattern", "unknown reward 'Pattern'; did you mean 'pattern'? grpo-rewards list shows"),
        ("zzzzzz", "unknown reward 'zzzzzz'. Registered: "),
        ("boxed_anser(think_opened=True)", "unknown reward 'boxed_anser'; did you mean 'boxed_answer'?"),
    ],
)
def test_an_unknown_name_is_reported_with_the_nearest_one_or_all_there_are(name: str, said: str) -> None:
    with pytest.raises(RewardError) as error:
        get_reward(name)
    assert said in str(error.value)
    lists_all = {"arithmetic_steps", "think_format"} <= set(str(error.value).replace(",", " ").split())
    assert lists_all == ("did you mean" not in said)


# Dotted paths.


def test_a_dotted_path_finds_a_reward_of_any_module_and_takes_options() -> None:
    assert get_reward("contract_rewards.sample_ends_with") is contract_rewards.sample_ends_with
    assert get_reward("grpo_rewards.rewards.content.patterns.pattern") is gr.pattern
    found = get_reward("contract_rewards.sample_ends_with(ending='?', name='asks')")
    assert found == contract_rewards.sample_ends_with.bind(ending="?", name="asks")
    assert get_reward("contract_rewards.short") is contract_rewards.short
    assert get_reward("contract_rewards.short(ending='x')").options == {"ending": "x"}


def test_a_dependency_that_a_module_misses_is_not_taken_for_the_module(
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
        RewardError, match=r"'weighted' has no option 'regex'.*for one of boxed_format, bind that reward"
    ):
        get_reward("holds_a_sum.mine(regex='a')")


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


@each_row(
    "spec, options",
    [
        *TABLES["options_of_a_spec_are_python_literals"],
        ("sample_options(maybe=None)", {"maybe": None}),
        ("sample_options(items=(1, 'b', None))", {"items": (1, "b", None)}),
        ("sample_options(table={'a': [1, {2}]})", {"table": {"a": [1, {2}]}}),
    ],
)
def test_options_of_a_spec_are_python_literals(spec: str, options: dict) -> None:
    found = get_reward(spec)
    assert {name: found.options[name] for name in options} == options
    unnamed = set(found.options) - set(options)
    assert all(found.options[name] == contract_rewards.sample_options.options[name] for name in unnamed)


@pytest.mark.parametrize("spec", ["boxed_answer", " boxed_answer ", "boxed_answer()"])
def test_a_spec_without_options_is_the_registered_reward_itself(spec: str) -> None:
    import grpo_rewards

    assert get_reward(spec) is grpo_rewards.boxed_answer


def test_name_in_a_spec_renames_the_reward_and_keeps_its_options() -> None:
    found = get_reward("soft_overlong(max_tokens=10, buffer=5, name='brief')")
    assert found.__name__ == "brief"
    # (5 - 8) / 5: eight tokens are three into a buffer of five
    assert found.score("", completion_ids=range(8)) == -0.6


@each_row(
    "spec, said",
    [
        *TABLES["a_malformed_spec_is_quoted_and_reported_what_is_wrong"],
        (None, "must be a non-empty string, not None"),
        ("pattern(regex='\ud800')", "surrogates"),
    ],
)
def test_a_malformed_spec_is_quoted_and_reported_what_is_wrong(spec: object, said: str) -> None:
    with pytest.raises(RewardError) as error:
        get_reward(spec)
    assert said in str(error.value)
    assert repr(spec) in str(error.value)


@each_row("spec, said", [*TABLES["options_that_do_not_fit"], *TABLES["dotted_paths_that_lead_nowhere"]])
def test_a_spec_of_what_is_not_there_is_refused(spec: str, said: str) -> None:
    with refused(said):
        get_reward(spec)


def test_a_malformed_spec_shows_how_to_write_one() -> None:
    with pytest.raises(RewardError, match=r'Write a name, or .*: "soft_overlong\(max_tokens=256, buffer=64\)"'):
        get_reward("soft_overlong(256, 64)")
    get_reward("soft_overlong(max_tokens=256, buffer=64)")  # what the message proposes works


DEEP = {
    "a path": "a" + ".b" * 600 + ".c",
    "attributes in an option": "pattern(regex=a" + ".b" * 4000 + ")",
    "calls": "a" + "()" * 3000,
    "sums": "pattern(regex=" + "+".join("1" * 3000) + ")",
    "parentheses": "pattern(regex=" + "(" * 150 + "1" + ")" * 150 + ")",
    "lists": "pattern(regex=" + "[" * 90 + "]" * 90 + ")",
    "signs": "pattern(regex=" + "-" * 9000 + "1)",
}


@each_row("spec", DEEP.values())
def test_a_spec_that_nests_too_deep_is_refused_as_malformed(spec: str) -> None:
    with pytest.raises(RewardError):
        get_reward(spec)


@pytest.mark.parametrize("spec", TABLES["nothing_of_a_spec_is_executed"])
def test_nothing_of_a_spec_is_executed(spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RewardError):
        get_reward(spec)
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore")  # Python warns about odd escapes in a literal
@given(
    st.one_of(
        st.text(max_size=40),
        st.text(alphabet="pattern(regex=')[]{}*,\"\\#:1-", max_size=40),
        st.builds("pattern({})".format, st.text(max_size=30)),
        st.builds("pattern(regex={})".format, st.text(max_size=30)),
    ).filter(lambda text: "." not in text)  # a dotted path would be imported
)
def test_any_text_is_a_reward_or_a_reward_error(text: str) -> None:
    with contextlib.suppress(RewardError):
        assert isinstance(get_reward(text), Reward)


LITERALS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text("ab"), inner),
    max_leaves=6,
)


@given(LITERALS)
def test_every_literal_comes_out_of_a_spec_as_it_went_in(value: object) -> None:
    found = get_reward(f"sample_options(anything={value!r})").options["anything"]
    assert found == value
    assert type(found) is type(value)


@given(LITERALS)
def test_the_repr_of_a_reward_is_a_spec_of_it(value: object) -> None:
    bound = contract_rewards.sample_options.bind(anything=value, name="x y")
    assert get_reward(repr(bound)) == bound
