"""Rows of micro-batches: each one of the generation batch's, whole, as often as it should be used."""

import pytest
from tables import each_row

pytest.importorskip("torch", reason="torch is not installed")

import torch

from grpo_rewards.loss.trl_check.watch import Rows, row_keys

BATCH = {
    "prompt_ids": torch.tensor([[1], [1], [2], [2]]),
    "completion_ids": torch.tensor([[3, 4], [3, 4], [3, 5], [6, 6]]),  # the first two are equal
    "completion_mask": torch.ones(4, 2, dtype=torch.int64),
    "advantages": torch.tensor([0.5, 0.5, -1.0, 1.0]),
    "ref_per_token_logps": torch.tensor([[-1.0, -2.0], [-1.0, -2.0], [-3.0, torch.nan], [-4.0, -0.5]]),
}


def part(*rows, **changed):
    return {name: tensor[list(rows)].clone() for name, tensor in BATCH.items()} | changed


def said(*micro_batches, iterations=1):
    uses = Rows(BATCH, 2, iterations)
    found = []
    for at, one in enumerate(micro_batches):
        uses.add(one, at)
        found += [str(finding) for finding in uses.findings()]
    return found


def test_any_order_passes_and_equal_rows_count_twice():
    assert said(part(2, 0), part(3, 1)) == []
    assert said(part(2, 0), part(3, 1), part(1, 2), part(0, 3), iterations=2) == []


@each_row(
    "micro_batches, begins",
    [
        ((part(0, 2), part(0, 2)), "uses at completion 1: TRL has 2, 1 by micro-batch 2 was expected"),
        ((part(0, 2), part(1, 3), part(0, 2)), "completion: TRL has a generation batch that was used up"),
        ((part(0, 2, advantages=torch.tensor([0.5, 7.0])),), "advantages at completion 1: TRL has what no completion"),
        ((part(0, 2, advantages=torch.tensor([0.5, 1.0])),), "row at completion 1: TRL has values of several"),
        (
            (part(0, 3, completion_ids=torch.tensor([[3, 4], [6, 7]])),),
            "completion_ids at completion 1: TRL has what no",
        ),
        (
            (part(0, 3, ref_per_token_logps=torch.tensor([[-1.0, -2.0], [-4.0, -0.6]])),),
            "ref_per_token_logps at completion 1: TRL has what no",
        ),
        ((part(0, 3, ref_per_token_logps=None),), "ref_per_token_logps at completion 0: TRL has what no"),
    ],
)
def test_what_is_wrong_with_a_row_is_named(micro_batches, begins):
    found = said(*micro_batches)
    assert len(found) == 1
    assert found[0].startswith(begins)


def test_rows_that_were_left_out_are_found_when_the_batch_is_done_with():
    uses = Rows(BATCH, 2, 1)
    uses.add(part(0, 2), 0)
    assert str(uses.left_over()[0]) == "uses at completion 0: TRL has 0.5, 1 was expected"
    uses.add(part(1, 3), 1)
    assert uses.left_over() == []


def test_values_of_two_rows_with_the_same_tokens_are_not_mixed():
    two = {**BATCH, "advantages": torch.tensor([0.5, -0.5, -1.0, 1.0])}
    two["ref_per_token_logps"] = torch.tensor([[-1.0, -2.0], [-1.5, -2.0], [-3.0, -1.0], [-4.0, -0.5]])
    uses = Rows(two, 2, 1)
    mixed = part(0, 2, ref_per_token_logps=torch.tensor([[-1.5, -2.0], [-3.0, -1.0]]))
    uses.add(mixed, 0)
    assert "values of several completions of the batch" in str(uses.findings()[0])


@each_row("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.int64, torch.bool])
def test_keys_tell_bits_apart_in_every_precision(dtype):
    ones, other = torch.ones(2, 3, dtype=dtype), torch.ones(2, 3, dtype=dtype)
    other[1, 2] = 0
    keys, others = (row_keys({"tool_mask": one})["tool_mask"] for one in (ones, other))
    assert keys[0] == keys[1] == others[0] != others[1]


def test_a_micro_batch_that_is_given_again_after_an_interruption_counts_once():
    uses = Rows(BATCH, 2, 1)
    for micro_step, rows in ((0, (0, 2)), (1, (1, 3)), (1, (1, 3))):
        uses.add(part(*rows), micro_step)
        assert uses.findings() == []
