"""Train a language model on grade-school arithmetic with GRPO and rule-based rewards.

On a laptop, without a network: a tiny model on generated word problems, in about a minute.

    accelerate launch recipes/gsm8k.py

The same model on GSM8K's own file, or a real model on a GPU:

    accelerate launch recipes/gsm8k.py --dataset_path train.jsonl --max_steps 20
    accelerate launch recipes/gsm8k.py --config recipes/configs/gsm8k_qwen2.5-0.5b.yaml

Every field of GRPOConfig and ModelConfig is an option; the command line overrides the YAML. Run again to resume.
"""

from __future__ import annotations

import needed  # noqa: F401  # isort: skip  # before anything that it looks for

import json
import os
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from command_line import announce, parse, peek
from datasets import Dataset
from evaluation import evaluate, evaluated, table
from keeping_reference import keep_reference
from problems import load_problems
from reporting import ProgressLine, save_reward_curve
from resuming import checkpoint_to_resume
from transformers import AutoTokenizer, PreTrainedTokenizerBase, ProgressCallback
from trl import GRPOConfig, GRPOTrainer, ModelConfig, get_peft_config, get_quantization_config

from grpo_rewards import Reward, RewardError, check_answers, check_rewards, get_reward
from grpo_rewards.loss import watch_loss

# TRL uses names that transformers 5 deprecates, one of them at every step: the warnings would bury the progress line.
warnings.filterwarnings("ignore", message=".*gradient_checkpointing.*deprecated", category=FutureWarning)

TINY_MODEL = Path(__file__).parent / "tiny_qwen3"

