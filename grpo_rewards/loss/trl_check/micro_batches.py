"""Whether each micro-batch holds rows of the generation batch, whole and as often as it should.

A row is one completion with all that belongs to it: tokens, masks, advantage, log-probabilities. TRL shuffles the rows
of a generation batch and splits them, so that only their content shows which they are; two may be equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss.trl_check.findings import Finding

__all__ = ["Uses", "row_keys"]

BY_ROW = (
    "prompt_ids",
    "prompt_mask",
    "completion_ids",
    "completion_mask",
    "tool_mask",
    "advantages",
    "old_per_token_logps",
    "ref_per_token_logps",
    "sampling_per_token_logps",
    "importance_sampling_ratio",
)
TOKENS_OF_ROW = ("prompt_ids", "completion_ids")
AS_INTEGER = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def row_keys(batch: Mapping[str, Any], names: tuple[str, ...] = BY_ROW) -> Tensor:
    """Returns one number for each row, equal for rows that are equal bit by bit in all tensors of these names. [B]

    The bits are multiplied with random odd numbers and added up modulo 2^64, so that two unequal rows have one key with
    the probability 2^-63. A GPU gets as many factors as a row is long, and nothing is read back from it.
    """
    present = [(name, batch[name]) for name in names if batch.get(name) is not None]
    first = present[0][1]
    keys = torch.zeros(len(first), dtype=torch.int64, device=first.device)
    for name, tensor in present:
        rows = tensor.detach().reshape(len(tensor), -1).contiguous()
        bits = (rows.to(torch.uint8) if rows.dtype == torch.bool else rows).view(AS_INTEGER[rows.element_size()])
        generator = torch.Generator().manual_seed(BY_ROW.index(name))
        factors = torch.randint(-(2**62), 2**62, (rows.shape[1],), generator=generator) * 2 + 1
        keys = keys + ((bits.long() + 1) * factors.to(keys.device)).sum(dim=1)
    return keys


class Uses:
    """Counts how often each row of one generation batch was in a micro-batch.

    It keeps the batch, so that a row can be distinguished from another number by number: TRL shuffles copies.

    Args:
        batch: the generation batch, [B, ...].
        micro_batches: into how many it is split.
        iterations: how often each row is to be used, ``num_iterations``.
    """

    def __init__(self, batch: Mapping[str, Any], micro_batches: int, iterations: int) -> None:
        self.batch = {name: batch.get(name) for name in BY_ROW}  # and not what belongs to images
        self.micro_batches, self.iterations = micro_batches, iterations
        self._keys = row_keys(batch)
        self._given: dict[int, Tensor] = {}
        self._latest = -1

    def add(self, inputs: Mapping[str, Any], micro_step: int | None = None) -> None:
        """Notes one more micro-batch, cheaply; nothing is compared.

        Args:
            inputs: the tensors of the micro-batch.
            micro_step: which one it is; it takes the place of one that was noted as the same, as after an interruption.
        """
        self._latest = len(self._given) if micro_step is None else micro_step
        self._given[self._latest] = row_keys(inputs)

    @property
    def used_up(self) -> bool:
        """Whether there have been as many micro-batches as there should be."""
        return len(self._given) >= self.micro_batches * self.iterations

    def findings(self, inputs: Mapping[str, Any]) -> list[Finding]:
        """Returns what is wrong with the rows of the latest micro-batch, which are these inputs."""
        own, latest = Counter(self._keys.tolist()), self._given[self._latest].tolist()
        for row, key in enumerate(latest):
            if key not in own:
                return self._differences(inputs, row)
        turns = -(-len(self._given) // self.micro_batches)
        if turns > self.iterations:
            values = "a generation batch that was used up", f"{self.iterations} · {self.micro_batches} micro-batches"
            return [Finding("completion", None, None, *values)]
        used = self._used()
        for row, key in enumerate(latest):
            if used[key] > turns * own[key]:
                uses = used[key] / own[key]
                return [Finding("uses", row, None, uses, f"{turns} by micro-batch {len(self._given)}")]
        return []

    def left_over(self) -> list[Finding]:
        """Returns the first row that was used less often than it should, if the generation batch is done with."""
        used = self._used()
        own = Counter(self._keys.tolist())
        for row, key in enumerate(self._keys.tolist()):
            if used[key] < own[key] * self.iterations:
                return [Finding("uses", row, None, used[key] / own[key], self.iterations)]
        return []

    def _used(self) -> Counter[int]:
        return Counter(key for keys in self._given.values() for key in keys.tolist())

    def _differences(self, inputs: Mapping[str, Any], row: int) -> list[Finding]:
        """Says what differs in a row that is not one of the generation batch: its tokens, or what goes with them."""
        ours, theirs = row_keys(self.batch, TOKENS_OF_ROW), row_keys(inputs, TOKENS_OF_ROW)[row]
        same = (ours == theirs.to(ours.device)).nonzero().flatten().tolist()
        if not same:
            return [Finding("completion", row, None, "tokens that were not generated", "a completion of this batch")]
        places = [(name, found) for name in BY_ROW if (found := self._unlike(inputs, name, row, same)) is not None]
        if not places:  # each tensor is that of a row with these tokens, but not all of one
            return [Finding("row", row, None, "values of several completions with the same tokens", "those of one")]
        return [Finding(name, row, token, found, expected) for name, (token, found, expected) in places]

    def _unlike(self, inputs: Mapping[str, Any], name: str, row: int, same: list[int]) -> Any:
        """Returns (token, found, expected) where a tensor's row is like none of those with the same tokens."""
        given, whole = inputs.get(name), self.batch.get(name)
        if given is None and whole is None:
            return None
        if given is None or whole is None:
            return None, "none" if given is None else "a tensor", "none" if whole is None else "a tensor"
        found, first = given[row].reshape(-1), whole[same[0]].reshape(-1)
        if any(torch.equal(_bits(found), _bits(whole[other].reshape(-1))) for other in same):
            return None
        if found.shape != first.shape:
            return None, f"{found.numel()} values", f"{first.numel()}"
        token = int((_bits(found) != _bits(first)).nonzero()[0])
        return token if found.numel() > 1 else None, found[token].item(), first[token].item()


def _bits(row: Tensor) -> Tensor:
    return row.detach().contiguous().view(AS_INTEGER[row.element_size()])
