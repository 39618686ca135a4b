"""What is known of a reward, for people: what there is, what one does, and why a completion got its number.

``docstrings`` a docstring taken apart · ``reading`` what a reward reads of a row · ``listing`` all rewards by family ·
``description`` one reward, with its options · ``explanation`` the verdict on a completion, part by part.
"""

from grpo_rewards.describing.description import Description, Option, Part, described
from grpo_rewards.describing.explanation import Explanation, explained
from grpo_rewards.describing.listing import COMPOSITES, Entry, entries
from grpo_rewards.describing.reading import Reads, reads_of

__all__ = [
    "COMPOSITES",
    "Description",
    "Entry",
    "Explanation",
    "Option",
    "Part",
    "Reads",
    "described",
    "entries",
    "explained",
    "reads_of",
]
