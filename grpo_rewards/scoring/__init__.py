"""Rewards over files of completions.

``files`` from the first line to the figures · ``sources`` files as a stream of pieces, of ``lines`` or ``tables`` ·
``piece`` what one of them is · ``fields`` where in a row things are · ``grouping`` which rows are of one prompt ·
``work`` what is done with a piece · ``in_order`` several processes · ``kept`` the file of verdicts, with which one can
go on · ``tally`` what many verdicts come to · ``changes`` what two rewards score differently · ``apart`` what is read
from what is written.
"""

from grpo_rewards.scoring.files import Summary, score_files
from grpo_rewards.scoring.tally import Tally

__all__ = ["Summary", "Tally", "score_files"]
