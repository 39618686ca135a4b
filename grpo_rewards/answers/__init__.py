"""When are two answers the same? Pure functions; how many points an answer earns is decided elsewhere.

From text to a tree: ``unicode`` and ``vocabulary`` · ``latex`` spelling to a tree · ``splitting`` brackets and
separators · ``stripping`` what is no part of the answer · ``limits`` what is never evaluated. From a tree to a value:
``plain`` and ``numbers`` · ``units`` and ``measures`` · ``cursor`` and ``grammar`` to a ``formula`` · ``relations`` ·
``intervals`` · ``environments`` · ``operators`` · ``reading`` all of them · ``values`` their kinds. Comparing:
``budget`` · ``exact`` and ``numeric`` evaluation · ``identity`` of formulas · ``rounding`` · ``taste`` · ``equality``
of values · ``comparison`` the steps in order · ``settling``, ``workers``, ``broker``, ``symbolic`` the last step, in
other processes. Around it: ``gold`` · ``finding`` the final answer in a response · ``judgement`` of a whole call ·
``amount`` the number that an answer is · ``equations`` that a text writes out · ``choices`` among options.
"""

from grpo_rewards.answers.amount import amount
from grpo_rewards.answers.choices import choice_of_gold, find_choice
from grpo_rewards.answers.comparison import STEPS, Comparison, compare, compare_all, compare_plain
from grpo_rewards.answers.equations import equations
from grpo_rewards.answers.gold import gold_text
from grpo_rewards.answers.judgement import (
    BOX_OUTCOMES,
    FINAL_OUTCOMES,
    Judgement,
    Search,
    find_box,
    find_final,
    find_said,
    find_tagged,
    judge,
)
from grpo_rewards.answers.settling import Patience
from grpo_rewards.answers.taste import DEFAULT_TASTE, Taste
from grpo_rewards.answers.workers import LONGEST

__all__ = [
    "BOX_OUTCOMES",
    "DEFAULT_TASTE",
    "FINAL_OUTCOMES",
    "LONGEST",
    "STEPS",
    "Comparison",
    "Judgement",
    "Patience",
    "Search",
    "Taste",
    "amount",
    "choice_of_gold",
    "compare",
    "compare_all",
    "compare_plain",
    "equations",
    "find_box",
    "find_choice",
    "find_final",
    "find_said",
    "find_tagged",
    "gold_text",
    "judge",
]
