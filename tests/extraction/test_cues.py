"""The table of cues: how its phrases are written, which of them rows need, and that a language is added there alone."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from labelled_files import rows_in
from labelled_rows import rows
from places import ROOT, labelled
from tables import each_row

import grpo_rewards as gr
from grpo_rewards.extraction import cues

# What every language has: it announces, denies, leaves open, joins clauses and answers; and it takes back, cites, gives
# up and bounds, which are guards: a row for each would be written for it.
BASIC = frozenset(
    """name bare link choose right filler deny hedge alternative but because so not instead_of if join option_noun verb
    suppose retract cite refuse bound""".split()
)


def texts() -> Iterator[str]:
    """Texts that were not written for the table: those that anyone has, and those beside the repository."""
    yield from (row["completion"] for row in rows_in(ROOT / "tests" / "data" / "catalogue", "answers/choices"))
    yield from (row["completion"] for row in rows_in(ROOT / "tests" / "data", "answers"))
    for name in ("choices_models", "choices", "t3_choices", "finals", "t3_finals", "gsm8k_real"):
        yield from (row["completion"] for row in rows(f"answers/{name}"))
    yield from (row["answer"] for row in rows("gsm8k/test"))


@labelled
def test_each_cue_beyond_the_basic_phrases_is_in_a_text_that_was_not_written_for_it():
    every = "\n".join(texts()).lower()
    unneeded = {
        (act, language, phrase)
        for act, languages in cues.table().items()
        if act not in BASIC
        for language, phrases in languages.items()
        for phrase in phrases
        if not re.search(cues.expression(phrase), every)
    }
    assert unneeded == set()


CODE = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "grpo_rewards" / "extraction").glob("*.py"))


@each_row("act", cues.table())
def test_an_act_of_the_table_is_used_and_its_phrases_can_match(act):
    assert f"<{act}>" in CODE or f'"{act}"' in CODE, "no code looks for this act: is it misspelt?"
    for language, phrases in cues.table()[act].items():
        assert phrases, f"{language} has no phrases"
        for phrase in phrases:
            assert phrase == phrase.lower(), f"{language}: {phrase}: texts are searched in lower case"
            assert all(phrase.count(one) == phrase.count(other) for one, other in ("[]", "()")), f"{language}: {phrase}"
            assert re.search(cues.expression(phrase), "") is None, f"{language}: {phrase}: it matches everything"


@each_row(
    "phrase, text, is_in",
    [
        ("[the] (best|right) answer", "the best answer", True),
        ("[the] (best|right) answer", "right answer", True),
        ("[the] (best|right) answer", "the answer", False),
        ("answer [final|correct]", "answer is", True),
        ("rules … out", "rules option b out", True),
        ("答案 [正确]", "答案是", True),
    ],
)
def test_a_phrase_may_have_parts_that_are_missing_or_differ(phrase, text, is_in):
    assert (re.search(cues.expression(phrase), text) is not None) is is_in


def test_a_language_is_added_in_the_table_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gr.multiple_choice.score("La ĝusta respondo estas B.", answer="B") == 0.0
    table = tomllib.loads(cues.CUE_TABLE.read_text(encoding="utf-8"))
    table["name"]["eo"], table["link"]["eo"], table["deny"]["eo"] = "respondo", "estas", "ne"
    lines = []
    for act, languages in table.items():
        lines += [f"[{act}]", *(f"{of} = {json.dumps(text, ensure_ascii=False)}" for of, text in languages.items())]
    (tmp_path / "cues.toml").write_text("\n".join(lines), encoding="utf-8")
    kept = [cues.table, cues.phrases, cues.compiled]
    monkeypatch.setattr(cues, "CUE_TABLE", tmp_path / "cues.toml")
    for one in kept:
        one.cache_clear()
    try:
        assert gr.multiple_choice.score("La ĝusta respondo estas B.", answer="B") == 1.0
        assert gr.multiple_choice.score("La ĝusta respondo ne estas B.", answer="B") == 0.0
    finally:
        monkeypatch.undo()
        for one in kept:
            one.cache_clear()
