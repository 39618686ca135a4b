"""Running text: what it announces, asserts, denies and takes back.

From the bottom: ``text_tokens`` and ``number_spellings`` · ``words_behind`` and ``quantities``: whole numbers and
formulas · ``statements``: sentences and clauses · ``stances`` and ``asides``: what a clause does with its numbers ·
``choosing``: which of them it gives · ``announcements`` and ``contents``: "the answer is" · ``no_answers`` and
``cut_off``: what is none.
"""
