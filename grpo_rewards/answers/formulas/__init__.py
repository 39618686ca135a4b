"""Evaluates formulas and decides whether two of them are the same. Look here if one formula is taken for another.

``formula`` the tree of a formula and what it holds, its value as a fraction or to many digits, how much may be
computed, and roundings · ``identity`` whether two formulas are the same, two equations, or formulas with constants of
integration.
"""
