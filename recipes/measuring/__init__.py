"""What recipes/on_a_gpu.py measures, each part in a process of its own; nothing of it is needed to train."""
