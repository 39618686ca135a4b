"""The contract of a reward: what must hold for a trainer to be able to call it."""
