"""Log-probabilities and entropies from plain logits and lists of tokens: no padding on the left, no fused head."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from grpo_rewards.loss.logps import token_entropies, token_logps


class Policy:
    """A copy of the tiny model that TRL has not touched, to be given any weights.

    Args:
        folder: where the model is saved.
        adapter: a configuration of PEFT, or ``None``.
    """

    def __init__(self, folder: Path, adapter: Any = None) -> None:
        from transformers import AutoModelForCausalLM

        self.model: Any = AutoModelForCausalLM.from_pretrained(
            str(folder), dtype=torch.float64, attn_implementation="sdpa"
        )
        if adapter is not None:
            from peft import get_peft_model

            self.model = get_peft_model(self.model, adapter)
        self.model.eval()  # a tiny model differs in this by the dropout of its adapter alone
        self.loaded: Mapping[str, Tensor] | None = None

    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Takes the weights over; the copy of an adapter that TRL keeps as a reference is left out."""
        if weights is self.loaded:  # or the graph of a forward pass before would be lost
            return
        own = {name: weight for name, weight in weights.items() if ".ref." not in name}
        self.model.load_state_dict(own)
        self.loaded = weights

    def __call__(
        self, prompts: list[list[int]], completions: list[list[int]], temperature: float, width: int
    ) -> tuple[Tensor, Tensor]:
        """Returns log π of each token and the entropy of its distribution, [B, ``width``], 0 after a completion's end.

        Shift: the logits at a token are those of the next, so a completion's begin at the last token of its prompt.
        """
        rows = [torch.tensor(prompt + completion) for prompt, completion in zip(prompts, completions, strict=True)]
        ids = pad_sequence(rows, batch_first=True)
        mask = pad_sequence([torch.ones_like(row) for row in rows], batch_first=True)
        logits = self.model(input_ids=ids, attention_mask=mask).logits / temperature
        found = []
        for at, (prompt, completion) in enumerate(zip(prompts, completions, strict=True)):
            own = logits[at : at + 1, len(prompt) - 1 : len(prompt) - 1 + len(completion)]
            tokens = torch.tensor([completion])
            pair = torch.stack([token_logps(own, tokens)[0], token_entropies(own)[0]])
            found.append(torch.nn.functional.pad(pair, (0, width - len(completion))))
        both = torch.stack(found)
        return both[:, 0], both[:, 1]
