"""Transcripts of many model families, as templates, parsers and decoders hand them over: what rewards make of them."""

from collections import Counter

import pytest
from labelled_rows import BY_TRANSCRIPT, rows, transcript_verdict
from places import labelled

pytestmark = labelled
TRANSCRIPTS = "transcripts/transcripts"
LEAST_RIGHT = 0.995  # of the rows of each reward


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", BY_TRANSCRIPT)
def test_reasoning_that_never_ended_is_the_reason(name: str, every: int) -> None:
    cut_off = [row for row in rows(TRANSCRIPTS) if row["expect"]["think_closed"] is False][::every]
    other = [row["id"] for row in cut_off if transcript_verdict(row, name).reason != "unfinished_thinking"]
    assert len(other) <= (1 - LEAST_RIGHT) * len(cut_off), other


def test_the_raw_forms_of_a_transcript_get_one_verdict() -> None:
    forms: dict[tuple[str, str], Counter[tuple[float | None, str]]] = {}
    for row in rows(TRANSCRIPTS):
        if row["form"] in ("raw_skip", "raw_special", "msg_raw", "msg_blocks") and row["family"] != "any":
            for name in ("think_format", "boxed_answer"):
                found = transcript_verdict(row, name)
                key = f"{row['family']}.{row['situation']}.{row['gold']}", name
                forms.setdefault(key, Counter())[found.reward, found.reason] += 1
    assert [key for key, found in forms.items() if len(found) > 1] == []
