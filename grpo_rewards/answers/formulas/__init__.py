"""Evaluates formulas and decides whether two of them are the same. Look here if one formula is taken for another.

``formula`` the tree of a formula and what it holds · ``exact`` its value as a fraction, and how much may be computed ·
``high_precision`` its value to many digits, and roundings of it · ``identity`` whether two formulas are the same,
two equations, or formulas with constants of integration.
"""
