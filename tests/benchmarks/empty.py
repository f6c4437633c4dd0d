"""`python -m tests.benchmarks.empty`: the least a Textual app can be, whose start every other start stands beside."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static

SHOWN = "An empty app"


class Empty(App[None]):
    """One text, which counts keys."""

    presses = 0

    def compose(self) -> ComposeResult:
        yield Static(SHOWN)

    def on_key(self) -> None:
        """Show how many there were."""
        self.presses += 1
        self.query_one(Static).update(str(self.presses))


if __name__ == "__main__":
    Empty().run()
