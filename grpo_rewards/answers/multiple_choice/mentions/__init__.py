"""Finds where a text names options, and writes a mark in place of each.

``letters`` how letters and numbers of options are written · ``finder`` where they stand, and the options' texts ·
``marks`` the characters that stand in their place
"""

from grpo_rewards.answers.multiple_choice.mentions.finder import MentionFinder
from grpo_rewards.answers.multiple_choice.mentions.marks import (
    ANY_OPTION,
    REJECTED_OPTION,
    index_of,
    options_in,
    unmasked,
)

__all__ = ["ANY_OPTION", "REJECTED_OPTION", "MentionFinder", "index_of", "options_in", "unmasked"]
