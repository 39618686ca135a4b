"""Does a text follow an instruction? The verifiable instructions of IFEval, IFBench and IFTrain.

Pure functions, no points; how many points that earns is decided in ``rewards``. If an instruction is judged wrongly,
look in the place whose question fits:

``table`` which check has an id? · ``checks`` what does it count or look for? · ``reading`` what is a word, a sentence,
a language? · ``arguments`` was the row read rightly? · ``judging`` strict or loose · ``finding`` what a check says

>>> from grpo_rewards.constraints import judge, read_instructions
>>> judge("No comma here", read_instructions(["punctuation:no_comma"]))
[Finding(followed=True, why='it has none')]
"""

from grpo_rewards.constraints.finding import Finding
from grpo_rewards.constraints.judging import BadInstructionError, Instruction, judge, read_instructions
from grpo_rewards.constraints.reading.languages import MissingDetectorError
from grpo_rewards.constraints.table import NOT_BUILT, TABLE

__all__ = [
    "NOT_BUILT",
    "TABLE",
    "BadInstructionError",
    "Finding",
    "Instruction",
    "MissingDetectorError",
    "judge",
    "read_instructions",
]
