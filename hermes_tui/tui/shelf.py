"""Messages that were handed over, and the pages laid out from them: as many as memory should hold, newest use last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from textual.strip import Strip

from hermes_tui.model import Message
from hermes_tui.render import Page, View, lay_out

_CHARACTERS = 48_000_000  # of text kept, in all messages together
_STRIPS = 600  # painted lines kept for one message


@dataclass(slots=True)
class Leaf:
    """A message, its page in the view it was last shown in, and lines of that page already painted."""

    message: Message
    weight: int
    view: View | None = None
    page: Page | None = None
    strips: dict[tuple[int, int], Strip] = field(default_factory=dict)


class Shelf:
    """Messages by id. What was used longest ago goes when there is too much."""

    def __init__(self) -> None:
        self._leaves: OrderedDict[int, Leaf] = OrderedDict()
        self._weight = 0
        self._stale: set[int] = set()

    def put(self, messages: Iterable[Message]) -> None:
        """Take messages in; one that is there already is replaced."""
        for message in messages:
            old = self._leaves.pop(message.id, None)
            weight = (
                len(message.text) + len(message.reasoning) + sum(len(call.arguments) for call in message.tool_calls)
            )
            self._weight += weight - (old.weight if old else 0)
            self._leaves[message.id] = Leaf(message, weight)
            self._stale.discard(message.id)
        while self._weight > _CHARACTERS and len(self._leaves) > 1:
            _, leaf = self._leaves.popitem(last=False)
            self._weight -= leaf.weight

    def message(self, message_id: int) -> Message | None:
        """The message, if it is here."""
        leaf = self._leaves.get(message_id)
        return leaf.message if leaf else None

    def leaf(self, message_id: int, view: View) -> Leaf | None:
        """The message laid out in `view`, if it is here."""
        leaf = self._leaves.get(message_id)
        if leaf is None:
            return None
        if leaf.page is None or leaf.view != view:
            leaf.view, leaf.page = view, lay_out(leaf.message, view)
            leaf.strips.clear()
        elif len(leaf.strips) > _STRIPS:
            leaf.strips.clear()
        self._leaves.move_to_end(message_id)
        return leaf

    def lacks(self, message_id: int) -> bool:
        """Whether the message has to be handed over, for the first time or again."""
        return message_id not in self._leaves or message_id in self._stale

    def spoil(self, message_ids: Iterable[int]) -> None:
        """These messages are not what they were; they are shown until they are handed over again."""
        self._stale.update(message_ids)

    def repaint(self) -> None:
        """Forget painted lines: the colours changed."""
        for leaf in self._leaves.values():
            leaf.strips.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._leaves.clear()
        self._stale.clear()
        self._weight = 0
