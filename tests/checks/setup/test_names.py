"""A stranger's own reward function: what is reported about it, and what becomes of it if one does what is advised.

The functions of each source are checked as they come. Then an obedient user is played, who does what each remedy says,
and no more, until no error is left. What he ends up with must tell a right completion from one about something else.
"""

import asyncio
import functools
import inspect
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tables import each_row, each_row_by_kind, tables_beside

import grpo_rewards
import grpo_rewards as gr
from grpo_rewards import RewardError, check_rewards
from grpo_rewards.checks.reward.calling import name_of

RIGHT = r"<reasoning>2 + 2</reasoning><think>so</think><answer>\boxed{4}</answer> which is 4"
WRONG = "banana"
MOST_ROUNDS = 5
Rows = list[dict[str, Any]]


@each_row_by_kind("source, columns, said, settings", tables_beside(__file__))
def test_who_does_what_is_advised_ends_up_with_a_reward_that_sees_the_model(
    source: str, columns: list[str], said: str, settings: list[str] | None, tmp_path: Path
) -> None:
    rows = [{"prompt": "What is 2 + 2?", **dict.fromkeys(columns, "4")}]
    found = reported(source, rows, tmp_path)
    assert said in found if said else not found, found
    for _ in range(MOST_ROUNDS):
        if not found:
            break
        source, rows = obeyed(source, rows, found, settings or ())
        found = reported(source, rows, tmp_path)
    assert not found, f"{found}\n{source}"
    right, wrong = called(defined(source, tmp_path), rows, as_messages='"content"' in source)
    assert right != wrong, source


def reported(source: str, rows: Rows, folder: Path) -> str:
    """What the decorator, or else the check, reports as errors."""
    try:
        return "\n".join(map(str, check_rewards([defined(source, folder)], rows).errors))
    except RewardError as error:
        return str(error)


def defined(source: str, folder: Path) -> Any:
    """What a module of that source defines last."""
    path = folder / "strangers.py"  # one file for all, as if it was edited: a name may be defined again
    path.write_text(source, encoding="utf-8")
    module: dict[str, Any] = {"__name__": "strangers", "grpo_rewards": grpo_rewards}
    exec(compile(source, str(path), "exec"), module)  # noqa: S102  # sources are what this test is about
    return list(module.values())[-1]


def obeyed(source: str, rows: Rows, advice: str, settings: Sequence[str]) -> tuple[str, Rows]:
    """The source and the data after what was advised is done."""
    name = re.findall(r"^(?:async def|def|class) (\w+)", source, re.MULTILINE)[-1]
    for ours, theirs in re.findall(r"[Dd]id you mean '(\w+)' by '(\w+)'", advice):
        source = re.sub(rf"\b{theirs}\b", ours, source)
    if "leave out **kwargs" in advice:
        source = source.replace(", **kwargs", "")
    for decorator in re.findall(r"Decorate the function with @grpo_rewards\.(\w+)", advice):
        if source.strip().startswith("class"):
            source += f"judge = grpo_rewards.{decorator}(judge)\n"
        source = re.sub(r"^(async )?def ", rf"@grpo_rewards.{decorator}\n\g<0>", source, count=1, flags=re.MULTILINE)
    if "Add **kwargs to its arguments" in advice:
        source = source.replace("):", ", **kwargs):", 1)
    if "Take 'prompts'" in advice:
        source = re.sub(r"\bprompt\b", "prompts", source)
    if "call it, and give what it returns" in advice:
        source += f"\nmade = {name}()\n"
    for theirs, ours in re.findall(r'rename_column\("(\w+)", "(\w+)"\)', advice):
        if theirs != "NAME":
            rows = [{ours if name == theirs else name: value for name, value in row.items()} for row in rows]
    for missing in re.findall(r"one '(\w+)' per row", advice):
        if missing in settings and "behind the '*'" in advice:
            source = re.sub(rf", {missing}\b([^,]*)(.*?)(\n?)\) ->", rf"\2, *, {missing}\1\3) ->", source, flags=re.S)
            source += f"\n{name} = {name}.bind({missing}=lambda ids: '4' if len(ids) > 1 else '')\n"
        else:
            rows = [{**row, missing: "4"} for row in rows]
    return source, rows


def called(one: Any, rows: Rows, as_messages: bool) -> list[float]:
    """What a right and a wrong completion earn, called as TRL calls."""
    texts: list[Any] = [RIGHT, WRONG]
    given = one(
        completions=[[{"role": "assistant", "content": text}] for text in texts] if as_messages else texts,
        prompts=[rows[0]["prompt"]] * 2,
        completion_ids=[[1] * len(text.split()) for text in texts],
        environments=[SimpleNamespace(reward=1.0), SimpleNamespace(reward=0.0)],
        trainer_state=SimpleNamespace(global_step=3),
        log_extra=lambda column, values: None,
        log_metric=lambda name, value: None,
        **{name: [value] * 2 for name, value in rows[0].items() if name != "prompt"},
    )
    return list(asyncio.run(given) if inspect.iscoroutine(given) else given)


def all_names(rewards: list[Any]) -> list[str]:
    return [name for one in rewards for name in getattr(one, "metric_names", (name_of(one),))]


