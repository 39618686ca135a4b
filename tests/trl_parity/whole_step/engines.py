"""Who generates in a run of the tiny model: a script in place of ``generate``, of vLLM, or of a rollout with tools."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch

from whole_step.tiny import PAD_TOKEN, Script, tokens_of

VLLM_ASKED = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
SAMPLING_ASKED = (
    "max_new_tokens do_sample temperature top_p top_k min_p repetition_penalty pad_token_id eos_token_id".split()
)


def generates_by_script(trainer: Any, script: Script | None, asked: list[dict[str, Any]]) -> None:
    """Lets the model say what is in a script, or what it would itself for ``None``.

    An entry in ``asked`` has the tensors that ``generate`` was given, the settings of sampling, and what it returned.
    """
    model = trainer.accelerator.unwrap_model(trainer.model)
    itself = model.generate

    def generate(**given: Any) -> Any:
        config = given["generation_config"]
        found = script.generated(given["input_ids"]) if script else itself(**given)
        asked.append({**{name: getattr(config, name) for name in SAMPLING_ASKED}, **given, "said": found})
        asked[-1].pop("generation_config")
        return found

    model.generate = generate


def vllm_of(made: list[Any]) -> Callable[..., Any]:
    """Returns what TRL calls to get a vLLM; what it gets is added to ``made``."""

    class Engine:
        """Gives scripted completions with log-probabilities that are about those of the policy, and at times none."""

        script: Script
        asked: list[dict[str, Any]]

        def __init__(self, model: Any, accelerator: Any, **given: Any) -> None:
            self.model, self.temperature, self.given = model, given["temperature"], given
            self.syncs = 0
            self.llm = SimpleNamespace(llm_engine=SimpleNamespace(model_config=SimpleNamespace(max_model_len=None)))
            self.llm.llm_engine.model_config.max_model_len = model.config.max_position_embeddings
            self.generator = torch.Generator().manual_seed(accelerator.process_index)
            made.append(self)

        def sync_weights(self) -> None:
            self.syncs += 1

        def generate(self, prompts: list[list[int]], num_generations: int, **_: Any) -> tuple[Any, Any, Any, Any]:
            room = self.model.config.max_position_embeddings
            said = [self.script.completion()[0][: room - len(prompt)] for prompt in prompts]
            logps = [self._logps(*pair) for pair in zip(prompts, said, strict=True)]
            if len(said) > 1:
                logps[1][-1] = [None]
            plain = [[one[0] for one in row] for row in logps]
            told = {name: self.given[name] for name in (*VLLM_ASKED, "max_completion_length")}
            given = {"prompts": prompts, "num_generations": num_generations, "syncs": self.syncs}
            kept = [list(one) for one in said]  # TRL cuts some off
            self.asked.append({**told, **given, "completions": kept, "sampling_logps": plain, "tool_masks": None})
            return prompts, said, logps, None

        def _logps(self, prompt: list[int], completion: list[int]) -> list[list[float | None]]:
            ids = torch.tensor([prompt + completion])
            with torch.no_grad():
                logits = self.model(input_ids=ids).logits[0, len(prompt) - 1 : -1] / self.temperature
            own = logits.log_softmax(1).gather(1, torch.tensor([completion]).T)[:, 0]
            noise = 0.2 * torch.randn(len(own), generator=self.generator, dtype=torch.float64)
            return [[one] for one in (own + noise).tolist()]

    return Engine


def rollout_of(asked: list[dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Returns a ``rollout_func`` that marks every third token of a completion as a tool's, and gives a column anew.

    What it was asked and said is added to ``asked``.
    """
    script = Script(0, 8)

    def rollout(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        said = [script.completion()[0] for _ in prompts]
        said[0][-1] = PAD_TOKEN  # which ends a completion, too
        masks = [[int(at % 3 != 1) for at in range(len(one))] for one in said]
        wanted = ["cab"[at % 3] for at in range(len(said))]
        told = {"completions": said, "tool_masks": masks, "sampling_logps": None, "extra": {"wanted": wanted}}
        asked.append({"prompts": [tokens_of({"prompt": prompt}) for prompt in prompts], **told})
        return {
            "prompt_ids": [tokens_of({"prompt": prompt}) for prompt in prompts],
            "completion_ids": said,
            "logprobs": None,
            "env_mask": masks,
            "wanted": wanted,
        }

    return rollout
