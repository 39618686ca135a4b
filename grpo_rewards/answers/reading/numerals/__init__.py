"""Numbers as they are written. Look here if a number by itself is misread.

``plain_numbers`` the numbers that most answers are, without a tree · ``written_numbers`` all other numbers in digits ·
``based_numerals`` numerals in another base · ``number_words`` numbers and dates in words.
"""
