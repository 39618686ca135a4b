"""Train with dynamic sampling: groups that teach nothing are thrown away, and others are sampled in their place.

    accelerate launch recipes/dynamic_sampling.py --most_rounds 4

The problems, the tiny model and the other options are those of recipes/gsm8k.py. TRL has no setting for it;
``DynamicSamplingGRPOTrainer`` calls TRL's generation again, with other prompts, until the batch is full.
"""

from training import arguments  # isort: skip  # not found? Copy this beside gsm8k.py, or set PYTHONPATH

import argparse
import random
from typing import Any

import torch
from gsm8k import main
from torch import Tensor
from torch.nn.functional import pad
from trl import GRPOTrainer

from grpo_rewards.loss import informative_groups

Batch = dict[str, Any]  # as TRL generates it: tensors whose first dimension is that of its completions, and a count


class DynamicSamplingGRPOTrainer(GRPOTrainer):
    """A ``GRPOTrainer`` whose batches have as few groups that teach nothing as ``most_rounds`` of sampling allow.

    DAPO's dynamic sampling (Yu et al. 2025, arXiv:2503.14476, section 3.2). Each round generates a whole batch with
    prompts drawn from the training set, on all processes, for TRL generates on all of them together: one missing group
    costs as much as all would, and what a round has too many of is thrown away. So a step may take ``most_rounds``
    times as long to generate. Groups that are still empty after the last round stay, and teach nothing. The logged
    rewards are those of all that was sampled; TRL's table of completions shows the last round as it was sampled, not
    the batch that is trained on.

    Only ``_generate_and_score_completions`` is extended; advantages and loss are TRL's own.

    Raises:
        ValueError: a group would lie on two processes; ``most_rounds`` below 1; a training set without a length, or
            with images; advantages that are scaled over the batch, for groups of several batches come together.
    """

    def __init__(self, *arguments: Any, most_rounds: int = 4, **options: Any) -> None:
        super().__init__(*arguments, **options)
        require_whole_groups(
            self.args.per_device_train_batch_size * self.args.steps_per_generation, self.num_generations
        )
        if most_rounds < 1:
            raise ValueError(f"most_rounds must be at least 1, not {most_rounds}.")
        if not hasattr(self.train_dataset, "__len__"):
            raise ValueError("dynamic sampling draws prompts from the training set, which a stream does not allow.")
        if {"image", "images"} & set(self.train_dataset[0]):
            raise ValueError("dynamic sampling cannot put a row with images in the place of another one.")
        if self.args.scale_rewards == "batch" or self.args.multi_objective_aggregation == "normalize_then_sum":
            raise ValueError(
                "groups of several batches come together, and each batch would have its own scale: dynamic sampling "
                'needs scale_rewards="group" or "none" and multi_objective_aggregation="sum_then_normalize".'
            )
        self.most_rounds = most_rounds
        self._draws, self._drawn_at = random.Random(), -1

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> Batch:
        batch: Batch = super()._generate_and_score_completions(inputs)
        if not self.model.training:
            return batch
        rounds = 1
        while rounds < self.most_rounds and self._empty_anywhere(batch):
            more: Batch = super()._generate_and_score_completions(self._other_prompts(len(inputs)))
            batch = refilled(batch, more, self.num_generations, self.processing_class.pad_token_id)
            rounds += 1
        if rounds > 1:
            counts = batch["completion_mask"] * batch.get("tool_mask", 1)
            batch["num_items_in_batch"] = self.accelerator.gather(counts.sum()).sum()
        taught = informative_groups(batch["advantages"], self.num_generations).float().mean()
        self._metrics["train"]["dynamic_sampling/rounds"].append(float(rounds))
        self._metrics["train"]["dynamic_sampling/informative"].append(self.accelerator.gather(taught).mean().item())
        return batch

    def _empty_anywhere(self, batch: Batch) -> bool:
        """Returns whether any process has a group that teaches nothing; all processes get the same answer."""
        empty = (~informative_groups(batch["advantages"], self.num_generations)).sum()
        return bool(self.accelerator.gather(empty).sum() > 0)

    def _other_prompts(self, rows: int) -> list[dict[str, Any]]:
        """Returns prompts drawn anew, whole groups of each.

        Each process draws its own. What is drawn depends on the step, so that a resumed run does not begin with the
        prompts with which it began at first.
        """
        if self._drawn_at != (step := self.state.global_step):
            self._draws.seed(f"{self.args.seed}, process {self.accelerator.process_index}, step {step}")
            self._drawn_at = step
        drawn = self._draws.choices(range(len(self.train_dataset)), k=rows // self.num_generations)
        return [dict(self.train_dataset[row]) for row in drawn for _ in range(self.num_generations)]


def require_whole_groups(rows: int, group_size: int) -> None:
    if rows % group_size:
        raise ValueError(
            f"a process generates {rows} completions at once, which are no whole groups of {group_size}: choose "
            "per_device_train_batch_size times steps_per_generation as a multiple of num_generations."
        )


def refilled(batch: Batch, more: Batch, group_size: int, pad_token: int) -> Batch:
    """Returns the batch with its empty groups replaced by informative ones of another batch, as far as these go.

    Both are padded to the same widths: prompts on the left, completions on the right, as TRL pads them.
    """
    into = (~informative_groups(batch["advantages"], group_size)).nonzero().flatten()
    out_of = informative_groups(more["advantages"], group_size).nonzero().flatten()
    count = min(len(into), len(out_of))
    places = torch.arange(group_size, device=into.device)
    rows_into = (into[:count, None] * group_size + places).flatten()
    rows_out_of = (out_of[:count, None] * group_size + places).flatten()
    filled = dict(batch)
    for name, old in batch.items():
        if isinstance(old, Tensor) and old.dim():
            value = pad_token if name.endswith("_ids") else 0
            old, new = _equally_wide(old, more[name], name.startswith("prompt"), value)
            filled[name] = old.index_copy(0, rows_into, new[rows_out_of])
    return filled


def _equally_wide(one: Tensor, other: Tensor, on_the_left: bool, value: int) -> tuple[Tensor, Tensor]:
    if one.dim() == 1:
        return one, other
    width = max(one.shape[1], other.shape[1])
    missing = [width - tensor.shape[1] for tensor in (one, other)]
    sides = [(count, 0) if on_the_left else (0, count) for count in missing]
    return pad(one, sides[0], value=value), pad(other, sides[1], value=value)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--most_rounds", type=int, default=4)
    own, others = parser.parse_known_args()
    with arguments.ends_with_one_message():
        main(others, DynamicSamplingGRPOTrainer, most_rounds=own.most_rounds)
