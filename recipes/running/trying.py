"""A trained model at work: its answers to one question, and what the rewards say of each."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from transformers import PreTrainedModel

from grpo_rewards import Reward, check_rewards
from running.before_loading.disk import require_writable
from running.exam.checkpoints import Checkpoint, checkpoint
from running.paid_for import named_rewards
from running.recorded import record_merged

__all__ = ["Completion", "Trial", "merged", "verdicts"]


@dataclass(frozen=True)
class Completion:
    """What the model wrote: the prompt as messages, the text, and its token ids."""

    prompt: list[dict[str, str]]
    text: str
    ids: list[int]


class Trial:
    """A model that is asked, and the rewards that judge it.

    Args:
        model: a folder with a model or an adapter, or an id of the hub.
        rewards: by spec.
        system_prompt: put before every question, if it is not empty.
        template: options of the chat template, such as ``{"enable_thinking": False}``.
        max_new_tokens: the longest answer.
        temperature: of sampling; ``None`` is greedy for one sample and 1.0 for several, 0 is greedy.
        sampling: what else a run samples with, as fields of ``GRPOConfig``: top_p, top_k, min_p, repetition_penalty.
        samples: how many answers a question gets.
    """

    def __init__(
        self,
        model: str,
        rewards: Sequence[str],
        *,
        system_prompt: str | None,
        template: Mapping[str, Any],
        max_new_tokens: int,
        temperature: float | None,
        sampling: Mapping[str, Any],
        samples: int,
    ) -> None:
        lies = checkpoint(model)
        self.tokenizer = lies.tokenizer
        self.rewards = judges(rewards, self.tokenizer, template)
        self.model = loaded(lies)
        self.system_prompt, self.template = system_prompt, template
        warmth = temperature if temperature is not None else float(samples > 1)
        self.how: dict[str, Any] = {"do_sample": False, "num_beams": 1}
        if warmth > 0:
            # all of it said, for generate() fills what is left out from the model's generation_config.json
            self.how = {"do_sample": True, "temperature": warmth, "top_k": 0, "top_p": 1.0}
            self.how |= {name: sampling[name] for name in ("top_k", "top_p", "min_p") if sampling.get(name) is not None}
        self.how |= {"max_new_tokens": max_new_tokens, "num_return_sequences": 1}
        self.how |= {"repetition_penalty": sampling.get("repetition_penalty") or 1.0}
        self.samples = samples

    def completions(self, question: str) -> Iterator[Completion]:
        """The answers to a question, one after the other."""
        system = [{"role": "system", "content": self.system_prompt}] if self.system_prompt else []
        prompt = [*system, {"role": "user", "content": question}]
        inputs = self.tokenizer.apply_chat_template(
            prompt, add_generation_prompt=True, return_tensors="pt", return_dict=True, **self.template
        ).to(self.model.device)
        pad = self.tokenizer.pad_token_id
        for _ in range(self.samples):
            with torch.no_grad():
                made = self.model.generate(
                    **inputs, **self.how, pad_token_id=self.tokenizer.eos_token_id if pad is None else pad
                )
            ids = made[0, inputs["input_ids"].shape[1] :].tolist()
            yield Completion(prompt, self.tokenizer.decode(ids, skip_special_tokens=True), ids)


def judges(specs: Sequence[str], tokenizer: Any, template: Mapping[str, Any]) -> list[Reward]:
    """The rewards, told what the chat template adds to a prompt; ends the program where one is unknown."""
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


def loaded(lies: Checkpoint) -> PreTrainedModel:
    """The model, or the adapter on its model, in the precision that it has on the disk; on an accelerator if one is."""
    device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else "cpu"
    model: PreTrainedModel = lies.model(dtype="auto").to(device).eval()
    return model


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
