"""The same evaluation on two processes, and on two that share the weights: they answer as one process does."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import pandas
from places import RECIPES, ROOT

# Seven problems in batches of two: seven batches, of which each of two processes answers four.
SCRIPT = f"""
import sys
sys.path[:0] = [{str(RECIPES)!r}, {str(ROOT / "tests" / "shared")!r}]
from pathlib import Path
from evaluation_trainer import PROBLEMS, trainer_of
from training.arguments import ScriptArguments
from training.evaluation import Evaluation
import torch
import grpo_rewards as gr

folder, kind = Path(sys.argv[1]), sys.argv[2]
trainer = trainer_of(folder / "run", max_completion_length=20)
if kind == "sharded":
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
evaluation.run(folder / f"{{kind}}.parquet")
print(kind, "done", flush=True)
trainer.accelerator.end_training()
"""


def exam(folder: Path, kind: str, processes: int) -> pandas.DataFrame:
    script = folder / "exam_script.py"
    script.write_text(SCRIPT)
    torchrun = str(Path(sys.executable).with_name("torchrun"))
    launch = [torchrun, "--standalone", "--nproc_per_node", str(processes), str(script), str(folder), kind]
    done = subprocess.run(launch, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count(f"{kind} done") == processes
    return pandas.read_parquet(folder / f"{kind}.parquet")


@pytest.mark.full
def test_two_processes_answer_what_one_does(tmp_path):
    alone, both, sharded = (exam(tmp_path, kind, n) for kind, n in (("alone", 1), ("both", 2), ("sharded", 2)))
    assert len(alone) == 7 * 2
    assert {"boxed_answer", "think_format"} <= {*alone.columns}
    assert "relative_length" not in alone.columns
    assert sorted(set(alone["problem"])) == list(range(7))
    pandas.testing.assert_frame_equal(alone, both)
    pandas.testing.assert_frame_equal(alone, sharded)
