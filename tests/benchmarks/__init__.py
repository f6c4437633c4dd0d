"""How fast the product is, on stores of known content: `python -m tests.benchmarks --help`.

These measure and never judge: no time is asserted anywhere. What can be wrong (rows found) is counted beside.
"""
