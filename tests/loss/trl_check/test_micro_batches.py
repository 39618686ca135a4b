"""Completions of micro-batches: each one of the generation batch's, whole, as often as it should be used."""

from collections import Counter

import pytest
import torch
from tables import each_row
from tiny_trainer import trainer

from grpo_rewards.loss import watch_loss
from grpo_rewards.loss.trl_check.watch import rows_of

BATCH = {
    "prompt_ids": torch.tensor([[1], [1], [2], [2]]),
    "completion_ids": torch.tensor([[3, 4], [3, 4], [3, 5], [6, 6]]),  # the first two are equal
    "completion_mask": torch.ones(4, 2, dtype=torch.int64),
    "advantages": torch.tensor([0.5, 0.5, -1.0, 1.0]),
    "ref_per_token_logps": torch.tensor([[-1.0, -2.0], [-1.0, -2.0], [-3.0, torch.nan], [-4.0, -0.5]]),
}


def part(*rows, **changed):
    return {name: tensor[list(rows)].clone() for name, tensor in BATCH.items()} | changed


@pytest.fixture
def found(tmp_path):
    """What is said of micro-batches of ``BATCH``, which is used as often as it says."""
    watch = watch_loss(trainer(tmp_path))

    def said(*micro_batches, iterations=1):
        watch._unused = Counter(rows_of(BATCH) * iterations)
        return [str(finding) for one in micro_batches for finding in watch._of_rows(one)]

    return said


def test_any_order_passes_and_equal_rows_count_twice(found):
    assert found(part(2, 0), part(3, 1)) == []
    assert found(part(2, 0), part(3, 1), part(1, 2), part(0, 3), iterations=2) == []


def test_a_row_that_is_used_too_often_or_is_no_one_of_the_batch_is_found(found):
    for wrong in (
        (part(0, 2), part(0, 2)),
        (part(0, 2), part(1, 3), part(2, 0)),
        (part(0, 2, advantages=torch.tensor([0.5, 7.0])),),
        (part(0, 2, advantages=torch.tensor([0.5, 1.0])),),  # that of another row
        (part(0, 3, completion_ids=torch.tensor([[3, 4], [6, 7]])),),
        (part(0, 3, ref_per_token_logps=torch.tensor([[-1.0, -2.0], [-4.0, -0.6]])),),
        (part(0, 3, ref_per_token_logps=None),),
    ):
        (said, *_) = found(*wrong)
        assert said.startswith("the row at completion ")
        assert "one that its generation batch has not, or not so often" in said


@each_row("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.int64, torch.bool])
def test_keys_tell_numbers_apart_in_every_precision(dtype):
    ones, other = torch.ones(2, 3, dtype=dtype), torch.ones(2, 3, dtype=dtype)
    other[1, 2] = 0
    keys, others = (rows_of({"tool_mask": one}) for one in (ones, other))
    assert keys[0] == keys[1] == others[0] != others[1]
