"""Which degenerate completions earn a reward? Known reward hacks, tried on any reward, with what each earns."""
