"""The losses of a step: each type's, in the state that a trainer is in."""
