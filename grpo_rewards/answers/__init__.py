"""Decides whether two answers are the same. Pure functions; how many points that earns is decided in ``rewards``.

If an answer is judged wrongly, look in the folder whose question fits:

``latex`` was its LaTeX parsed rightly? · ``reading`` was it read as the right value? · ``values`` what can a value
be? · ``formulas`` are two formulas the same? · ``comparing`` are two values equal? · ``symbolic`` was computer algebra
too slow, or killed?

The modules beside them: ``judging`` finds boxes and judges all completions of a call · ``golds`` reads what data sets
hold · ``arithmetic`` gives the number that an answer evaluates to, reads expressions of numbers, and checks the
arithmetic in a text · ``called_tools`` compares tool calls, and says how they differ.
"""

from grpo_rewards.answers.arithmetic import (
    NotArithmetic,
    TooLong,
    amount,
    equations,
    is_range,
    read_arithmetic,
    uses_only,
)
from grpo_rewards.answers.called_tools import call_differences, call_similarity, calls_of_gold, without_nulls
from grpo_rewards.answers.comparing.equality import DEFAULT_GRADING_OPTIONS, GradingOptions
from grpo_rewards.answers.comparing.steps import STEPS, Comparison, compare, compare_all, compare_plain
from grpo_rewards.answers.golds import alternatives, gold_text, text_golds, written_golds
from grpo_rewards.answers.judging import (
    BOX_OUTCOMES,
    FINAL_OUTCOMES,
    INNOCENT,
    Judgement,
    Search,
    find_answer,
    find_box,
    judge,
)
from grpo_rewards.answers.symbolic.pool import LONGEST_DEADLINE, symbolic_failure, symbolic_warnings
from grpo_rewards.answers.symbolic.schedule import SymbolicLimits, symbolic_seconds

# public names of earlier versions
Taste, Patience, DEFAULT_TASTE, find_said = GradingOptions, SymbolicLimits, DEFAULT_GRADING_OPTIONS, find_answer

__all__ = [
    "BOX_OUTCOMES",
    "DEFAULT_GRADING_OPTIONS",
    "FINAL_OUTCOMES",
    "INNOCENT",
    "LONGEST_DEADLINE",
    "STEPS",
    "Comparison",
    "GradingOptions",
    "Judgement",
    "NotArithmetic",
    "Search",
    "SymbolicLimits",
    "TooLong",
    "alternatives",
    "amount",
    "call_differences",
    "call_similarity",
    "calls_of_gold",
    "compare",
    "compare_all",
    "compare_plain",
    "equations",
    "find_answer",
    "find_box",
    "gold_text",
    "is_range",
    "judge",
    "read_arithmetic",
    "symbolic_failure",
    "symbolic_seconds",
    "symbolic_warnings",
    "text_golds",
    "uses_only",
    "without_nulls",
    "written_golds",
]
