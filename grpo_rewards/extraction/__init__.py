"""Finds the answer that a text gives: a number, a formula, words, or an option of a question."""

from grpo_rewards.extraction.choices import Choice, find_choice
from grpo_rewards.extraction.options import Options, choice_of_gold, usual_labels

__all__ = ["Choice", "Options", "choice_of_gold", "find_choice", "usual_labels"]