SHORT = gr.soft_overlong.bind(max_tokens=9, buffer=3)
MATH, QUIZ = {"math": gr.boxed_answer, "quiz": gr.multiple_choice}, {"math": gr.boxed_format, "quiz": gr.exact_match}
NATURAL: dict[str, tuple[list[gr.Reward], list[str]]] = {
    "a reward and a gate by it": (
        [gr.boxed_answer, gr.gated(SHORT, by=gr.boxed_answer)],
        ["boxed_answer", "gated_soft_overlong", "soft_overlong", "gated_soft_overlong/boxed_answer"],
    ),
    "the same in the other order": (
        [gr.gated(SHORT, by=gr.boxed_answer), gr.boxed_answer],
        ["gated_soft_overlong", "soft_overlong", "gated_soft_overlong/boxed_answer", "boxed_answer"],
    ),
    "two sums": (
        [gr.weighted({gr.boxed_answer: 1.0}), gr.weighted({gr.boxed_format: 0.5})],
        ["weighted", "boxed_answer", "weighted_2", "boxed_format"],
    ),
    "two routers": (
        [gr.routed(MATH, by="task"), gr.routed(QUIZ, by="task")],
        ["routed", "boxed_answer", "multiple_choice", "routed_2", "boxed_format", "exact_match"],
    ),
    "two routers of the same rewards": (
        [gr.routed(MATH, by="task"), gr.routed(MATH, by="kind")],
        ["routed", "boxed_answer", "multiple_choice", "routed_2", "routed_2/boxed_answer", "routed_2/multiple_choice"],
    ),
    "one reward with different options": (
        [gr.pattern.bind(regex="a"), gr.pattern.bind(regex="b"), gr.pattern.bind(regex="c")],
        ["pattern", "pattern_2", "pattern_3"],
    ),
    "a given name that another reward has by default": (
        [gr.pattern.bind(name="boxed_answer", regex="a"), gr.boxed_answer],
        ["boxed_answer", "boxed_answer_2"],
    ),
    "a composite in a composite": (
        [gr.boxed_answer, gr.weighted({gr.gated(gr.boxed_answer, by=gr.think_format): 1.0})],
        ["boxed_answer", "weighted", "gated_boxed_answer", "weighted/boxed_answer", "think_format"],
    ),
}


@each_row("rewards, names", NATURAL.values())
def test_natural_combinations_get_distinct_names(rewards: list[gr.Reward], names: list[str]) -> None:
    report = gr.check_rewards(rewards)
    assert report.errors == []
    assert all_names(report.rewards) == names
    assert len(set(names)) == len(names)
    given = {"answer": ["4"], "task": ["math"], "kind": ["math"], "completion_ids": [[1, 2, 3]], "prompts": ["?"]}
    for before, after in zip(rewards, report.rewards, strict=True):  # they stay what they are but for the names
        assert after(completions=[r"\boxed{4}"], **given) == before(completions=[r"\boxed{4}"], **given)
        assert gr.get_reward(repr(after)) == after


def plain(completions: list[Any], **kwargs: Any) -> list[float]:
    return [0.0 for _ in completions]


class Judge:
    """A plain reward may be an object; TRL then logs its class's name."""

    def __call__(self, completions: list[Any], **kwargs: Any) -> list[float]:
        return [0.0 for _ in completions]


POINTS = gr.weighted({gr.boxed_format: 0.5, gr.boxed_answer: 1.0}, name="points")
UNNATURAL: dict[str, tuple[list[Callable[..., Any]], str]] = {
    "one reward twice": ([gr.boxed_answer, gr.boxed_answer], "boxed_answer"),
    "a given name that another reward has": (
        [gr.boxed_answer, gr.final_answer.bind(name="boxed_answer")],
        "boxed_answer",
    ),
    "a given name twice": ([gr.boxed_answer.bind(name="a"), gr.final_answer.bind(name="a")], "a"),
    "two plain functions": ([plain, functools.partial(plain)], "plain"),
    "two objects of one class": ([Judge(), Judge()], "Judge"),
    "a composite and a given name": ([POINTS, gr.boxed_answer.bind(name="points")], "points"),
    "a partial of a partial": ([plain, functools.partial(functools.partial(plain), b=1)], "plain"),
    "a plain function and a given name": ([gr.boxed_answer.bind(name="plain"), plain], "plain"),
}


@each_row("rewards, name", UNNATURAL.values())
def test_what_must_be_a_mistake_is_an_error(rewards: list[Any], name: str) -> None:
    (error,) = gr.check_rewards(rewards).errors
    assert error.message == f"two rewards are called '{name}'; their metrics would overwrite one another."
    assert f'Rename one: {name}.bind(name="…")' in error.remedy
    assert "a plain function by its __name__" in error.remedy


def test_a_new_name_is_never_one_that_is_taken() -> None:
    taken = gr.boxed_format.bind(name="pattern_2")
    report = check_rewards([gr.pattern.bind(regex="a"), gr.pattern.bind(regex="b"), taken])
    assert all_names(report.rewards) == ["pattern", "pattern_3", "pattern_2"]
