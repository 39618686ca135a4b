"""The same evaluation on two processes, and on two that share the weights: they answer as one process does."""

import pandas
import pytest
from places import RECIPES
from together import together

# Seven problems in batches of two: seven batches, of which each of two processes answers four.
SCRIPT = """
from pathlib import Path
from evaluation_trainer import PROBLEMS, trainer_of
from training.arguments import ScriptArguments
from training.evaluation import Evaluation
import torch
import grpo_rewards as gr

trainer = trainer_of(Path("run"), max_completion_length=20)
if KIND == "sharded":
    from torch.distributed.fsdp import FSDPModule, fully_shard
    from torch.distributed.device_mesh import init_device_mesh
    mesh = init_device_mesh("cpu", (2,))
    for layer in trainer.model.model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(trainer.model, mesh=mesh)
    assert isinstance(trainer.model, FSDPModule)
# the last one would ask both processes for the lengths of a group, and one of them scores: it is not evaluated
rewards = [gr.boxed_answer, gr.think_format, gr.relative_length.bind(num_generations=8)]
script = ScriptArguments(eval_samples=2)
evaluation = Evaluation(trainer, PROBLEMS.select(range(7)), rewards, "boxed_answer", script)
evaluation.rows = 2
evaluation.run(Path(f"{KIND}.parquet"))
say("done")
"""


def evaluated(folder, kind: str, processes: int) -> pandas.DataFrame:
    found = together(folder, f"KIND = {kind!r}\n{SCRIPT}", ranks=processes, path=(RECIPES,))
    assert found == ["done"] * processes
    return pandas.read_parquet(folder / f"{kind}.parquet")


@pytest.mark.full
def test_two_processes_answer_what_one_does(tmp_path):
    alone, both, sharded = (evaluated(tmp_path, kind, n) for kind, n in (("alone", 1), ("both", 2), ("sharded", 2)))
    assert len(alone) == 7 * 2
    assert {"boxed_answer", "think_format"} <= {*alone.columns}
    assert "relative_length" not in alone.columns
    assert sorted(set(alone["problem"])) == list(range(7))
    pandas.testing.assert_frame_equal(alone, both)
    pandas.testing.assert_frame_equal(alone, sharded)
