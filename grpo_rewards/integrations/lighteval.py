"""Rewards as a metric of lighteval, for the ``metrics`` of a ``LightevalTaskConfig``."""

from collections.abc import Mapping
from statistics import fmean
from typing import Any

from grpo_rewards.integrations.reward_calls import UNSCORED, imported, metrics_of, one_by_one
from grpo_rewards.registry import Reward

__all__ = ["metric"]

# In one step with this package pip refuses: the two want latex2sympy2_extended in other versions.
INSTALL_LIGHTEVAL = (
    "after this package, in a step of its own, pip install 'lighteval>=0.13', and set GRPO_REWARDS_WORKERS=0, "
    "for it replaces a package of the symbolic workers"
)


def metric(*specs: str | Reward, columns: Mapping[str, str] | None = None) -> Any:
    """A ``SampleLevelMetricGrouping`` that gives each reward under its name, of several samples the mean.

    ``<reward>/unscored`` is 1 for a document that cannot be scored and else 0. Such a document is not in the mean of
    the reward.

    Args:
        specs: rewards, or their specs.
        columns: what the documents call columns that rewards read. Columns are ``answer``, of the gold choices, and
            the entries of ``Doc.specific``.

    Raises:
        RewardError: lighteval is not installed, a spec or an option is wrong, or a reward compares a group.
    """
    kinds = imported("lighteval.metrics.utils.metric_utils", INSTALL_LIGHTEVAL)
    base = imported("lighteval.metrics.metrics_sample", INSTALL_LIGHTEVAL).SampleLevelComputation
    rewards = one_by_one(specs, columns, "lighteval")

    def compute(self: Any, doc: Any, model_response: Any, **given: Any) -> dict[str, float]:
        golds, texts = doc.get_golds(), model_response.text
        row = dict(doc.specific or {})
        if golds:
            row["answer"] = golds[0] if len(golds) == 1 else golds
        ids = model_response.output_tokens if len(model_response.output_tokens or ()) == len(texts) else None
        return metrics_of(rewards, texts, row, prompts=[doc.query] * len(texts), completion_ids=ids)

    names = [name for one in rewards for name in (one.name, f"{one.name}/{UNSCORED}")]
    return kinds.SampleLevelMetricGrouping(
        metric_name=names,
        higher_is_better={name: not name.endswith(f"/{UNSCORED}") for name in names},
        category=kinds.SamplingMethod.GENERATIVE,
        sample_level_fn=type("Rewards", (base,), {"compute": compute})(),
        corpus_level_fn=dict.fromkeys(names, fmean),
    )
