"""What a tree of LaTeX says: from a tree to a value. Look here if an answer is misread.

``dispatch`` tries the readers in order · ``numerals`` numbers in digits and words · ``units`` units of
measure and what else follows a number · ``grammar`` formulas · ``relations`` equations and inequalities · ``several``
lists, sets, families, matrices and cases · ``phrases`` what stands around an answer · ``words`` words that change an
answer · ``notations`` chemistry and logic.
"""
