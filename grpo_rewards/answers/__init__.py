"""When are two answers the same? Pure functions; how many points an answer earns is decided elsewhere.

``latex`` spelling to a tree · ``limits`` what is never evaluated · ``units`` · ``values`` the kinds and their equality
· ``numbers`` and ``reading`` a tree to a value · ``gold`` the forms of a gold answer · ``comparison`` the steps in
order · ``finding`` the final answer in a response · ``judgement`` a whole completion.
"""

from grpo_rewards.answers.comparison import Comparison, compare
from grpo_rewards.answers.gold import gold_text
from grpo_rewards.answers.judgement import BOX_OUTCOMES, FINAL_OUTCOMES, Judgement, judge_box, judge_final

__all__ = [
    "BOX_OUTCOMES",
    "FINAL_OUTCOMES",
    "Comparison",
    "Judgement",
    "compare",
    "gold_text",
    "judge_box",
    "judge_final",
]
