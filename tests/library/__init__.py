"""Tests of the use cases, on real files."""
