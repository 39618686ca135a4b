"""Runs computer algebra in processes that can be killed. Look here if a comparison is slow, times out or is killed.

``schedule`` which pairs of formulas the rows of a call need, in which order, and what they came to before · ``pool``
the side of the training process: how many processes compare, how the broker starts, whether it works · ``worker`` the
broker, a child process that compares each pair in a process of its own · ``decide`` what such a process does with a
pair. The broker is started from its file, so ``worker`` and ``decide`` import nothing of this package.
"""
