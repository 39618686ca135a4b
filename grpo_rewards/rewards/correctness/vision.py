"""Is it where the answer says? Boxes in an image."""

import math
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, Literal

from grpo_rewards.answers import find_answer
from grpo_rewards.completion.reasoning.thinking import Thinking
from grpo_rewards.completion.text import from_json
from grpo_rewards.registry import reward
from grpo_rewards.rewards.building_blocks.pairing import best_pairing
from grpo_rewards.verdict import Verdict

__all__ = ["bounding_box_iou"]

MOST_BOXES = 40  # of one completion or gold
LARGEST_COORDINATE = 1e12
BOX_KEYS = ("bbox_2d", "bbox", "box")

# A box is a group of four numbers. Nothing here gives back what it took: what follows never begins with it.
NUMBER_IN_GROUP = r"[-+]?(?:[0-9]{1,9}+(?:\.[0-9]{0,12}+)?+|\.[0-9]{1,12}+)"
GAP = r"(?:\s|\\[,;: ]){0,8}+"  # LaTeX has spaces of its own
APART = rf"{GAP}(?:,{GAP}|(?<=[\s,;:]))"
PAIR = rf"{NUMBER_IN_GROUP}{APART}{NUMBER_IN_GROUP}"
# A bracket, also as \\left[ and \\{ in LaTeX, that belongs to no word and no number, or a tag.
GROUP_START = r"[\[({<](?:(?<=[\[({])(?:(?<![\w.].)|(?<=\\left.))|(?<=<)b?box>)"
GROUP_END = r"(?:(?:\\right\s?)?\\?[\])}](?!\w)|</b?box>)"
# [1, 2, 3, 4], (1, 2), (3, 4) and [[1, 2], [3, 4]]
FOUR_NUMBERS = re.compile(
    rf"{GROUP_START}{GAP}(?P<inner>\[{GAP})?({PAIR})"
    rf"(?:{APART}|{GAP}(?(inner)\]{GAP},{GAP}\[|(?:\\right\s?)?\\?\){GAP},?{GAP}(?:\\left\s?)?\\?\(){GAP})"
    rf"({PAIR})(?(inner){GAP}\]){GAP}{GROUP_END}"
)
ONLY_NUMBERS = re.compile(rf"\s{{0,8}}{PAIR}{APART}{PAIR}\s{{0,8}}")  # and nothing else in the text
ONE_NUMBER = re.compile(NUMBER_IN_GROUP)
PLAIN_SIGNS = str.maketrans("［］（），、−", "[](),,-")

Four = tuple[float, float, float, float]  # numbers; as corners: left, top, right and bottom


