"""One reward where another is earned, and another reward for each kind of row."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from grpo_rewards.compose.composite import Composite, check_numbers, part, prediction_of
from grpo_rewards.errors import listed, shown
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.call import PER_COMPLETION, Call
from grpo_rewards.registry.catalogue import register_composer
from grpo_rewards.registry.interface import Range
from grpo_rewards.verdict import Verdict


class Gated(Composite):
    """A reward behind a gate. Made by :func:`gated`."""

    own_reasons = ("stopped", "gate_not_scored")

    @property
    def counted(self) -> tuple[Reward, ...]:
        return self.parts[:1]  # the gate is evaluated, not rewarded

    def range_of(self, ranges: list[Range]) -> Range:
        (low, high), otherwise = ranges[0], self.settings["otherwise"]
        return min(low, otherwise), max(high, otherwise)

    def outcomes(self, call: Call) -> list[Verdict]:
        gate, otherwise, above = self.settings["by"], self.settings["otherwise"], self.settings["above"]
        verdicts = []
        for verdict, passed in zip(self.settings["reward"].verdicts(call), gate.verdicts(call), strict=True):
            prediction, answer = prediction_of((verdict, passed))
            if passed.reward is not None and passed.reward > above:
                verdicts.append(verdict._replace(prediction=prediction, answer=answer))
                continue
            stopped = {"stopped_by": gate.name, "gate_reason": passed.reason}
            number, reason = (None, "gate_not_scored") if passed.reward is None else (otherwise, "stopped")
            verdicts.append(Verdict(number, reason, prediction, answer, stopped))
        return verdicts


@register_composer
def gated(
    reward: Reward | str,
    /,
    *,
    by: Reward | str,
    otherwise: float = 0.0,
    above: float = 0.0,
    name: str | None = None,
) -> Gated:
    """A reward that counts only where another one, the gate, is earned.

    Args:
        reward (Reward | str): the reward where the gate is passed; a reward or the spec of one.
        by (Reward | str): the gate, a reward or the spec of one. It is passed where it gives more than ``above``.
        otherwise (float): the reward where the gate is not passed; 0.0 by default.
        above (float): what the gate must exceed; 0.0 by default. Choose a number below 0 for a gate such as
            ``soft_overlong``, which gives 0 at best.
        name (str | None): the name in the logs; ``gated_<reward>`` by default.

    Returns:
        A Reward. It is ``None`` where the gate is ``None``, and where the gate is passed and ``reward`` is ``None``.
        Reasons: those of ``reward``, and of the gate.

        - ``stopped``: the gate was not passed (``otherwise``).
        - ``gate_not_scored``: the gate is ``None`` (``None``).

        Unless the gate is passed, the details ``stopped_by`` and ``gate_reason`` name the gate and its reason. The
        prediction is that of ``reward``, or of the gate where that alone compares with a gold.

    Raises:
        RewardError: ``reward`` or ``by`` is not a reward, a number is not finite, or the gate gives ``above`` at most.

    >>> points = gated("boxed_answer", by="think_answer_format")
    >>> points.score("<think>2 + 2</think><answer>\\\\boxed{4}</answer>", answer="4"), points.score("4", answer="4")
    (1.0, 0.0)
    """
    inner, gate = part("gated", reward), part("gated", by)
    numbers = check_numbers("gated", otherwise=otherwise, above=above)
    if gate.range is not None and gate.range[1] <= above:
        most, given = gate.range[1], shown(above)
        raise RewardError(f"gated: '{gate.name}' gives {most:g} at most, so nothing passes above={given}. Lower above.")
    return Gated(gated, {"reward": inner, "by": gate, **numbers}, name)


class Routed(Composite):
    """A reward that picks another reward for each row. Made by :func:`routed`."""

    splits_rows = True

    def bind(self, *, name: str | None = None, columns: Mapping[str, str] | None = None, **options: Any) -> Composite:
        bound = super().bind(name=name, columns=columns, **options)
        by = bound.settings["by"]
        return bound if columns is None or by not in columns else bound.bind(by=columns[by])

    def range_of(self, ranges: list[Range]) -> Range:
        return min(low for low, _ in ranges), max(high for _, high in ranges)

    def outcomes(self, call: Call) -> list[Verdict]:
        verdicts: list[Verdict] = [Verdict(None)] * call.size
        # A reward that has no rows in this call is called all the same, because its columns in the completions table
        # must be filled in every call.
        for one, its_call, rows in self.parts_in(call):
            for row, verdict in zip(rows, one.verdicts(its_call), strict=True):
                verdicts[row] = verdict._replace(details={**verdict.details, "route": one.name})
        return verdicts

    def parts_in(self, call: Call) -> Sequence[tuple[Reward, Call, Sequence[int]]]:
        rows: dict[Reward, list[int]] = {one: [] for one in self.parts}
        for row, key in enumerate(call.column(self.name, self.settings["by"])):
            rows[self._route(row, key)].append(row)
        return [(one, _with_rows(call, its_rows), its_rows) for one, its_rows in rows.items()]

    def _route(self, row: int, key: Any) -> Reward:
        routes, default = self.settings["routes"], self.settings["default"]
        found: Reward | None = routes.get(key, default) if isinstance(key, Hashable) else default
        if found is None:
            raise RewardError(
                f"reward '{self.name}' has no route for {shown(key)}, which is '{self.settings['by']}' of row {row}. "
                f"Routes: {listed(map(repr, routes))}. Add one, or give a default."
            )
        return found


def _with_rows(call: Call, rows: Sequence[int]) -> Call:
    """A call with only some of the rows of another one.

    ``rows`` are the indices to keep, in order. The other rows stay empty in the completions table. The same rows are
    the same call, so that what was found for them is known.
    """

    def picked(values: Any) -> Any:
        # what is no list of this length is reported by the reward that reads it
        fits = isinstance(values, list | tuple) and len(values) == call.size
        return [values[row] for row in rows] if fits else values

    def log_extra(column: str, values: list[Any]) -> None:
        of_row = dict(zip(rows, values, strict=True))
        call.log_extra(column, [*map(of_row.get, range(call.size))])  # type: ignore[misc]  # there is one

    if tuple(rows) not in call.chosen:
        call.chosen[tuple(rows)] = replace(
            call,
            **{name: picked(getattr(call, name)) for name in PER_COMPLETION},
            log_extra=None if call.log_extra is None else log_extra,
            columns={name: picked(values) for name, values in call.columns.items()},
            chosen_from=call.whole_size,
        )
    return call.chosen[tuple(rows)]


@register_composer
def routed(
    routes: Mapping[Any, Reward | str],
    /,
    *,
    by: str,
    default: Reward | str | None = None,
    name: str = "routed",
) -> Routed:
    """For each row the reward that belongs to its kind, as a dataset column names it.

    A reward sees only the rows of its kind, with all columns. Its own shares are those of all completions.

    Args:
        routes (Mapping): rewards, or their specs, by the value of the column: ``{"math": boxed_answer}``.
        by (str): the name of the dataset column.
        default (Reward | str | None): the reward for rows with any other value. ``None``, the default: such a row is an
            error that names it.
        name (str): the name in the logs; ``routed`` by default.

    Returns:
        A Reward. Its reasons are those of the reward of each row, and the detail ``route`` names that reward.

    Raises:
        RewardError: no routes, a part that is not a reward, a key that is not a text, a number, a bool or ``None``;
            when called, a missing column or a value without a route.

    >>> points = routed({"math": "boxed_answer", "chat": "max_length(max_tokens=3)"}, by="task")
    >>> points(completions=[r"\\boxed{4}", "Hello!"], completion_ids=[[1] * 9, [1] * 4], task=["math", "chat"],
    ...        answer=["4", None])
    [1.0, 0.0]
    """
    if not isinstance(routes, Mapping) or not routes:
        raise RewardError(
            f'routed needs a mapping of values to rewards, such as {{"math": boxed_answer}}, not {routes!r}.'
        )
    for key in routes:
        if type(key) not in (str, int, float, bool, type(None)) or (type(key) is float and not math.isfinite(key)):
            raise RewardError(f"routed: the routes' values must be texts, numbers, True, False or None, not {key!r}.")
    if not isinstance(by, str) or not by:
        raise RewardError(f"routed: by must be the name of a dataset column, not {by!r}.")
    resolved = {key: part("routed", one) for key, one in routes.items()}
    other = None if default is None else part("routed", default)
    return Routed(routed, {"routes": resolved, "by": by, "default": other}, name, reads=[by])
