"""Batches that a subclass makes in a way of its own: which of their rows are what was generated for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

__all__ = ["known_rows"]


def known_rows(batch: Mapping[str, Any], generated: Sequence[tuple[Sequence[int], Sequence[int]]], pad_id: int) -> int:
    """Returns how many rows of a batch are a prompt with a completion that was generated for it, in whatever order.

    Padding at the ends of completions is not looked at, for a masked completion does not show where it ends.

    Args:
        batch: with ``prompt_ids`` and ``prompt_mask`` [B, P], and ``completion_ids`` [B, T].
        generated: a prompt and its completion each, as tokens without padding.
        pad_id: the padding token.
    """
    known = {(tuple(prompt), _stripped(completion, pad_id)) for prompt, completion in generated}
    prompts, whole = _kept(batch["prompt_ids"], batch["prompt_mask"]), batch["completion_ids"].tolist()
    return sum((prompt, _stripped(row, pad_id)) in known for prompt, row in zip(prompts, whole, strict=True))


def _kept(ids: Tensor, mask: Tensor) -> list[tuple[int, ...]]:
    return [tuple(row[kept != 0].tolist()) for row, kept in zip(ids.cpu(), mask.cpu(), strict=True)]


def _stripped(tokens: Sequence[int], pad_id: int) -> tuple[int, ...]:
    end = len(tokens)
    while end and tokens[end - 1] == pad_id:
        end -= 1
    return tuple(tokens[:end])
