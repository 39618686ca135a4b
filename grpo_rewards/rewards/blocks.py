"""Is the response a piece of JSON, or of code?"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from grpo_rewards.fences import fenced_blocks
from grpo_rewards.patterns import check_regex, compiled, encodable
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.text import is_blank, opens_thinking, response, visible
from grpo_rewards.verdict import Verdict

__all__ = ["code_block_format", "json_format"]

LONGEST = 100_000  # characters of JSON; some keywords of schemas take quadratic time
WORD = re.compile(r"[\w.#+-]+")


def _check_schema(schema: Any, **_: Any) -> None:
    if schema is None:
        return
    import jsonschema

    if not isinstance(schema, dict | bool):
        raise RewardError(f"schema must be a JSON schema, a dict, not {schema!r}.")
    try:
        jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator).check_schema(schema)
        _validator(json.dumps(schema))
    except (jsonschema.SchemaError, TypeError, ValueError) as error:
        why = error.message if isinstance(error, jsonschema.SchemaError) else error
        raise RewardError(f"schema is no JSON schema: {why}") from None


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
    text = visible(text).strip()
    if len(text) > LONGEST:
        return Verdict(0.0, "too_large")
    if not text:
        return Verdict(0.0, "no_answer")
    blocks = fenced_blocks(text)
    if len(blocks) == 1 and blocks[0].is_closed and (blocks[0].start, blocks[0].end) == (0, len(text)):
        text = blocks[0].inside if blocks[0].language in ("", "json") else text
    try:
        value = json.loads(text, parse_constant=_refused, object_pairs_hook=_distinct)
    except ValueError:  # also an int of thousands of digits
        return Verdict(0.0, "not_json", text[:LONGEST])
    except RecursionError:
        return Verdict(0.0, "too_large")
    return _fits(value, schema, text)


def _fits(value: Any, schema: dict[str, Any] | bool | None, text: str) -> Verdict:
    if schema is None:
        is_valid = isinstance(value, dict | list)
        return Verdict(float(is_valid), "valid" if is_valid else "against_schema", text)
    try:
        error = next(_validator(json.dumps(schema)).iter_errors(value), None)
    except RecursionError:
        return Verdict(0.0, "too_large")
    if error is None:
        return Verdict(1.0, "valid", text)
    return Verdict(0.0, "against_schema", text, details={"at": error.json_path, "why": error.message[:200]})


@lru_cache(maxsize=64)
def _validator(schema: str) -> Any:
    """A validator of this schema whose patterns cannot stall."""
    import jsonschema

    def pattern(_: Any, regex: str, instance: Any, __: Any) -> Any:
        if isinstance(instance, str) and compiled(regex).search(encodable(instance)) is None:
            yield jsonschema.ValidationError(f"{instance[:80]!r} does not match {regex!r}")

    loaded = json.loads(schema)
    kind = jsonschema.validators.validator_for(loaded, jsonschema.Draft202012Validator)
    _check_patterns(loaded)
    return jsonschema.validators.extend(kind, {"pattern": pattern})(loaded)


def _check_patterns(schema: Any) -> None:
    if isinstance(schema, dict):
        if "patternProperties" in schema:
            raise RewardError("schema: patternProperties cannot be held to linear time; name the properties.")
        if isinstance(schema.get("pattern"), str):
            check_regex(schema["pattern"])
    for one in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        _check_patterns(one)


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


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
