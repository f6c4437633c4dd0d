"""Short words to type for things on a screen."""

from __future__ import annotations

from itertools import product

HOME_ROW = "asdfghjkl"
"""Letters under the fingers; what most screens need."""
LETTERS = "asdfghjklqwertyuiopzxcvbnm"
"""All of them, for screens that hold more than two of the home row can name."""


def labels(count: int) -> tuple[str, ...]:
    """`count` different words, none of which begins another, the shortest first; home row letters while two do."""
    if count <= 0:
        return ()
    letters = HOME_ROW if count <= len(HOME_ROW) ** 2 else LETTERS
    length = 1
    while len(letters) ** length < count:
        length += 1
    words = ["".join(word) for word in product(letters, repeat=length - 1)] if length > 1 else [""]
    # Every short word that is given up makes room for as many long ones as there are letters.
    short = (len(letters) ** length - count) // (len(letters) - 1) if length > 1 else 0
    long = (word + letter for word in words[short:] for letter in letters)
    return (*words[:short], *(word for word, _ in zip(long, range(count - short), strict=False)))
