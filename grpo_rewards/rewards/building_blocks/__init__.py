"""What several families of rewards are built of, and nothing else in the package needs.

``policy_tokens`` which tokens the policy wrote · ``pairing`` what was found with what was wanted · ``fault_summary``
why, in one line · ``fence_language`` the language of a fenced block.
"""
