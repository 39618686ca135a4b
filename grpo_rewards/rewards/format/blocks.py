"""Is the response valid JSON, or does it hold one block of code?"""

from __future__ import annotations

import json
import math
from typing import Any

from grpo_rewards.completion.fences import fenced_blocks
from grpo_rewards.completion.reasoning.thinking import Thinking
from grpo_rewards.completion.sections import count_tags, last_tagged
from grpo_rewards.completion.text import is_blank
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.rewards.building_blocks.fault_summary import summarize_faults
from grpo_rewards.rewards.building_blocks.fence_language import check_language
from grpo_rewards.rewards.building_blocks.safe_schemas import check_schema, fault_of, is_too_complex
from grpo_rewards.verdict import Verdict

__all__ = ["code_block_format", "json_format"]

MAX_JSON_CHARACTERS = 100_000
INVISIBLE_AROUND_JSON = "\ufeff\u200b\u2060"  # byte order mark, zero-width space, word joiner: allowed around JSON


def _check_schema(schema: Any, **_: Any) -> None:
    if schema is None:
        return
    if not isinstance(schema, dict | bool):
        raise RewardError(f"schema must be a JSON schema, a dict, not {schema!r}.")
    check_schema(schema)


@reward(
    reasons=("valid", "not_json", "against_schema", "too_large", "no_answer", "unfinished_thinking"),
    range=(0.0, 1.0),
    check=_check_schema,
    table=("why",),
)
def json_format(
    completion: str,
    prompt: Any = None,
    *,
    schema: dict[str, Any] | bool | None = None,
    thinking: Thinking,
) -> Verdict:
    """1 if the response after the reasoning is JSON that fits the schema, else 0.

    The JSON must be the whole response, either bare or as a single fenced block; or the whole of the one
    ``<answer>…</answer>`` in it, bare or fenced. Without a schema it must be an object or an array. ``NaN`` and
    ``Infinity`` are not JSON, nor is an object with the same key twice. No schema takes more than linear time: its
    regular expressions have no look-around and no back-references, and nothing is fetched.

    Args:
        completion (str): the text of the last assistant message.
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends inside
            the reasoning.
        schema (dict | bool | None): a JSON schema (json-schema.org) of the draft that its ``$schema`` names (4, 6, 7,
            2019-09 or 2020-12), else of draft 2020-12. ``format`` is not checked. ``None``, the default: any object or
            array.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of ``prompt``.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        1.0 or 0.0, never ``None``. Reasons:

        - ``valid``: JSON that fits (1.0).
        - ``not_json``: not JSON, or JSON with other text around it.
        - ``against_schema``: JSON that does not fit the schema; the detail ``why`` says where and why, ``at`` where, if
          the characters times the schema's alternatives (in ``anyOf`` and ``oneOf``, and the paths through references)
          are at most 10,000; of a schema that refers to itself, they are not given. Without a schema: a number, a
          text, ``true``, ``false`` or ``null``.
        - ``too_large``: more than 100,000 characters, nested more than 200 deep, or more than 100 whole numbers of 19
          digits or more.
        - ``no_answer``: nothing after the reasoning.
        - ``unfinished_thinking``: the reasoning was never closed.

    A policy would try ``{}``. It earns 1 without a schema, so bind one that says what is required. Text around the JSON
    earns 0.

    >>> person = json_format.bind(schema={"type": "object", "required": ["name"]})
    >>> person.score('```json\\n{"name": "Ada"}\\n```'), person.score('{"name": "Ada"} as you asked')
    (1.0, 0.0)
    """
    text = thinking.response(completion, prompt)
    if text is None:
        return Verdict(0.0, "unfinished_thinking")
    text = _json_in(text)
    if len(text) > MAX_JSON_CHARACTERS or is_too_complex(text):
        return Verdict(0.0, "too_large")
    if not text:
        return Verdict(0.0, "no_answer")
    try:
        value = json.loads(text, parse_constant=_refused, parse_float=_finite, object_pairs_hook=_distinct)
    except ValueError:  # also raised for an integer of thousands of digits
        return Verdict(0.0, "not_json", text)
    except (RecursionError, OverflowError):
        return Verdict(0.0, "too_large")
    if schema is None:
        is_fit = isinstance(value, dict | list)
        return Verdict(float(is_fit), "valid" if is_fit else "against_schema", text)
    fault = fault_of(value, schema, len(text))
    if fault is None:
        return Verdict(1.0, "valid", text)
    why = {"at": fault.at, "why": summarize_faults([(fault.at, fault.why)])} if fault.at else {}
    return Verdict(0.0, "against_schema", text, details=why)


