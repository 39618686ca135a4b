"""When are two answers the same? Pure functions; how many points an answer earns is decided elsewhere.

From text to a tree: ``vocabulary`` tables · ``latex`` spelling to a tree · ``splitting`` brackets and separators ·
``limits`` what is never evaluated. From a tree to a value: ``plain`` and ``numbers`` · ``units`` · ``grammar`` to a
``formula`` · ``relations`` · ``operators`` · ``reading`` all of them · ``values`` their kinds. Comparing: ``exact``
and ``numeric`` evaluation · ``identity`` of formulas · ``equality`` of values · ``comparison`` the steps in order ·
``settling``, ``workers``, ``broker``, ``symbolic`` the last step, in other processes. Around it: ``gold`` the forms of
a gold answer · ``finding`` the final answer in a response · ``judgement`` a batch of completions.
"""

from grpo_rewards.answers.comparison import STEPS, Comparison, compare, compare_all, compare_plain
from grpo_rewards.answers.equality import Taste
from grpo_rewards.answers.gold import gold_text
from grpo_rewards.answers.judgement import BOX_OUTCOMES, FINAL_OUTCOMES, Found, Judgement, find_box, find_final, judge
from grpo_rewards.answers.settling import Patience
from grpo_rewards.answers.workers import LONGEST

__all__ = [
    "BOX_OUTCOMES",
    "FINAL_OUTCOMES",
    "LONGEST",
    "STEPS",
    "Comparison",
    "Found",
    "Judgement",
    "Patience",
    "Taste",
    "compare",
    "compare_all",
    "compare_plain",
    "find_box",
    "find_final",
    "gold_text",
    "judge",
]
