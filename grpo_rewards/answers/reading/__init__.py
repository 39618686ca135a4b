"""What a tree of LaTeX says: from a tree to a value. Look here if an answer is misread.

``dispatch`` tries the readers in order · ``wording`` words in and around an answer · ``numerals`` numbers as they are
written · ``quantities`` what follows a number: units, money, what is counted · ``several`` lists, sets, families and
vectors · ``relations`` equations and inequalities · ``names`` the name on the left of ``x = 5`` ·
``grammar`` formulas · ``binomials`` and ``operators`` notations in them · ``logic`` and ``chemistry``.
"""
