"""Decides whether a prediction equals the answer. Look here if both are read rightly and still judged wrongly.

``steps`` the steps of a comparison, in order · ``equality`` whether two values are equal, kind by kind ·
``units`` amounts in different units · ``as_written`` ranges, scores and dates, which are no arithmetic ·
``options`` what a user may choose about it.
"""
