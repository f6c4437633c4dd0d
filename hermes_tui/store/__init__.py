"""The only room that knows SQL: opens a store read-only, asks it, and turns rows into the nouns of `model`."""
