"""Tests against real releases of Hermes Agent: `python3 -m pytest -m interop` (see conftest)."""
