"""``grpo-rewards explain``: why does a completion get the number that it gets?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import typer

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
from grpo_rewards.command_line.printing import (
    FOUND,
    AsJson,
    console,
    cut,
    print_json,
    print_to_stderr,
    print_warnings_plainly,
    prose,
    refuse,
    with_plain_errors,
)

if TYPE_CHECKING:
    from grpo_rewards.command_line.describing import Explanation, Reads
    from grpo_rewards.registry import Reward
    from grpo_rewards.verdict import Verdict

__all__ = ["explain"]

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


@with_plain_errors
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
    as_json: AsJson = False,
) -> None:
    """Explains the reward of one completion: the reason, both sides as they were read, and the step that decided.

    A column is text; where the reward's own example or type of the column is a number, a list or an object, a value
    that is JSON of one is read as that. NAME:=JSON is always JSON. Exits 1 if the row cannot be scored.
    """
    from grpo_rewards.command_line.describing import explained, reads_of
    from grpo_rewards.registry import RewardError, get_reward

    with print_warnings_plainly():
        reward = get_reward(spec)
        reward.check_ready()
        given_completion, given_prompt = completion_of(completion, messages, prompt)
        columns = columns_of(reward, answer, column or [])
        reads = reads_of(reward)
        ids = token_ids(given_completion, tokens, tokenizer)
        unread = _unread(columns, reads)
        try:
            found = explained(
                reward,
                given_completion,
                columns,
                prompt=given_prompt,
                completion_ids=ids,
                trainer_state=trainer_state(step),
            )
        except RewardError as error:
            _refuse_missing_input(error, reward, reads, columns)
    verdict = found.verdict
    assert verdict is not None  # the outermost reward always sees the row
    if as_json:
        print_json({"spec": repr(reward), **_as_json(found), "columns_not_read": unread})
    else:
        _print_explanation(found)
    if verdict.reward is None:
        raise typer.Exit(FOUND)


def _unread(columns: dict[str, Any], reads: Reads) -> list[str]:
    """The columns that the reward does not read, each reported on standard error: one may be misspelled."""
    from grpo_rewards.registry.errors import did_you_mean, listed

    unread = [name for name in columns if name not in reads.all_columns]
    for name in unread:
        near = did_you_mean(name, reads.all_columns)
        note = f"the column {cut(name, 80)!r} is not read{near} It reads: {listed(reads.all_columns)}."
        print_to_stderr(cut(f"note: {note}"))
    return unread


def _refuse_missing_input(error: Exception, reward: Reward, reads: Reads, columns: dict[str, Any]) -> NoReturn:
    """Ends the command with the flag for the input that the reward misses, if that was raised; else raises it again."""
    message = str(error)
    for name in reads.columns:
        if name not in columns and f"reads column '{name}'" in message:
            flag = "--answer TEXT" if name == "answer" else f"--column {name}=…"
            refuse(f"reward '{reward.name}' reads column '{name}'. Give it: {flag}.")
    if "needs completion_ids" in message:
        refuse(f"reward '{reward.name}' counts tokens. Give their number, --tokens N, or --tokenizer NAME.")
    raise error


def _print_explanation(found: Explanation) -> None:
    from rich.padding import Padding

    terminal = console()
    for depth, one in found.with_depth():
        terminal.print(Padding(_title(one), (1 if depth else 0, 0, 0, 4 * depth), expand=False))
        if one.verdict is not None:
            terminal.print(Padding(_sides(one), (0, 0, 0, 4 * depth + 2), expand=False))


def _title(one: Explanation) -> Any:
    """Which reward it is, as what, its number, and the reason in a word."""
    from rich.text import Text

    name = Text(cut(repr(one.reward), 300), style="bold")
    role = Text(f"{cut(one.role)}: " if one.role else "", style="dim")
    weight = "" if one.weight is None else f"{one.weight:g} × "
    if one.verdict is None:
        return Text.assemble(role, name, "  not called on this row")
    number = one.verdict.reward
    style = "yellow" if number is None else "green" if number > 0 else "red"
    shown = "not scored" if number is None else f"{number:g}"
    return Text.assemble(role, name, "  ", weight, (shown, f"bold {style}"), f"  {cut(one.verdict.reason)}")


def _sides(one: Explanation) -> Any:
    """A table of what was compared, how it was read, what decided and why."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    meaning = _meaning_of_reason(one)
    if meaning:
        table.add_row(Text("that is", style="dim"), prose(meaning))
    assert one.verdict is not None  # of one that was not called nothing is printed
    names_below = {part.reward.name for part in one.parts}
    for label, value in _rows(one.verdict):
        if label.removesuffix("/reason") not in names_below:
            shown = f"{value:g}" if isinstance(value, float) else cut(value)
            table.add_row(Text(cut(label, 40), style="dim"), Text(shown, overflow="fold"))
    return table


def _meaning_of_reason(one: Explanation) -> str:
    from grpo_rewards.command_line.describing import described

    assert one.verdict is not None
    return described(one.reward).reasons.get(one.verdict.reason, "")


def _rows(verdict: Verdict) -> list[tuple[str, Any]]:
    details = verdict.details
    rows: list[tuple[str, Any]] = []
    for side, value in (("prediction", verdict.prediction), ("answer", verdict.answer)):
        read_as = details.get(f"{side}_read_as")
        rows += [] if value is None else [(side, value)]
        rows += [] if read_as is None or read_as == value else [("  read as", read_as)]
    if details.get("step"):
        rows.append(("decided by", f"{details['step']}: {COMPARED_BY.get(details['step'], '')}".removesuffix(": ")))
    if details.get("why"):
        rows.append(("why", details["why"]))
    rows += [(str(name), value) for name, value in details.items() if name not in SHOWN_APART]
    return rows


def _as_json(one: Explanation) -> dict[str, Any]:
    verdict = one.verdict
    found: dict[str, Any] = {"name": one.reward.name, "role": one.role, "weight": one.weight}
    if verdict is not None:
        found |= {**verdict._asdict(), "details": dict(verdict.details), "reason_says": _meaning_of_reason(one)}
    return {**found, "was_asked": verdict is not None, "parts": [_as_json(part) for part in one.parts]}
