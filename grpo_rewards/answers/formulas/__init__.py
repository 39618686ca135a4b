"""Evaluates formulas and decides whether two of them are the same. Look here if one formula is taken for another.

``formula`` the tree of a formula · ``structure`` what it holds · ``exact`` its value as a fraction · ``modular`` its
remainders by some primes · ``high_precision`` its value to many digits · ``points`` where two formulas are compared ·
``identity`` whether they are the same · ``equations`` whether two equations are · ``arbitrary_constants`` whether they
are but for the letters of their constants · ``rounding`` whether a decimal is a rounding of a value · ``budget`` how
much may be computed for one pair of answers.
"""
