"""The quick look at the words of a clause leaves out no clause that a pattern matches."""

import re

import pytest
from grpo_rewards.answers.finding.prose import asides, stances
from grpo_rewards.answers.finding.prose.stems import has_stem, stems

CLAUSES = """
It is not 5|18 is wrong|n't|it might be 5|may 5|I don't know|I give up|no idea|that's wrong|No, 5|Sorry, 16|wait|hmm
actually|let me recheck|check: 5|verify that|indeed, 5|note that|let x = 5|for n = 18|suppose x|given 5|copyright 5
let me know|hope this helps|we need to find 5|as an exercise|oops|correction: 5|i made a mistake|either 5|can't be sure
the question says 5|possible answers: 5
""".strip().replace("\n", "|")


@pytest.mark.parametrize("module", [stances, asides])
def test_a_clause_that_a_pattern_matches_has_one_of_its_stems(module):
    looked_at = 0
    for name, pattern in vars(module).items():
        if isinstance(pattern, re.Pattern) and f"{name}_STEMS" in vars(module):
            for clause in CLAUSES.split("|"):
                if pattern.search(clause):
                    looked_at += 1
                    assert has_stem(clause, vars(module)[f"{name}_STEMS"]), (name, clause)
    assert looked_at > 10


def test_a_clause_without_the_words_has_no_stem():
    known = stems(re.compile(r"\bnever\b|\bmistak\w{1,5}"))
    assert not has_stem("She makes 18 dollars", known)
    assert has_stem("A mistake", known)
    assert has_stem("18 ≠ 16", known)  # not ASCII: the pattern must look
