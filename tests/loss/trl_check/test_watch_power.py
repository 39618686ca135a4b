"""Mistakes made one at a time in TRL's own source, each noticed by a watched run of three steps or fewer."""

import pytest
from datasets import Dataset
from mutants import Mutant, put_in
from tables import tables_beside
from tiny_trainer import trainer

from grpo_rewards.loss import LossMismatch, watch_loss

ROWS = tables_beside(__file__).items()
# those that say what is said are the quick ones
MUTANTS = [pytest.param(*row, id=name) for name, row in ROWS if len(row) == 5]
MUTANTS += [pytest.param(*row, "", id=name, marks=pytest.mark.full) for name, row in ROWS if len(row) == 4]


def uneven(completions, **_):
    """Another number for each completion."""
    return [len(text) / 3 + index**2 / 8 for index, text in enumerate(completions)]


@pytest.mark.parametrize(("method", "before", "after", "options", "says"), MUTANTS)
def test_a_mistake_in_trl_is_noticed(method, before, after, options, says, tmp_path, monkeypatch):
    given = {"reward_funcs": [uneven, uneven] if "reward_weights" in options else [uneven]}
    if options.pop("evaluates", False):
        given["eval_rows"] = 4
        options |= {"eval_strategy": "steps", "eval_steps": 1, "num_generations_eval": 2}
    put_in(Mutant(method, before, after), monkeypatch)
    # prompts of unequal lengths
    rows = [{"prompt": f"{n} + 2?" + "?" * (3 * n) + "\n", "answer": str(n + 2)} for n in range(8)]
    given["train_dataset"] = Dataset.from_list(rows)
    watched = trainer(tmp_path, given, **options)
    watch_loss(watched, every=1)
    with pytest.raises(LossMismatch, match=says):
        watched.train()