@reward(
    reasons=("exact", "overlap", "apart", "no_box", "bad_box", "too_many_boxes", "unfinished_thinking", "bad_answer"),
    range=lambda generalized, **_: (-1.0 if generalized else 0.0, 1.0),
)
def bounding_box_iou(
    completion: str,
    answer: Any,
    prompt: Any = None,
    *,
    generalized: bool = False,
    form: Literal["xyxy", "xywh"] = "xyxy",
    thinking: Thinking,
) -> Verdict:
    """How much the predicted box covers of the gold's: the area that both share, divided by the area that any has.

    The box is looked for in the last ``\\boxed``, else in the last ``<answer>``, else behind the reasoning:
    ``[x1, y1, x2, y2]``, also as the value of ``"bbox_2d"``, ``(x1, y1), (x2, y2)`` or ``<box>x1 y1 x2 y2</box>``. Both
    sides must have the same scale: pixels, thousandths or shares of the image.

    If the gold is several boxes, all of them are to be found: boxes are paired one to one, so that the sum is largest,
    and it is divided by the number of boxes predicted or wanted, whichever is larger.

    Args:
        completion (str): the text of the last assistant message.
        answer (list | dict | str): the gold, a dataset column: four numbers, a list of such boxes, an object or a list
            of objects with ``bbox_2d``, ``bbox`` or ``box``; or any of these as JSON.
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends inside the
            reasoning.
        generalized (bool): whether boxes that do not touch earn more the nearer they are: GIoU, from -1 to 1. It is the
            overlap minus the share of the smallest box around both that neither covers. A box that is missing, too much
            or no box earns -1. False by default.
        form ("xyxy" | "xywh"): what the four numbers are, on both sides: two corners (the default), or the left upper
            corner, width and height.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of ``prompt``.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        A float in [0, 1], with ``generalized`` in [-1, 1]; ``None`` if the gold is no box. Reasons:

        - ``exact``: the same boxes (1.0).
        - ``overlap``: more than 0.
        - ``apart``: 0 or less.
        - ``no_box``: there are no four numbers (0.0, or -1.0).
        - ``bad_box``: no box has its right edge right of the left one and its lower edge below the upper one (0.0, or
          -1.0).
        - ``too_many_boxes``: more than 40 (0.0, or -1.0).
        - ``unfinished_thinking``: the reasoning was never closed (0.0, or -1.0).
        - ``bad_answer``: the gold is missing, no box, or more than 40 boxes (``None``).

    Source: GIoU (Rezatofighi et al. 2019, arXiv:1902.09630).

    A policy would name many boxes, or the whole image. Each box too many lowers the share, and the whole image earns
    no more than the object's share of it. Without ``\\boxed`` and ``<answer>``, boxes that are only mentioned count.

    >>> bounding_box_iou.score("<answer>[0, 0, 10, 10]</answer>", answer=[0, 0, 10, 20])
    0.5
    >>> bounding_box_iou.bind(generalized=True).score("[0, 0, 1, 1]", answer=[3, 0, 4, 1])
    -0.5
    """
    golds = [_corners(one, form) for one in _golds(answer)]
    wanted = [one for one in golds if one is not None]
    if not golds or len(wanted) < len(golds) or len(golds) > MOST_BOXES:
        return Verdict(None, "bad_answer")
    least, shown = -1.0 if generalized else 0.0, "; ".join(map(str, wanted))
    found, where = find_answer(completion, thinking.opened(prompt), thinking.marks)
    if found is None:
        return Verdict(least, where if where == "unfinished_thinking" else "no_box", answer=shown)
    groups = _groups_of_four(found)
    made = [one for one in (_corners(group, form) for group in groups) if one is not None]
    if not made or len(groups) > MOST_BOXES:
        reason = "no_box" if not groups else "bad_box" if not made else "too_many_boxes"
        return Verdict(least, reason, answer=shown)
    most = max(len(groups), len(golds))
    points = [[_overlap(one, other, generalized) for other in wanted] for one in made]
    paired = min(len(made), len(wanted))
    value = (best_pairing(points) + least * (most - paired)) / most
    value = min(max(value, least), 1.0)
    return Verdict(
        value, "exact" if value == 1 else "overlap" if value > 0 else "apart", "; ".join(map(str, groups)), shown
    )


def _groups_of_four(text: str) -> list[Four]:
    """The groups of four numbers of a text, in order, one more than ``MOST_BOXES`` at most, in one linear scan."""
    text = text if text.isascii() else text.translate(PLAIN_SIGNS)
    if ONE_NUMBER.search(text) is None:
        return []
    if ONLY_NUMBERS.fullmatch(text) is not None:
        return [_four(ONE_NUMBER.findall(text))]
    groups = islice(FOUR_NUMBERS.finditer(text), MOST_BOXES + 1)
    return [_four(ONE_NUMBER.findall(f"{group[2]} {group[3]}")) for group in groups]


def _four(numbers: Sequence[Any]) -> Four:
    one, two, three, four = map(float, numbers)
    return one, two, three, four


def _overlap(one: Four, other: Four, generalized: bool) -> float:
    """The intersection over the union of two boxes, or their GIoU."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(width, 0.0) * max(height, 0.0)
    union = _area(one) + _area(other) - shared
    if not generalized:
        return shared / union
    around = _area((min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])))
    return shared / union - (around - union) / around


def _area(box: Four) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _corners(box: Four, form: str) -> Four | None:
    """The corners of a box; ``None`` if it has no area."""
    left, top, right, bottom = box
    if form == "xywh":
        right, bottom = left + right, top + bottom
    corners = (left, top, right, bottom)
    return corners if left < right and top < bottom and 0 < _area(corners) < math.inf else None


def _golds(answer: Any) -> list[Four]:
    """The boxes of a row, as four numbers each; none if they cannot be read."""
    answer = from_json(answer)
    if isinstance(answer, str):
        return _groups_of_four(answer)
    if isinstance(answer, dict):
        return _golds(next((answer[key] for key in BOX_KEYS if answer.get(key) is not None), None))
    if not isinstance(answer, list | tuple):
        return []
    answer = [one.tolist() if hasattr(one, "tolist") else one for one in answer[: MOST_BOXES + 1]]
    numbers = [number for one in answer for number in (one if isinstance(one, list | tuple) else [one])]
    if len(numbers) == 4 and all(map(_is_coordinate, numbers)):  # also of two points
        return [_four(numbers)]
    boxes = [_golds(one) if isinstance(one, dict | list | tuple | str) else [] for one in answer]
    return [box[0] for box in boxes] if all(len(box) == 1 for box in boxes) else []


def _is_coordinate(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and -LARGEST_COORDINATE < value < LARGEST_COORDINATE  # which no nan is
