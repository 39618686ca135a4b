"""Answers that are more than one number. Look here if a list, a set or a vector is misread.

``lists`` lists, systems of equations, parts of a problem · ``signs`` ``\\pm`` as two answers · ``sets`` intervals,
sets and set-builders · ``families`` general solutions and congruences · ``vector_sums`` multiples and sums of tuples ·
``environments`` matrices and cases.
"""
