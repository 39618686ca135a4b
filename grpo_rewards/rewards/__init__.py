"""The catalogue: short functions that turn facts about a completion into points. Importing it registers them.

A new reward goes into the file of its family, and its name into the list below. ``mathematics`` ·
``numeric`` a number with a tolerance · ``choice`` an option · ``words`` a text · ``format`` thinking and boxes ·
``tags`` any tags · ``blocks`` JSON and code · ``length`` · ``pattern`` expressions, words and steps · ``repetition`` ·
``process`` what is computed on the way · ``language``.
"""

from grpo_rewards.rewards.blocks import code_block_format, json_format
from grpo_rewards.rewards.choice import multiple_choice
from grpo_rewards.rewards.language import language_consistency
from grpo_rewards.rewards.length import cosine_length, max_length, relative_length, soft_overlong, target_length
from grpo_rewards.rewards.mathematics import boxed_answer, final_answer, tagged_answer
from grpo_rewards.rewards.numeric import numeric_answer
from grpo_rewards.rewards.patterns import keywords, pattern, reasoning_steps
from grpo_rewards.rewards.process import arithmetic_steps
from grpo_rewards.rewards.repetitions import repetition
from grpo_rewards.rewards.tags import tag_count, xml_format
from grpo_rewards.rewards.thinking import boxed_format, think_answer_format, think_format
from grpo_rewards.rewards.words import exact_match, token_f1

__all__ = [
    "arithmetic_steps",
    "boxed_answer",
    "boxed_format",
    "code_block_format",
    "cosine_length",
    "exact_match",
    "final_answer",
    "json_format",
    "keywords",
    "language_consistency",
    "max_length",
    "multiple_choice",
    "numeric_answer",
    "pattern",
    "reasoning_steps",
    "relative_length",
    "repetition",
    "soft_overlong",
    "tag_count",
    "tagged_answer",
    "target_length",
    "think_answer_format",
    "think_format",
    "token_f1",
    "xml_format",
]
