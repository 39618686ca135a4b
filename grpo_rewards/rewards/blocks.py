"""Is the response a piece of JSON, or of code?"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from grpo_rewards.completion.fences import fenced_blocks
from grpo_rewards.completion.sections import opens_thinking, response
from grpo_rewards.completion.text import is_blank
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.rewards.building_blocks.safe_schemas import check_schema, validator
from grpo_rewards.verdict import Verdict

__all__ = ["code_block_format", "json_format"]

LONGEST = 100_000  # characters of JSON
WHY = 200  # characters of what is wrong with it
MARKS = "\ufeff\u200b\u2060"  # characters that show nothing and may stand around it
WORD = re.compile(r"[\w.#+-]+")


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
)
def json_format(
    completion: str,
    prompt: Any = None,
    *,
    schema: dict[str, Any] | bool | None = None,
    think_opened: bool | None = None,
) -> Verdict:
    """1 if the response after the reasoning is JSON, alone or in one fenced block, and fits a schema, else 0.

    Without a schema it must be an object or an array. ``NaN`` and ``Infinity`` are no JSON, nor is an object that names
    a key twice. Patterns of the schema run on RE2, in linear time.

    Args:
        completion: the text of the last assistant message.
        prompt: read to see whether it ends inside ``<think>``.
        schema: a JSON schema (json-schema.org), of the draft that its ``$schema`` names or else of 2020-12.
        think_opened: whether the chat template opened ``<think>``; ``None`` looks at the prompt.

    Returns:
        1.0 or 0.0, never ``None``. Reasons: ``valid``, ``not_json``, ``against_schema`` (the details say where),
        ``too_large``, ``no_answer``, ``unfinished_thinking``.

    >>> person = json_format.bind(schema={"type": "object", "required": ["name"]})
    >>> person.score('```json\\n{"name": "Ada"}\\n```'), person.score('{"name": "Ada"} as you asked')
    (1.0, 0.0)
    """
    text = response(completion, opened=opens_thinking(prompt, think_opened))
    if text is None:
        return Verdict(0.0, "unfinished_thinking")
    text = text.strip().strip(MARKS).strip()
    if len(text) > LONGEST:
        return Verdict(0.0, "too_large")
    if not text:
        return Verdict(0.0, "no_answer")
    blocks = fenced_blocks(text)
    if len(blocks) == 1 and blocks[0].is_closed and (blocks[0].start, blocks[0].end) == (0, len(text)):
        text = blocks[0].inside if blocks[0].language.casefold() in ("", "json") else text
    try:
        value = json.loads(text, parse_constant=_refused, parse_float=_finite, object_pairs_hook=_distinct)
        fault = None if schema is None else next(validator(json.dumps(schema)).iter_errors(value), None)
    except ValueError:  # also an int of thousands of digits
        return Verdict(0.0, "not_json", text)
    except (RecursionError, OverflowError):
        return Verdict(0.0, "too_large")
    if fault is not None:
        return Verdict(0.0, "against_schema", text, details={"at": fault.json_path, "why": fault.message[:WHY]})
    is_fit = schema is not None or isinstance(value, dict | list)
    return Verdict(float(is_fit), "valid" if is_fit else "against_schema", text)


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


def _check_language(language: str | None, **_: Any) -> None:
    if language is not None and WORD.fullmatch(language) is None:
        raise RewardError(f"language must be the word behind the fence, such as 'python', or None, not {language!r}.")


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
    check=_check_language,
)
def code_block_format(
    completion: str, prompt: Any = None, *, language: str | None = None, think_opened: bool | None = None
) -> Verdict:
    """1 if the response after the reasoning holds exactly one fenced block of code, closed and not blank, else 0.

    Text may stand around the block. Fences are those of CommonMark: three or more backticks or tildes, closed by as
    many.

    Args:
        completion: the text of the last assistant message.
        prompt: read to see whether it ends inside ``<think>``.
        language: the word that must follow the fence, in any case; ``None``: any word, or none.
        think_opened: whether the chat template opened ``<think>``; ``None`` looks at the prompt.

    Returns:
        1.0 or 0.0, never ``None``. Reasons: ``well_formed``, ``no_code``, ``several_blocks``, ``other_language``,
        ``blank_code``, ``unclosed``, ``unfinished_thinking``.

    >>> code_block_format.bind(language="python").score("So:\\n```python\\nprint(4)\\n```\\nIt prints 4.")
    1.0
    """
    text = response(completion, opened=opens_thinking(prompt, think_opened))
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
