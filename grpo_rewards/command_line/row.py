"""A row as arguments of a command: what the model wrote, the columns, how many tokens, and at which step."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grpo_rewards.command_line.printing import cut, refuse

if TYPE_CHECKING:
    from grpo_rewards.registry import Reward

__all__ = [
    "Answer",
    "Columns",
    "Completion",
    "MessagesFile",
    "Prompt",
    "Spec",
    "Step",
    "Tokenizer",
    "Tokens",
    "columns_of",
    "completion_of",
    "token_ids",
    "trainer_state",
]

MOST_BYTES = 64 * 2**20  # of one completion; /dev/zero has no end
MOST_TOKENS_GIVEN = 1_000_000

Spec = Annotated[str, typer.Argument(help="A name, a spec such as 'max_length(max_tokens=256)', or a dotted path.")]
Completion = Annotated[
    str | None, typer.Argument(help="What the model wrote; - reads standard input. Write -- before a leading -.")
]
Answer = Annotated[str | None, typer.Option(help="The gold: the column 'answer'.")]
Columns = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=TEXT", help="Another column, as often as needed; NAME:=JSON for what is no text."),
]
Prompt = Annotated[str | None, typer.Option(help="The prompt.")]
MessagesFile = Annotated[
    str | None, typer.Option(metavar="FILE", help="A completion as JSON messages, or a row with prompt and completion.")
]
Tokens = Annotated[int | None, typer.Option(help="How many tokens it has, for rewards that count them.")]
Tokenizer = Annotated[str | None, typer.Option(help="A name or folder, to count the tokens of the text.")]
Step = Annotated[str | None, typer.Option(metavar="N or N/MAX", help="The step, for weights that change.")]


def completion_of(completion: str | None, messages: str | None, prompt: str | None) -> tuple[Any, Any]:
    """(completion, prompt) as given: a text, or messages of a file."""
    if (completion is None) == (messages is None):
        refuse("Give one completion: a text, - for standard input, or --messages FILE.")
    if completion is not None:
        return (_decoded(_standard_input()) if completion == "-" else completion), prompt
    from_file, prompt_from_file = _conversation(messages or "")
    if prompt_from_file is not None and prompt is not None:
        refuse("--messages holds a prompt already: leave --prompt out, or the prompt's messages.")
    return from_file, prompt if prompt_from_file is None else prompt_from_file


def _standard_input() -> bytes:
    if sys.stdin is None:
        refuse("there is no standard input to read the completion from.")
    return _not_too_long(sys.stdin.buffer.read(MOST_BYTES + 1), "standard input")


def _not_too_long(read: bytes, where: str) -> bytes:
    if len(read) > MOST_BYTES:
        refuse(f"{where} has more than {MOST_BYTES:,} bytes; one completion is explained at a time.")
    return read


def _decoded(read: bytes) -> str:
    """The text, without the line break that ``echo`` adds. What is no UTF-8 becomes U+FFFD, as tokenizers write it."""
    text = read.decode(errors="replace")
    return text.removesuffix("\n").removesuffix("\r")


def _conversation(file: str) -> tuple[Any, Any]:
    """(completion, prompt) of a JSON file: a list of messages, or an object with the two as TRL has them.

    In a list, what stands before the first message of the assistant is the prompt.
    """
    try:
        found = json.loads(_standard_input() if file == "-" else _read(file))
    except (ValueError, RecursionError) as error:
        refuse(f"{file} is not JSON ({cut(str(error), 200)}).")
    if isinstance(found, dict) and "completion" in found:
        return found["completion"], found.get("prompt")
    if not isinstance(found, list) or not found or not all(isinstance(one, dict) and "role" in one for one in found):
        refuse(
            f'{file} must hold messages, [{{"role": "assistant", "content": "…"}}], or '
            f'{{"prompt": …, "completion": …}}, not {cut(found, 80)}.'
        )
    first = next((at for at, one in enumerate(found) if one["role"] == "assistant"), None)
    if first is None:
        refuse(f"no message in {file} is the assistant's, so there is no completion.")
    return found[first:], found[:first] or None


def _read(file: str) -> bytes:
    with Path(file).open("rb") as opened:
        return _not_too_long(opened.read(MOST_BYTES + 1), file)


def columns_of(reward: Reward, answer: str | None, given: Sequence[str]) -> dict[str, Any]:
    """The columns by name, with values as the reward wants them."""
    from grpo_rewards.describing.reading import reads_json

    pairs = [] if answer is None else [("answer", answer)]
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name.rstrip(":"):
            refuse(f'--column {cut(one, 80)!r} is not NAME=TEXT, such as --column choices=\'["a", "b"]\'.')
        pairs.append((name, value))
    columns: dict[str, Any] = {}
    for name, value in pairs:
        bare = name.removesuffix(":")
        if bare in columns:
            refuse(f"the column {cut(bare, 80)!r} is given twice.")
        is_json = name != bare
        columns[bare] = _json(bare, value) if is_json else _text_or_json(value) if reads_json(reward, bare) else value
    return columns


def _json(name: str, value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        refuse(f"the column {cut(name, 80)!r} is not JSON ({cut(str(error), 200)}): {cut(value, 80)!r}.")


def _text_or_json(value: str) -> Any:
    """The number, list or object that a text is JSON of; else the text."""
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return found if isinstance(found, int | float | list | dict) and not isinstance(found, bool) else value


def token_ids(completion: Any, tokens: int | None, tokenizer: str | None) -> Sequence[int] | None:
    """Token ids to count: those of a tokenizer, or as many as were named, all different."""
    if tokens is not None and tokenizer is not None:
        refuse("Give --tokens or --tokenizer, not both.")
    if tokens is not None:
        if not 0 <= tokens <= MOST_TOKENS_GIVEN:
            refuse(f"--tokens must be between 0 and {MOST_TOKENS_GIVEN:,}, not {tokens}.")
        return list(range(tokens))
    if tokenizer is None:
        return None
    from grpo_rewards.rewards.building_blocks.policy_tokens import load_tokenizer

    if not isinstance(completion, str):
        refuse("--tokenizer counts a text; for messages give --tokens N, or bind the reward's option tokenizer.")
    ids: list[int] = load_tokenizer(tokenizer)(completion, add_special_tokens=False)["input_ids"]
    return ids


def trainer_state(step: str | None) -> dict[str, int] | None:
    if step is None:
        return None
    parts = step.split("/")
    if len(parts) > 2 or not all(part.isdecimal() and len(part) < 16 for part in parts):
        refuse(f"--step {cut(step, 80)!r} is neither a step nor a step of all, such as 50/200.")
    return dict(zip(("global_step", "max_steps"), map(int, parts), strict=False))
