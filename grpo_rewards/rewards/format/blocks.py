"""Is there a block of code, or JSON that fits a schema? No document can stall the check, and nothing is fetched."""

import json
import math
import re
from functools import lru_cache
from itertools import accumulate
from typing import Any

from grpo_rewards.completion.fences import fenced_blocks
from grpo_rewards.completion.linear_patterns import encodable
from grpo_rewards.completion.reasoning.thinking import Thinking
from grpo_rewards.completion.sections import count_tags, last_tagged
from grpo_rewards.completion.text import is_blank
from grpo_rewards.completion.tool_calls.calls import refuse_constant, unique_keys
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.rewards.building_blocks.fault_summary import summarize_faults
from grpo_rewards.rewards.building_blocks.fence_language import check_language
from grpo_rewards.verdict import Verdict

__all__ = ["code_block_format", "json_format"]

MAX_JSON_CHARACTERS = 100_000
INVISIBLE_AROUND_JSON = "\ufeff\u200b\u2060"  # byte order mark, zero-width space, word joiner: allowed around JSON


def _check_schema(schema: Any, **_: Any) -> None:
    if schema is None:
        return
    if not isinstance(schema, dict | bool):
        raise RewardError(f"schema must be a JSON schema, a dict, not {schema!r}.")
    try:
        _validator(json.dumps(schema))
    except (TypeError, ValueError, RecursionError) as error:
        why = getattr(error, "message", None) or str(error)
        raise RewardError(
            f"schema is no JSON schema that can be used: {why}. References must lead to the schema itself, and regular "
            "expressions have no look-around and no back-references."
        ) from None


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
        value = json.loads(text, parse_constant=refuse_constant, parse_float=_finite, object_pairs_hook=unique_keys)
    except ValueError:  # also raised for an integer of thousands of digits
        return Verdict(0.0, "not_json", text)
    except (RecursionError, OverflowError):
        return Verdict(0.0, "too_large")
    if schema is None:
        is_fit = isinstance(value, dict | list)
        return Verdict(float(is_fit), "valid" if is_fit else "against_schema", text)
    fault = fault_of(value, schema, len(text))
    return Verdict(1.0, "valid", text) if fault is None else Verdict(0.0, "against_schema", text, details=fault)


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
    is_whole = blocks and blocks[0].is_closed and (blocks[0].start, blocks[0].end) == (0, len(text))
    return _bare(blocks[0].inside) if is_whole and blocks[0].language.casefold() in ("", "json") else text


def _finite(number: str) -> float:
    value = float(number)
    return value if math.isfinite(value) else refuse_constant(number)


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


# jsonschema-rs checks a document in time linear in it. It remembers what it has compared, so that neither
# ``unevaluatedItems`` nor a schema that refers to itself makes it slow; its regular expressions take linear time. What
# it leaves is bounded here: how deep a document is nested, how many huge numbers it has, and when a message is built,
# for which it remembers nothing and which takes far longer than the verdict.
MOST_NESTED = 200  # brackets; the validator gives up at 255
MOST_HUGE_NUMBERS = 100  # whole numbers of 19 digits or more, each of which uniqueItems compares with each other one
# A fault is explained where the document's characters times the schema's alternatives (those of anyOf and oneOf, and
# the paths through its references) are so few. The validator works out a message for each alternative and each item.
MOST_EXPLAINED = 10_000
ALTERNATIVES = ("anyOf", "oneOf")
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
# The closing quote may be missing, so that a text of quotes and backslashes is passed over once.
JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
HUGE_NUMBER = re.compile(r"(?<![\d.])\d{19}")
NO_BRACKET = re.compile(r"[^\[\]{}]+")


def is_too_complex(text: str) -> bool:
    """Whether JSON is nested more than 200 deep, or has more than 100 whole numbers of 19 digits or more."""
    bare = JSON_STRING.sub(" ", text)
    depths = accumulate(1 if one in "[{" else -1 for one in NO_BRACKET.sub("", bare))
    return len(HUGE_NUMBER.findall(bare)) > MOST_HUGE_NUMBERS or max(depths, default=0) > MOST_NESTED


def fault_of(value: Any, schema: dict[str, Any] | bool, size: int) -> dict[str, Any] | None:
    """Where a value does not fit a checked schema, as a path such as ``$.names[0]``, and why; ``None`` if it fits.

    What would take long to explain is not explained: then both are left out.

    Args:
        value: what ``json.loads`` made of a text that is not too complex.
        schema: the schema.
        size: the characters of that text.
    """
    import jsonschema_rs

    validator, alternatives = _validator(json.dumps(schema))
    try:
        is_valid = validator.is_valid(value)
    except UnicodeEncodeError:  # half of a surrogate pair, which is no character
        value = json.loads(encodable(json.dumps(value, ensure_ascii=False)))
        is_valid = validator.is_valid(value)
    if is_valid:
        return None
    if size * alternatives <= MOST_EXPLAINED:
        try:
            validator.validate(value)
        except jsonschema_rs.ValidationError as error:
            path = "$" + "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in error.instance_path)
            return {"at": path, "why": summarize_faults([(path, error.message)])}
    return {}


@lru_cache(maxsize=64)
def _validator(schema: str) -> tuple[Any, float]:
    """The validator of a schema, given as JSON text so that it can be cached, and how many alternatives it weighs."""
    import jsonschema_rs

    loaded = json.loads(schema)
    linear = jsonschema_rs.RegexOptions()
    made = jsonschema_rs.validator_for(loaded, pattern_options=linear, validate_formats=False, retriever=_not_fetched)
    return made, 1 + _to_explain(loaded)


def _to_explain(schema: Any) -> float:
    """How many schemas there are to explain in one: those in lists of alternatives, and those that references lead to,
    each as often as one comes to it; infinity if a reference goes round in a circle, or leads nowhere.
    """
    known: dict[str, float] = {}  # by reference

    def count(part: Any) -> float:
        if isinstance(part, list):
            return sum(map(count, part))
        found = 0.0
        for name, inner in part.items() if isinstance(part, dict) else ():
            found += count(inner)
            if name in ALTERNATIVES and isinstance(inner, list):
                found += len(inner)
            elif name in REFERENCES and isinstance(inner, str):
                if inner not in known:
                    known[inner] = math.inf  # until it is counted: whoever comes back here goes round
                    target = _target(inner, schema)
                    known[inner] = math.inf if target is None else 1 + count(target)
                found += known[inner]
        return found

    return count(schema)


def _target(reference: str, schema: Any) -> Any:
    """What a reference such as ``#/$defs/name`` names; ``None`` for any other kind of reference."""
    within = schema
    for name in reference.removeprefix("#").split("/")[1:]:
        within = within.get(name.replace("~1", "/").replace("~0", "~")) if isinstance(within, dict) else None
    return within if reference == "#" or reference.startswith("#/") else None


def _not_fetched(address: str) -> Any:
    raise ValueError(f"{address} is another file, which is not fetched")
