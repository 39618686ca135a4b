"""A run, from the command line to the figures: what every recipe does, in its order."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from accelerate import Accelerator
from datasets import Dataset
from transformers import AutoTokenizer, PreTrainedTokenizerBase, PrinterCallback, ProgressCallback
from trl import GRPOConfig, GRPOTrainer, ModelConfig, get_peft_config, get_quantization_config

from grpo_rewards import Reward
from grpo_rewards.checks import RewardMonitor
from grpo_rewards.loss import watch_loss
from running.before_loading import checked_machine, require_space
from running.card import save_card
from running.command_line import peek
from running.evaluation.in_training import RunEvaluations, evaluation_of, require_known_metric
from running.evaluation.summary import printed
from running.interrupted import end_interrupted, ends_on_interrupt
from running.kept_report import KeptReport, save_report
from running.launch import announce, warn_of_sharding
from running.reading import as_prompts, load_problems
from running.reporting import ProgressLine, save_reward_curve
from running.resuming import (
    Stopped,
    checkpoint_to_resume,
    ends_on_signals,
    record_of,
    save_between_generations,
    train_from,
)
from running.reward_setup import checked, load_rewards
from running.settings import TaskArguments, settings
from running.task import Task

__all__ = ["run"]

# TRL uses names that transformers 5 deprecates, one of them at every step: the warnings would bury the progress line.
warnings.filterwarnings("ignore", message=".*gradient_checkpointing.*deprecated", category=FutureWarning)


GO_ON = "The same command line goes on from the last checkpoint, if one was saved; --overwrite starts anew."


@ends_on_signals()
@ends_on_interrupt(GO_ON)
def run(task: Task, trainer_class: type[GRPOTrainer] | None = None, **more: Any) -> None:
    """Trains as the command line says, with ``GRPOTrainer`` or a class derived from it and what else that takes."""
    trainer_class = trainer_class or GRPOTrainer
    script, training, model = settings(task, sys.argv[1:])
    announce(training)
    on_cpu_by_choice = str(peek(sys.argv[1:], ("use_cpu",))["use_cpu"]).lower() == "true"
    config = checked_machine(training, model, on_cpu_by_choice=on_cpu_by_choice)
    also = () if trainer_class is GRPOTrainer else task.columns  # a trainer of a recipe's own may read them itself
    tokenizer, rewards, train, held_out = prepared(task, script, training, model, also)
    record = record_of(
        (script, training, model),
        training,
        task=task.name,
        trainer=trainer_class,
        options=more,
        rewards=rewards,
        train=train,
        held_out=held_out,
    )
    checkpoint = checkpoint_to_resume(
        training,
        record,
        overwrite=script.overwrite,
        require_room=partial(require_space, training, model, config, len(train)),
    )
    save_between_generations(training)

    trainer = trainer_class(
        model=model.model_name_or_path,
        reward_funcs=list(rewards),
        args=training,
        train_dataset=train,
        eval_dataset=held_out if len(held_out) else None,  # needed where there is an eval_strategy; see RunEvaluations
        processing_class=tokenizer,
        peft_config=get_peft_config(model),
        quantization_config=get_quantization_config(model),
        **more,
    )
    warn_of_sharding(trainer.accelerator.state)
    if script.watch_loss:
        watch_loss(trainer, every=10)
    trainer.remove_callback(PrinterCallback if training.disable_tqdm else ProgressCallback)
    monitor = RewardMonitor(rewards)
    line = ProgressLine([reward.name for reward in rewards], task.gold_reward, lambda: monitor.zero_variance)
    trainer.add_callback(monitor)  # first: it counts what the line shows
    trainer.add_callback(line)
    trainer.add_callback(KeptReport())
    try:
        results = train_and_evaluate(trainer, held_out, rewards, task.gold_reward, script, checkpoint)
    except Stopped:
        end(trainer.accelerator)
        raise
    except KeyboardInterrupt:
        end_interrupted(f"Interrupted at step {trainer.state.global_step}. {GO_ON}")
    finally:
        line.close()
    report(task, trainer, results, script, model)
    end(trainer.accelerator)


def prepared(
    task: Task, script: TaskArguments, training: GRPOConfig, model: ModelConfig, also: Sequence[str]
) -> tuple[PreTrainedTokenizerBase, list[Reward], Dataset, Dataset]:
    """The tokenizer, the rewards as this run needs them, and its problems to train on and held out, as prompts.

    Ends the program with a message where they do not go together.
    """
    rewards = load_rewards(task, script, training)
    problems, held_out = load_problems(task, script, seed=training.seed)
    tokenizer = AutoTokenizer.from_pretrained(model.model_name_or_path, revision=model.model_revision)
    if tokenizer.chat_template is None:
        sys.exit(f"error: {model.model_name_or_path} has no chat template; use an instruct model.")
    if training.eval_strategy != "no" and not len(held_out):
        sys.exit("error: --eval_strategy and --eval_steps need held-out problems: raise --eval_size.")
    train, held_out_prompts = (as_prompts(task, data, script.system_prompt) for data in (problems, held_out))
    rewards, train, held_out_prompts = checked(
        rewards, train, held_out_prompts, script, training, tokenizer, also=also, right=task.right
    )
    require_known_metric(training, rewards, script, task.gold_reward)
    return tokenizer, rewards, train, held_out_prompts


def train_and_evaluate(
    trainer: GRPOTrainer,
    held_out: Dataset,
    rewards: list[Reward],
    gold: str,
    script: TaskArguments,
    checkpoint: str | None,
) -> dict[str, Any]:
    """Trains, and has the policy answer the held-out problems before, during (``eval_steps``) and after.

    Returns the figures on the first process, and nothing on the others.
    """
    if not len(held_out):
        train_from(trainer, checkpoint)
        return {"problems": 0, "samples": 0, "before": {}, "after": {}, "difference": {}}
    evaluations = RunEvaluations(trainer, evaluation_of(trainer, held_out, rewards, gold, script), checkpoint)
    train_from(trainer, checkpoint)
    return evaluations.results(evaluations.after())


def report(
    task: Task, trainer: GRPOTrainer, results: dict[str, Any], script: TaskArguments, model: ModelConfig
) -> None:
    """Saves the model; the first process writes its card and the figures, shows the table and says what it shows."""
    folder = Path(trainer.args.output_dir)
    trainer.save_model(str(folder))
    if not trainer.is_world_process_zero():
        return
    head = {"steps": trainer.state.global_step}
    save_reward_curve(trainer.state.log_history, trainer.reward_func_names, folder / "reward_curve.png")
    save_card(folder, task, trainer, results, script, model)
    (folder / "eval.json").write_text(json.dumps({**head, **results}, indent=2))  # last: it marks a run as finished
    save_report(folder, trainer.state)
    if results["problems"]:
        held_out_figures = {name: results[name] for name in ("before", "after", "difference")}
        print(f"\n{printed(held_out_figures, script.eval_samples)}\n")
    else:
        print("\nNo held-out problems were evaluated.\n")
    is_default = (
        model.model_name_or_path == str(task.model)
        and not (script.dataset_name or script.dataset_path)
        and script.reward_funcs == list(task.rewards)
    )
    if is_default and task.shows and rose(results, task.gold_reward):
        print(f"What this shows: {task.shows}\n")
    print(f"Model, report.html, eval.json, evaluation/, reward_curve.png and completions/ are in {folder}.")


def rose(results: dict[str, Any], gold: str) -> bool:
    """Whether more held-out samples are right after training: the interval of the difference lies above 0."""
    interval = results.get("difference", {}).get("sampled", {}).get(gold, {}).get("interval")
    return interval is not None and interval[0] > 0


def end(accelerator: Accelerator) -> None:
    """Ends all processes together.

    Gloo's thread releases the tensors of the last collective a moment after it is done, for which it needs Python's
    lock; a process that is already tearing its group down holds that lock and would wait for the thread for ever.
    """
    accelerator.wait_for_everyone()
    if accelerator.num_processes > 1:
        time.sleep(0.5)
    accelerator.end_training()
