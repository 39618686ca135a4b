"""Train with process supervision: each step of a solution has a reward of its own, and each token its own advantage.

    accelerate launch recipes/process_supervision.py

The problems, the tiny model and the options are those of recipes/gsm8k.py. A step is a line of reasoning that writes
out an equation, and is worth 1 if that is true; the last step is the answer. TRL computes one advantage for a
completion, but its loss takes one for each token as well: ``ProcessGRPOTrainer`` hands it these.
"""

from training import arguments  # isort: skip  # not found? Copy this beside gsm8k.py, or set PYTHONPATH

import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

import torch
from gsm8k import main
from torch import Tensor
from transformers import PreTrainedTokenizerBase
from trl import GRPOTrainer

from grpo_rewards import boxed_answer
from grpo_rewards.answers.arithmetic import equations
from grpo_rewards.loss import process_advantages

# Called with completion=…, the text, and each column of its row by name. Returns the steps in their order: behind which
# character of the text a step ends, and its reward. The step that ends with the text ends with its last token.
StepRewards = Callable[..., Sequence[tuple[int, float]]]

END_OF_STEP = re.compile(r"\n|</think>|$")


class ProcessGRPOTrainer(GRPOTrainer):
    """A ``GRPOTrainer`` whose advantages are those of process supervision, [B, T], by ``process_advantages``.

    Where two steps end with the same token, the later counts. ``reward_funcs`` are called and logged as ever; what they
    are worth is ``outcome_weight`` times the advantage that TRL makes of them, added to every token. DeepSeekMath has
    process rewards alone, which is 0, the default. TRL's table of completions shows TRL's advantages, one for each.

    Two methods of TRL are extended, ``_calculate_rewards`` and ``_generate_and_score_completions``; the loss is TRL's
    own.

    Raises:
        ValueError: a setting that the advantages of tokens could not heed: a ratio by sequence, another scale than that
            of the group, tools.
    """

    def __init__(self, *arguments: Any, step_rewards: StepRewards, outcome_weight: float = 0.0, **options: Any) -> None:
        super().__init__(*arguments, **options)
        require_what_tokens_allow(self)
        self.step_rewards = step_rewards
        self.outcome_weight = outcome_weight
        self._steps: list[Sequence[tuple[int, float]]] = []  # of the batch that is being generated: (token, reward)

    def _calculate_rewards(
        self, inputs: list[dict[str, Any]], prompts: Any, completions: Any, completion_ids_list: list[list[int]]
    ) -> Tensor:
        self._steps = []
        for row, ids in zip(inputs, completion_ids_list, strict=True):
            text = self.processing_class.decode(ids, skip_special_tokens=True)
            columns = {name: value for name, value in row.items() if name != "prompt"}
            found = self.step_rewards(completion=text, **columns)
            ends = last_tokens(self.processing_class, ids, [character for character, _ in found])
            self._steps.append([(token, reward) for token, (_, reward) in zip(ends, found, strict=True)])
        rewards = [reward for steps in self._steps for _, reward in steps]
        self._log_metric("step_rewards/mean", sum(rewards) / max(len(rewards), 1))
        self._log_metric("step_rewards/steps", len(rewards) / max(len(self._steps), 1))
        calculated: Tensor = super()._calculate_rewards(inputs, prompts, completions, completion_ids_list)
        return calculated

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        batch: dict[str, Any] = super()._generate_and_score_completions(inputs)
        outcome = batch["advantages"].unsqueeze(1)
        batch["advantages"] = self._token_advantages(batch["completion_mask"]) + self.outcome_weight * outcome
        return batch

    def _token_advantages(self, mask: Tensor) -> Tensor:
        """Returns the advantages of this process's tokens, normalised over whole groups. mask [B, T] → [B, T]

        A group may lie on several processes, so the rewards of all of them are gathered first.
        """
        group = self.num_generations if self.model.training else self.num_generations_eval
        rows, tokens = mask.shape
        rewards = torch.full((rows, tokens), torch.nan, device=mask.device)
        for row, steps in enumerate(self._steps):
            for token, reward in steps:
                rewards[row, token] = reward
        wide = self.accelerator.pad_across_processes(rewards, dim=1, pad_index=torch.nan)
        advantages = process_advantages(self.accelerator.gather(wide), group)
        first = self.accelerator.process_index * rows
        return advantages[first : first + rows, :tokens]


def require_what_tokens_allow(trainer: GRPOTrainer) -> None:
    if trainer.args.importance_sampling_level == "sequence":
        raise ValueError(
            'importance_sampling_level="sequence" gives a completion one ratio, through which the advantage of one '
            'token would reach all of them: use "token". GSPO-token, which TRL does not have, keeps them apart '
            '(importance_sampling_level="sequence_token" of grpo_loss).'
        )
    if trainer.args.scale_rewards != "group":
        raise ValueError(
            f"scale_rewards={trainer.args.scale_rewards!r}: the rewards of steps are divided by the deviation of their "
            'group, as in DeepSeekMath, and by no other; leave it at "group".'
        )
    if trainer.tools:
        raise ValueError(
            "a tool's output stands in the completion, and its equations would be rewarded: train without tools."
        )


def last_tokens(tokenizer: PreTrainedTokenizerBase, ids: Sequence[int], ends: Sequence[int]) -> list[int]:
    """Returns for each end, a number of characters, the index of the token with which the text is that long.

    For the end of the text it is the last token, be that one that is not shown, such as the end of the turn. Each end
    takes log2(T) decodings, for a token by itself does not say how long its text is.
    """

    def length(count: int) -> int:
        return len(tokenizer.decode(ids[:count], skip_special_tokens=True))

    whole, last = length(len(ids)), len(ids) - 1
    places = range(len(ids))
    return [last if end >= whole else bisect_left(places, end, key=lambda at: length(at + 1)) for end in ends]


def equation_steps(completion: str, *, answer: str, **_: Any) -> list[tuple[int, float]]:
    """Returns the steps of a solution: 1 for a line whose equations are true, 0 if one is not; then the answer's
    reward.

    A line without an equation is no step, nor is one that only repeats an earlier one: it would be rewarded again. The
    answer is no step where the gold cannot be read.
    """
    steps: list[tuple[int, float]] = []
    earlier: set[str] = set()
    start = 0
    for boundary in END_OF_STEP.finditer(completion):
        line, start = completion[start : boundary.start()], boundary.end()
        written = [one for one in equations(line) if str(one) not in earlier]
        earlier.update(str(one) for one in written)
        if written and boundary.end() < len(completion):
            steps.append((boundary.end(), float(all(one.is_true for one in written))))
    earned = boxed_answer.score(completion, answer=answer)
    return steps if earned is None else [*steps, (len(completion), earned)]


if __name__ == "__main__":
    with arguments.ends_with_one_message():
        main(sys.argv[1:], ProcessGRPOTrainer, step_rewards=equation_steps)
