"""Whether two answers are equal. Look here if they are read rightly and still not taken for equal.

``steps`` the steps of a comparison in their order · ``equality`` of two values, kind by kind · ``options`` what is a
matter of taste.
"""
