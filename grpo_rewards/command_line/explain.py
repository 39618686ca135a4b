"""``grpo-rewards explain``: why does a completion get the number that it gets?"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from grpo_rewards.command_line.describing import Explanation, described, explained, reads_json, reads_of
from grpo_rewards.command_line.inputs import Spec, Tokenizer
from grpo_rewards.command_line.printing import (
    FOUND,
    Output,
    command,
    cut,
    pairs,
    print_to_stderr,
    prose,
    refuse,
    text,
    working,
)
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.errors import NoTokenIds, did_you_mean, listed
from grpo_rewards.rewards.building_blocks.policy_tokens import load_tokenizer
from grpo_rewards.verdict import Verdict

# What the steps of a comparison of answers do, for who does not know their names.
COMPARED_BY = {
    "gold": "the gold itself",
    "string": "the two texts",
    "limits": "how large it is, before anything computes it",
    "spelling": "the two spellings",
    "value": "the two values",
    "symbolic": "computer algebra",
}
SHOWN_APART = frozenset(("step", "prediction_read_as", "answer_read_as", "why"))  # of a verdict's details


@command
def explain(
    spec: Spec,
    completion: Annotated[str | None, typer.Argument()] = None,
    answer: str | None = None,
    column: Annotated[list[str] | None, typer.Option(metavar="NAME=TEXT")] = None,
    prompt: str | None = None,
    messages: Annotated[str | None, typer.Option(metavar="FILE")] = None,
    tokens: Annotated[int | None, typer.Option(min=0, max=1_000_000)] = None,
    tokenizer: Tokenizer = None,
    step: Annotated[str | None, typer.Option(metavar="N or N/MAX")] = None,
) -> Output:
    """Explains the reward of one completion: the reason, both sides as they were read, and the step that decided.

    A column is text; where the reward's own example of the column is a number, a list or an object, what is JSON is
    read as that. NAME:=JSON is always JSON. Exits 1 if the row cannot be scored.

    Args:
        completion: What the model wrote; - reads standard input. Write -- before a leading -.
        answer: The gold: the column 'answer'.
        column: Another column, as often as needed; NAME:=JSON for what is no text.
        prompt: The prompt.
        messages: A completion as JSON messages, or a row with prompt and completion.
        tokens: How many tokens it has, for rewards that count them.
        step: The step, for weights that change.
    """
    reward = get_reward(spec)
    reward.check_ready()
    if (completion is None) == (messages is None):
        refuse("Give one completion: a text, - for standard input, or --messages FILE.")
    given, prompt_of_file = (_typed(str(completion)), None) if messages is None else _conversation(messages)
    if prompt_of_file is not None and prompt is not None:
        refuse("--messages holds a prompt already: leave --prompt out, or the prompt's messages.")
    columns = _columns_of(reward, answer, column or [])
    reads = reads_of(reward)
    unread = [name for name in columns if name not in reads.all_columns]
    for name in unread:  # it may be misspelled
        near = did_you_mean(name, reads.all_columns)
        note = f"the column {cut(name, 80)!r} is not read{near} It reads: {listed(reads.all_columns)}."
        print_to_stderr(cut(f"note: {note}"))
    try:
        with working("explaining the reward"):
            found = explained(
                reward,
                given,
                columns,
                prompt=prompt if prompt_of_file is None else prompt_of_file,
                completion_ids=_token_ids(given, tokens, tokenizer),
                trainer_state=_trainer_state(step),
            )
    except NoTokenIds:
        refuse(f"reward '{reward.name}' counts tokens. Give their number, --tokens N, or --tokenizer NAME.")
    except RewardError as error:
        for name in reads.columns:
            if name not in columns and f"reads column '{name}'" in str(error):
                flag = "--answer TEXT" if name == "answer" else f"--column {name}=…"
                refuse(f"reward '{reward.name}' reads column '{name}'. Give it: {flag}.")
        raise
    status = FOUND if found.verdict is None or found.verdict.reward is None else 0
    return Output({"spec": repr(reward), **_as_json(found), "columns_not_read": unread}, _shown(found), status)


def _shown(found: Explanation) -> Iterator[Any]:
    for depth, one in found.with_depth():
        yield Padding(_title(one), (1 if depth else 0, 0, 0, 4 * depth), expand=False)
        if one.verdict is not None:
            yield Padding(pairs(_sides(one, one.verdict)), (0, 0, 0, 4 * depth + 2), expand=False)


def _title(one: Explanation) -> Text:
    """Which reward it is, as what, its number, and the reason in a word."""
    name = Text(cut(repr(one.reward), 300), style="bold")
    role = Text(f"{cut(one.role)}: " if one.role else "", style="dim")
    if one.verdict is None:
        return Text.assemble(role, name, "  not called on this row")
    number = one.verdict.reward
    style = "yellow" if number is None else "green" if number > 0 else "red"
    shown = "not scored" if number is None else f"{number:g}"
    weight = "" if one.weight is None else f"{one.weight:g} × "
    return Text.assemble(role, name, "  ", weight, (shown, f"bold {style}"), f"  {cut(one.verdict.reason)}")


def _sides(one: Explanation, verdict: Verdict) -> Iterator[tuple[str, Any]]:
    """What was compared, how it was read, what decided and why, and whatever else the verdict has."""
    details = verdict.details
    if meaning := _meaning(one, verdict):
        yield "that is", prose(meaning)
    for side, value in (("prediction", verdict.prediction), ("answer", verdict.answer)):
        read_as = details.get(f"{side}_read_as")
        yield side, "" if value is None else text(value)
        yield "  read as", "" if read_as is None or read_as == value else read_as
    if step := details.get("step"):
        yield "decided by", f"{step}: {COMPARED_BY[step]}" if step in COMPARED_BY else step
    yield "why", details.get("why") or ""
    names_below = {part.reward.name for part in one.parts}
    for name, value in details.items():
        if name not in SHOWN_APART and str(name).removesuffix("/reason") not in names_below:
            yield cut(str(name), 40), f"{value:g}" if isinstance(value, float) else text(value)


def _meaning(one: Explanation, verdict: Verdict) -> str:
    return described(one.reward).reasons.get(verdict.reason, "")


def _as_json(one: Explanation) -> dict[str, Any]:
    verdict = one.verdict
    found: dict[str, Any] = {"name": one.reward.name, "role": one.role, "weight": one.weight}
    if verdict is not None:
        found |= {**verdict._asdict(), "details": dict(verdict.details), "reason_says": _meaning(one, verdict)}
    return {**found, "was_asked": verdict is not None, "parts": [_as_json(part) for part in one.parts]}


def _typed(completion: str) -> str:
    """The completion as it was given, or what is on standard input."""
    if completion != "-":
        return completion
    if sys.stdin is None:
        refuse("there is no standard input to read the completion from.")
    # without the line break that echo adds; what is no UTF-8 is U+FFFD, as tokenizers write it
    return sys.stdin.buffer.read().decode(errors="replace").removesuffix("\n").removesuffix("\r")


def _conversation(file: str) -> tuple[Any, Any]:
    """(completion, prompt) of a JSON file: a list of messages, or an object with the two as TRL has them.

    In a list, what stands before the first message of the assistant is the prompt.
    """
    try:
        found = json.loads(Path(file).read_bytes())
    except (ValueError, RecursionError) as error:
        refuse(f"{file} is not JSON ({cut(str(error), 200)}).")
    if isinstance(found, dict) and "completion" in found:
        return found["completion"], found.get("prompt")
    messages = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    first = next((at for at, one in enumerate(messages) if one.get("role") == "assistant"), None)
    if first is None or messages != found:
        refuse(
            f'{file} must hold messages, one of them the assistant\'s, [{{"role": "assistant", "content": "…"}}], or '
            f'{{"prompt": …, "completion": …}}, not {cut(found, 80)}.'
        )
    return messages[first:], messages[:first] or None


def _columns_of(reward: Reward, answer: str | None, given: Sequence[str]) -> dict[str, Any]:
    """The columns by name, with values as the reward wants them."""
    columns: dict[str, Any] = {}
    for one in [*([] if answer is None else [f"answer={answer}"]), *given]:
        name, equals, value = one.partition("=")
        bare = name.removesuffix(":")
        if not equals or not bare:
            refuse(f'--column {cut(one, 80)!r} is not NAME=TEXT, such as --column choices=\'["a", "b"]\'.')
        if bare in columns:
            refuse(f"the column {cut(bare, 80)!r} is given twice.")
        columns[bare] = value
        if name != bare or reads_json(reward, bare):
            try:
                columns[bare] = json.loads(value)
            except (ValueError, RecursionError) as error:
                if name != bare:
                    refuse(f"the column {cut(bare, 80)!r} is not JSON ({cut(str(error), 200)}): {cut(value, 80)!r}.")
    return columns


def _token_ids(completion: Any, tokens: int | None, tokenizer: str | None) -> Sequence[int] | None:
    """Token ids to count: those of a tokenizer, or as many as were named, all different."""
    if tokenizer is None:
        return None if tokens is None else range(tokens)
    if tokens is not None:
        refuse("Give --tokens or --tokenizer, not both.")
    if not isinstance(completion, str):
        refuse("--tokenizer counts a text; for messages give --tokens N, or bind the reward's option tokenizer.")
    ids: list[int] = load_tokenizer(tokenizer)(completion, add_special_tokens=False)["input_ids"]
    return ids


def _trainer_state(step: str | None) -> dict[str, int] | None:
    """The step of a training, and of how many, as a trainer gives it."""
    if step is None:
        return None
    if not re.fullmatch(r"[0-9]{1,15}(/[0-9]{1,15})?", step):
        refuse(f"--step {cut(step, 80)!r} is neither a step nor a step of all, such as 50/200.")
    return dict(zip(("global_step", "max_steps"), map(int, step.split("/")), strict=False))
