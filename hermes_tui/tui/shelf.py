"""Messages that were handed over, and the pages laid out from them: as many as memory should hold, newest use last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable

from textual.strip import Strip

from hermes_tui.model import Message
from hermes_tui.model.record import dataclass
from hermes_tui.render import Page, View, lay_out

_CHARACTERS = 24_000_000  # of text kept, in all messages together
_LEAST = 16  # messages kept however long they are: what a window shows at once must be among them
_PAGES = 200  # laid out messages kept
_STRIPS = (
    400  # painted lines kept: some windows; a strip is dozens of objects, which the collector walks again and again
)


@dataclass(slots=True, eq=False)
class Leaf:
    """A message's page in one view."""

    message: Message
    view: View
    page: Page


class Shelf:
    """Messages by id. What was used longest ago goes when there is too much."""

    def __init__(self) -> None:
        self._messages: OrderedDict[int, Message] = OrderedDict()
        self._leaves: OrderedDict[int, Leaf] = OrderedDict()
        self._characters = 0
        self._stale: set[int] = set()
        self._strips: OrderedDict[tuple[Leaf, int, int], Strip] = OrderedDict()

    def put(self, messages: Iterable[Message]) -> None:
        """Take messages in; one that is there already is replaced."""
        for message in messages:
            self._characters += _weight(message) - _weight(self._messages.pop(message.id, None))
            self._messages[message.id] = message
            self._stale.discard(message.id)
        while self._characters > _CHARACTERS and len(self._messages) > _LEAST:
            message_id, message = self._messages.popitem(last=False)
            self._leaves.pop(message_id, None)
            self._characters -= _weight(message)

    def message(self, message_id: int) -> Message | None:
        """The message, if it is here."""
        return self._messages.get(message_id)

    def leaf(self, message_id: int, view: View) -> Leaf | None:
        """The message laid out in `view`, if it is here."""
        message = self._messages.get(message_id)
        if message is None:
            return None
        leaf = self._leaves.get(message_id)
        if leaf is None or leaf.message is not message or (leaf.view is not view and leaf.view != view):
            leaf = self._leaves[message_id] = Leaf(message, view, lay_out(message, view))
            if len(self._leaves) > _PAGES:
                self._leaves.popitem(last=False)
        self._messages.move_to_end(message_id)
        self._leaves.move_to_end(message_id)
        return leaf

    def strip(self, leaf: Leaf, row: int, look: int, make: Callable[[], Strip]) -> Strip:
        """Row `row` of a leaf painted in the look number `look`: as `make` painted it before, or paints it now."""
        key = (leaf, row, look)
        strip = self._strips.pop(key, None) or make()
        self._strips[key] = strip
        if len(self._strips) > _STRIPS:
            self._strips.popitem(last=False)
        return strip

    def lacks(self, message_id: int) -> bool:
        """Whether the message has to be handed over, for the first time or again."""
        return message_id not in self._messages or message_id in self._stale

    def spoil(self, message_ids: Iterable[int]) -> None:
        """These messages are not what they were; they are shown until they are handed over again."""
        self._stale.update(message_ids)

    def repaint(self) -> None:
        """Forget painted lines: the colours changed."""
        self._strips.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._messages.clear()
        self._leaves.clear()
        self._strips.clear()
        self._stale.clear()
        self._characters = 0


def _weight(message: Message | None) -> int:
    if message is None:
        return 0
    return len(message.text) + len(message.reasoning) + sum(len(call.arguments) for call in message.tool_calls)
