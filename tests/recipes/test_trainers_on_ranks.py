"""Process supervision and dynamic sampling in two processes: a group that lies on both, and a batch that both fill."""

import pytest
from places import RECIPES, TINY
from quiet_training import QUIET
from together import together

SCRIPT = f"""
import sys, torch
sys.path[:0] = [{str(RECIPES)!r}]
from accelerate.utils import gather_object
from datasets import Dataset
from dynamic_sampling import DynamicSamplingGRPOTrainer
from process_supervision import ProcessGRPOTrainer, last_tokens
from trl import GRPOConfig
import grpo_rewards as gr
from grpo_rewards.loss import informative_groups, process_advantages

seen = []

@gr.reward
def odd(completion: str, chance: int) -> float:
    return float(len(completion) % 2) if chance else 0.0

def halves(completion, **columns):
    return [(len(completion) // 2, float(completion.count("1"))), (len(completion), float(len(completion) % 3))]

class Process(ProcessGRPOTrainer):
    def _generate_and_score_completions(self, inputs):
        batch = super()._generate_and_score_completions(inputs)
        ids = [row[one.bool()].tolist() for row, one in zip(batch["completion_ids"], batch["completion_mask"])]
        everyones = gather_object(ids)
        steps = torch.full((len(everyones), max(map(len, everyones))), torch.nan)
        for row, one in enumerate(everyones):
            found = halves(self.processing_class.decode(one, skip_special_tokens=True))
            for token, (_, reward) in zip(last_tokens(self.processing_class, one, [end for end, _ in found]), found):
                steps[row, token] = reward
        expected, first = process_advantages(steps, 8), self.accelerator.process_index * len(ids)
        for row, one in enumerate(ids):
            torch.testing.assert_close(batch["advantages"][row, :len(one)], expected[first + row, :len(one)])
        seen.append(f"{{len(ids)}} of {{len(everyones)}}")
        return batch

class Dynamic(DynamicSamplingGRPOTrainer):
    def _generate_and_score_completions(self, inputs):
        batch = super()._generate_and_score_completions(inputs)
        assert batch["num_items_in_batch"] == self.accelerator.gather(batch["completion_mask"].sum()).sum()
        seen.append(bool(informative_groups(batch["advantages"], 8).all()))
        return batch

def run(kind, batch, **more):
    args = GRPOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=batch, num_generations=8,
        max_completion_length=16, **{QUIET!r})
    rows = [{{"prompt": f"{{n}} + 2?", "chance": int(n % 3 == 0)}} for n in range(40)]
    trainer = kind(model={str(TINY)!r}, reward_funcs=[odd], args=args, train_dataset=Dataset.from_list(rows), **more)
    trainer.train()

run(Process, 4, step_rewards=halves)
run(Dynamic, 16, most_rounds=8)
try:
    run(Dynamic, 4)
except ValueError as error:
    seen.append(str(error))
say(seen)
"""


@pytest.mark.full
def test_two_processes_share_groups_and_fill_their_batch(tmp_path):
    for shared, fills, refused in together(tmp_path, SCRIPT, limit=600):
        assert shared == "4 of 8"
        assert fills is True
        assert refused.startswith("a process generates 4 completions at once")
