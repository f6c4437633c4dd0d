"""Which rows of a conversation are shown: by what compaction did to them, and whether turns taken back are.

The lenses that tell what the model has, and what it lost, show that and nothing else: a row that is none of it is read
as lived.
"""

from __future__ import annotations

from hermes_tui.model import Kind, OutlineRow, State, Transcript
from hermes_tui.model.record import dataclass
from hermes_tui.tui.cycle import Cycle


class Lens(Cycle):
    """How a compacted conversation is read. The values are read by people."""

    LIVED = "as lived"  # everything that was said, once
    MODEL = "as the model saw it"  # what is in its context now: live rows, the summary, scaffolding too
    AWAY = "only what was compacted away"

    @property
    def short(self) -> str:
        """The lens in few words, for where little fits."""
        return {Lens.LIVED: "as lived", Lens.MODEL: "model's view", Lens.AWAY: "compacted away"}[self]


@dataclass(frozen=True, slots=True)
class Sight:
    """What the reader wants to see. Turns that were taken back belong to what was lived, and to no other lens."""

    lens: Lens = Lens.LIVED
    rewound: bool = False

    def rows(self, transcript: Transcript, kept: int | None) -> list[OutlineRow]:
        """The rows shown, in reading order: of the model's rows that is the order they were handed to it in. As lived,
        row `kept` is among them whatever it is."""
        tip, rows = newest(transcript), transcript.rows
        match self.lens:
            case Lens.LIVED:
                gone, hidden = None if self.rewound else State.REWOUND, Kind.HIDDEN
                return [row for row in rows if (row.state is not gone and row.kind is not hidden) or row.id == kept]
            case Lens.MODEL:
                order = {session.id: number for number, session in enumerate(transcript.segments)}
                live = [row for row in rows if in_context(row, tip)]
                return sorted(live, key=lambda row: (order.get(row.session_id, 0), row.id))
            case Lens.AWAY:
                return [row for row in rows if _went_away(row, tip)]

    def shows(self, transcript: Transcript, message_id: int) -> bool:
        """Whether a message is among the rows; one that is not in the conversation is not."""
        wanted, tip = transcript.stands_for.get(message_id, message_id), newest(transcript)
        row = next((row for row in transcript.rows if row.id == wanted), None)
        if row is None:
            return False
        match self.lens:
            case Lens.LIVED:
                return row.kind is not Kind.HIDDEN and (self.rewound or row.state is not State.REWOUND)
            case Lens.MODEL:
                return in_context(row, tip)
            case Lens.AWAY:
                return _went_away(row, tip)


def newest(transcript: Transcript) -> str:
    """The session that the conversation goes on in: what is live there is what the model has."""
    return (transcript.segments or (transcript.session,))[-1].id


def in_context(row: OutlineRow, tip: str) -> bool:
    """Whether the model has the row, `tip` being the newest session: rows of sessions before it stay active there."""
    return row.state is State.LIVE and row.session_id == tip


def _went_away(row: OutlineRow, tip: str) -> bool:
    return row.state is not State.REWOUND and row.kind is not Kind.HIDDEN and not in_context(row, tip)


@dataclass(frozen=True, slots=True)
class Standing:
    """How many messages of a conversation the model still has (`live`), how many there are as lived, and how many
    besides were taken back; each counted once."""

    live: int
    lived: int
    rewound: int


def standing(transcript: Transcript) -> Standing:
    """Count them, in one pass over the rows."""
    tip, hidden, gone, kept = newest(transcript), Kind.HIDDEN, State.REWOUND, State.LIVE
    told = [row for row in transcript.rows if row.kind is not hidden]
    states = [row.state for row in told]
    rewound = sum([state is gone for state in states])
    live = sum([row.session_id == tip for row, state in zip(told, states, strict=True) if state is kept])
    return Standing(live, len(told) - rewound, rewound)
