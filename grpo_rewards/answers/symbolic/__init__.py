"""Runs computer algebra in processes that can be killed. Look here if a comparison is slow, times out or is killed.

``turns`` who is compared when, for how long at most, and outcomes of earlier comparisons · ``client`` the side of the
training process: how many workers there are, how the broker starts, whether it works · ``broker`` the child process
that starts and stops the workers · ``decide`` what a worker does with a pair of formulas. The broker is started from
its file, so nothing in this folder imports another folder.
"""
