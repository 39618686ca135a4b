"""Evaluates formulas and decides whether two of them are the same. Look here if one formula is taken for another.

``formula`` the tree of a formula · ``exact`` its value as a fraction · ``high_precision`` its value to many digits ·
``identity`` whether two formulas are the same · ``rounding`` whether a decimal is a rounding of a value ·
``budget`` how much may be computed for one pair of answers.
"""
