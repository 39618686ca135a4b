"""Finds which option of a multiple-choice question a completion chooses, and which one the answer names.

``options`` which options are there, and which one does the answer name? · ``mentions`` where does a text speak of
them? · ``sentences`` where does a statement end? · ``rejecting`` is an option denied, or taken back? · ``views`` is it
only supposed, or somebody else's view? · ``announcing`` which words announce a choice? · ``polarity`` does a statement
of known words call an option right? · ``vocabulary`` what do these words mean? · ``singling`` which option is the only
one? · ``unannounced`` what is the answer where no words announce one? · ``spelling`` is a letter in a circle? ·
``choosing`` is an option chosen, and how firmly? · ``hearing`` which choice stands at the end? · ``places`` was it in a
box, a tag, JSON or prose?
"""

from grpo_rewards.answers.multiple_choice.options import Options, choice_of_gold, usual_labels
from grpo_rewards.answers.multiple_choice.places import Choice, find_choice

__all__ = ["Choice", "Options", "choice_of_gold", "find_choice", "usual_labels"]
