"""What a tree of LaTeX says: from a tree to a value. Look here if an answer is misread.

``dispatch`` tries the readers in order · ``phrases`` removes the words around an answer that are not part of it ·
``plain_numbers`` reads the numbers that most answers are, without a tree · ``numerals`` all other numbers · ``units``
and ``measures`` the unit after a number · ``words`` words after a number that change it or take it back ·
``relations`` equations and inequalities · ``names`` the name on the left of ``x = 5`` · ``environments`` matrices and
cases · ``grammar`` formulas · ``operators`` recognises integrals and sums.
"""
