"""Rewards inside other people's programs, a module for each, which imports that program only when it is used.

``ray``          verdicts about the rows of a Ray Data set, on any number of machines
``verl``         ``compute_score`` for a custom reward function, and a reward manager
``swift``        ms-swift's ``--external_plugins``
``verifiers``    a rubric, and rewards of tasks
``lm_eval``      metrics of lm-evaluation-harness
``lighteval``    metrics of lighteval
``reward_calls`` what these share: a reward by its spec, called on what another program hands over
"""
