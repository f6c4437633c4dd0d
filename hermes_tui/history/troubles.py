"""What goes wrong with files, as sentences for people; each is taken back once the same thing goes well."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Troubles:
    """Sentences by what they are about, in the order in which the troubles began. Any thread may call."""

    def __init__(self) -> None:
        self._sentences: dict[str, str] = {}
        self._lock = threading.Lock()

    @property
    def text(self) -> str | None:
        """All of them; None when all is well."""
        with self._lock:
            return " ".join(self._sentences.values()) or None

    def tell(self, about: str, sentence: str | None) -> None:
        """Say this, in place of what was said about the same; None takes it back."""
        with self._lock:
            if sentence is None:
                self._sentences.pop(about, None)
            else:
                self._sentences[about] = sentence

    @contextmanager
    def of(self, about: str, what: str, path: Path, lost: str) -> Iterator[None]:
        """Turn what a disk does into a sentence: `what` cannot be done with the file, and what is `lost` by it."""
        try:
            yield
        except (OSError, ValueError) as error:
            self.tell(about, f"{what}: {shown(path)}: {why(error)}. {lost}")
        else:
            self.tell(about, None)

    def damaged(self, path: Path, lines: int) -> None:
        """Say that so many lines of a file are not understood."""
        what = "1 line was" if lines == 1 else f"{lines:,} lines were"
        self.tell(f"damage {path.name}", f"{what} skipped as damaged: {shown(path)}." if lines else None)


def why(error: Exception) -> str:
    """The reason, without a full stop."""
    return str(getattr(error, "strerror", None) or str(error) or type(error).__name__).rstrip(".")


def shown(path: Path) -> str:
    """A path as text that can be printed, whatever its name is made of."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")
