"""How a probe is shown: as text, as a table, in a notebook and as JSON, whatever is in it."""

import io
import json

from rich.console import Console

from grpo_rewards import Earned, Probed

HOSTILE = "<script>alert(1)</script>\x1b[2J"
FOUND = Probed(
    "own",
    1.0,
    right=1.0,
    wrong=0.0,
    way="in a box",
    separates_right_from_wrong=True,
    earned=[
        Earned("boom", None, failure=f"it raised {HOSTILE}"),
        Earned("nothing", 0.5, 0.5, "why", HOSTILE),
        Earned("crumb", 0.05, 0.05),
    ],
    rows=1,
)


def test_a_notebook_shows_a_table_in_which_nothing_runs() -> None:
    shown = FOUND._repr_html_()
    assert "<script>" not in shown
    assert "\x1b" not in shown
    assert "&lt;script&gt;" in shown
    assert "own: best 1, right 1, wrong 0 (in a box), 1 row" in shown
    assert "boom" in shown


def test_a_terminal_is_not_moved_by_what_is_shown() -> None:
    (console := Console(width=60, record=True, file=io.StringIO())).print(FOUND)
    for shown in (str(FOUND), console.export_text()):
        assert "\x1b" not in shown
        assert "rewards 1 of 2 hacks" in " ".join(shown.split())


def test_what_is_above_the_crumbs_of_partial_credit_is_rewarded_also_as_json() -> None:
    assert [one.hack for one in FOUND.rewarded] == ["nothing"]
    found = json.loads(json.dumps(FOUND.as_dict()))
    assert [(one["cheat"], one["is_paid"]) for one in found["earned"]] == [
        ("boom", False),
        ("nothing", True),
        ("crumb", False),
    ]
    assert (found["tells_right_from_wrong"], found["said"]) == (True, FOUND.messages)
