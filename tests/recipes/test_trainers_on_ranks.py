"""Process supervision and dynamic sampling in two processes: a group that lies on both, and a batch that both fill."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

from places import RECIPES, TINY

SCRIPT = f"""
import sys, time, torch
sys.path[:0] = [{str(RECIPES)!r}]
from accelerate.utils import gather_object
from datasets import Dataset
from dynamic_sampling import DynamicSamplingGRPOTrainer
from process_supervision import ProcessGRPOTrainer, last_tokens
from trl import GRPOConfig
import grpo_rewards as gr
from grpo_rewards.loss import informative_groups, process_advantages

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
        print("process %d of %d\\n" % (len(ids), len(everyones)), end="", flush=True)  # in one piece
        return batch

class Dynamic(DynamicSamplingGRPOTrainer):
    def _generate_and_score_completions(self, inputs):
        batch = super()._generate_and_score_completions(inputs)
        assert batch["num_items_in_batch"] == self.accelerator.gather(batch["completion_mask"].sum()).sum()
        print("dynamic %s\\n" % bool(informative_groups(batch["advantages"], 8).all()), end="", flush=True)
        return batch

def run(kind, batch, **more):
    args = GRPOConfig(output_dir={{folder!r}}, max_steps=1, per_device_train_batch_size=batch, num_generations=8,
        max_completion_length=16, report_to="none", save_strategy="no", bf16=False, use_cpu=True,
        gradient_checkpointing=False, disable_tqdm=True)
    rows = [{{{{"prompt": f"{{{{n}}}} + 2?", "chance": int(n % 3 == 0)}}}} for n in range(40)]
    trainer = kind(model={str(TINY)!r}, reward_funcs=[odd], args=args, train_dataset=Dataset.from_list(rows), **more)
    trainer.train()
    return trainer

run(Process, 4, step_rewards=halves)
last = run(Dynamic, 16, most_rounds=8)
try:
    run(Dynamic, 4)
except ValueError as error:
    print("%s\\n" % error, end="", flush=True)
last.accelerator.wait_for_everyone()
time.sleep(0.5)
last.accelerator.end_training()
"""


@pytest.mark.full
def test_two_processes_share_groups_and_fill_their_batch(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(folder=str(tmp_path)))
    launch = [str(Path(sys.executable).with_name("torchrun")), "--nproc_per_node", "2", "--standalone", str(script)]
    done = subprocess.run(launch, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("process 4 of 8") == 2
    assert done.stdout.count("dynamic True") == 2
    assert done.stdout.count("a process generates 4 completions at once") == 2