# What the tiny model trains with where nothing else is said. Real models bring their own settings in a YAML.
TINY_DEFAULTS: dict[str, Any] = {
    "model_name_or_path": str(TINY_MODEL),
    "learning_rate": 3e-4,
    "lr_scheduler_type": "constant",
    "max_steps": 60,
    "num_generations": 8,
    "max_completion_length": 32,
    "per_device_train_batch_size": max(128 // int(os.environ.get("WORLD_SIZE", "1")), 1),
    "beta": 0.0,
    "bf16": False,
    "gradient_checkpointing": False,
    "save_steps": 20,
    "save_total_limit": 2,
}
DEFAULT_REWARDS = {"boxed_answer": 1.0, "think_format": 0.2}

# Settings that make a run the run that it is: a checkpoint is only resumed under the same ones.
IDENTITY = (
    *("model_name_or_path", "dataset_name", "dataset_path", "reward_funcs", "reward_weights", "system_prompt", "seed"),
    *("learning_rate", "loss_type", "beta", "num_generations", "generation_batch_size", "max_completion_length"),
    *("dataset_config", "dataset_train_split", "dataset_test_split", "eval_size", "temperature", "use_peft"),
    *("sync_ref_model", "ref_model_mixup_alpha", "ref_model_sync_steps"),
)


@dataclass
class GSM8KArguments:
    """The problems, the rewards and the evaluation."""

    dataset_name: str | None = field(default=None, metadata={"help": "Data set on the hub, such as openai/gsm8k."})
    dataset_config: str | None = field(default="main", metadata={"help": "Configuration of the data set on the hub."})
    dataset_train_split: str = field(default="train", metadata={"help": "Split to train on."})
    dataset_test_split: str = field(default="test", metadata={"help": "Split to evaluate on."})
    dataset_path: str | None = field(
        default=None, metadata={"help": "JSON lines with a question and an answer each; some are held out."}
    )
    reward_funcs: list[str] | None = field(
        default=None,
        metadata={"help": 'Rewards by spec: boxed_answer "soft_overlong(max_tokens=256, buffer=64)" my_pkg.my_reward'},
    )
    system_prompt: str | None = field(default=None, metadata={"help": "Put before every problem."})
    eval_size: int = field(default=200, metadata={"help": "How many held-out problems to evaluate on; 0 for none."})
    eval_samples: int = field(default=4, metadata={"help": "Samples of each problem for the sampled accuracy."})
    allow_unreadable_answers: bool = field(
        default=False, metadata={"help": "Train although some gold answers cannot be read; these rows teach nothing."}
    )
    watch_loss: bool = field(
        default=False, metadata={"help": "Hold TRL's loss to the one of the papers every ten steps; stop if it is not."}
    )
    overwrite: bool = field(default=False, metadata={"help": "Start anew instead of resuming the last checkpoint."})

    def __post_init__(self) -> None:
        if isinstance(self.reward_funcs, str):  # a single spec in a YAML need not be a list
            self.reward_funcs = [self.reward_funcs]


def main(trainer_class: type[GRPOTrainer] | None = None, **more: Any) -> None:
    """Trains as the command line says, with ``GRPOTrainer`` or a class derived from it and what else that takes."""
    trainer_class = trainer_class or GRPOTrainer
    script, training, model = settings(sys.argv[1:])
    announce(training)
    rewards = load_rewards(script, training)
    problems, held_out = load_problems(script, seed=training.seed)
    tokenizer = AutoTokenizer.from_pretrained(model.model_name_or_path, revision=model.model_revision)
    if tokenizer.chat_template is None:
        sys.exit(f"error: {model.model_name_or_path} has no chat template; use an instruct model.")
    train = as_prompts(problems, script.system_prompt)
    rewards = checked(rewards, train, held_out, script, training, tokenizer)
    everything = {**vars(model), **vars(training), **vars(script)}
    identity = {**{name: everything[name] for name in IDENTITY}, "trainer": trainer_class.__name__}
    checkpoint = checkpoint_to_resume(training, identity, overwrite=script.overwrite)

    trainer = trainer_class(
        model=model.model_name_or_path,
        reward_funcs=list(rewards),
        args=training,
        train_dataset=train,
        processing_class=tokenizer,
        peft_config=get_peft_config(model),
        quantization_config=get_quantization_config(model),
        **more,
    )
    keep_reference(trainer, checkpoint)
    if script.watch_loss:
        watch_loss(trainer, every=10)
    trainer.remove_callback(ProgressCallback)
    trainer.add_callback(ProgressLine([reward.name for reward in rewards]))
    exam = as_prompts(held_out, script.system_prompt)
    try:
        results = train_between_exams(trainer, exam, rewards, script.eval_samples, checkpoint)
    except KeyboardInterrupt:
        sys.exit(
            f"\nInterrupted at step {trainer.state.global_step}. The same command line resumes from the last "
            f"checkpoint in {training.output_dir}, if one was saved; --overwrite starts anew."
        )
    report(trainer, results, script)
    end(trainer)


def settings(argv: list[str]) -> tuple[GSM8KArguments, GRPOConfig, ModelConfig]:
    """The command line over the YAML over what suits the model, the data and the machine."""
    named = peek(argv, ("model_name_or_path", "dataset_name", "dataset_path"))
    name = Path(named["model_name_or_path"] or "tiny").name
    data = Path(named["dataset_path"] or named["dataset_name"] or "word_problems").stem
    defaults: dict[str, Any] = {
        "output_dir": str(Path("outputs") / f"{name}-{data}"),
        "logging_steps": 1,
        "log_completions": True,  # writes completions/*.parquet
        "num_completions_to_print": 0,
        "report_to": "none",
    }
    if named["model_name_or_path"] is None:
        defaults |= TINY_DEFAULTS
    if not torch.accelerator.is_available():
        defaults |= {"use_cpu": True, "bf16": False}  # TRL's bf16=True raises on a CPU
    script, training, model = parse(argv, (GSM8KArguments, GRPOConfig, ModelConfig), defaults)
    training.model_init_kwargs = {
        "revision": model.model_revision,
        "dtype": model.dtype,
        "attn_implementation": model.attn_implementation,
        **(training.model_init_kwargs or {}),
    }
    return script, training, model


def load_rewards(script: GSM8KArguments, training: GRPOConfig) -> list[Reward]:
    sys.path.append(os.getcwd())  # a dotted path may name a module of the folder one works in
    if script.reward_funcs is None:
        script.reward_funcs = list(DEFAULT_REWARDS)
        training.reward_weights = training.reward_weights or list(DEFAULT_REWARDS.values())
    try:
        return [get_reward(spec) for spec in script.reward_funcs]
    except RewardError as error:
        sys.exit(f"error: {error}")


def checked(
    rewards: list[Reward],
    problems: Dataset,
    held_out: Dataset,
    script: GSM8KArguments,
    training: GRPOConfig,
    tokenizer: PreTrainedTokenizerBase,
) -> list[Reward]:
    """The rewards as this run needs them; ends the program with what would only show after the model was loaded."""
    report = check_rewards(rewards, problems, tokenizer=tokenizer, args=training)
    try:
        report.raise_for_errors()
    except RewardError as error:
        sys.exit(f"error: {error}")
    unreadable = {str(one.reward): one.rows for one in report if one.check == "answers" and one.rows}
    for finding in report.warnings:
        if finding.check != "answers":
            print(f"warning: {finding}")
    tell_of_unreadable(unreadable, "training", problems, script)
    tell_of_unreadable(check_answers(rewards, held_out.to_dict()), "held-out", held_out, script)
    return report.rewards


def tell_of_unreadable(
    unreadable: Mapping[str, Sequence[int]], which: str, data: Dataset, script: GSM8KArguments
) -> None:
    """Names the lines whose answers rewards cannot read, and ends the program unless that is allowed."""
    for name, rows in unreadable.items():
        unit, places = ("lines", data["line"]) if "line" in data.features else ("rows", range(len(data)))
        example = str(data[rows[0]]["answer"])[-60:]
        some = f"{unit} {', '.join(str(places[row]) for row in rows[:10])} (e.g. {example!r})"
        said = f"{name} cannot read the answers of {len(rows)} of {len(data)} {which} problems: {some}"
        if not script.allow_unreadable_answers:
            sys.exit(f"error: {said}. Mend or remove them, or pass --allow_unreadable_answers.")
        print(f"warning: {said}. They are scored None and teach nothing.")


def as_prompts(problems: Dataset, system_prompt: str | None) -> Dataset:
    """Adds the conversational prompt that TRL reads; the other columns stay for the rewards."""
    system = [{"role": "system", "content": system_prompt}] if system_prompt else []
    return problems.map(lambda row: {"prompt": [*system, {"role": "user", "content": row["question"]}]})


def train_between_exams(
    trainer: GRPOTrainer, exam: Dataset, rewards: list[Reward], samples: int, checkpoint: str | None
) -> dict[str, Any]:
    """Trains, and evaluates the held-out problems before and after."""
    before = evaluate(trainer, exam, rewards, samples, "before training")
    trainer.train(resume_from_checkpoint=checkpoint)
    after = evaluate(trainer, exam, rewards, samples, "after training")
    return {"problems": evaluated(trainer, exam), "samples": samples, "before": before, "after": after}


def report(trainer: GRPOTrainer, results: dict[str, Any], script: GSM8KArguments) -> None:
    """Saves the model and its card; the first process writes the figures and shows the table."""
    folder = Path(trainer.args.output_dir)
    trainer.save_model(str(folder))
    trainer.create_model_card(model_name=folder.name, dataset_name=script.dataset_name)
    if not trainer.is_world_process_zero():
        return
    head = {"steps": trainer.state.global_step}
    (folder / "eval.json").write_text(json.dumps({**head, **results}, indent=2))
    save_reward_curve(trainer.state.log_history, trainer.reward_func_names, folder / "reward_curve.png")
    print(f"\n{table(results, script.eval_samples)}\n")
    after, before = (results[when].get("sampled", {}).get("boxed_answer") or 0.0 for when in ("after", "before"))
    if script.dataset_name is None and script.dataset_path is None and after > before + 0.2:
        print(
            "What this shows: sampling found answers that reason first and then put the result in a box, the\n"
            "rewards paid for them, and GRPO made them the rule. That strategy was a third of what the tiny model\n"
            "was warmed up on; GRPO sharpened it. It did not teach arithmetic.\n"
        )
    print(f"Model, eval.json, reward_curve.png and completions/ are in {folder}.")


def end(trainer: GRPOTrainer) -> None:
    """Ends all processes together.

    Gloo's thread releases the tensors of the last collective a moment after it is done, for which it needs Python's
    lock; a process that is already tearing its group down holds that lock and would wait for the thread for ever.
    """
    trainer.accelerator.wait_for_everyone()
    if trainer.accelerator.num_processes > 1:
        time.sleep(0.5)
    trainer.accelerator.end_training()


if __name__ == "__main__":
    main()
