"""Finds the option that a completion answers with, where no words announce or judge it.

``values`` its value is stated · ``emphasis`` it stands in bold · ``resting`` the text rests on it alone · ``closing``
the text ends with what was asked for · ``ends`` where does a text end, and what unsettles it?
"""

from __future__ import annotations

from grpo_rewards.answers.multiple_choice.mentions import MentionFinder
from grpo_rewards.answers.multiple_choice.options import Options
from grpo_rewards.answers.multiple_choice.unannounced.closing import closing_option, leading_option, opening_option
from grpo_rewards.answers.multiple_choice.unannounced.emphasis import emphasised_option
from grpo_rewards.answers.multiple_choice.unannounced.resting import resting_option
from grpo_rewards.answers.multiple_choice.unannounced.values import last_value, stated_option

__all__ = ["unannounced_option"]


def unannounced_option(text: str, options: Options, finder: MentionFinder) -> int | None:
    """The index of the option that a text answers with; ``None`` if it answers with none.

    Args:
        text: the completion, in which nothing announces an option.
        options: the options of the question.
        finder: finds them in the text.
    """
    if options.texts is None:
        return emphasised_option(text, finder)
    stated = stated_option(text, finder)
    if stated is None:
        stated = last_value(text, options, finder)
    for find in (emphasised_option, resting_option, closing_option, opening_option, leading_option):
        stated = find(text, finder) if stated is None else stated
    return stated
