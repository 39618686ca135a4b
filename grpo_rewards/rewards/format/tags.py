"""Has the completion the tags, the reasoning and the box that it was to have?"""

import logging
import re
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, TypeAlias

from grpo_rewards.completion.boxes import last_box
from grpo_rewards.completion.reasoning.marks import THINK, Marks, marks_of
from grpo_rewards.completion.reasoning.thinking import Thinking
from grpo_rewards.completion.sections import (
    CLOSING_QUOTES,
    as_written,
    count_tags,
    is_tag_name,
    opens_thinking,
    without_quoted,
)
from grpo_rewards.completion.text import is_only_markup, visible
from grpo_rewards.completion.tool_calls.tags import without_calls
from grpo_rewards.registry import RewardError, batch_reward, reward
from grpo_rewards.verdict import Verdict

__all__ = ["boxed_format", "tag_count", "think_answer_format", "think_format", "xml_format"]

# Between two turns of the policy's own: markers and its role, and no word of anybody else.
OWN_NEXT_TURN = re.compile(r"(?:<[^<>\s]{1,40}>|\s|assistant|model)*+")
ANSWER = Marks("<answer>", "</answer>")
# By what is wrong with sections of any kind, what is wrong with an answer.
REASONS_OF_ANSWER = {
    "missing_tag": "no_answer",
    "wrong_order": "no_answer",
    "repeated_tags": "repeated_answer",
    "blank_section": "blank_answer",
}
REASONING_REASONS = (
    "well_formed",
    "no_thinking",
    "unfinished_thinking",
    "repeated_tags",
    "blank_reasoning",
    "answer_in_reasoning",
)


@batch_reward(reasons=(*REASONING_REASONS, "blank_response"), range=(0.0, 1.0))
def think_format(completions: Sequence[str], prompts: Sequence[Any], *, thinking: Thinking) -> list[Verdict]:
    """1 if the completion is ``<think>reasoning</think>`` followed by a response, else 0.

    Each tag must occur exactly once; one that is only quoted, as in ``"</think>"``, opens and closes nothing. The
    reasoning and the response must each have a content: a letter or a digit that is no mark-up, so ``...``,
    ``\\boxed{}`` and ``<answer></answer>`` have none. The reasoning must not hold ``<answer>`` tags. White space before
    ``<think>`` is allowed. If the chat template already opened ``<think>``, the completion starts inside the reasoning
    and must not open it again.

    Args:
        completions (Sequence[str]): the texts of the last assistant messages.
        prompts (Sequence): the prompts, as text or messages; only used to see whether they end inside the reasoning.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of each prompt. If prompts are
            messages, they do not show what the template adds: bind ``True`` for a model whose template opens it.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        1.0 or 0.0, never ``None``. Reasons:

        - ``well_formed``: all is as it should be (1.0).
        - ``no_thinking``: does not begin with ``<think>``.
        - ``unfinished_thinking``: ``</think>`` is missing, or ``<think>`` is opened again and not closed.
        - ``repeated_tags``: a tag occurs more than once, or reasoning begins again in a second turn of its own.
        - ``answer_in_reasoning``: ``<answer>`` or ``</answer>`` in the reasoning.
        - ``blank_reasoning``: the reasoning has no content.
        - ``blank_response``: the response has no content.

    A policy would try empty tags, ``...``, invisible characters, or tags spelled with look-alike letters. All of these
    earn 0.

    >>> think_format.score("I add.</think>It is 4.", prompt="What is 2 + 2? <think>")
    1.0
    """
    return _well_formed("think_format", completions, prompts, thinking, _response)


@batch_reward(
    reasons=(*REASONING_REASONS, "no_answer", "repeated_answer", "blank_answer", "text_outside"), range=(0.0, 1.0)
)
def think_answer_format(completions: Sequence[str], prompts: Sequence[Any], *, thinking: Thinking) -> list[Verdict]:
    """1 if the completion is ``<think>reasoning</think><answer>answer</answer>`` and nothing else, else 0.

    The rules for the reasoning are those of ``think_format``. After it there must be one ``<answer>`` that says
    something (a letter or a digit), with only white space around it.

    Args:
        completions (Sequence[str]): the texts of the last assistant messages.
        prompts (Sequence): the prompts, as text or messages; only used to see whether they end inside the reasoning.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of each prompt.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        1.0 or 0.0, never ``None``. Reasons:

        - ``well_formed``: all is as it should be (1.0).
        - ``no_thinking``, ``unfinished_thinking``, ``repeated_tags``, ``answer_in_reasoning``, ``blank_reasoning``: as
          for ``think_format``.
        - ``no_answer``: no ``<answer>…</answer>`` after the reasoning.
        - ``repeated_answer``: more than one.
        - ``text_outside``: text around the answer.
        - ``blank_answer``: the answer says nothing.

    A policy would try several answers, or text outside the tags. Both earn 0.

    >>> think_answer_format.explain("<think>I add.</think><answer>4</answer> Bye!").reason
    'text_outside'
    """
    return _well_formed("think_answer_format", completions, prompts, thinking, _answer)


