"""Tests of the command line, from outside: what is typed, what is printed where, and how it ends."""
