"""Runs computer algebra in processes that can be killed. Look here if a comparison is slow, times out or is killed.

``turns`` who is compared when, and for how long at most · ``remembered`` outcomes of earlier comparisons ·
``client`` the side of the training process · ``launching`` how that starts the broker · ``broker`` the child process
that starts and stops the workers · ``decide`` what a worker does with a pair of formulas · ``capacity`` how many
workers there are, and where none · ``trial`` whether they work. The broker is started from its file, so nothing in this
folder imports another folder.
"""
