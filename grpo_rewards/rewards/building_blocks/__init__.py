"""What several rewards are built of, and nothing else in the package needs.

``grading`` right or wrong as verdicts · ``safe_patterns`` regular expressions in linear time · ``safe_schemas`` JSON
schemas that no document can stall.
"""
