"""A stranger's own reward function: what is reported about it, and what becomes of it if one does what is advised.

The functions of each source are checked as they come. Then an obedient user is played, who does what each remedy says,
and no more, until no error is left. What he ends up with must tell a right completion from one about something else.
"""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tables import each_row_by_kind, tables_beside

import grpo_rewards
from grpo_rewards import RewardError, check_rewards

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
