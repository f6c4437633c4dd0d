"""What can go wrong while recording, said in sentences for people."""

from __future__ import annotations


class RecorderError(Exception):
    """A store could not be opened or written. `str(error)` says what happened and what to do next."""


class RecorderBusyError(RecorderError):
    """Another process kept the store locked for longer than the settings allow; nothing was written."""
