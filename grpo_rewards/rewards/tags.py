"""Are the tags there that were asked for?"""

from __future__ import annotations

from typing import Any

from grpo_rewards.completion.sections import before_end_of_turn, count_tags, is_tag_name, opens_tag
from grpo_rewards.completion.text import is_blank, visible
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.verdict import Verdict

__all__ = ["tag_count", "xml_format"]

THINK_ANSWER = ("think", "answer")


def _check_tags(tags: list[str] | tuple[str, ...], **_: Any) -> None:
    if not tags or not all(map(is_tag_name, tags)) or len(set(tags)) < len(tags):
        raise RewardError(f"tags must be different names, such as ['think', 'answer'], not {tags!r}.")


@reward(reasons=("all", "some", "none"), range=(0.0, 1.0), check=_check_tags)
def tag_count(
    completion: str,
    prompt: Any = None,
    *,
    tags: list[str] | tuple[str, ...] = THINK_ANSWER,
    opened: bool | None = None,
) -> Verdict:
    """The share of the tags that are right: ``<tag>`` and ``</tag>`` each count where they stand exactly once.

    Partial credit on the way to a format, as in open-r1. An opening tag also needs its closing one somewhere behind it,
    something in between that is no tag of these, and its section must begin behind those of the tags before it; a tag
    that the chat template opened counts as long as the completion does not repeat it.

    Args:
        completion: the text of the last assistant message.
        prompt: read to see whether it ends with the first of the tags.
        tags: their names.
        opened: whether the chat template opened the first of them; ``None`` looks at the prompt.

    Returns:
        k / (2 n) for k of the 2 n tags, never ``None``. Reasons: ``all``, ``some``, ``none``.

    >>> tag_count.score("<think>2 + 2</think><answer>4"), tag_count.score("<think></think>")
    (0.5, 0.25)
    """
    text = before_end_of_turn(completion)
    right, ended = 0, -1  # ended: where the last section does
    for index, tag in enumerate(tags):
        given = index == 0 and opens_tag(prompt, tag, opened)
        opens, closes = count_tags(text, tag)
        start = 0 if given else text.find(f"<{tag}>") + len(tag) + 2
        end = text.find(f"</{tag}>")
        holds = ended < start < end and not is_blank(_without_tags(text[start:end], tags))
        ended = end if holds else ended
        right += (opens == (0 if given else 1) and holds) + (closes == 1)
    share = right / (2 * len(tags))
    return Verdict(share, "all" if share == 1 else "some" if share else "none")


def _without_tags(text: str, tags: list[str] | tuple[str, ...]) -> str:
    for tag in tags:
        text = text.replace(f"<{tag}>", " ").replace(f"</{tag}>", " ")
    return text


@reward(
    reasons=("well_formed", "missing_tag", "repeated_tags", "wrong_order", "blank_section", "text_outside"),
    range=(0.0, 1.0),
    check=_check_tags,
)
def xml_format(
    completion: str, prompt: Any = None, *, tags: list[str] | tuple[str, ...], opened: bool | None = None
) -> Verdict:
    """1 if the completion is ``<a>…</a><b>…</b>…`` for the tags that are named, in their order, else 0.

    Each tag is opened and closed exactly once, none inside another, each says something (a letter or a digit), and
    nothing but white space stands outside. Where the chat template opened the first tag the completion starts inside.

    Args:
        completion: the text of the last assistant message.
        prompt: read to see whether it ends with the first of the tags.
        tags: their names in order.
        opened: whether the chat template opened the first of them; ``None`` looks at the prompt.

    Returns:
        1.0 or 0.0, never ``None``. Reasons: ``well_formed``, ``missing_tag``, ``repeated_tags``, ``wrong_order``,
        ``blank_section``, ``text_outside``.

    >>> steps = xml_format.bind(tags=["plan", "code"])
    >>> steps.score("<plan>Loop.</plan>\\n<code>while 1: pass</code>"), steps.score("<plan></plan><code>1</code>")
    (1.0, 0.0)
    """
    given = opens_tag(prompt, tags[0], opened)
    text = before_end_of_turn(completion)
    reason = _form(f"<{tags[0]}>{text}" if given else text, tags)
    return Verdict(float(reason == "well_formed"), reason)


def _form(text: str, tags: list[str] | tuple[str, ...]) -> str:
    counts = [count for tag in tags for count in count_tags(text, tag)]
    if min(counts) == 0:
        return "missing_tag"
    if max(counts) > 1:
        return "repeated_tags"
    places = [place for tag in tags for place in (text.index(f"<{tag}>"), text.index(f"</{tag}>"))]
    if places != sorted(places):
        return "wrong_order"
    sections, outside, at = [], [], 0
    for tag, start, end in zip(tags, places[::2], places[1::2], strict=True):
        outside.append(text[at:start])
        sections.append(text[start + len(tag) + 2 : end])
        at = end + len(tag) + 3
    if any(map(is_blank, sections)):
        return "blank_section"
    return "text_outside" if visible("".join([*outside, text[at:]])).strip() else "well_formed"
