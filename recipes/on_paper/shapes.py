"""The shape of a model, by which its memory is counted."""

from __future__ import annotations

import sys
from dataclasses import dataclass

__all__ = ["SHAPES", "Shape", "shape_of"]


@dataclass(frozen=True)
class Shape:
    """The numbers of an architecture like Qwen's that its memory depends on."""

    layers: int
    width: int
    queries: int  # heads times the width of one
    keys: int  # heads of keys and values times the width of one
    inner: int
    words: int
    tied: bool  # embedding and output are one matrix
    small: int  # what a layer has beside matrices: biases of queries, keys and values, norms

    @property
    def matrices(self) -> list[tuple[int, int]]:
        """Both sides of each matrix of a layer."""
        attention = [(self.width, self.queries), (self.width, self.keys), (self.width, self.keys)]
        return [*attention, (self.queries, self.width), *3 * [(self.width, self.inner)]]

    @property
    def linear(self) -> int:
        """The weights in the matrices of all layers: what is stored in 4 bits, and what adapters are added to."""
        return self.layers * sum(one * other for one, other in self.matrices)

    @property
    def embeddings(self) -> int:
        return self.words * self.width * (1 if self.tied else 2)

    @property
    def parameters(self) -> int:
        return self.embeddings + self.linear + self.layers * self.small + self.width

    def adapter(self, rank: int) -> int:
        """The weights of LoRA on all matrices."""
        return self.layers * rank * sum(one + other for one, other in self.matrices)


SHAPES = {
    "Qwen/Qwen2.5-0.5B-Instruct": Shape(24, 896, 896, 128, 4864, 151_936, True, 2 * 896 + 896 + 2 * 128),
    "Qwen/Qwen2.5-1.5B-Instruct": Shape(28, 1536, 1536, 256, 8960, 151_936, True, 2 * 1536 + 1536 + 2 * 256),
    "Qwen/Qwen2.5-7B-Instruct": Shape(28, 3584, 3584, 512, 18944, 152_064, False, 2 * 3584 + 3584 + 2 * 512),
    "Qwen/Qwen3-1.7B": Shape(28, 2048, 2048, 1024, 6144, 151_936, True, 2 * 2048 + 2 * 128),
    "Qwen/Qwen3-4B": Shape(36, 2560, 4096, 1024, 9728, 151_936, True, 2 * 2560 + 2 * 128),
}


def shape_of(model: str) -> Shape:
    """The shape of a model that a configuration names; ends the program for one that is not in the table."""
    if model not in SHAPES:
        sys.exit(
            f"error: no shape for {model}; add it to SHAPES in recipes/on_paper/shapes.py. There: {', '.join(SHAPES)}."
        )
    return SHAPES[model]
