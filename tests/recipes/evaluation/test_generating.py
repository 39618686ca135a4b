"""An evaluation generates as training does: what a model's own generation_config.json says changes neither."""

import json
import shutil
from pathlib import Path

import torch
from datasets import Dataset
from embedded.calculator_problems import TINY_CALCULATOR, calculator_problems
from evaluation_trainer import PROMPTS, trainer_of
from places import TINY
from tables import tables_beside
from training.evaluation import Policy
from trl import GRPOConfig, GRPOTrainer

from grpo_rewards import boxed_answer
from grpo_rewards.answers import read_arithmetic

TABLES = tables_beside(__file__)

PENALISED = {"repetition_penalty": 1.1, "temperature": 0.3, "top_k": 3, "top_p": 0.8}
# all that training can be told about generation, none of it at its default
SETTINGS = TABLES["settings"]


def with_generation_config(folder: Path, **said: object) -> Path:
    other = folder / "other"
    shutil.copytree(TINY, other)
    own = json.loads((TINY / "generation_config.json").read_text())
    (other / "generation_config.json").write_text(json.dumps({**own, **said}))
    return other


def test_a_models_own_generation_config_does_not_change_its_evaluation(tmp_path):
    penalised = with_generation_config(tmp_path, **PENALISED)
    one, other = (Policy(trainer_of(tmp_path / "out", model)) for model in (TINY, penalised))
    assert one.answers(PROMPTS, 0) == other.answers(PROMPTS, 0)


def test_an_evaluation_is_given_what_training_is_given_and_leaves_the_trainer_as_it_was(tmp_path):
    trainer = trainer_of(tmp_path, max_steps=1, num_generations=8, **SETTINGS)
    tokenizer = trainer.processing_class
    tokenizer.chat_template = "{{ hint }}" + tokenizer.chat_template
    told, inner = [], trainer.model.generate

    def generate(input_ids, attention_mask, generation_config):
        told.append((input_ids, generation_config.to_dict(), trainer.model.training))
        return inner(input_ids=input_ids, attention_mask=attention_mask, generation_config=generation_config)

    trainer.model.generate = generate
    policy = Policy(trainer)
    before = torch.get_rng_state()
    trainer.model.train()
    policy.answers(PROMPTS[:3], 0)
    assert torch.equal(torch.get_rng_state(), before)
    assert trainer.model.training
    assert trainer.num_generations_eval == 8
    assert not trainer._metrics["eval"]
    trainer.train()
    sampled, trained = told
    assert trained[1]["no_repeat_ngram_size"] == 5
    assert {name: trained[1][name] for name in ("temperature", "min_p", "repetition_penalty")} == {
        name: SETTINGS[name] for name in ("temperature", "min_p", "repetition_penalty")
    }
    assert sampled[1] == trained[1]
    for input_ids, _, _ in told:  # rendered by the same template
        assert all("Think.<s>" in text for text in tokenizer.batch_decode(input_ids))
    assert [training for _, _, training in told] == [False, True]  # in evaluation mode, and not after it


def calculate(expression: str) -> str:
    """
    Computes an expression.

    Args:
        expression: of numbers with + - * /.
    """
    return str(read_arithmetic(expression).value)


def test_tools_are_called_in_an_evaluation_too(tmp_path):
    rows = calculator_problems(8, seed=1, split="test")
    prompts = [[{"role": "user", "content": row["question"]}] for row in rows]
    args = GRPOConfig(str(tmp_path), use_cpu=True, bf16=False, report_to="none", max_completion_length=40)
    data = Dataset.from_list([{"prompt": prompt} for prompt in prompts])
    given = {"reward_funcs": boxed_answer, "train_dataset": data, "tools": [calculate]}
    answers = Policy(GRPOTrainer(str(TINY_CALCULATOR), args=args, **given)).answers(prompts, 0)
    results = [message for answer in answers for message in answer.completion if message["role"] == "tool"]
    assert any(message["content"].lstrip("-").isdigit() for message in results)
