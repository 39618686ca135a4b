"""Where in a row things are: the completion, the prompt, and the columns that the rewards read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from grpo_rewards.checks.run.files import STEP_COLUMNS
from grpo_rewards.completion.text import completion_text, without_arrays
from grpo_rewards.registry import Reward, RewardError, gold_columns
from grpo_rewards.registry.errors import listed, missing_column, shown
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.registry.interface import every_reward, leaves
from grpo_rewards.rewards.building_blocks.policy_tokens import load_tokenizer
from grpo_rewards.scoring.rows import COMPLETIONS

PROMPTS = ("prompt", "question", "problem", "query", "instruction", "input")
IDS = "completion_ids"
AS_TEXT = json.JSONEncoder(default=str, sort_keys=True)
LOGGED_GOLD = "/answer"  # how a column of TRL's table ends in which a reward logged what it compared with


class Fields(NamedTuple):
    """What the columns of a file are for.

    Attributes:
        completion: the column of the completion.
        prompt: the column of the prompt, or ``None``. Rows that have it in common are a group.
        columns: those that rewards read and that are in the file.
        golds: a column in which a reward logged its golds, or ``None``: where one is missing in the file itself.
        read: all columns that rewards may read.
        step: the column of the step, in a run's table of completions: there a group is of one prompt and one step.
        tokenizer: the name of what counts the tokens of rows that have no ``completion_ids``; ``None`` if nothing does.
        by_group: whether the rewards score one group at once, of chunks of whole groups.
    """

    completion: str
    prompt: str | None
    columns: tuple[str, ...] = ()
    golds: str | None = None
    read: tuple[str, ...] = ()
    step: str | None = None
    tokenizer: str | None = None
    by_group: bool = False

    def given(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """What the rewards are called with for these rows, beside the completions."""
        given: dict[str, Any] = {name: [row.get(name) for row in rows] for name in self.columns}
        if self.golds is not None:
            found = [_logged(row.get(self.golds)) for row in rows]
            given |= {name: [one.get(name) for one in found] for name in self.read if name not in given}
        if self.prompt is not None:
            given["prompts"] = [row.get(self.prompt) for row in rows]
        ids = [row.get(IDS) for row in rows]
        if self.tokenizer is not None:
            counted = iter(self._counted([row for row in rows if row.get(IDS) is None]))
            ids = [next(counted) if one is None else one for one in ids]
        if None not in ids:
            given[IDS] = ids
        return given

    def _counted(self, rows: Sequence[Mapping[str, Any]]) -> list[list[int]]:
        """Of each row the tokens of its text. Of several messages they are unknown, and rewards report that."""
        texts = [completion_text(without_arrays(row[self.completion])) for row in rows]
        texts = [one.encode("utf-8", "replace").decode() for one in texts]  # half a pair of JSON is no text
        tokenizer = load_tokenizer(str(self.tokenizer))
        found: list[list[int]] = tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"] if texts else []
        return found

    def groups(self, rows: Sequence[Mapping[str, Any]]) -> list[bytes] | None:
        """Of each row what it has in common with the others of its group; ``None`` if that is not known."""
        if self.prompt is None:
            return None
        texts = (AS_TEXT.encode([row.get(self.step or ""), row.get(self.prompt)]) for row in rows)
        return [hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts]

    def unreadable(self, row: Mapping[str, Any]) -> str | None:
        """Why a row cannot be scored, or ``None``."""
        if self.completion not in row:
            return f"it has no column {shown(self.completion)}"
        completion = row[self.completion]
        if completion is None:
            return f"{shown(self.completion)} is empty"
        if type(completion) is not str and not _is_written(completion):
            return f"{shown(self.completion)} is {shown(completion)}, and neither a text nor a list of messages"
        return None


def _is_written(completion: Any) -> bool:
    """Whether a value that is no text is a message, or a list of messages."""
    messages = [completion] if isinstance(completion, dict) else without_arrays(completion, 1)
    return isinstance(messages, list) and all(
        isinstance(one, dict) and ("content" in one or "role" in one) for one in messages
    )


def _logged(cell: Any) -> dict[str, Any]:
    """The golds that a reward logged for a row; none where the end of the cell was cut off, which cannot be scored."""
    try:
        return {name: values[0] for name, values in gold_columns([cell]).items()} if isinstance(cell, str) else {}
    except RewardError:
        return {}


def fields_of(
    row: Mapping[str, Any],
    rewards: Sequence[Reward],
    completion: str | None,
    prompt: str | None,
    tokenizer: str | None = None,
    by_group: bool = False,
) -> Fields:
    """What the columns of a file are for, from its first row.

    Args:
        row: it.
        rewards: which read it.
        completion: the column of the completion, if it was named.
        prompt: the column of the prompt, if it was named.
        tokenizer: what counts tokens, if it was named.
        by_group: whether one group is to be scored at once. If a reward compares the completions of a group, it is.

    Raises:
        RewardError: the column of completions is unknown, a column is missing, tokens cannot be counted, or groups are
            needed and not known.
    """
    for wanted in (completion, prompt):
        if wanted is not None and wanted not in row:
            raise RewardError(f"there is no column {shown(wanted)}. Columns: {listed(row)}.")
    needed = dict.fromkeys(column for one in rewards for column in one.columns)
    optional = [column for one in rewards for several in one.column_names.values() for column in several]
    read = tuple(dict.fromkeys((*needed, *optional)))
    is_of_run = {"prompt", "completion"} <= {*row} and not {"advantage", "advantages"}.isdisjoint(row)
    completion = completion or next((name for name in COMPLETIONS if name in row and name not in needed), None)
    if completion is None:
        why = f"which column holds the completions? Columns: {listed(row)}."
        raise RewardError(f"{why} Give --completion NAME, or completion=… in Python.")
    prompt = prompt or next((name for name in PROMPTS if name in row and name != completion), None)
    comparing = [one.name for one in rewards if compares_groups(one)]
    if (comparing or by_group) and prompt is None:
        why = f"reward '{comparing[0]}' compares the completions of a group, and " if comparing else ""
        raise RewardError(f"{why}no column shows which rows are one. Name what they have in common: --prompt NAME.")
    return Fields(
        completion,
        prompt,
        columns=tuple(name for name in read if name in row),
        golds=_golds(row, rewards, [name for name in needed if name not in row]),
        read=read,
        step=next((name for name in STEP_COLUMNS if name in row), None) if is_of_run else None,
        tokenizer=_tokenizer_for(row, rewards, tokenizer),
        by_group=by_group or bool(comparing),
    )


def compares_groups(one: Reward) -> bool:
    """Whether the reward, or one inside it, compares the completions of a group."""
    return "num_generations" in all_options(one)


def all_options(one: Reward) -> dict[str, Any]:
    """The options of a reward and of all that are inside it, by name."""
    return {name: value for other in (*every_reward(one), one) for name, value in other.options.items()}


def _tokenizer_for(row: Mapping[str, Any], rewards: Sequence[Reward], named: str | None) -> str | None:
    """What counts the tokens of rows without their ids: what was named, or what a reward is bound to."""
    readers = [one for one in leaves(*rewards) if isinstance(one, FunctionReward) and IDS in one.signature.reads]
    if named is not None and not readers:
        raise RewardError("no reward here counts tokens. Leave the tokenizer out.")
    if named is None and row.get(IDS) is None:
        bound = list(dict.fromkeys(one.options["tokenizer"] for one in readers if one.options.get("tokenizer")))
        needing = [one.name for one in readers if IDS not in one.signature.optional]
        if len(bound) > 1 or (needing and not bound):
            why = f"the rewards are bound to those of {listed(bound)}" if bound else f"'{needing[0]}' counts them"
            raise RewardError(
                f"there is no column {shown(IDS)}, and {why}. Name the tokenizer that counts those of the completions: "
                "--tokenizer NAME, or tokenizer=… in Python."
            )
        named = bound[0] if bound else None
    if named is not None:
        load_tokenizer(named)  # what is wrong with it is reported before anything is scored
    return named


def _golds(row: Mapping[str, Any], rewards: Sequence[Reward], missing: Sequence[str]) -> str | None:
    """The column of logged golds that has what is missing; ``None`` if nothing is."""
    if not missing:
        return None
    logged = [name for name in row if name.endswith(LOGGED_GOLD)]
    own = [f"{one.name}{LOGGED_GOLD}" for one in rewards if f"{one.name}{LOGGED_GOLD}" in logged]
    for name in (*own, *logged):
        if row[name] is None or set(missing) <= set(_logged(row[name])):
            return name
    reader = next(one for one in rewards if missing[0] in one.columns)
    called = next((its for its, names in reader.column_names.items() if missing[0] in names), None)
    raise RewardError(" ".join(missing_column(reader.name, missing[0], list(row), called)))
