"""Does the text match, name or number what it should?"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any, Literal

from grpo_rewards.completion.sections import before_end_of_turn
from grpo_rewards.completion.text import is_blank, visible
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.rewards.building_blocks.safe_patterns import check_regex, compiled, encodable
from grpo_rewards.verdict import Verdict

__all__ = ["keywords", "pattern", "reasoning_steps"]

STEP_LENGTH = 500  # characters by which a step is told from others
HINT = " Where you trust the expression, engine='re' takes it, on texts up to max_characters."
# What Unicode normalises together, a few hundred characters at most: it takes a time quadratic in a run of accents.
NORMALISED = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]{1,300}")
# How a step begins: a number, a bullet, or a word that says so.
ORDINALS = "first|second|third|fourth|fifth|next|then|finally|lastly"
STEP = re.compile(
    r"^[ \t]{0,8}(?:[*#>_]{1,4}[ \t]{0,2})?"
    rf"(?:step[ \t]{{0,2}}\d{{1,3}}\b|\(?\d{{1,3}}[.):](?!\d)|[-*•][ \t]|(?:{ORDINALS})(?:ly)?\b)"
    r"[*_:.), \t]{0,4}",
    re.IGNORECASE | re.MULTILINE,
)


def _check_pattern(regex: str, engine: str, max_characters: int) -> None:
    if max_characters < 1:
        raise RewardError(f"max_characters must be at least 1, not {max_characters}.")
    if engine == "re2":
        return check_regex(regex, HINT)
    try:
        _compiled_by_re(regex)
    except (re.error, OverflowError, RecursionError) as error:
        raise RewardError(f"regex {regex!r} cannot be used: {error}.") from None


@lru_cache(maxsize=256)
def _compiled_by_re(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


@reward(reasons=("match", "no_match", "too_large"), range=(0.0, 1.0), check=_check_pattern)
def pattern(
    completion: str, *, regex: str, engine: Literal["re2", "re"] = "re2", max_characters: int = 10_000
) -> Verdict:
    """1 if the regular expression matches somewhere in the completion, else 0.

    It runs on RE2 (google-re2), in time linear in the text whatever a model writes. Anchor it with ``^`` and ``$`` for
    the whole text. No flags are set: ``.`` does not match a newline and ``^`` is the start of the text; write ``(?s)``,
    ``(?m)`` or ``(?i)`` in front where that is meant.

    Args:
        completion: the text of the last assistant message.
        regex: the expression.
        engine: ``re`` is Python's, which has look-around and back-references, and which some texts make take for ever.
        max_characters: with ``re``, a longer completion is ``too_large``.

    Returns:
        1.0 or 0.0, never ``None``. Reasons: ``match``, ``no_match``, ``too_large``.

    >>> pattern.bind(regex=r"(?m)^Answer: -?\\d+$").score("I add.\\nAnswer: 4")
    1.0
    """
    if engine == "re" and len(completion) > max_characters:
        return Verdict(0.0, "too_large")
    found = (
        _compiled_by_re(regex).search(completion) if engine == "re" else compiled(regex).search(encodable(completion))
    )
    return Verdict(float(found is not None), "no_match" if found is None else "match")


def _check_keywords(include: Any, exclude: Any, **_: Any) -> None:
    words = [*include, *exclude]
    if not words or not all(isinstance(word, str) and word.strip() for word in words):
        raise RewardError(f"include and exclude must be lists of words, one at least, not {include!r} and {exclude!r}.")
    twice = {word.casefold() for word in include} & {word.casefold() for word in exclude}
    if twice:
        raise RewardError(f"{sorted(twice)[0]!r} is both in include and in exclude.")


@reward(reasons=("all", "some", "none", "excluded"), range=(0.0, 1.0), check=_check_keywords)
def keywords(
    completion: str,
    *,
    include: list[str] | tuple[str, ...],
    exclude: list[str] | tuple[str, ...] = (),
    case_sensitive: bool = False,
) -> Verdict:
    """The share of the words to include that the completion holds; 0 if it holds one that is excluded.

    Whole words or phrases: "art" is not in "start". Any white space in a phrase matches any other, and so does one
    Unicode form of a character any other (NFKC); characters that show nothing neither split nor hide a word. How often
    a word occurs does not matter, and what stands behind the end of the turn does not count.

    Args:
        completion: the text of the last assistant message.
        include: words or phrases; with ``[]``, a completion without any of ``exclude`` earns 1.
        exclude: words or phrases.
        case_sensitive: whether case counts.

    Returns:
        A number in [0, 1], never ``None``. Reasons: ``all``, ``some``, ``none``, ``excluded``.

    >>> keywords.bind(include=["therefore", "because"], exclude=["maybe"]).score("It is 4, therefore even.")
    0.5
    """
    text = _folded(before_end_of_turn(completion), case_sensitive)
    unwanted = [word for word in exclude if _holds(text, word, case_sensitive)]
    if unwanted:
        return Verdict(0.0, "excluded", prediction=unwanted[0])
    missing = [word for word in include if not _holds(text, word, case_sensitive)]
    share = 1 - len(missing) / len(include) if include else 1.0
    reason = "all" if share == 1 else "some" if share else "none"
    return Verdict(share, reason, details={"missing": missing})


def _folded(text: str, case_sensitive: bool) -> str:
    composed = NORMALISED.sub(lambda run: unicodedata.normalize("NFKC", run.group()), visible(text))
    folded = " ".join(composed.split())
    return folded if case_sensitive else folded.casefold()


def _holds(text: str, word: str, case_sensitive: bool) -> bool:
    wanted = _folded(word, case_sensitive)
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        starts = not (text[at - 1 : at].isalnum() and wanted[0].isalnum()) if at else True
        if starts and not (text[end : end + 1].isalnum() and wanted[-1].isalnum()):
            return True
        at = text.find(wanted, at + 1)
    return False


def _check_steps(target: int) -> None:
    if target < 1:
        raise RewardError(f"target must be at least 1 step, not {target}.")


@reward(reasons=("enough", "too_few", "none"), range=(0.0, 1.0), check=_check_steps)
def reasoning_steps(completion: str, *, target: int = 3) -> Verdict:
    """``min(1, steps / target)``: how many steps the completion is laid out in.

    A step is a line that begins with a number, a bullet, "Step 2", or a word such as "First" or "Next", and says
    something that no other step says (a letter or a digit behind the mark). After open-r1, where "First, Second, Next,"
    in one line are three.

    Args:
        completion: the text of the last assistant message.
        target: how many steps earn the whole reward.

    Returns:
        A number in [0, 1], never ``None``. Reasons: ``enough``, ``too_few``, ``none``.

    >>> reasoning_steps.score("1. Add 2 and 3.\\n2. That is 5.\\n3.\\n4. That is 5.")
    0.6666666666666666
    """
    text = visible(before_end_of_turn(completion))
    said = (text[mark.end() : mark.end() + STEP_LENGTH].partition("\n")[0] for mark in STEP.finditer(text))
    steps = len({" ".join(one.split()).casefold() for one in said if not is_blank(one)})
    reason = "enough" if steps >= target else "too_few" if steps else "none"
    return Verdict(min(1.0, steps / target), reason, details={"steps": steps})
