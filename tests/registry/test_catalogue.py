"""From a name, a spec or a dotted path to a reward."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import contract_rewards
import pytest
from tables import each_row, refused, tables_beside

import grpo_rewards as gr
from grpo_rewards import Reward, RewardError, get_reward, list_rewards

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


@each_row("path, said", TABLES["a_dotted_path_that_leads_nowhere_says_where_it_ends"])
def test_a_dotted_path_that_leads_nowhere_says_where_it_ends(path: str, said: str) -> None:
    with refused(said):
        get_reward(path)


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
        RewardError, match=r"'weighted' has no option 'regex'.*those of boxed_format are bound to these"
    ):
        get_reward("holds_a_sum.mine(regex='a')")
