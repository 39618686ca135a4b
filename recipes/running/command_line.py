"""The command line of a recipe: a YAML under it, defaults under that, and errors that name the nearest known field."""

from __future__ import annotations

import argparse
import difflib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from trl import TrlParser

from running.before_loading.remedies import remedy

__all__ = ["parse", "peek"]

USAGE = "%(prog)s [--config FILE.yaml] [--FIELD VALUE …]   (all fields: --help)"


def peek(argv: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """The values in the command line, or else its YAML, of a few fields on which the other defaults depend."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name in ("config", *names):
        parser.add_argument(f"--{name}", nargs="?", const="true")  # as of a field that is on or off
    found = vars(parser.parse_known_args(argv)[0])
    path = found.pop("config")
    if path is None:
        return found
    try:
        values = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        sys.exit(f"error: cannot read --config {path}: {error}")
    if not isinstance(values, dict):
        sys.exit(f"error: --config {path} must hold 'key: value' lines, it holds {type(values).__name__}.")
    return {name: value if value is not None else values.get(name) for name, value in found.items()}


def parse(argv: Sequence[str], types: Sequence[type], defaults: dict[str, Any]) -> tuple[Any, ...]:
    """One object of each type. The command line overrides the YAML, which overrides ``defaults``.

    Ends the program with a message for an unknown field or for values that the types refuse.
    """
    # TrlParser knows '--config FILE' only
    argv = [part for arg in argv for part in (arg.split("=", 1) if arg.startswith("--config=") else [arg])]
    parser = TrlParser(tuple(types), allow_abbrev=False, usage=USAGE)
    parser.set_defaults(**defaults)
    try:
        *parsed, from_yaml, from_line = parser.parse_args_and_config(
            argv, return_remaining_strings=True, separate_remaining_strings=True
        )
    except (ValueError, TypeError, ImportError) as error:
        given = vars(parser.parse_known_args(argv)[0])  # the YAML has become the parser's defaults
        sys.exit(f"error: {explained(error, given)}")
    unknown = [arg for arg in (*from_line, *from_yaml) if arg.startswith("--")] or from_line
    if unknown:
        name = unknown[0].partition("=")[0]
        near = difflib.get_close_matches(name, parser._option_string_actions, n=1)
        sys.exit(f"error: unknown argument {name}" + (f"; did you mean {near[0]}?" if near else ". See --help."))
    return tuple(parsed)


def explained(error: Exception, given: Mapping[str, Any]) -> str:
    """What is wrong with the values that were given, and which of them that is, if the message does not say so."""
    if isinstance(error, json.JSONDecodeError):
        named = [f"--{name} " for name, value in given.items() if value == error.doc]
        return f"{''.join(named[:1])}{error.doc} is no JSON ({error}). Put names and texts in double quotes."
    if isinstance(error, ImportError):
        line = str(error).strip().splitlines()[0].rstrip()
        named = [f"--{name}: " for name, value in given.items() if value and name in line]
        return f"{''.join(named[:1])}{line} Install it, or leave that setting out."
    return f"{error}{remedy(str(error), given)}"