def _json_in(response: str) -> str:
    """The part of a response that must be JSON: the inside of its one answer tag or of its one fence, or all of it."""
    text = _unfenced(_bare(response))
    if not text.startswith(("{", "[", '"')) and count_tags(text, "answer") == (1, 1):
        tagged = last_tagged(text, "answer")
        text = text if tagged is None else _unfenced(_bare(tagged))
    return text


def _bare(text: str) -> str:
    return text.strip().strip(INVISIBLE_AROUND_JSON).strip()


def _unfenced(text: str) -> str:
    """The inside of a fenced block of JSON, if that is all of the text; else the text."""
    blocks = fenced_blocks(text) if text.startswith(("`", "~")) else []
    is_whole = len(blocks) == 1 and blocks[0].is_closed and (blocks[0].start, blocks[0].end) == (0, len(text))
    return _bare(blocks[0].inside) if is_whole and blocks[0].language.casefold() in ("", "json") else text


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _finite(number: str) -> float:
    value = float(number)
    return value if math.isfinite(value) else _refused(number)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key occurs twice")
    return made


@reward(
    reasons=(
        "well_formed",
        "no_code",
        "several_blocks",
        "other_language",
        "blank_code",
        "unclosed",
        "unfinished_thinking",
    ),
    range=(0.0, 1.0),
    check=check_language,
)
def code_block_format(
    completion: str, prompt: Any = None, *, language: str | None = None, thinking: Thinking
) -> Verdict:
    """1 if the response after the reasoning holds exactly one fenced block, closed and not blank, else 0.

    Fences are those of CommonMark: three or more backticks or tildes, closed by at least as many. They may be indented
    or follow a list mark. Text around the block is allowed.

    Args:
        completion (str): the text of the last assistant message.
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends inside
            the reasoning.
        language (str | None): the word that must follow the opening fence, such as ``python``; upper and lower case are
            the same. ``None``, the default: any word or none.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of ``prompt``.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        1.0 or 0.0, never ``None``. Reasons:

        - ``well_formed``: exactly one block, and a good one (1.0).
        - ``no_code``: no fenced block.
        - ``several_blocks``: more than one.
        - ``unclosed``: the closing fence is missing.
        - ``other_language``: the word after the fence is not ``language``.
        - ``blank_code``: no letter or digit inside.
        - ``unfinished_thinking``: the reasoning was never closed.

    A policy would try a blank block, one that is never closed, or several: each earns 0. Any word in a block earns 1,
    because the code is neither checked nor run, so give this reward little weight.

    >>> code_block_format.bind(language="python").score("So:\\n```python\\nprint(4)\\n```\\nIt prints 4.")
    1.0
    """
    text = thinking.response(completion, prompt)
    if text is None:
        return Verdict(0.0, "unfinished_thinking")
    blocks = fenced_blocks(text)
    reason = "well_formed"
    if not blocks:
        reason = "no_code"
    elif len(blocks) > 1:
        reason = "several_blocks"
    elif not blocks[0].is_closed:
        reason = "unclosed"
    elif language is not None and blocks[0].language.casefold() != language.casefold():
        reason = "other_language"
    elif is_blank(blocks[0].inside):
        reason = "blank_code"
    return Verdict(float(reason == "well_formed"), reason)
