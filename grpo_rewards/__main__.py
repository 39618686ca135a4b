"""Runs the command ``grpo-rewards`` as ``python -m grpo_rewards``, where the script is not on the path."""

from grpo_rewards.command_line import app

app(prog_name="grpo-rewards")
