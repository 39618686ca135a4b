"""What a tree of LaTeX says: from a tree to a value. Look here if an answer is misread.

``dispatch`` tries the readers in order · ``phrases`` words and signs around an answer that are no part of it ·
``plain_numbers`` the numbers that most answers are, without a tree · ``numerals`` all other numbers · ``units`` and
``measures`` what stands behind a number · ``words`` that change a number or take it back · ``relations`` equations and
inequalities · ``names`` what is named on the left of one · ``environments`` matrices and cases · ``grammar`` formulas ·
``operators`` integrals and sums.
"""
