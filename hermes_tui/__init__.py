"""A read-only terminal browser and search for Hermes Agent's session store."""

__version__ = "0.1.0"
