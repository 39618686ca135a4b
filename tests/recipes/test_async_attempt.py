"""What recipes/README.md records of asynchronous GRPO without a GPU is still how it ends."""

import re

import pytest

pytest.importorskip("trl.experimental.async_grpo", reason="this TRL has no asynchronous GRPO in trl.experimental")

import torch
from datasets import Dataset
from places import RECIPES, TINY
from trl.experimental.async_grpo import AsyncGRPOConfig, AsyncGRPOTrainer

from grpo_rewards import boxed_answer


@pytest.mark.full
@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU, and the attempt is one without")
def test_the_recorded_attempt_ends_as_it_is_recorded(tmp_path):
    recorded = (RECIPES / "README.md").read_text().split("### Asynchronous GRPO")[1]
    where, error = re.search(r"in (\w+)\nAssertionError: (.*)\n", recorded).groups()
    args = AsyncGRPOConfig(output_dir=str(tmp_path), use_cpu=True, bf16=False, max_steps=1, report_to="none")
    data = Dataset.from_list([{"prompt": [{"role": "user", "content": "1 + 1?"}], "answer": "2"}] * 8)
    with pytest.raises(AssertionError, match=f"^{error}$") as ended:
        AsyncGRPOTrainer(model=str(TINY), reward_funcs=[boxed_answer], args=args, train_dataset=data)
    assert where in [entry.name for entry in ended.traceback]
