"""What was searched before, searches saved by name, bookmarks, and the columns that were chosen: four small files in
the platform's state folder.

The folder is never inside a home of Hermes Agent. Each file holds one JSON object a line. Past searches are appended
in one write, the others replaced at once, all under a lock, so browsers that run side by side lose nothing of each
other's. Whatever goes wrong with the files is a sentence in `History.trouble`; the session goes on from memory, and
what could not be written is tried again with the next write.
"""

from __future__ import annotations

from hermes_tui.history.bookmarks import Bookmark, Bookmarks
from hermes_tui.history.journal import LONGEST, LONGEST_NAME, History
from hermes_tui.history.searches import KEPT, Past, Saved

__all__ = ["KEPT", "LONGEST", "LONGEST_NAME", "Bookmark", "Bookmarks", "History", "Past", "Saved"]
