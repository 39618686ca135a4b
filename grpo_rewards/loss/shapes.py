"""Checks of what the functions of this package are given: shapes, masks, numbers.

A wrong shape is a ``ShapeError``. A function under ``quotes_its_call`` adds to it how it was called.
"""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import torch
from torch import Tensor

SURE = 0.05  # in nats: no rounding of a sure token's log-probability, which is 0, comes near it

Given = ParamSpec("Given")
Returned = TypeVar("Returned")


class ShapeError(ValueError):
    """A tensor has a shape that does not fit; the message ends with the call of the public function that was made."""


def quotes_its_call(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Makes a function end the message of a ``ShapeError`` with its own call, tensors as their shapes.

    Where one such function calls another, the call that is quoted is the outer one: it is the one that the user wrote.
    """

    @wraps(function)
    def quoting(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
        try:
            return function(*args, **kwargs)
        except ShapeError as error:
            message = str(error).partition("\n")[0]
            error.args = (f"{message}\nIn the call {_call(function, args, kwargs)}",)
            raise

    return quoting


def checks_shapes(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Makes a function quote its call, and check that its tensors fit together.

    Beside a ``mask``, [B, T] of 0 and 1, log-probabilities and their ratios before the exponential must be [B, T],
    other tensors may be [B, 1] or single numbers; ``window_tokens`` is a single number.
    """
    names = list(inspect.signature(function).parameters)

    @wraps(function)
    def checking(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
        given: dict[str, Any] = dict(zip(names, args, strict=False)) | kwargs
        mask = given.pop("mask", None)
        if mask is None:
            check_together(**given)
        else:
            check_dimensions("mask", mask, "BT")
            check_binary(mask)
            for name, value in given.items():
                if name.endswith("logps") or name.startswith("log_ratio"):
                    check_shape(name, value, mask.shape)
                elif isinstance(value, Tensor):
                    check_beside(name, value, "mask", mask)
        return function(*args, **kwargs)

    return quotes_its_call(checking)


def _call(function: Callable[..., Any], args: Any, kwargs: Any) -> str:
    """Returns a call as it could be written, but for its tensors: clipped_surrogate(ratio=Tensor[2, 3], …)."""
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    shown = (
        f"{name}={f'Tensor{list(value.shape)}' if isinstance(value, Tensor) else repr(value)}"
        for name, value in given.items()
    )
    return f"{function.__name__}({', '.join(shown)})"


def check_dimensions(name: str, tensor: Tensor, letters: str) -> None:
    """Raises TypeError for what is no tensor, and ShapeError unless it has a dimension for each letter, such as BT."""
    check_tensor(name, tensor)
    if tensor.dim() != len(letters):
        raise ShapeError(f"{name} must be [{', '.join(letters)}], not {list(tensor.shape)}.")


def check_shape(name: str, tensor: Tensor, wanted: tuple[int, ...]) -> None:
    """Raises TypeError for what is no tensor, and ShapeError unless it has the wanted shape."""
    check_tensor(name, tensor)
    if tensor.shape != wanted:
        advice = _advice(name, tensor.shape, wanted)
        raise ShapeError(f"{name} must have the shape {list(wanted)}, not {list(tensor.shape)}{advice}.")


def check_beside(name: str, tensor: Tensor, other: str, reference: Tensor) -> None:
    """Raises ShapeError unless the tensor has the reference's shape, is [B, 1] beside its [B, T], or a single number.

    Torch itself would also multiply [B] with [B, T] where B = T, and so give token t the value of completion t.
    """
    shape, wanted = tensor.shape, reference.shape
    if shape in ((), wanted):
        return
    if len(wanted) != 2:
        raise ShapeError(f"{name} must be {list(wanted)} or a single number to fit {other}, not {list(shape)}.")
    column = (wanted[0], 1)
    if shape == column:
        return
    letters = "[B, 1]" if wanted == column else "[B, 1] or [B, T]"
    raise ShapeError(
        f"{name} must be {letters} = {_either(column, wanted)} to fit {other}, which is {list(wanted)}, "
        f"not {list(shape)}{_advice(name, shape, column, wanted)}."
    )


def check_together(**tensors: Tensor | float) -> None:
    """Raises ShapeError unless all tensors have one shape, or are [B, 1] beside [B, T], or single numbers."""
    sized = {name: one for name, one in tensors.items() if isinstance(one, Tensor) and one.dim()}
    widest, greatest = "", (0, 0)
    for name, tensor in sized.items():  # a loop, for torch.compile does not follow max() with a key
        size = tensor.dim(), tensor.shape[-1]
        if size > greatest:
            widest, greatest = name, size
    for name, tensor in sized.items():
        check_beside(name, tensor, widest, sized[widest])


def check_tensor(name: str, value: object) -> None:
    """Raises TypeError for what is no tensor, such as a list or an array."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be a torch.Tensor, not {type(value).__name__}; write torch.as_tensor({name}).")


def check_not_nan(name: str, tensor: Tensor, mask: Tensor) -> None:
    """Raises ValueError if the tensor is NaN anywhere that the mask is not 0.

    Under torch.compile nothing is looked at: what is in a tensor is not known when its code is made.
    """
    if torch.compiler.is_compiling():
        return
    bad = tensor.isnan() & (mask != 0)
    if bad.any():
        row, token = bad.nonzero()[0].tolist()
        raise ValueError(
            f"{name} is NaN at completion {row}, token {token}, where the mask is 1. Mask that token, or find out why "
            "its log-probability is none: NaN would be the whole loss."
        )


def check_logps(logps: Tensor, mask: Tensor) -> None:
    """Raises ValueError if no token that counts has a log-probability of 0 or less: these are probabilities, or ids.

    One of them may be above 0, for a sure token's is rounded. Under torch.compile nothing is looked at.
    """
    if torch.compiler.is_compiling() or not logps.numel():
        return
    lowest = float(torch.where(mask != 0, logps, torch.inf).detach().min())
    if SURE < lowest < torch.inf:
        raise ValueError(
            f"logps is {lowest:g} or more at every token that counts; log-probabilities are 0 or less. If these are "
            "probabilities, write logps.log()."
        )


def check_binary(mask: Tensor) -> None:
    """Raises ValueError unless the mask holds nothing but 0 and 1. So advantages in its place are noticed.

    Under torch.compile nothing is looked at.
    """
    if torch.compiler.is_compiling():
        return
    bad = (mask != 0) & (mask != 1)
    if bad.any():
        raise ValueError(
            f"mask must hold 0 and 1 alone, not {float(mask[bad][0]):g}. If these are advantages, they were given in "
            "the mask's place."
        )


def masked(tensor: Tensor, mask: Tensor) -> Tensor:
    """Returns the tensor with 0 wherever the mask is 0, even in place of NaN. [B, T] or [B, 1], mask [B, T] → [B, T]"""
    return torch.where(mask != 0, tensor, 0)


def as_numbers(rewards: Tensor) -> Tensor:
    """Returns rewards as floats, whether they were floats, integers or booleans. Infinity is a ValueError."""
    check_tensor("rewards", rewards)
    rewards = rewards if rewards.is_floating_point() else rewards.float()
    if rewards.isinf().any():
        raise ValueError("a reward is infinite; it would take the advantage of its whole group. Use NaN for no reward.")
    return rewards


def as_per_token(name: str, tensor: Tensor, rows: int, tokens: int) -> Tensor:
    """Returns [B, 1] for one value per completion, given as [B] or [B, 1], and [B, T] for one per token."""
    check_tensor(name, tensor)
    values = tensor.unsqueeze(1) if tensor.dim() == 1 else tensor
    wanted = (rows, 1), (rows, tokens)
    if values.shape not in wanted:
        advice = _advice(name, tensor.shape, *wanted) or "; give one value per completion or one per token"
        if tensor.numel() == rows:
            advice = f"; groups are rows one below the other here, so write {name}.reshape(-1)"
        raise ShapeError(f"{name} must have the shape {_either(*wanted)}, not {list(tensor.shape)}{advice}.")
    return values


def _either(*shapes: tuple[int, ...]) -> str:
    return " or ".join(str(list(shape)) for shape in dict.fromkeys(shapes))


def _advice(name: str, shape: tuple[int, ...], *wanted: tuple[int, ...]) -> str:
    """The end of a sentence about a wrong shape: what to write instead; empty where that is not known."""
    if len(shape) == 1 and (*shape, 1) in wanted:
        return f"; for one value per completion write {name}.unsqueeze(1)"
    for rows, tokens in (one for one in wanted if len(one) == 2 and one[1] > 1):
        if shape in ((rows, tokens - 1), (rows, tokens + 1)):
            return f"; it is off by one token: logits at a position are those of the next token, so shift {name}"
    return ""