@reward(reasons=("boxed", "no_box", "blank_box", "unfinished_thinking"), range=(0.0, 1.0))
def boxed_format(completion: str, prompt: Any = None, *, thinking: Thinking) -> Verdict:
    """1 if the response after the reasoning holds a box that is closed and not blank, right or wrong, else 0.

    The last box counts. It must hold a letter or a digit.

    Args:
        completion (str): the text of the last assistant message.
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends inside
            the reasoning.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of ``prompt``.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        1.0 or 0.0, never ``None``. Reasons:

        - ``boxed``: such a box (1.0).
        - ``no_box``: no closed box after the reasoning.
        - ``blank_box``: the last box holds no letter or digit.
        - ``unfinished_thinking``: the reasoning was never closed.

    A policy would try an empty box, which earns 0, or a box with just anything, which earns 1: give this reward little
    weight.

    >>> boxed_format.score(r"It is \\boxed{5}."), boxed_format.score(r"It is \\boxed{5.")
    (1.0, 0.0)
    """
    text = thinking.response_without_calls(completion, prompt)
    if text is None:
        return Verdict(0.0, "unfinished_thinking")
    prediction = last_box(text)
    if prediction is None:
        return Verdict(0.0, "no_box")
    reason = "blank_box" if is_only_markup(prediction) else "boxed"
    return Verdict(float(reason == "boxed"), reason, prediction=prediction)


def _reason(completion: str, prompt: Any, thinking: Thinking, of_response: Callable[[str], str]) -> str:
    """The reason code of a completion: that of its reasoning, or of its response if nothing is wrong with that."""
    marks = thinking.marks
    text, opened = thinking.as_written(completion, prompt)
    if len(text) < len(completion) and completion.startswith(text):
        between, begins, _ = completion[len(text) :].partition(marks.opening)
        if begins and OWN_NEXT_TURN.fullmatch(between):
            return "repeated_tags"  # it answers the same prompt again; what it writes for others does not count
    reason, end = _thinking(text, opened, marks)
    return of_response(without_calls(text[end:])) if reason == "well_formed" else reason


def _response(response: str) -> str:
    """The reason code of ``think_format`` for what follows the reasoning."""
    return "blank_response" if is_only_markup(response) else "well_formed"


def _well_formed(
    reward: str,
    completions: Sequence[str],
    prompts: Sequence[Any],
    thinking: Thinking,
    of_response: Callable[[str], str],
) -> list[Verdict]:
    """1 for each completion with nothing wrong with it. Warns if the chat template seems to open the reasoning."""
    hint_at_template(reward, "think_opened", completions, prompts, thinking.marks, thinking.think_opened)
    reasons = [_reason(text, prompt, thinking, of_response) for text, prompt in zip(completions, prompts, strict=True)]
    return [Verdict(float(reason == "well_formed"), reason) for reason in reasons]


def _thinking(text: str, opened: bool, marks: Marks) -> tuple[str, int]:
    """(reason, end): the reason code for the reasoning, ``well_formed`` if nothing is wrong with it, and its end."""
    opening, closing = marks
    counts_fit = (text.count(opening), text.count(closing)) == (int(not opened), 1)
    if not counts_fit or text[max(text.find(closing) - 1, 0)] in CLOSING_QUOTES:
        text = without_quoted(text, marks)
    opens, closes, close = text.count(opening), text.count(closing), text.rfind(closing)
    end = close + len(closing)
    if opening in text[close + 1 :] or (opened and closes == 0):
        return "unfinished_thinking", end
    if not opened and not visible(text).lstrip().startswith(opening):
        return "no_thinking", end
    if closes > 1 or opens != int(not opened):
        return "repeated_tags", end
    reasoning = text[:close].replace(opening, "", 1)
    if any(count_tags(reasoning, "answer")) and any(count_tags(without_quoted(reasoning, ANSWER), "answer")):
        return "answer_in_reasoning", end
    return "blank_reasoning" if is_only_markup(reasoning) else "well_formed", end


