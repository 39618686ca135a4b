"""What a watched run looks at, beside the rows and numbers of ``generated`` and ``micro_batches``.

``loss_values`` the loss and its gradient · ``tolerance`` how far rounding may take them · ``log_probabilities`` whose
they are · ``steps`` a step from the tokens to the loss · ``sight`` what there was to see, and what not.
"""
