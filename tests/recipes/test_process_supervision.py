"""Process supervision in a run: what the steps of a solution are, and that advantages of tokens reach TRL's loss."""

import statistics
from types import SimpleNamespace

import pytest
import torch
from datasets import Dataset
from places import TINY
from process_supervision import ProcessGRPOTrainer, equation_steps, last_tokens, require_what_tokens_allow
from tables import each_row, tables_beside
from tiny_trainer import trainer
from torch.testing import assert_close
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

import grpo_rewards as gr
from grpo_rewards.loss import group_advantages, watch_loss

TABLES = tables_beside(__file__)

RIGHT = "<think>4 * 6 = 24\n24 + 3 = 27</think>\\boxed{27}"
WRONG = "<think>4 * 6 = 24\n24 + 3 = 28</think>\\boxed{28}"


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(TINY)


@each_row("text, expected", TABLES["the_steps_of_a_solution"])
def test_the_steps_of_a_solution(text, expected):
    ends, found = [0], []
    for end, reward in equation_steps(text, answer="#### 27"):
        found.append([text[ends[-1] : end], reward])
        ends.append(end)
    assert found == expected


def test_a_gold_that_cannot_be_read_is_no_step_and_blames_no_completion():
    assert gr.boxed_answer.score("\\boxed{3}", answer="####") is None
    assert equation_steps("1 + 2 = 3\n\\boxed{3}", answer="####") == [(len("1 + 2 = 3\n"), 1.0)]


def test_a_step_ends_with_the_token_that_holds_its_last_character(tokenizer):
    ids = [*tokenizer.encode(WRONG), tokenizer.eos_token_id]
    ends = last_tokens(tokenizer, ids, [end for end, _ in equation_steps(WRONG, answer="27")])
    assert [tokenizer.decode(ids[end]) for end in ends] == ["\n", "</think>", "</s>"]
    for text in ("naïve 数学 🍎\n1 + 1 = 2", "2\n"):
        ids = tokenizer.encode(text)
        (found,) = last_tokens(tokenizer, ids, [text.index("\n") + 1])
        assert tokenizer.decode(ids[: found + 1]) == text[: text.index("\n") + 1]


@gr.reward
def long(completion: str) -> float:
    """How long a completion is, for a spread of rewards in each group."""
    return float(len(completion))


def halves(completion, **columns):
    """Two steps, the half and the whole; their rewards depend on the text and on a column."""
    half = len(completion) // 2
    return [(half, float(completion.count("1"))), (len(completion), float(len(completion) % 3) + columns["bonus"])]


def by_hand(tokenizer, completions, steps, tokens):
    """Each token's sum of (r - mean) / (std + 1e-4) of the steps that end at it or later, of one group."""
    known = [reward for one in steps for _, reward in one]
    mean, std = statistics.mean(known), statistics.stdev(known)
    found = torch.zeros(len(completions), tokens)
    for row, (ids, ends) in enumerate(zip(completions, steps, strict=True)):
        for end, reward in ends:
            whole = tokenizer.decode(ids, skip_special_tokens=True)
            count = len(ids)
            if end < len(whole):
                count = next(
                    n for n in range(1, count) if len(tokenizer.decode(ids[:n], skip_special_tokens=True)) >= end
                )
            found[row, :count] += (reward - mean) / (std + 1e-4)
    return found


@pytest.mark.parametrize("outcome_weight", [0.0, 0.5])
def test_the_advantages_of_tokens_reach_the_loss_and_are_trained_on(tmp_path, tokenizer, monkeypatch, outcome_weight):
    rows = [{"prompt": f"{n} + 2?\n", "answer": str(n + 2), "bonus": float(n % 2)} for n in range(40)]
    monkeypatch.setattr("trl.trainer.grpo_trainer.shuffle_sequence_dict", lambda batch: batch)  # groups stay together
    given = {"reward_funcs": [long], "train_dataset": Dataset.from_list(rows)}
    given |= {"step_rewards": halves, "outcome_weight": outcome_weight}
    run = trainer(tmp_path, given, ProcessGRPOTrainer, max_steps=2)
    watch_loss(run, every=1)
    watched, seen = run._compute_loss, []
    run._compute_loss = lambda model, inputs: (seen.append(inputs), watched(model, inputs))[1]
    before = [one.detach().clone() for one in run.model.parameters()]
    run.train()

    assert len(seen) == 2
    for inputs in seen:
        advantages, mask = inputs["advantages"], inputs["completion_mask"].bool()
        assert advantages.shape == mask.shape  # [B, T], not [B]
        ids = [row[one].tolist() for row, one in zip(inputs["completion_ids"], mask, strict=True)]
        prompts = tokenizer.batch_decode(inputs["prompt_ids"], skip_special_tokens=True)
        bonus = [float(int(prompt.split(" + ")[0]) % 2) for prompt in prompts]
        for start in (0, 4):
            group = slice(start, start + 4)
            texts = tokenizer.batch_decode(ids[group], skip_special_tokens=True)
            steps = [halves(text, bonus=one) for text, one in zip(texts, bonus[group], strict=True)]
            expected = by_hand(tokenizer, ids[group], steps, mask.shape[1])
            outcome = group_advantages(torch.tensor([long.score(text) for text in texts]), 4).unsqueeze(1)
            expected += outcome_weight * outcome
            assert_close(advantages[group][mask[group]], expected[mask[group]], atol=1e-5, rtol=0)
        assert (advantages.amax(dim=1) > advantages.amin(dim=1)).any()  # the tokens of a completion differ
    logs = [log for log in run.state.log_history if "step_rewards/mean" in log]
    assert [log["step_rewards/steps"] for log in logs] == [2.0, 2.0]
    assert all(log["loss_check/max_abs_diff"] < 1e-6 for log in logs)  # the oracle, with advantages for each token
    assert any((old != new).any() for old, new in zip(before, run.model.parameters(), strict=True))
    assert type(run)._compute_loss is GRPOTrainer._compute_loss


@pytest.mark.parametrize(
    ("options", "tools", "said"),
    [
        ({"importance_sampling_level": "sequence"}, [], 'use "token". GSPO-token, .*="sequence_token"'),
        ({"scale_rewards": "none"}, [], "scale_rewards='none': .* of their group"),
        ({"scale_rewards": "batch"}, [], "scale_rewards='batch'"),
        ({"scale_rewards": False}, [], "scale_rewards='none'"),
        ({}, [len], "train without tools"),
    ],
)
def test_settings_that_the_advantages_of_tokens_cannot_heed_are_refused(tmp_path, options, tools, said):
    args = GRPOConfig(output_dir=str(tmp_path), use_cpu=True, bf16=False, **options)
    with pytest.raises(ValueError, match=said):
        require_what_tokens_allow(SimpleNamespace(args=args, tools=tools))
    require_what_tokens_allow(SimpleNamespace(args=GRPOConfig(str(tmp_path), use_cpu=True, bf16=False), tools=[]))
