"""Decides whether a prediction equals the answer. Look here if both are read rightly and still judged wrongly.

``steps`` the two sides and the steps of a comparison, in order · ``equality`` what a user may choose, whether two
values are equal, kind by kind, and the form in which they are compared: units, vectors, ratios.
"""
