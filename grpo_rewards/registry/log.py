"""Logs verdicts through a trainer: the share of each reason, and each completion's reason and prediction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from grpo_rewards.registry.call import Call
from grpo_rewards.verdict import Verdict

__all__ = ["log_rises", "log_verdicts"]

PREDICTION_LIMIT = 200  # characters of a prediction in the completions table; a prediction may be a megabyte


def log_verdicts(
    name: str,
    reasons: Iterable[str],
    verdicts: Sequence[Verdict],
    call: Call,
    *,
    rows: bool,
    shares: Mapping[str, Sequence[str]],
) -> None:
    """Logs the shares of the reasons of one call, and with ``rows`` the columns of the completions table.

    Metrics are ``name/<reason>`` for every reason in ``reasons`` and ``name/<detail>/<value>`` for every value in
    ``shares``. A trainer averages a metric over the calls that logged it, so a share of zero is logged too: without it
    the mean would be over the calls alone in which the reason occurred.

    Columns are ``name/reason`` and ``name/prediction``. They must have one value per completion of *every* call, so
    ``rows`` is fixed for a reward and never depends on a batch.
    """
    said = [verdict.reason for verdict in verdicts]
    if call.log_metric is not None and call.size:
        _log_shares(call.log_metric, name, said, reasons)
        for detail, values in shares.items():
            _log_shares(
                call.log_metric, f"{name}/{detail}", [verdict.details.get(detail) for verdict in verdicts], values
            )
    if call.log_extra is not None and rows:
        call.log_extra(f"{name}/reason", [reason or None for reason in said])
        call.log_extra(f"{name}/prediction", [_printable(verdict.prediction) for verdict in verdicts])


def log_rises(name: str, meters: Mapping[str, Callable[[], float]], before: Mapping[str, float], call: Call) -> None:
    """Logs as ``name/<meter>`` by how much each meter has risen since ``before``, 0 included."""
    if call.log_metric is not None:
        for meter, read in meters.items():
            call.log_metric(f"{name}/{meter}", read() - before[meter])


def _log_shares(
    log_metric: Callable[[str, float], None], name: str, found: Sequence[Any], values: Iterable[str]
) -> None:
    left = len(found)  # counting stops when nothing is left: most values do not occur at all
    for value in values:
        count = found.count(value) if left else 0
        left -= count
        log_metric(f"{name}/{value}", count / len(found))


def _printable(prediction: str | None) -> str | None:
    if type(prediction) is str and len(prediction) <= PREDICTION_LIMIT and prediction.isascii():
        return prediction  # true of nearly all: skips the encoding below
    # Lone surrogates cannot be written to parquet.
    return None if prediction is None else str(prediction)[:PREDICTION_LIMIT].encode("utf-8", "replace").decode("utf-8")
