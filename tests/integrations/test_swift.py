"""ms-swift: names, columns, token ids, groups, and rows that cannot be scored."""

import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from stand_ins import KINDS, ORM, start_of, use

import grpo_rewards as gr
from grpo_rewards.integrations.swift import add_rewards

PROMPT = {"role": "user", "content": "1 + 3?"}


@pytest.fixture(params=KINDS)
def orms(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    use(request.param, monkeypatch, "swift")
    from swift.rewards import orms as known

    before = dict(known)
    yield known
    known.clear()
    known.update(before)


def asked(names: list[str], completions: list[str], args: Any = None, **columns: list[Any]) -> tuple[list[str], Any]:
    """The names that swift logs and what it gets, as its GRPO trainer asks."""
    from swift.rewards import ORM as base
    from swift.rewards import orms

    messages = [[PROMPT, {"role": "assistant", "content": one}] for one in completions]
    if base is not ORM:
        return _asked_by_swift(names, messages, args, columns)
    made = [orms[name](args=args) for name in names]
    given = {"trainer_state": None, "messages": messages, "prompt_id": [None] * len(messages), **columns}
    per_row = zip(*(one(completions, **given) for one in made), strict=True)
    return [type(one).__name__ for one in made], [[math.nan if one is None else one for one in row] for row in per_row]


def _asked_by_swift(names: list[str], messages: list[Any], args: Any, columns: dict[str, list[Any]]) -> Any:
    import torch
    from swift.rl_core.data import GRPOSample
    from swift.rl_core.grpo_algorithm import compute_rewards_per_func
    from swift.rlhf_trainers.utils import resolve_reward_funcs

    rows = [{name: values[at] for name, values in columns.items()} for at in range(len(messages))]
    samples = [GRPOSample.from_row({"messages": one, **row}) for one, row in zip(messages, rows, strict=True)]
    functions, logged = resolve_reward_funcs(names, args=args)
    return logged, compute_rewards_per_func(samples, functions, None, torch.device("cpu")).tolist()


def test_a_reward_is_known_and_logged_by_its_name_and_reads_columns(orms: dict[str, Any]) -> None:
    add_rewards("boxed_answer", "boxed_format", columns={"answer": "gold"})
    said = [r"\boxed{4}", r"\boxed{5}", "4"]
    names, numbers = asked(["boxed_answer", "boxed_format"], said, gold=["4", "4", "4"])
    assert names == ["boxed_answer", "boxed_format"]
    assert numbers == [[1, 1], [0, 1], [0, 0]]


def test_none_is_left_out_by_swift_itself(orms: dict[str, Any]) -> None:
    add_rewards("boxed_answer", "boxed_format", columns={"answer": "gold"})
    _, numbers = asked(["boxed_answer", "boxed_format"], [r"\boxed{4}", r"\boxed{4}"], gold=["4", None])
    assert numbers[0] == [1, 1]
    assert math.isnan(numbers[1][0])
    assert numbers[1][1] == 1


def test_token_ids_are_handed_over_of_one_turn_or_of_several(orms: dict[str, Any]) -> None:
    add_rewards("max_length(max_tokens=3)")
    _, numbers = asked(["max_length"], ["a", "b"], response_token_ids=[[[1, 2], [3]], [1, 2, 3, 4]])
    assert numbers == [[1], [0]]


def test_a_reward_for_groups_is_reported_how_many_completions_a_prompt_has(orms: dict[str, Any]) -> None:
    add_rewards("relative_length", columns={"answer": "gold"})
    ids = [[1], [1, 2, 3], [1], [1, 2, 3]]
    args = SimpleNamespace(num_generations=2)
    _, numbers = asked(["relative_length"], [r"\boxed{4}"] * 4, args, gold=["4"] * 4, response_token_ids=ids)
    assert numbers == [[0.5], [-0.5], [0.5], [-0.5]]  # the shorter and the longer right one of each two


def test_a_column_that_no_reward_reads_is_an_error(orms: dict[str, Any]) -> None:
    with pytest.raises(gr.RewardError, match="no reward reads a column 'gold'"):
        add_rewards("boxed_answer", columns={"gold": "answer"})


def test_the_name_of_a_reward_of_swifts_is_not_taken_from_it(orms: dict[str, Any]) -> None:
    theirs = orms["soft_overlong"]
    with pytest.raises(gr.RewardError, match=r"name='our_soft_overlong'"):
        add_rewards("soft_overlong(max_tokens=4, buffer=2)")
    assert orms["soft_overlong"] is theirs
    add_rewards("soft_overlong(max_tokens=4, buffer=2, name='our_soft_overlong')")
    add_rewards("soft_overlong(max_tokens=4, buffer=2, name='our_soft_overlong')")  # ours may come twice
    assert "our_soft_overlong" in orms


@pytest.mark.full
def test_a_file_for_external_plugins_is_imported(tmp_path: Any) -> None:
    pytest.importorskip("swift", reason="swift is not installed: python tests/environments/frameworks.py")
    from swift.rewards import orms as known
    from swift.utils.utils import import_external_file

    plugin = tmp_path / "our_rewards.py"
    plugin.write_text(start_of("ms-swift"))
    import_external_file(str(plugin))
    assert [known[name].__name__ for name in ("boxed_answer", "max_length")] == ["boxed_answer", "max_length"]


def test_without_swift_it_is_stated_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "swift", None)
    monkeypatch.setitem(__import__("sys").modules, "swift.rewards", None)
    with pytest.raises(gr.RewardError, match="pip install 'ms-swift"):
        add_rewards("boxed_answer")
