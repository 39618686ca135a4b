"""Which module defines which public name. Importing this imports nothing else, and using a name imports its module."""

__all__ = ["MODULE_OF", "OWN_REWARDS"]

_DEFINED_IN = {
    "compose.adjusting": "clipped scaled scheduled",
    "compose.choosing": "gated routed",
    "compose.weighing": "Weighted weighted",
    "checks.reward.probing": "Earned Probed probe",
    "checks.setup.all_checks": "check_rewards",
    "checks.setup.trials": "check_answers",
    "registry": "Reward RewardError batch_reward get_reward gold_columns list_rewards register reward",
    "registry.function": "DependencyVerdict",
    "rewards.content.instructions": "instructions",
    "rewards.content.language": "language_consistency",
    "rewards.content.patterns": "arithmetic_steps keywords pattern reasoning_steps repetition",
    "rewards.correctness.choice": "multiple_choice",
    "rewards.correctness.mathematics": "boxed_answer final_answer tagged_answer",
    "rewards.correctness.numeric": "close_to numeric_answer",
    "rewards.correctness.puzzles": "expression_reaches",
    "rewards.correctness.tool_use": "tool_calls",
    "rewards.correctness.vision": "bounding_box_iou",
    "rewards.correctness.words": "code_overlap exact_match rouge_l token_f1",
    "rewards.format.blocks": "code_block_format json_format",
    "rewards.format.tags": "boxed_format tag_count think_answer_format think_format xml_format",
    "rewards.length": "cosine_length max_length relative_length soft_overlong target_length",
    "verdict": "Verdict",
}
MODULE_OF = {name: f"grpo_rewards.{module}" for module, names in _DEFINED_IN.items() for name in names.split()}
# The catalogue, and what makes rewards of rewards.
OWN_REWARDS = {
    name: module
    for name, module in MODULE_OF.items()
    if module.startswith(("grpo_rewards.rewards.", "grpo_rewards.compose.")) and name.islower()
}
