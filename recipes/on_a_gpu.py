"""Measures on one large GPU, in under ten minutes and without a network, what the recipes cannot show on a CPU.

    python recipes/on_a_gpu.py                       everything, into outputs/on_a_gpu
    python recipes/on_a_gpu.py --only curve          one part, which then has all the time
    python recipes/on_a_gpu.py --small               the same code at a tiny scale, on a CPU as well: does it work?

Parts: the embedded default; rewards beside TRL's; a model of Qwen2.5-0.5B's shape with random weights, in bfloat16 with
gradient checkpointing, as an adapter, sharded by FSDP2, sampled by vLLM, and with all weights; and the learning curve
of a model of 27 million parameters that is made here. Each is a process of its own, and one that fails is reported and
the others go on. results.json and results.md say what was measured, on what; each part's log.txt and printed.txt are in
its folder.
"""

from __future__ import annotations

from running import needed  # noqa: F401  # isort: skip  # first: it says what is missing

import argparse
import json
import shutil
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from measuring.parts import PARTS
from measuring.place import Failed, Place, Skipped
from measuring.results_page import machine, page
from measuring.scale import LARGE, SMALL, Scale


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures the requested parts. Returns 0 if no part failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--minutes", type=float, default=9.5, help="for all parts together (default: 9.5)")
    parser.add_argument("--small", action="store_true", help="at a tiny scale")
    parser.add_argument("--output_dir", type=Path, default=Path("outputs") / "on_a_gpu")
    options = parser.parse_args(arguments)
    begun = time.time()
    found: dict[str, Any] = {"small": options.small, "machine": machine(), "parts": {}}
    for name, seconds in allotted(options.only, begun + 60 * options.minutes):
        print(f"{name}: at most {seconds:.0f} s …", flush=True)
        found["parts"][name] = one = measured(
            name, options.output_dir / name, SMALL if options.small else LARGE, seconds
        )
        print(f"{name}: {one['outcome']} in {one['seconds']:.0f} s" + f": {one.get('reason', '')}" * ("reason" in one))
        found["seconds"] = time.time() - begun
        (options.output_dir / "results.json").write_text(json.dumps(found, indent=2))
        (options.output_dir / "results.md").write_text(page(found), encoding="utf-8")
    print(f"\n{page(found)}\nAlso in {options.output_dir / 'results.md'}, and all figures in results.json.")
    return int(any(part["outcome"] == "failed" for part in found["parts"].values()))


def allotted(names: Sequence[str], deadline: float) -> Iterator[tuple[str, float]]:
    """Each part with its seconds: its share of what is left when it begins."""
    chosen = [name for name in PARTS if name in names]
    for at, name in enumerate(chosen):
        left = sum(PARTS[other].share for other in chosen[at:])
        yield name, max(deadline - time.time(), 0.0) * PARTS[name].share / left


def measured(name: str, folder: Path, scale: Scale, seconds: float) -> dict[str, Any]:
    """What a part found, with its ``outcome``: ``done``, or ``skipped`` or ``failed`` with the reason."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    begun = time.time()
    try:
        found = {"outcome": "done", **PARTS[name].measure(Place(folder, scale, begun + seconds))}
    except Skipped as reason:
        found = {"outcome": "skipped", "reason": str(reason)}
    except Failed as reason:
        found = {"outcome": "failed", "reason": str(reason)}
    except Exception:  # noqa: BLE001  # whatever is wrong with one part, the others are measured
        found = {"outcome": "failed", "reason": traceback.format_exc(limit=-3)}
    return {**found, "seconds": time.time() - begun}


if __name__ == "__main__":
    sys.exit(main())
