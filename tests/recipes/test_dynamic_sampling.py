"""Dynamic sampling: which groups are replaced, by what, and that a run trains on what it says."""

import pytest
import tiny_trainer
import torch
from datasets import Dataset
from dynamic_sampling import DynamicSamplingGRPOTrainer, refilled, require_whole_groups
from torch import tensor
from trl import GRPOTrainer

import grpo_rewards as gr
from grpo_rewards.loss import watch_loss

PAD = 9


def test_an_empty_group_is_replaced_and_everything_is_padded_on_its_side():
    batch = {
        "prompt_ids": tensor([[1], [1], [2], [2]]),
        "prompt_mask": torch.ones(4, 1),
        "completion_ids": tensor([[3, 4, 5]] * 4),
        "completion_mask": torch.ones(4, 3),
        "advantages": tensor([0.0, 0.0, 1.0, -1.0]),
        "num_items_in_batch": tensor(12),
    }
    more = {
        "prompt_ids": tensor([[6, 7]] * 4),
        "prompt_mask": torch.ones(4, 2),
        "completion_ids": tensor([[8, 8]] * 4),
        "completion_mask": torch.ones(4, 2),
        "advantages": tensor([0.0, 0.0, -0.5, 0.5]),
        "num_items_in_batch": tensor(8),
    }
    found = refilled(batch, more, 2, PAD)
    assert found["prompt_ids"].tolist() == [[6, 7], [6, 7], [PAD, 2], [PAD, 2]]
    assert found["prompt_mask"].tolist() == [[1, 1], [1, 1], [0, 1], [0, 1]]
    assert found["completion_ids"].tolist() == [[8, 8, PAD], [8, 8, PAD], [3, 4, 5], [3, 4, 5]]
    assert found["completion_mask"].tolist() == [[1, 1, 0], [1, 1, 0], [1, 1, 1], [1, 1, 1]]
    assert found["advantages"].tolist() == [-0.5, 0.5, 1.0, -1.0]
    # with nothing to take, and with nothing to fill, all stays
    nothing = refilled(batch, {**more, "advantages": torch.zeros(4)}, 2, PAD)
    assert nothing["advantages"].tolist() == batch["advantages"].tolist()
    full = refilled(found, more, 2, PAD)
    assert full["advantages"].tolist() == found["advantages"].tolist()


@gr.reward
def rarely(completion: str, chance: int) -> float:
    """Differs within a group for some of the prompts alone."""
    return float(len(completion) % 2) if chance else 0.0


def trainer(folder, rows, rounds=8, **options):
    given = {"reward_funcs": [rarely], "train_dataset": Dataset.from_list(rows), "most_rounds": rounds}
    few = {"max_steps": 2, "gradient_accumulation_steps": 2}
    return tiny_trainer.trainer(folder, given, DynamicSamplingGRPOTrainer, **{**few, **options})


def test_a_run_trains_on_full_batches_and_on_their_own_prompts(tmp_path):
    rows = [{"prompt": f"{n} + 2?\n", "chance": int(n % 3 == 0)} for n in range(40)]
    run = trainer(tmp_path, rows, beta=0.1, num_iterations=2)  # with logps of the reference and of the old policy
    watch_loss(run, every=1)
    watched, seen = run._compute_loss, []
    run._compute_loss = lambda model, inputs: (seen.append(inputs), watched(model, inputs))[1]
    run.train()
    assert type(run)._compute_loss is GRPOTrainer._compute_loss
    logs = [log for log in run.state.log_history if "dynamic_sampling/rounds" in log]
    assert logs[0]["dynamic_sampling/rounds"] > 1
    assert logs[0]["dynamic_sampling/informative"] == 1.0
    generated = seen[:2]  # the two micro-batches of the first step; shuffled, so groups are told by their prompts
    tokens = sum(int(inputs["completion_mask"].sum()) for inputs in generated)
    prompts: dict[str, list[float]] = {}
    for inputs in generated:
        assert int(inputs["num_items_in_batch"]) == tokens
        texts = run.processing_class.batch_decode(inputs["prompt_ids"], skip_special_tokens=True)
        assert all(int(text.split(" + ")[0]) % 3 == 0 for text in texts)  # no prompt that cannot teach is left
        for text, advantage in zip(texts, inputs["advantages"].tolist(), strict=True):
            prompts.setdefault(text, []).append(advantage)
        # these belong to the rows they stand in: computed again, they are the same
        logps, _, _ = run._get_per_token_logps_and_entropies(
            run.ref_model,
            torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], dim=1),
            torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], dim=1),
            inputs["completion_ids"].shape[1],
        )
        mask = inputs["completion_mask"].bool()
        torch.testing.assert_close(logps[mask], inputs["ref_per_token_logps"][mask], atol=1e-4, rtol=0)
    assert all(len(advantages) % 4 == 0 for advantages in prompts.values())
    assert all(max(advantages) > min(advantages) for advantages in prompts.values())


def test_without_a_signal_anywhere_it_ends(tmp_path):
    rows = [{"prompt": f"{n} + 2?\n", "chance": 0} for n in range(40)]
    run = trainer(tmp_path, rows, rounds=3, max_steps=1)
    run.train()
    (log,) = [log for log in run.state.log_history if "dynamic_sampling/rounds" in log]
    assert (log["dynamic_sampling/rounds"], log["dynamic_sampling/informative"]) == (3.0, 0.0)


def test_settings_under_which_it_cannot_be_done_are_refused(tmp_path):
    require_whole_groups(8, 4)
    with pytest.raises(ValueError, match="generates 6 completions at once, which are no whole groups of 4"):
        require_whole_groups(6, 4)  # as each of two processes does where TRL has 12 in all
    with pytest.raises(ValueError, match="most_rounds must be at least 1, not 0"):
        trainer(tmp_path, [{"prompt": "1", "chance": 0}], rounds=0)
    for options in ({"scale_rewards": "batch"}, {"multi_objective_aggregation": "normalize_then_sum"}):
        with pytest.raises(ValueError, match="each batch would have its own scale"):
            trainer(tmp_path, [{"prompt": "1", "chance": 0}], **options)
    with pytest.raises(ValueError, match="cannot put a row with images in the place of another"):
        trainer(tmp_path, [{"prompt": "1", "chance": 0, "image": "none"}])


def test_prompts_are_drawn_by_step_so_that_a_resumed_run_draws_others(tmp_path):
    rows = [{"prompt": f"{n} + 2?\n", "chance": 0} for n in range(1000)]
    begun, resumed = trainer(tmp_path, rows), trainer(tmp_path, rows)
    at_first = [begun._other_prompts(64) for _ in range(2)]
    assert at_first[0] != at_first[1]  # two rounds of a step
    resumed.state.global_step = begun.state.global_step = 5
    later = begun._other_prompts(64)
    assert later not in at_first
    assert later == resumed._other_prompts(64)  # whether it came there or was resumed there
    assert all(later[start : start + 4] == [later[start]] * 4 for start in range(0, 64, 4))
