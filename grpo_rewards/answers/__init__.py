"""When are two answers the same? Pure functions; how many points an answer earns is decided elsewhere.

An answer that is judged wrongly is looked for in the folder that answers the question:

``latex`` is it spelled wrong? · ``reading`` is it misread? · ``values`` what can it be at all? · ``formulas`` are two
formulas the same? · ``comparing`` are two values equal? · ``symbolic`` is it slow? · ``finding`` where is it said?

Around them: ``judging`` the answers of a whole call · ``multiple_choice`` options · ``amounts`` the number that an
answer is · ``written_equations`` the arithmetic that a text writes out.
"""

from grpo_rewards.answers.amounts import amount
from grpo_rewards.answers.comparing.options import DEFAULT_TASTE, Taste
from grpo_rewards.answers.comparing.steps import STEPS, Comparison, compare, compare_all, compare_plain
from grpo_rewards.answers.finding.gold import gold_text
from grpo_rewards.answers.finding.in_completion import Search, find_box, find_final, find_said, find_tagged
from grpo_rewards.answers.judging import BOX_OUTCOMES, FINAL_OUTCOMES, Judgement, judge
from grpo_rewards.answers.multiple_choice import choice_of_gold, find_choice
from grpo_rewards.answers.symbolic.client import LONGEST
from grpo_rewards.answers.symbolic.remembered import Patience
from grpo_rewards.answers.written_equations import equations

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
