"""What completions earn in a run of the tiny model, as TRL is given it and as it must be.

``functions`` three of them, one a coroutine · ``judges`` two tiny reward models with tokenizers of their own ·
``given`` which of both a run has, and what they must say.
"""
