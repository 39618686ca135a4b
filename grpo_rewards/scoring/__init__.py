"""Rewards over files of completions.

``files`` from the first line to the figures, the file of verdicts, and how a run is resumed · ``rows`` files as a
stream of chunks · ``work`` scores a chunk, or whole groups · ``pool`` several processes · ``tally`` what many verdicts
come to · ``changes`` what two rewards score differently · ``reward_code`` what rewards mean beyond their names.
"""

from grpo_rewards.scoring.files import Summary, score_files
from grpo_rewards.scoring.tally import Tally

__all__ = ["Summary", "Tally", "score_files"]
