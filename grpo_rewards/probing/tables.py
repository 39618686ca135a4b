"""The columns of a data set, in any of the forms in which users have one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grpo_rewards.registry import RewardError

__all__ = ["columns_of"]


def columns_of(dataset: Any) -> dict[str, Sequence[Any]]:
    """The columns of a data set, all of one length.

    Args:
        dataset: a ``datasets.Dataset``, columns by name, or a list of rows.

    Raises:
        RewardError: it is something else, or its columns differ in length.
    """
    kind, do = type(dataset).__name__, "Give a datasets.Dataset of one split, columns by name, or a list of rows."
    if kind == "DatasetDict":
        do = "Give one of its splits, dataset['train']."
    elif kind in ("IterableDataset", "IterableDatasetDict"):
        do = "It has no rows to look at: give columns=[…] instead."
    elif kind == "DataFrame":
        do = "Give its columns, frame.to_dict('list')."
    elif isinstance(getattr(dataset, "column_names", None), list) and hasattr(dataset, "__len__"):
        return dict(dataset[:])
    elif isinstance(dataset, Mapping):
        sizes = {name: len(column) for name, column in dataset.items()}
        if len(set(sizes.values())) > 1:
            raise RewardError(f"the columns of the data set have different lengths: {sizes}.")
        return dict(dataset)
    elif isinstance(dataset, Sequence) and all(isinstance(row, Mapping) for row in dataset):
        names = dict.fromkeys(name for row in dataset for name in row)
        return {name: [row.get(name) for row in dataset] for name in names}
    raise RewardError(f"dataset cannot be {'an' if kind[0] in 'AEIOUaeiou' else 'a'} {kind}. {do}")
