"""Does the completion match a pattern, contain keywords, or proceed in steps?"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Literal

from grpo_rewards.completion.linear_patterns import compiled, encodable
from grpo_rewards.completion.sections import before_end_of_turn
from grpo_rewards.completion.steps import step_contents
from grpo_rewards.completion.whole_words import folded, holds, undisguised
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.rewards.building_blocks.safe_patterns import check_regex
from grpo_rewards.verdict import Verdict

__all__ = ["keywords", "pattern", "reasoning_steps"]

ENGINE_HINT = " Where you trust the expression, engine='re' takes it, on texts up to max_characters."


def _check_pattern(regex: str, engine: str, max_characters: int) -> None:
    if max_characters < 1:
        raise RewardError(f"max_characters must be at least 1, not {max_characters}.")
    if engine == "re2":
        return check_regex(regex, ENGINE_HINT)
    try:
        _compiled_by_re(regex)
    except (re.error, OverflowError, RecursionError) as error:
        raise RewardError(f"regex {regex!r} cannot be used: {error}.") from None


@lru_cache(maxsize=256)
def _compiled_by_re(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


@reward(reasons=("match", "no_match", "too_large"), range=(0.0, 1.0), check=_check_pattern, example={"regex": r"\d+"})
def pattern(
    completion: str, *, regex: str, engine: Literal["re2", "re"] = "re2", max_characters: int = 10_000
) -> Verdict:
    """1 if the regular expression matches somewhere in the completion, else 0.

    The whole text is searched, reasoning included. The expression runs on RE2 (google-re2), in time linear in the text;
    look-around and back-references are refused with a RewardError. To match the whole text, write ``^`` and ``$``. No
    flags are set: ``.`` does not match a newline and ``^`` matches only at the start of the text, unless the expression
    begins with ``(?s)``, ``(?m)`` or ``(?i)``.

    Args:
        completion (str): the text of the last assistant message.
        regex (str): the expression.
        engine (str): ``re2``, the default, or ``re``: Python's own, which has look-around and back-references, but
            which some texts can stall. Use it only for an expression that you trust.
        max_characters (int): with ``engine="re"``, the longest completion that is searched; 10,000 by default.

    Returns:
        1.0 or 0.0, never ``None``. Reasons:

        - ``match``: the expression matches (1.0).
        - ``no_match``: it does not.
        - ``too_large``: with ``engine="re"``, more than ``max_characters`` characters; not searched.

    A policy would try to write only what matches, and that earns 1. Pair this reward with one for the answer.

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
    if not all(map(folded, words)):
        raise RewardError(f"include and exclude must be words that can be seen, not {words!r}.")
    twice = set(map(folded, include)) & set(map(folded, exclude))
    if twice:
        raise RewardError(f"{sorted(twice)[0]!r} is both in include and in exclude.")


@reward(
    reasons=("all", "some", "none", "excluded"),
    range=(0.0, 1.0),
    check=_check_keywords,
    table=("missing",),
    example={"include": ["therefore"]},
)
def keywords(
    completion: str,
    *,
    include: list[str] | tuple[str, ...],
    exclude: list[str] | tuple[str, ...] = (),
    case_sensitive: bool = False,
) -> Verdict:
    """The share of the words in ``include`` that the completion contains; 0 if it contains one of ``exclude``.

    Only whole words and phrases are found: "art" is not found in "start", "C" not in "C++", "can" not in "can't", "5"
    not in "3.5". In scripts without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan) a word
    is found anywhere: ``不知道`` in ``我不知道答案``. Korean particles may follow a word. In all other scripts, Arabic
    and Hebrew too, what is joined to a word makes it another one. How often a word occurs does not matter.

    Before the search, both sides are brought into one form: case (unless ``case_sensitive``), white space, the kind of
    quotation marks and hyphens, and the compatibility forms of Unicode (NFKC) do not matter; emphasis (``**``) and
    invisible characters are removed. Text after the end of the turn is ignored. A word of ``exclude`` is also found
    where letters of other alphabets stand for some of its Latin ones, or where emphasis or a tag stands inside it.

    Args:
        completion (str): the text of the last assistant message.
        include (list[str]): words or phrases that earn the reward. With ``[]``, a completion without a word of
            ``exclude`` earns 1.
        exclude (list[str]): words or phrases that forfeit it; none by default.
        case_sensitive (bool): whether upper and lower case differ; ``False`` by default.

    Returns:
        A float in [0, 1], never ``None``. The detail ``missing`` lists the words that were not found. Reasons:

        - ``all``: every word of ``include`` (1.0).
        - ``some``: at least one, but not all.
        - ``none``: not one (0.0).
        - ``excluded``: a word of ``exclude`` (0.0); the verdict's prediction is that word.

    A policy would try to write the bare words, and that earns 1. Writing one of them many times gains nothing. Pair
    this reward with one for the answer.

    >>> keywords.bind(include=["therefore", "because"], exclude=["maybe"]).score("It is 4, therefore even.")
    0.5
    """
    text = folded(before_end_of_turn(completion), case_sensitive)
    ways = {text, undisguised(text)} if exclude else set()
    unwanted = [word for word in exclude if any(holds(way, folded(word, case_sensitive)) for way in ways)]
    if unwanted:
        return Verdict(0.0, "excluded", prediction=unwanted[0])
    missing = [word for word in include if not holds(text, folded(word, case_sensitive))]
    share = 1 - len(missing) / len(include) if include else 1.0
    reason = "all" if share == 1 else "some" if share else "none"
    return Verdict(share, reason, details={"missing": missing})


def _check_steps(target: int) -> None:
    if target < 1:
        raise RewardError(f"target must be at least 1 step, not {target}.")


@reward(reasons=("enough", "too_few", "none"), range=(0.0, 1.0), check=_check_steps)
def reasoning_steps(completion: str, *, target: int = 3) -> Verdict:
    """``min(1, steps / target)``: the more steps the completion is laid out in, the more it earns.

    A step is a line that begins with a number, a letter or a bullet of a list, "Step 2", "Step two", "第三步", or a
    word such as "First", "Next" or "首先"; some twenty languages are known. A tag such as ``<think>``, the marks of a
    heading and emphasis may stand before it. After the mark it must say something, a letter or a digit, that no other
    step says; behind a heading such as "**Step 1**", the next line may say it. Only the first 200,000 characters
    are read.

    Args:
        completion (str): the text of the last assistant message.
        target (int): how many steps earn 1; 3 by default.

    Returns:
        A float in [0, 1], never ``None``. The detail ``steps`` is the number of steps. Reasons:

        - ``enough``: ``target`` steps or more (1.0).
        - ``too_few``: at least one step.
        - ``none``: no step (0.0).

    Source: after open-r1, where "First, Second, Next," in one line are three steps.

    A policy would try "1. 2. 3.", or the same step again and again. Empty steps earn nothing, and repeated ones count
    once. But the layout alone is rewarded, not the reasoning, so give this reward little weight.

    >>> reasoning_steps.score("1. Add 2 and 3.\\n2. That is 5.\\n3.\\n4. That is 5.")
    0.6666666666666666
    """
    steps = len(step_contents(before_end_of_turn(completion)))
    reason = "enough" if steps >= target else "too_few" if steps else "none"
    return Verdict(min(1.0, steps / target), reason, details={"steps": steps})
