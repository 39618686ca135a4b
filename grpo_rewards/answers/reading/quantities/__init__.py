"""What stands after a number: a unit, money, what is counted. Look here if a unit is misread or not known.

``unit_table`` every unit, its spellings and its size · ``measures`` products and powers of units, ``km/h`` ·
``counted_things`` words that say what is counted, with ``word_lists`` · ``after_number`` all of these, and money ·
``compound_amounts`` ``2 hours 15 minutes`` · ``apart`` the m of ``10 m`` · ``conversions`` how many of one unit another
one is.
"""
