"""The policy that is evaluated where nothing is trained: a checkpoint that vLLM has loaded by itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from huggingface_hub import snapshot_download
from trl import GRPOConfig

from running.evaluation.checkpoints import Checkpoint
from running.evaluation.policies import Answer, Messages

__all__ = ["EnginePolicy"]


def folder_of(adapter: Checkpoint) -> str:
    """Where vLLM finds an adapter: it knows no revisions of adapters, so one of the hub is fetched here."""
    if Path(adapter.name).is_dir():
        return adapter.name
    return str(snapshot_download(adapter.name, revision=adapter.revision))


def revision_of_tokenizer(model: Checkpoint) -> str | None:
    """That of where it was loaded from, the model itself or the base of an adapter."""
    return model.revision if model.tokenizer.name_or_path == model.name else model.base_revision


class EnginePolicy:
    """A checkpoint in vLLM, which samples with the settings that TRL hands to vLLM in training.

    Every answer has a seed of its own, so that it depends on no other one.
    """

    rank, processes = 0, 1

    def __init__(self, model: Checkpoint, training: GRPOConfig, memory: float, dtype: str) -> None:
        from vllm import LLM, SamplingParams
        from vllm.lora.request import LoRARequest

        self.tokenizer, self.training, self.sampling = model.tokenizer, training, SamplingParams
        self.adapter = None if model.base is None else LoRARequest("adapter", 1, folder_of(model))
        self.engine = LLM(
            model=model.base or model.name,
            revision=model.base_revision if model.base else model.revision,
            tokenizer=model.tokenizer.name_or_path,
            tokenizer_revision=revision_of_tokenizer(model),
            dtype=dtype,
            seed=training.seed,
            tensor_parallel_size=training.vllm_tensor_parallel_size,
            gpu_memory_utilization=memory,
            max_model_len=training.vllm_max_model_length,
            model_impl=training.vllm_model_impl,
            enable_lora=self.adapter is not None,
            max_lora_rank=max(model.rank, 1),
        )

    @property
    def settings(self) -> dict[str, Any]:
        return {"engine": "vllm", "template": self.training.chat_template_kwargs or {}, **self.options(greedy=False)}

    def options(self, *, greedy: bool) -> dict[str, Any]:
        args = self.training
        own = {
            "temperature": args.temperature,
            "top_p": args.top_p,
            "top_k": args.top_k,
            "min_p": args.min_p or 0.0,
            "repetition_penalty": args.repetition_penalty,
            "max_tokens": args.max_completion_length,
            **(args.generation_kwargs or {}),
        }
        return {**own, "temperature": 0.0} if greedy else own

    def tokens(self, prompts: Sequence[Messages]) -> list[list[int]]:
        rendered = self.tokenizer.apply_chat_template(
            list(prompts),
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            **(self.training.chat_template_kwargs or {}),
        )
        ids: list[list[int]] = rendered["input_ids"]
        return ids

    def answers(self, prompts: Sequence[Messages], seeds: Sequence[int], *, greedy: bool) -> list[Answer]:
        requests = [{"prompt_token_ids": ids} for ids in self.tokens(prompts)]
        # vLLM's seeds are of 32 bits in some of its samplers
        how = [self.sampling(**{**self.options(greedy=greedy), "n": 1, "seed": seed % 2**31}) for seed in seeds]
        outputs = self.engine.generate(requests, sampling_params=how, lora_request=self.adapter, use_tqdm=False)
        ids = [list(one.outputs[0].token_ids) for one in outputs]
        texts = self.tokenizer.batch_decode(ids, skip_special_tokens=True)
        return [Answer(one, [{"role": "assistant", "content": text}]) for one, text in zip(ids, texts, strict=True)]

    def everyones(self, mine: list[Any]) -> list[Any]:
        return mine

    def firsts(self, value: Any) -> Any:
        return value
