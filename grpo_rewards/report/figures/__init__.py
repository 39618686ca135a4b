"""What is drawn, as plotly's own dictionaries: data and layout, without colours of a page, which the page adds.

``drawing`` what all figures share · ``curves`` the log · ``reasons`` why completions earned what they did · ``groups``
prompts and lengths · ``evaluations`` held-out problems.
"""

from collections.abc import Sequence

from grpo_rewards.report.figures.curves import log_figures
from grpo_rewards.report.figures.drawing import Figure
from grpo_rewards.report.figures.evaluations import evaluation_figures
from grpo_rewards.report.figures.groups import group_figures
from grpo_rewards.report.figures.reasons import reason_figures
from grpo_rewards.report.reading import Run

__all__ = ["Figure", "figures_of"]


def figures_of(runs: Sequence[Run]) -> list[Figure]:
    """All figures for which the runs have numbers, in the order of the page."""
    return [*log_figures(runs), *evaluation_figures(runs), *reason_figures(runs), *group_figures(runs)]