def _answer(rest: str) -> str:
    """The reason code for what follows the reasoning."""
    reason = _form(rest, [ANSWER])
    return REASONS_OF_ANSWER.get(reason, reason)


HOW_TAGS = "tags must be different names, such as ['think', 'answer'], or pairs of delimiters"
ABOUT_REASONING = re.compile("think|thought|reason|working_out", re.IGNORECASE)

# Of each section the tag's name, or its two delimiters.
Tags: TypeAlias = "list[str | tuple[str, str] | list[str]] | tuple[str | tuple[str, str] | list[str], ...]"


def _check_tags(tags: Tags, **_: Any) -> None:
    try:
        every = [*chain(*_marks(tags))]
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
    reward: str, completions: Sequence[str], prompts: Sequence[Any], first: Marks, opened: bool | None
) -> list[tuple[str, bool]]:
    """(text, opened) of each completion: up to the end of its turn, and whether it starts inside the first section."""
    hint_at_template(reward, "opened", completions, prompts, first, opened)
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
    tags: Tags = ("think", "answer"),
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
    texts = _texts("tag_count", completions, prompts, marks[0], opened)
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
        right += (text.count(opening) == int(not given) and holds) + (text.count(closing) == 1)
    return right / (2 * len(marks))


def _without(marks: Sequence[Marks], text: str) -> str:
    for mark in chain(*marks):
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
    texts = _texts("xml_format", completions, prompts, marks[0], opened)
    reasons = [_form(f"{marks[0].opening}{text}" if is_open else text, marks) for text, is_open in texts]
    return [Verdict(float(reason == "well_formed"), reason) for reason in reasons]


def _form(text: str, marks: Sequence[Marks]) -> str:
    """The reason code for a text, to which a tag that the chat template opened was added."""
    counts = [*map(text.count, chain(*marks))]
    if min(counts) == 0:
        return "missing_tag"
    if max(counts) > 1:
        return "repeated_tags"
    pieces, rest = [], text  # outside and inside a section by turns
    for mark in chain(*marks):
        piece, found, rest = rest.partition(mark)
        if not found:
            return "wrong_order"
        pieces.append(piece)
    if any(map(is_only_markup, pieces[1::2])):
        return "blank_section"
    return "text_outside" if visible("".join([*pieces[::2], rest])).strip() else "well_formed"


# The warning that a reward is 0 because the chat template opens the reasoning, and the reward does not know it.
warned = set[tuple[str, Marks]]()  # rewards and delimiters warned about in this process
_log = logging.getLogger("grpo_rewards")
MOST = 0.5  # the share of a call's completions that must end reasoning


def hint_at_template(
    reward: str,
    option: str,
    texts: Sequence[str],
    prompts: Sequence[Any],
    marks: Marks,
    opened: bool | None,
) -> None:
    """Warns if most completions of a call end reasoning, and none of them began it.

    Prompts must be message lists, which do not show what a template adds to them. It warns once in a process for each
    reward and delimiters, and never where the option was bound.

    Args:
        reward: the reward's name.
        option: the name of its option for whether the template opened the reasoning.
        texts: the completions of the call.
        prompts: their prompts.
        marks: the delimiters of the reasoning.
        opened: the value of the option.
    """
    if opened is not None or (reward, marks) in warned or not texts or not isinstance(prompts[0], list | tuple):
        return
    if any(opens_thinking(prompt, None, marks) for prompt in prompts):
        return  # a turn that the prompt began; the reward sees that
    reasonings = [text.partition(marks.closing)[0] for text in texts if marks.closing in text]
    closing = len(reasonings)
    if closing <= MOST * len(texts) or any(marks.opening in one for one in reasonings):
        return
    warned.add((reward, marks))
    _log.warning(
        f"reward '{reward}': {closing} of the {len(texts)} completions of this call have {marks.closing} and none "
        f"has {marks.opening} before it. The chat template seems to open it in the prompt, which message lists do "
        f"not show, so this reward stays low however the model writes. Pass the tokenizer to check_rewards, "
        f"which looks at the template, or bind {option}=True."
    )
