"""The columns of the training data: those that rewards read, those that TRL takes for itself, and the prompt's."""

from grpo_rewards.preflight.columns.of_functions import check_functions, check_seen, is_called, read_by
from grpo_rewards.preflight.columns.of_prompts import prompt_column
from grpo_rewards.preflight.columns.of_rewards import check_columns

__all__ = ["check_columns", "check_functions", "check_seen", "is_called", "prompt_column", "read_by"]
