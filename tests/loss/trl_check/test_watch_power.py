"""Mistakes made one at a time in TRL's own source, each noticed by a watched run of three steps or fewer."""

import inspect
import textwrap

import pytest

pytest.importorskip("trl", reason="trl is not installed")

from datasets import Dataset
from tables import tables_beside
from tiny_trainer import trainer
from trl import GRPOTrainer
from trl.trainer import grpo_trainer

from grpo_rewards.loss import LossMismatch, watch_loss

ROWS = tables_beside(__file__).items()
# those that say what is said are the quick ones
MUTANTS = [pytest.param(*row, id=name) for name, row in ROWS if len(row) == 5]
MUTANTS += [pytest.param(*row, "", id=name, marks=pytest.mark.full) for name, row in ROWS if len(row) == 4]


def mutated(method, before, after):
    """The method of TRL with one change in its source."""
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(getattr(GRPOTrainer, method))))
    source = textwrap.indent(source, "    ")
    assert source.count(before) >= 1, f"{before!r} is not in TRL's {method}"
    changed = (
        source.replace(before, after).replace("@profiling_decorator", "").replace("super()", "super(GRPOTrainer, self)")
    )
    space = {}
    exec("class Mutated:\n" + changed, vars(grpo_trainer) | {"GRPOTrainer": GRPOTrainer}, space)  # noqa: S102 - TRL's own source
    return vars(space["Mutated"])[method]


def uneven(completions, **_):
    """Another number for each completion."""
    return [len(text) / 3 + index**2 / 8 for index, text in enumerate(completions)]


@pytest.mark.parametrize(("method", "before", "after", "options", "says"), MUTANTS)
def test_a_mistake_in_trl_is_noticed(method, before, after, options, says, tmp_path, monkeypatch):
    given = {"reward_funcs": [uneven, uneven] if "reward_weights" in options else [uneven]}
    if options.pop("evaluates", False):
        given["eval_rows"] = 4
        options |= {"eval_strategy": "steps", "eval_steps": 1, "num_generations_eval": 2}
    monkeypatch.setattr(GRPOTrainer, method, mutated(method, before, after))
    # prompts of unequal lengths
    rows = [{"prompt": f"{n} + 2?" + "?" * (3 * n) + "\n", "answer": str(n + 2)} for n in range(8)]
    given["train_dataset"] = Dataset.from_list(rows)
    watched = trainer(tmp_path, given, **options)
    watch_loss(watched, every=1)
    with pytest.raises(LossMismatch, match=says):
        watched.train()
