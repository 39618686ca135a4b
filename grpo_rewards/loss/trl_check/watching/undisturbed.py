"""A forward pass beside a run that leaves no trace in it: random numbers, and what the model keeps for itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

__all__ = ["undisturbed"]

COPIED_ELEMENTS = 2**20  # of a buffer at most; quantised weights are buffers as well, and no forward pass changes them


@contextmanager
def undisturbed(model: Any) -> Iterator[Callable[[], bool]]:
    """Yields whether random numbers were drawn so far, without a gradient; afterwards all is as before.

    Put back are the states of Python's and torch's random numbers, the CPU's and those of every device of the model's
    kind (Apple's, which has no state for each device, is not), and the buffers and attributes of the model's modules: a
    rotary embedding whose factors follow the length keeps the last length. A buffer that is changed in place is put
    back up to ``COPIED_ELEMENTS``.
    """
    kind = next(model.parameters()).device.type
    devices = range(0 if kind in ("cpu", "mps", "meta") else torch.get_device_module(kind).device_count())
    python, before = random.getstate(), _drawn_from(kind, devices)

    def drawn() -> bool:
        pairs = zip(before, _drawn_from(kind, devices), strict=True)
        return random.getstate() != python or any(not torch.equal(one, other) for one, other in pairs)

    try:
        with torch.random.fork_rng(devices, device_type=kind), _kept(model), torch.no_grad():
            yield drawn
    finally:
        random.setstate(python)
        torch.clear_autocast_cache()  # weights that were cast here have no gradient, and must not be used again


def _drawn_from(kind: str, devices: range) -> list[Tensor]:
    """The states of torch's random numbers: the CPU's, and each device's."""
    return [torch.get_rng_state(), *(torch.get_device_module(kind).get_rng_state(one) for one in devices)]


@contextmanager
def _kept(model: torch.nn.Module) -> Iterator[None]:
    """Puts back what was set in a module or its buffers, and buffers that were changed in place."""
    held = [names for module in model.modules() for names in (vars(module), module._buffers)]
    before = [dict(names) for names in held]
    copies = [(one, one.clone()) for one in model.buffers() if one.numel() <= COPIED_ELEMENTS]
    try:
        yield
    finally:
        for names, had in zip(held, before, strict=True):
            for name in [name for name in names if name not in had]:
                del names[name]
            names.update(had)
        for one, copy in copies:
            if not torch.equal(one, copy):
                one.copy_(copy)
