"""The delimiters of reasoning: ``<think>`` and ``</think>``, ``[THINK]`` and ``[/THINK]``, or any other pair."""

import re
from typing import Any, NamedTuple

from grpo_rewards.completion.turns import before_end_of_turn

# A closing delimiter has a slash behind the bracket, if the opening one is a name in brackets that does not itself say
# which end it is.
NAME_IN_BRACKETS = re.compile(
    r"(?!.*(?<![a-z])(?:begin|start|open|prefix)(?![a-z]))([<\[◁«⟨【(])([a-z][\w:.-]*[>\]▷»⟩】)])", re.IGNORECASE
)


class Marks(NamedTuple):
    """What stands before reasoning, and what behind it."""

    opening: str
    closing: str


THINK = Marks("<think>", "</think>")
# With these the chat templates of common models delimit reasoning.
USUAL_MARKS = (
    THINK,
    Marks("[THINK]", "[/THINK]"),  # Magistral
    Marks("<seed:think>", "</seed:think>"),  # Seed
    Marks("<thought>", "</thought>"),  # EXAONE
    Marks("<|begin_of_thought|>", "<|end_of_thought|>"),  # OpenThoughts
    Marks("<|START_THINKING|>", "<|END_THINKING|>"),  # Command
    Marks("<|channel>thought", "<channel|>"),  # Gemma 4
    Marks("<|inner_prefix|>", "<|inner_suffix|>"),  # Apertus
    Marks("<longcat_think>", "</longcat_think>"),  # LongCat
    Marks("◁think▷", "◁/think▷"),  # Kimi-VL
    Marks("<reasoning>", "</reasoning>"),
    Marks("<thinking>", "</thinking>"),
    Marks("<start_working_out>", "<end_working_out>"),  # Unsloth's notebooks
)


def marks_of(reasoning: Any, option: str = "reasoning") -> Marks:
    """The pair of delimiters that an option names: a pair, or an opening one from which the closing one follows.

    Raises:
        ValueError: it is neither, or no text can be split by it.

    >>> marks_of("[THINK]").closing, marks_of("<start_working_out>").closing, marks_of("◁think▷").closing
    ('[/THINK]', '<end_working_out>', '◁/think▷')
    """
    if isinstance(reasoning, str):
        marks = Marks(reasoning, _closing_of(reasoning, option))
    elif isinstance(reasoning, list | tuple) and len(reasoning) == 2 and all(isinstance(one, str) for one in reasoning):
        marks = Marks(*reasoning)
    else:
        raise ValueError(f'{option} must be two delimiters, such as ("<think>", "</think>"), not {reasoning!r}.')
    opening, closing = marks
    if not opening.strip() or not closing.strip() or opening in closing or closing in opening:
        raise ValueError(
            f"the delimiters of {option} must be two different texts, neither inside the other, not {tuple(marks)!r}."
        )
    for mark in marks:
        if before_end_of_turn(mark) != mark:
            raise ValueError(
                f"{mark!r} ends a turn, and cannot delimit {option}. The channels of gpt-oss are read by themselves: "
                "leave reasoning at its default."
            )
    return THINK if marks == THINK else marks


def _closing_of(opening: str, option: str) -> str:
    """The closing delimiter that belongs to an opening one."""
    closing = dict(USUAL_MARKS).get(opening)
    named = NAME_IN_BRACKETS.fullmatch(opening)
    if closing is None and named is None:
        raise ValueError(f'how does {opening!r} close? Give both delimiters: {option}=({opening!r}, "…").')
    return closing or f"{named[1]}/{named[2]}"  # type: ignore[index]  # one of them is there
