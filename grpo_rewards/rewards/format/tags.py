"""Does the completion use the requested tags?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from grpo_rewards.completion.reasoning.marks import THINK, Marks, marks_of
from grpo_rewards.completion.sections import as_written, is_tag_name, opens_thinking
from grpo_rewards.completion.text import is_only_markup, visible
from grpo_rewards.registry import RewardError, batch_reward
from grpo_rewards.rewards.building_blocks.opened_hint import hint_at_template
from grpo_rewards.verdict import Verdict

__all__ = ["tag_count", "xml_format"]

DEFAULT_TAGS = ("think", "answer")
HOW_TAGS = "tags must be different names, such as ['think', 'answer'], or pairs of delimiters"
ABOUT_REASONING = re.compile("think|thought|reason|working_out", re.IGNORECASE)


# Of each section the tag's name, or its two delimiters.
Tags: TypeAlias = "list[str | tuple[str, str] | list[str]] | tuple[str | tuple[str, str] | list[str], ...]"


def _check_tags(tags: Tags, **_: Any) -> None:
    try:
        every = [mark for pair in _marks(tags) for mark in pair]
    except ValueError as error:
        raise RewardError(f"{HOW_TAGS}, not {tags!r}: {error}") from None
    if not every or len(set(every)) < len(every):
        raise RewardError(f"{HOW_TAGS}, not {tags!r}.")


def _marks(tags: Tags) -> list[Marks]:
    """The delimiters of each section; ValueError if they are none."""
    marks = []
    for tag in tags:
        if isinstance(tag, str) and not is_tag_name(tag):
            raise ValueError(f"{tag!r} is no tag's name")
        marks.append(Marks(f"<{tag}>", f"</{tag}>") if isinstance(tag, str) else marks_of(tag, "tags"))
    return marks


def _texts(
    reward: str, completions: Sequence[str], prompts: Sequence[Any], first: Marks, tags: Tags, opened: bool | None
) -> list[tuple[str, bool]]:
    """(text, opened) of each completion: up to the end of its turn, and whether it starts inside the first section."""
    hint_at_template(reward, "opened", completions, prompts, first, opened, tags=tags)
    # What a parser took out as reasoning is the first section only if that is about reasoning.
    reasoning = first if ABOUT_REASONING.search(first.opening) else THINK
    return [
        as_written(completion, opens_thinking(prompt, opened, first), reasoning)
        for completion, prompt in zip(completions, prompts, strict=True)
    ]


@batch_reward(reasons=("all", "some", "none"), range=(0.0, 1.0), check=_check_tags)
def tag_count(
    completions: Sequence[str],
    prompts: Sequence[Any],
    *,
    tags: Tags = DEFAULT_TAGS,
    opened: bool | None = None,
) -> list[Verdict]:
    """The share of the tags that are right: ``<tag>`` and ``</tag>`` count separately, each if it occurs exactly once.

    This is partial credit on the way to a format. An opening tag must also

    - have its closing tag somewhere after it;
    - have a letter or a digit between the two, outside any of these tags;
    - begin after the sections of the earlier tags have ended.

    If the chat template opened the first tag, that tag counts unless the completion repeats it.

    Args:
        completions (Sequence[str]): the texts of the last assistant messages.
        prompts (Sequence): the prompts, as text or messages; only used to see whether they end with the first tag.
        tags (list): the names of the tags in their order; ``think`` and ``answer`` by default. What is no tag has two
            delimiters, ``("[PLAN]", "[/PLAN]")``.
        opened (bool | None): whether the chat template opened the first tag. ``None``, the default: look at the end of
            each prompt.

    Returns:
        k / (2 n) if k of the 2 n tags are right; a float in [0, 1], never ``None``. Reasons:

        - ``all``: every tag is right (1.0).
        - ``some``: at least one is.
        - ``none``: no tag is (0.0).

    Source: after open-r1.

    A policy would try the tags without contents. These earn half, for the closing tags. Once the model has learnt the
    tags, go over to ``xml_format``, for instance with ``scheduled``.

    >>> tag_count.score("<think>2 + 2</think><answer>4"), tag_count.score("<think></think>")
    (0.5, 0.25)
    """
    marks = _marks(tags)
    texts = _texts("tag_count", completions, prompts, marks[0], tags, opened)
    shares = [_share(text, is_open, marks) for text, is_open in texts]
    return [Verdict(share, "all" if share == 1 else "some" if share else "none") for share in shares]


def _share(text: str, opened: bool, marks: Sequence[Marks]) -> float:
    """The share of the tags that are right."""
    right, ended = 0, -1  # ended: where the last good section ends
    for index, (opening, closing) in enumerate(marks):
        given = index == 0 and opened
        start = 0 if given else text.find(opening) + len(opening)
        end = text.find(closing)
        holds = ended < start < end and not is_only_markup(_without(marks, text[start:end]))
        ended = end if holds else ended
        right += (text.count(opening) == (0 if given else 1) and holds) + (text.count(closing) == 1)
    return right / (2 * len(marks))


def _without(marks: Sequence[Marks], text: str) -> str:
    for pair in marks:
        for mark in pair:
            text = text.replace(mark, " ")
    return text


@batch_reward(
    reasons=("well_formed", "missing_tag", "repeated_tags", "wrong_order", "blank_section", "text_outside"),
    range=(0.0, 1.0),
    check=_check_tags,
    example={"tags": ["plan", "code"]},
)
def xml_format(
    completions: Sequence[str], prompts: Sequence[Any], *, tags: Tags, opened: bool | None = None
) -> list[Verdict]:
    """1 if the completion is ``<a>…</a><b>…</b>…`` for the given tags in their order, else 0.

    Each tag must be opened and closed exactly once, no section may lie inside another, and each must say something (a
    letter or a digit). Only white space may stand outside. If the chat template opened the first tag, the completion
    starts inside it.

    Args:
        completions (Sequence[str]): the texts of the last assistant messages.
        prompts (Sequence): the prompts, as text or messages; only used to see whether they end with the first tag.
        tags (list): the names of the tags in their order. What is no tag has two delimiters, as in
            ``[("[PLAN]", "[/PLAN]"), "code"]``.
        opened (bool | None): whether the chat template opened the first tag. ``None``, the default: look at the end of
            each prompt.

    Returns:
        1.0 or 0.0, never ``None``. Reasons:

        - ``well_formed``: all is as it should be (1.0).
        - ``missing_tag``: an opening or a closing tag is missing.
        - ``repeated_tags``: one occurs more than once.
        - ``wrong_order``: the sections are in another order, or one is inside another.
        - ``blank_section``: a section without a letter or digit.
        - ``text_outside``: text before, between or after the sections.

    A policy would try empty or nested tags, or text outside them. All of these earn 0.

    >>> steps = xml_format.bind(tags=["plan", "code"])
    >>> steps.score("<plan>Loop.</plan>\\n<code>while 1: pass</code>"), steps.score("<plan></plan><code>1</code>")
    (1.0, 0.0)
    """
    marks = _marks(tags)
    texts = _texts("xml_format", completions, prompts, marks[0], tags, opened)
    reasons = [_form(f"{marks[0].opening}{text}" if is_open else text, marks) for text, is_open in texts]
    return [Verdict(float(reason == "well_formed"), reason) for reason in reasons]


def _form(text: str, marks: Sequence[Marks]) -> str:
    """The reason code for a text, to which a tag that the chat template opened was added."""
    counts = [text.count(mark) for pair in marks for mark in pair]
    if min(counts) == 0:
        return "missing_tag"
    if max(counts) > 1:
        return "repeated_tags"
    places = [text.index(mark) for pair in marks for mark in pair]
    if places != sorted(places):
        return "wrong_order"
    sections, outside, at = [], [], 0
    for (opening, closing), start, end in zip(marks, places[::2], places[1::2], strict=True):
        outside.append(text[at:start])
        sections.append(text[start + len(opening) : end])
        at = end + len(closing)
    if any(map(is_only_markup, sections)):
        return "blank_section"
    return "text_outside" if visible("".join([*outside, text[at:]])).strip() else "well_formed"
