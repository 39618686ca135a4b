"""Finds the answer that a text gives: a number, a formula, words, or an option of a question.

If the wrong part of a text counts, look in the module whose question fits:

``cues`` which phrases announce, deny, leave open? They stand in ``cues.toml``, and a language is added there alone ·
``sentences`` where does a sentence or clause end? · ``statements`` what does a clause do with the candidates in it? ·
``tracker`` what stands at the end? · ``quantities`` and ``options`` what is a candidate? · ``places`` is there a box, a
tag or JSON? · ``final`` and ``choices`` in which order is an answer looked for? · ``golds`` what does a gold state?
"""

from grpo_rewards.extraction.choices import Choice, find_choice
from grpo_rewards.extraction.final import find_final, find_tagged, find_words
from grpo_rewards.extraction.golds import choice_of_gold, stated_gold
from grpo_rewards.extraction.options import Options, usual_labels

__all__ = [
    "Choice",
    "Options",
    "choice_of_gold",
    "find_choice",
    "find_final",
    "find_tagged",
    "find_words",
    "stated_gold",
    "usual_labels",
]
