"""A trained model at work: its answers to one question, and each reward's verdict on them."""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from datasets import Dataset

from grpo_rewards import Reward, check_rewards
from running.before_loading.disk import require_writable
from running.evaluation.checkpoints import checkpoint
from running.evaluation.untrained import NOT_TRAINED, policy_of
from running.recorded import record_merged
from running.reward_setup import named_rewards
from running.settings import settings
from running.task import Task

__all__ = ["Completion", "ModelSampler", "merged", "verdicts"]

# How a model is prompted that no run left here: in the precision that it has on the disk, and with room to reason.
WITHOUT_A_RUN = {"dtype": "auto", "max_completion_length": 512}


@dataclass(frozen=True)
class Completion:
    """What the model wrote: the prompt as messages, the text, and its token ids."""

    prompt: list[dict[str, str]]
    text: str
    ids: list[int]


class ModelSampler:
    """A model that is prompted as in an evaluation, and the rewards that judge it.

    Args:
        model: a folder with a model or an adapter, or an id of the hub.
        rewards: by spec.
        task: of which the questions are.
        options: how it is prompted, as a recipe takes them.
        of_run: how the run prompted that made it, by name, where the options do not say.
        samples: how many answers a question gets.
        greedy: whether these are of the likeliest tokens.
    """

    def __init__(
        self,
        model: str,
        rewards: Sequence[str],
        *,
        task: Task,
        options: Sequence[str],
        of_run: Mapping[str, Any],
        samples: int,
        greedy: bool,
    ) -> None:
        lies = checkpoint(model)
        self.folder = tempfile.TemporaryDirectory()  # a trainer must have one, and removes nothing
        argv = ["--model_name_or_path", model, *NOT_TRAINED, *options]
        script, training, how = settings(task, argv, {**WITHOUT_A_RUN, **of_run})
        training.output_dir = self.folder.name
        self.rewards = judges(rewards, lies.tokenizer, training.chat_template_kwargs or {})
        self.system = [{"role": "system", "content": script.system_prompt}] if script.system_prompt else []
        example = Dataset.from_list([{"prompt": self.prompt("?")}])
        self.policy = policy_of(lies, self.rewards, example, training, how, argv)
        self.samples, self.greedy = samples, greedy

    def prompt(self, question: str) -> list[dict[str, str]]:
        return [*self.system, {"role": "user", "content": question}]

    def completions(self, question: str) -> Iterator[Completion]:
        """The answers to a question, one after the other."""
        prompt = self.prompt(question)
        for _ in range(self.samples):
            (answer,) = self.policy.answers([prompt], [random.getrandbits(62)], greedy=self.greedy)
            yield Completion(prompt, str(answer.completion[-1].get("content")), answer.ids)


def judges(specs: Sequence[str], tokenizer: Any, template: Mapping[str, Any]) -> list[Reward]:
    """The rewards, bound to what the chat template adds to a prompt; ends the program where one is unknown."""
    question = [{"prompt": [{"role": "user", "content": "?"}]}]
    args = SimpleNamespace(chat_template_kwargs=dict(template))
    return list(check_rewards(named_rewards(specs), question, tokenizer=tokenizer, args=args).rewards)


def verdicts(rewards: Sequence[Reward], completion: Completion, row: Mapping[str, Any]) -> Iterator[str]:
    """A line for each reward: its number, its reason and what it compared, or the column that it would need."""
    messages = [{"role": "assistant", "content": completion.text}]
    for reward in rewards:
        missing = [column for column in reward.columns if column not in row]
        if missing:
            yield f"{reward.name}: not judged without {', '.join(missing)} (--answer, or --row)"
            continue
        found = reward.explain(messages, prompt=completion.prompt, completion_ids=completion.ids, **row)
        number = "none" if found.reward is None else f"{found.reward:g}"
        compared = [f"{name} {value!r}" for name in ("prediction", "answer") if (value := getattr(found, name))]
        yield f"{reward.name} {number}: {', '.join([found.reason, *compared])}".rstrip(": ")


def merged(adapter: str, folder: Path) -> str:
    """The folder of the model with the adapter merged into it; ends the program where there is nothing to merge."""
    lies = checkpoint(adapter)
    if lies.base is None:
        sys.exit(f"error: --merge_to: {adapter} holds no adapter (no adapter_config.json).")
    if folder.is_dir() and any(folder.iterdir()):
        sys.exit(f"error: --merge_to {folder} exists already. Name a new folder.")
    require_writable(folder, "--merge_to")
    lies.merged(dtype="auto").save_pretrained(folder)
    lies.tokenizer.save_pretrained(folder)
    record_merged(adapter, folder)
    print(f"The merged model is in {folder}.")
    return str(folder)
