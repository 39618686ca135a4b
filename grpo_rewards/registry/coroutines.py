"""Async rewards, such as a judge over HTTP: coroutines that run side by side. A failure costs the rows of its call."""

from __future__ import annotations

import logging
import os
import threading
from collections import Counter
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from grpo_rewards.registry.call import Call, side_by_side
from grpo_rewards.registry.errors import RewardError, shown
from grpo_rewards.registry.function import FAILURES, FunctionReward
from grpo_rewards.registry.interface import Outcome, as_number
from grpo_rewards.registry.signature import ASYNC_OPTIONS
from grpo_rewards.verdict import Verdict

WHY = 200  # characters of an exception's text
ALIVE = 1.0  # seconds between two looks at whether the event loop still runs
Result = TypeVar("Result")
_log = logging.getLogger(__name__)


class AsyncFunctionReward(FunctionReward):
    """The reward that the decorators make of an ``async def``. A trainer awaits several of them together.

    Beside the options of the function it has ``concurrency``, how many completions it works on at once, and
    ``timeout``, seconds for each. A completion for which the function raises, or takes longer, is ``None``, with the
    reason ``failed`` or ``timeout``; a RewardError still ends the run, for it is the programmer's. One that sees the
    whole call, such as a judge that ranks what it is shown, has ``timeout`` alone, for the call; if it raises, or takes
    longer, all completions of the call are ``None``.
    """

    def _check_options(self) -> None:
        limits = {name: value for name, value in self.own_options.items() if name in ASYNC_OPTIONS}
        if limits.get("concurrency", 1) < 1 or limits["timeout"] <= 0:
            raise RewardError(
                f"reward '{self.name}': concurrency must be at least 1 and timeout above 0 seconds, not {limits}."
            )
        super()._check_options()

    async def __call__(self, /, completions: Sequence[Any] | None = None, **given: Any) -> list[float | None]:  # type: ignore[override]  # TRL detects coroutines by it
        import asyncio  # here and below: most runs have no such reward

        call = self._call(completions, given)
        if self.dependencies:
            with side_by_side(self.name):  # the thread knows of it, too
                await asyncio.to_thread(self._resolve_dependencies, call)
        call.verdicts[self] = self._concluded(await self._gathered(call))
        return [verdict.reward for verdict in self.verdicts(call)]

    def outcomes(self, call: Call) -> Sequence[Outcome]:
        """The outcomes of all rows, for composites and for calls by hand. Blocks until the last row is done."""
        self._resolve_dependencies(call)
        return wait_for(self._gathered(call))

    def _resolve_dependencies(self, call: Call) -> None:
        """Computes the verdicts of the dependencies, which may be async, too; later they are found in the call."""
        for one in self.dependencies.values():
            one.verdicts(call.quiet())

    async def _gathered(self, call: Call) -> Sequence[Outcome]:
        self.check_ready()
        outcomes = await self._awaited(call) if call.size else []
        failures = [
            one for one in outcomes if isinstance(one, Verdict) and one.reason in FAILURES and "why" in one.details
        ]
        if failures:
            why, times = Counter(one.details["why"] for one in failures).most_common(1)[0]
            lost = f"{len(failures)} of {call.size} completions have no reward"
            # as repr has it: what a server sent back must not move the cursor of the terminal that shows the log
            _log.warning(f"reward '{self.name}': {lost}; {times} of them: {why!r}")
        return outcomes

    async def _awaited(self, call: Call) -> Sequence[Outcome]:
        """The outcomes of all rows: of one call of the function, or of one for each row, a limited number at once."""
        import asyncio

        options = self.own_options
        timeout, concurrency = options.pop("timeout"), options.pop("concurrency", 1)
        arguments = self.signature.arguments(options)
        reads = [self._values(call, name) for name in self.signature.reads]
        if self.batch:
            results, failure = await self._in_time(self.function(*reads, **arguments), timeout)
            if failure is not None:
                return [failure] * call.size
            return [self._outcome(one) for one in self._one_each(results, call.size)]
        at_once = asyncio.Semaphore(concurrency)

        async def of_row(row: tuple[Any, ...]) -> Outcome:
            async with at_once:
                result, failure = await self._in_time(self.function(*row, **arguments), timeout)
            return self._outcome(result) if failure is None else failure

        return await asyncio.gather(*map(of_row, zip(*reads, strict=True)))

    async def _in_time(self, coroutine: Coroutine[Any, Any, Any], timeout: float) -> tuple[Any, Verdict | None]:
        """(what the function's coroutine returns, None), or (None, why it failed). A RewardError is raised."""
        import asyncio

        with side_by_side(self.name):
            task = asyncio.ensure_future(_sealed(coroutine))
        try:
            await asyncio.wait({task}, timeout=timeout)
        except asyncio.CancelledError:  # nobody waits for this call any more
            task.cancel()
            raise
        if not task.done():
            task.cancel()
            return None, Verdict(None, "timeout", details={"why": f"no answer within {timeout:g} s"})
        failure: BaseException | None = asyncio.CancelledError() if task.cancelled() else task.exception()
        if isinstance(failure, RewardError):
            raise failure
        return (task.result(), None) if failure is None else (None, _failed(failure))

    def _outcome(self, outcome: Outcome) -> Outcome:
        """What the function returned if it is a valid reward, else a ``failed`` verdict."""
        try:
            as_number(self.name, outcome.reward if isinstance(outcome, Verdict) else outcome, 0)
        except RewardError:
            return Verdict(None, "failed", details={"why": f"it returned {shown(outcome)}, which is no reward"})
        return outcome


async def _sealed(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Awaits the coroutine, but turns SystemExit into an error: it would end the event loop that others share."""
    try:
        return await coroutine
    except SystemExit as error:
        raise RuntimeError(f"SystemExit: {error}") from error


def _failed(error: BaseException) -> Verdict:
    return Verdict(None, "failed", details={"why": f"{type(error).__name__}: {error}"[:WHY]})


class _Loop:
    """An event loop on its own thread. All calls use the same one, so a reward can keep a connection open."""

    def __init__(self) -> None:
        import asyncio

        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="grpo_rewards", daemon=True)
        self.thread.start()


_lock = threading.Lock()
_running: _Loop | None = None


def wait_for(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Runs a coroutine and returns its result. Works inside a running event loop, in threads and in child processes.

    Raises:
        RewardError: it is called by a coroutine on the very loop that it would wait for.
    """
    import asyncio
    import concurrent.futures

    global _running
    with _lock:
        if _running is None or not _running.thread.is_alive():
            _running = _Loop()
        running = _running
    if threading.current_thread() is running.thread:
        coroutine.close()
        raise RewardError("an async reward waits for another one: await it, 'await judge(completions=[…])'.")
    future = asyncio.run_coroutine_threadsafe(coroutine, running.loop)
    try:
        while True:
            try:
                return future.result(timeout=ALIVE)
            except (TimeoutError, concurrent.futures.TimeoutError):
                if future.done():
                    return future.result()
                if not running.thread.is_alive():
                    raise RewardError("the event loop of the async rewards was stopped from within one.") from None
    except BaseException:
        future.cancel()  # Ctrl-C: nobody waits any more
        raise


def _forget() -> None:
    """Drops the loop in a forked child, which has none of its parent's threads."""
    global _running, _lock
    _running, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
