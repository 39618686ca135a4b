"""What a run's log and its completions show of rewards that do not teach, and of reward hacking."""
