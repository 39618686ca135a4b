"""What stands after a sequence of statements. The tracker knows keys only: here they are letters."""

from tables import each_row

from grpo_rewards.extraction.tracker import Statement, Tracker


@each_row(
    "acts, announced, asserted",
    [
        ("announce:a", "a", None),
        ("announce:a announce:b", "ab", None),  # beside each other they are several
        ("announce:a mention: announce:b", "b", None),
        ("announce:a retract: announce:b", "b", None),
        ("announce:a retract:", None, None),
        ("announce:a deny:a", None, None),
        ("announce:a deny:b", "a", None),
        ("announce:a doubt:b", "ab", None),
        ("announce:a assert:b", "a", "b"),
        ("assert:a assert:b", None, "b"),
        ("assert:a join:b", None, "ab"),
        ("assert:a void:", None, None),
        ("assert:a doubt:b", None, None),
        ("await: announce:a", "a", None),
        ("announce:a refuse:", None, None),
    ],
)
def test_what_stands(acts, announced, asserted):
    tracker = Tracker()
    for sentence, one in enumerate(acts.split()):
        act, _, keys = one.partition(":")
        tracker.fold(Statement(act, frozenset(keys)), sentence)
    assert tracker.announced == (None if announced is None else frozenset(announced))
    assert tracker.asserted == (None if asserted is None else frozenset(asserted))
