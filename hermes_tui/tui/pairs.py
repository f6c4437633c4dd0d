"""Calls and the rows that answer them, as far as the messages are here."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_tui.model import Kind, Message
from hermes_tui.render import Outcome, outcomes
from hermes_tui.tui.outline import Outline
from hermes_tui.tui.shelf import Shelf


class Pairs:
    """What was worked out holds until `forget`, so that asking for every line that is painted costs nothing."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._outcomes: dict[int, tuple[Outcome | None, ...]] = {}
        self._carded: dict[int, bool] = {}

    def forget(self) -> None:
        """Messages came, or other rows are shown."""
        self._outcomes.clear()
        self._carded.clear()

    def outcomes(self, outline: Outline, index: int) -> tuple[Outcome | None, ...]:
        """How the calls of row `index` ended, in their order; none for a row that makes no calls."""
        row = outline.rows[index]
        if row.role != "assistant":
            return ()
        found = self._outcomes.get(row.id)
        if found is None:
            message = self._shelf.message(row.id)
            found = outcomes(message, self._answers(outline, index)) if message is not None else ()
            self._outcomes[row.id] = found
        return found

    def carded(self, outline: Outline, index: int) -> bool:
        """Whether row `index` is a tool's answer that stands below the card of its call."""
        row = outline.rows[index]
        if row.kind is not Kind.TOOL:
            return False
        found = self._carded.get(row.id)
        if found is None:
            found = self._carded[row.id] = self._is_carded(outline, index)
        return found

    def results(self, outline: Outline, index: int) -> list[int]:
        """The entries below row `index` that stand below the cards of its calls."""
        if outline.rows[index].kind is Kind.TOOL:
            return []
        return [at for at in outline.tools(index) if self.carded(outline, at)]

    def _is_carded(self, outline: Outline, index: int) -> bool:
        message = self._shelf.message(outline.rows[index].id)
        if message is None or message.tool_call_id is None:
            return False
        at = index
        while at > 0 and outline.rows[at].kind is Kind.TOOL:
            if not outline.joined(at):
                return False
            at -= 1
        caller = self._shelf.message(outline.rows[at].id)
        return caller is not None and any(call.id == message.tool_call_id for call in caller.tool_calls)

    def _answers(self, outline: Outline, index: int) -> Iterator[Message | None]:
        """The answers below a call, None for one that is not here or that does not say which call it answers."""
        for message_id in outline.answers(index):
            message = self._shelf.message(message_id)
            yield message if message is not None and message.tool_call_id else None
