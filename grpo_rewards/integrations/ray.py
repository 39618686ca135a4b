"""Scores a Ray Data set, on as many processes and machines as the cluster has. Needs the extra ``[ray]``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from grpo_rewards.installing import how_to_install
from grpo_rewards.integrations.reward_calls import imported
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.scoring.files import rewards_for_files
from grpo_rewards.scoring.work import Fields, Scoring, cells, fields_of, moved
from grpo_rewards.verdict import Verdict

__all__ = ["score"]

BATCH_ROWS = 256
GROUP_COLUMN = "grpo_rewards/group"  # a column that is there while rows of a group are brought together
UNREAD = "malformed"  # the reason of a row without a completion


def score(
    dataset: Any,
    specs: Sequence[str | Reward],
    *,
    completion: str | None = None,
    prompt: str | None = None,
    columns: Mapping[str, str] | None = None,
    tokenizer: str | None = None,
    by_group: bool = False,
    processes: int | tuple[int, int] = 1,
) -> Any:
    """The data set with each reward's verdict on each row: the same columns as ``grpo-rewards score -o`` writes.

    Args:
        dataset: a ``ray.data.Dataset``.
        specs: rewards, or their specs.
        completion: the column of the completion; without it, one with a usual name.
        prompt: the column that the completions of a group have in common; without it, one with a usual name.
        columns: what the data set calls the columns that rewards read, such as ``{"answer": "solution"}``.
        tokenizer: the name or the folder of the tokenizer that counts the tokens of rows which have no
            ``completion_ids``; without it, the one that a reward is bound to.
        by_group: score one group at a time: all rows that have ``prompt`` in common, wherever they lie,
            and in TRL's tables the step as well. That is done for rewards which are known to compare the completions of
            a group, too. Ray brings the rows of a group together, which moves the whole data set.
        processes: how many actors score, or from how many to how many.

    Returns:
        A data set that is computed when it is read, as Ray's are, in blocks of any order unless
        ``DataContext.execution_options.preserve_order`` is set. A row without a completion has ``None``, with the
        reason ``malformed``.

    Raises:
        RewardError: Ray is not installed, the data set is empty, columns are missing, a reward needs options.
    """
    data = imported("ray.data", how_to_install("ray"))
    if not isinstance(dataset, data.Dataset):
        raise RewardError(f"dataset must be a ray.data.Dataset, not a {type(dataset).__name__}: ray.data.read_json(…).")
    rewards = rewards_for_files(specs, columns)
    first = dataset.take(1)
    if not first:
        raise RewardError("the data set has no rows.")
    scoring = Scoring(rewards, fields_of(first[0], rewards, completion, prompt, tokenizer, by_group))
    least, most = (processes, processes) if isinstance(processes, int) else processes
    actors = data.ActorPoolStrategy(min_size=least, max_size=most)
    how: dict[str, Any] = {"fn_constructor_args": (scoring,), "batch_format": "pyarrow", "compute": actors}
    if not scoring.fields.by_group:
        return dataset.map_batches(_Scorer, batch_size=BATCH_ROWS, **how)
    grouped = dataset.map_batches(partial(_with_groups, scoring.fields), batch_format="pyarrow").groupby(GROUP_COLUMN)
    return grouped.map_groups(_Scorer, **how).drop_columns([GROUP_COLUMN])


def _with_groups(fields: Fields, batch: Any) -> Any:
    """The batch with the column by which rows of a group are known."""
    import pyarrow

    groups = fields.groups([*enumerate(batch.to_pylist())]) or []
    return batch.append_column(GROUP_COLUMN, pyarrow.array([one.hex() for one in groups], pyarrow.string()))


@dataclass
class _Scorer:
    """What an actor does with a batch."""

    scoring: Scoring

    def __call__(self, batch: Any) -> Any:
        import pyarrow

        rows = batch.to_pylist()
        why = [self.scoring.fields.unreadable(row) for row in rows]
        readable = [(at, row) for at, row in enumerate(rows) if why[at] is None]
        verdicts = self.scoring.verdicts(readable) if readable else [[] for _ in self.scoring.rewards]
        renamed = moved(batch.column_names, self.scoring.columns)
        batch = batch.rename_columns([renamed.get(one, one) for one in batch.column_names])
        for reward, its in zip(self.scoring.rewards, verdicts, strict=True):
            scored = iter(its)
            all_verdicts = [next(scored) if one is None else Verdict(None, UNREAD, details={"why": one}) for one in why]
            written = [cells(reward.name, verdict) for verdict in all_verdicts]
            for name in written[0]:
                kind = pyarrow.float64() if name == reward.name else pyarrow.string()
                batch = batch.append_column(name, pyarrow.array([one[name] for one in written], kind))
        return batch
