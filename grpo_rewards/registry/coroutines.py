"""Async rewards, such as a judge over HTTP. They run side by side; a completion for which one fails is ``None``."""

import asyncio
import contextlib
import logging
import os
import threading
from collections import Counter
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import Any

from grpo_rewards.errors import RewardError, shown
from grpo_rewards.registry.call import Call
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.registry.interface import Outcome, as_number
from grpo_rewards.verdict import Verdict

FAILURES = ("failed", "timeout")  # reasons of every async reward
WHY = 200  # characters of an exception's text
_log = logging.getLogger(__name__)


class AsyncFunctionReward(FunctionReward):
    """The reward that the decorators make of an ``async def``. A trainer awaits several of them together.

    Beside the options of the function it has ``concurrency``, how many completions it works on at once, and
    ``timeout``, seconds for each. A completion for which the function raises, or takes longer, is ``None``, with the
    reason ``failed`` or ``timeout``. A RewardError still ends the run, for it is the programmer's.

    One that sees the whole call, such as a judge that ranks what it is shown, has ``timeout`` alone, for the call. If
    it raises, or takes longer, all completions of the call are ``None``.
    """

    # they overlap in time, so that a counter's rise belongs to none of them
    meters = MappingProxyType({})

    async def __call__(  # type: ignore[override]  # TRL detects coroutines by it
        self, /, completions: Sequence[Any] | None = None, **given: Any
    ) -> list[float | None]:
        # in a thread, for the functions of all async rewards run on one event loop, whoever calls
        return await asyncio.to_thread(super().__call__, completions, **given)

    def _run(self, call: Call, reads: Sequence[Any]) -> Sequence[Outcome]:
        """The outcomes of all rows. Blocks until the last one is done."""
        outcomes: Sequence[Outcome] = wait_for(self._awaited(reads, call.size))
        failed = [one for one in outcomes if isinstance(one, Verdict) and one.reason in FAILURES]
        whys = [one.details["why"] for one in failed if "why" in one.details]
        for why, times in Counter(whys).most_common(1):
            lost = f"{len(whys)} of {call.size} completions have no reward"
            # as repr has it: what a server sent back must not move the cursor of the terminal that shows the log
            _log.warning(f"reward '{self.name}': {lost}; {times} of them: {why!r}")
        return outcomes

    async def _awaited(self, reads: Sequence[Any], size: int) -> Sequence[Outcome]:
        """The outcomes of all rows: of one call of the function, or of one for each row, a limited number at once."""
        arguments = dict(self._arguments)
        timeout, at_once = arguments.pop("timeout"), asyncio.Semaphore(arguments.pop("concurrency", 1))

        async def of_call() -> Sequence[Outcome]:
            return self._one_each(await self.function(*reads, **arguments), size)

        async def of_row(row: tuple[Any, ...]) -> Outcome:
            async with at_once:
                return self._outcome(await _in_time(self.function(*row, **arguments), timeout))

        if not self.batch:
            return await asyncio.gather(*map(of_row, zip(*reads, strict=True)))
        found = await _in_time(of_call(), timeout)
        return [found] * size if isinstance(found, Verdict) else [*map(self._outcome, found)]

    def _outcome(self, outcome: Outcome) -> Outcome:
        """What the function returned if it is a valid reward, else a ``failed`` verdict."""
        try:
            as_number(self.name, outcome.reward if isinstance(outcome, Verdict) else outcome, 0)
        except RewardError:
            return _failed(f"it returned {shown(outcome)}, which is no reward")
        return outcome


async def _in_time(coroutine: Coroutine[Any, Any, Any], timeout: float) -> Any:
    """What the coroutine returns, or a verdict that says why it failed. A RewardError is raised."""
    task = asyncio.ensure_future(coroutine)
    try:
        await asyncio.wait({task}, timeout=timeout)
    finally:
        task.cancel()  # it may be too late, or nobody waits for this call any more; one that is done stays as it is
    if not task.done():
        return _failed(f"no answer within {timeout:g} s", "timeout")
    failure: BaseException | None = asyncio.CancelledError() if task.cancelled() else task.exception()
    if isinstance(failure, RewardError):
        raise failure
    return task.result() if failure is None else _failed(f"{type(failure).__name__}: {failure}"[:WHY])


def _failed(why: str, reason: str = "failed") -> Verdict:
    return Verdict(None, reason, details={"why": why})


THREAD = "grpo_rewards"  # runs the event loop of all async rewards
MOST_THREADS = 10_000  # started only when they are needed
_loops: dict[int, asyncio.AbstractEventLoop] = {}  # by process: a forked child has none of its parent's threads


def wait_for(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Runs a coroutine and returns its result. Works inside a running event loop, in threads and in child processes.

    Raises:
        RewardError: it is called by a coroutine on the very loop that it would wait for.
    """
    if threading.current_thread().name == THREAD:
        coroutine.close()
        raise RewardError("an async reward waits for another one: await it, 'await judge(completions=[…])'.")
    future = asyncio.run_coroutine_threadsafe(coroutine, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()  # Ctrl-C: nobody waits any more
        raise


def _loop() -> asyncio.AbstractEventLoop:
    """The event loop of this process. There is only one, so that a reward can keep a connection open."""
    process = os.getpid()
    if process not in _loops:
        new = asyncio.new_event_loop()
        # An async reward that is awaited by another one holds a thread until it is done: with the usual few threads
        # those of an outer one would wait for those of an inner one.
        new.set_default_executor(ThreadPoolExecutor(MOST_THREADS))
        if _loops.setdefault(process, new) is new:
            threading.Thread(target=_run, args=(new,), name=THREAD, daemon=True).start()
        else:  # another thread was faster
            new.close()
    return _loops[process]


def _run(loop: asyncio.AbstractEventLoop) -> None:
    while True:  # a reward that stops the loop, or exits, stops no other one
        with contextlib.suppress(SystemExit):
            loop.run_forever()
