"""Rewards over files of completions.

``files`` from the first line to the figures · ``rows`` files as a stream of chunks, ``tables`` the rows of those that
are no JSON lines · ``fields`` where in a row things are · ``grouping`` chunks of whole groups · ``work`` scores a
chunk · ``pool`` several processes · ``output`` the file of verdicts, and how a run is resumed · ``tally`` what many
verdicts come to · ``changes`` what two rewards score differently.
"""

from grpo_rewards.scoring.files import Summary, score_files
from grpo_rewards.scoring.tally import Tally

__all__ = ["Summary", "Tally", "score_files"]
