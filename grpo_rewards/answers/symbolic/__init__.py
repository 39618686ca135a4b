"""Computer algebra in processes that can be killed. Look here if a comparison is slow, or times out.

``client`` the training process's side · ``broker`` the child process that keeps the workers · ``decide`` what a worker
does · ``remembered`` what was found before. Workers are started by file, so nothing here imports another folder.
"""
