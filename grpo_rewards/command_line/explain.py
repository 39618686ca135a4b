"""``grpo-rewards explain``: why does a completion get the number that it gets?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from rich.padding import Padding
from rich.text import Text

from grpo_rewards.command_line.describing import Explanation, Reads, described, explained, reads_of
from grpo_rewards.command_line.inputs import (
    Answer,
    Columns,
    Completion,
    MessagesFile,
    Prompt,
    Spec,
    Step,
    Tokenizer,
    Tokens,
    columns_of,
    completion_of,
    token_ids,
    trainer_state,
)
from grpo_rewards.command_line.printing import FOUND, Output, command, cut, pairs, print_to_stderr, prose, refuse, text
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.errors import NoTokenIds, did_you_mean, listed
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
    completion: Completion = None,
    answer: Answer = None,
    column: Columns = None,
    prompt: Prompt = None,
    messages: MessagesFile = None,
    tokens: Tokens = None,
    tokenizer: Tokenizer = None,
    step: Step = None,
) -> Output:
    """Explains the reward of one completion: the reason, both sides as they were read, and the step that decided.

    A column is text; where the reward's own example or type of the column is a number, a list or an object, a value
    that is JSON of one is read as that. NAME:=JSON is always JSON. Exits 1 if the row cannot be scored.
    """
    reward = get_reward(spec)
    reward.check_ready()
    given_completion, given_prompt = completion_of(completion, messages, prompt)
    columns = columns_of(reward, answer, column or [])
    reads = reads_of(reward)
    unread = [name for name in columns if name not in reads.all_columns]
    for name in unread:  # it may be misspelled
        near = did_you_mean(name, reads.all_columns)
        note = f"the column {cut(name, 80)!r} is not read{near} It reads: {listed(reads.all_columns)}."
        print_to_stderr(cut(f"note: {note}"))
    try:
        found = explained(
            reward,
            given_completion,
            columns,
            prompt=given_prompt,
            completion_ids=token_ids(given_completion, tokens, tokenizer),
            trainer_state=trainer_state(step),
        )
    except RewardError as error:
        _refuse_missing_input(error, reward, reads, columns)
    status = FOUND if found.verdict is None or found.verdict.reward is None else 0
    return Output({"spec": repr(reward), **_as_json(found), "columns_not_read": unread}, _shown(found), status)


def _refuse_missing_input(error: Exception, reward: Reward, reads: Reads, columns: dict[str, Any]) -> NoReturn:
    """Ends the command with the flag for the input that the reward misses, if that was raised; else raises it again."""
    for name in reads.columns:
        if name not in columns and f"reads column '{name}'" in str(error):
            flag = "--answer TEXT" if name == "answer" else f"--column {name}=…"
            refuse(f"reward '{reward.name}' reads column '{name}'. Give it: {flag}.")
    if isinstance(error, NoTokenIds):
        refuse(f"reward '{reward.name}' counts tokens. Give their number, --tokens N, or --tokenizer NAME.")
    raise error


def _shown(found: Explanation) -> Iterator[Any]:
    for depth, one in found.with_depth():
        yield Padding(_title(one), (1 if depth else 0, 0, 0, 4 * depth), expand=False)
        if one.verdict is not None:
            yield Padding(pairs(_sides(one, one.verdict)), (0, 0, 0, 4 * depth + 2), expand=False)


def _title(one: Explanation) -> Text:
    """Which reward it is, as what, its number, and the reason in a word."""
    name = Text(cut(repr(one.reward), 300), style="bold")
    role = Text(f"{cut(one.role)}: " if one.role else "", style="dim")
    weight = "" if one.weight is None else f"{one.weight:g} × "
    if one.verdict is None:
        return Text.assemble(role, name, "  not called on this row")
    number = one.verdict.reward
    style = "yellow" if number is None else "green" if number > 0 else "red"
    shown = "not scored" if number is None else f"{number:g}"
    return Text.assemble(role, name, "  ", weight, (shown, f"bold {style}"), f"  {cut(one.verdict.reason)}")


def _sides(one: Explanation, verdict: Verdict) -> Iterator[tuple[str, Any]]:
    """What was compared, how it was read, what decided and why, and whatever else the verdict has."""
    if meaning := _meaning(one, verdict):
        yield "that is", prose(meaning)
    details = verdict.details
    for side, value in (("prediction", verdict.prediction), ("answer", verdict.answer)):
        read_as = details.get(f"{side}_read_as")
        if value is not None:
            yield side, text(value)
        if read_as is not None and read_as != value:
            yield "  read as", read_as
    if details.get("step"):
        yield "decided by", f"{details['step']}: {COMPARED_BY.get(details['step'], '')}".removesuffix(": ")
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
