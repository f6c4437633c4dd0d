"""One session in full: what it is, what it used, which files it touched, what the model was told, every column."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import ClassVar

from textual.binding import Binding, BindingType

from hermes_tui.model import Anchor, Details, Session, SessionKind, Touch, Usage
from hermes_tui.model.record import dataclass
from hermes_tui.render import clean, clock, count, day, fit, one_line
from hermes_tui.tui import labels
from hermes_tui.tui.lines import Piece, field
from hermes_tui.tui.rawview import RawScreen
from hermes_tui.tui.sight import SightScreen

LABEL = 18


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and what stands for it. `whole` is what Enter shows, under its name, where that is more."""

    heading: str
    label: str
    value: str
    anchor: Anchor | None = None
    look: str = ""
    whole: Mapping[str, object] | None = None

    def pieces(self, width: int) -> Iterable[Piece]:
        """The label, the value; a line of text has no label."""
        if self.label:
            yield field(self.label, LABEL) + " ", "lines--soft"
            yield one_line(self.value, max(8, width - LABEL - 1)), self.look
        else:  # a line of a text, which keeps its indent
            yield fit(clean(self.value, keep_newlines=False), width), self.look


class DetailsScreen(SightScreen):
    """Facts under headings. Enter on a file goes to the call, on all else shows the whole value."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("v", "close", "Close", show=False)]
    KEYS = "Enter: to the call that touched a file, or all of a long value · Escape closes this."

    def __init__(self, read: Callable[[], Awaitable[Details]], *, clock: Callable[[], float]) -> None:
        super().__init__()
        self._read = read
        self._clock = clock

    async def load(self) -> None:
        """All there is to tell."""
        found = await self._read()
        self.show(f"Session {found.session.id} · {labels.title(found.session)}", facts(found, self._clock()))

    def choose(self) -> None:
        """Go to the place of the fact, or show the whole value."""
        here = self.rows.here
        if isinstance(here, Fact) and here.anchor is None:
            whole = here.whole or {here.label: here.value}
            (name,) = whole
            self.app.push_screen(RawScreen(whole, f"{name} of this session"))
        else:
            super().choose()


def facts(found: Details, now: float) -> list[Fact]:
    """Every fact under its heading, in the order of reading."""
    return [
        *_session(found.session, found.tree, now),
        *(_used(usage) for usage in found.usage),
        *(_touched(touch) for touch in found.touches),
        *_told(found),
        *(_column(name, value) for name, value in found.columns),
    ]


def _session(session: Session, tree: int, now: float) -> Iterable[Fact]:
    counts = session.counts
    first = session.segments[:1] in ((), (session.id,))
    rows = (
        ("id", session.id),
        ("title", session.title),
        ("goal" if first else "begins with", session.preview),
        ("status", labels.status(session, now)),
        ("source", session.source),
        ("model", session.model),
        ("started", _time(session.started_at)),
        ("last active", _time(session.last_active_at)),
        ("ended", " · ".join(part for part in (_time(session.ended_at), session.end_reason) if part)),
        ("folder", session.cwd),
        ("project", session.project),
        ("git branch", session.branch),
        ("profile", session.profile),
        (
            "messages",
            f"{count(counts.live)} live, {count(counts.compacted)} compacted, {count(counts.rewound)} rewound",
        ),
        ("tokens", _tokens(session.input_tokens, session.output_tokens)),
        ("cost", "" if session.cost_usd is None else f"${session.cost_usd:,.4f}"),
        ("marks", ", ".join(labels.marks(session))),
        ("parent", _parent(session)),
        ("conversation", "" if len(session.segments) < 2 else " → ".join(session.segments)),
        ("lineage", "" if tree < 2 else f"{count(tree, 'session')} (t in the list shows the tree)"),
    )
    return (Fact("The session", label, value) for label, value in rows if value)


def _parent(session: Session) -> str:
    """`sub-agent of ID`; nothing for what has no parent."""
    if not session.parent_id:
        return ""
    match session.kind:
        case SessionKind.ROOT:
            return session.parent_id
        case SessionKind.ORPHAN:
            return f"{session.parent_id}, which is not in the store"
        case SessionKind.CONTINUATION:
            return f"goes on with {session.parent_id}"
        case _:
            return f"{labels.EDGES[session.kind]} of {session.parent_id}"


def _used(usage: Usage) -> Fact:
    kinds = (
        (usage.input, "in"),
        (usage.output, "out"),
        (usage.cache_read, "from cache"),
        (usage.cache_write, "to cache"),
        (usage.reasoning, "reasoning"),
    )
    said = [f"{count(many)} {kind}" for many, kind in kinds if many]
    said += [count(usage.calls, "request")] if usage.calls else []
    said += [f"${usage.cost_usd:,.4f}"] if usage.cost_usd is not None else []
    used = ", ".join(said) or "nothing that is told"
    return Fact("What each model used", usage.task or "conversation", f"{usage.model or '(no model)'}: {used}")


def _touched(touch: Touch) -> Fact:
    times = f"  x{touch.count}" if touch.count > 1 else ""
    return Fact("Files it touched", touch.deed.value, f"{touch.path}{times}", touch.anchor, "lines--title")


def _told(found: Details) -> Iterable[Fact]:
    if found.tools:
        names = ", ".join(found.tools)
        yield Fact("What the model was told", count(len(found.tools), "tool"), names, whole={"tools": names})
    if found.system_prompt:
        prompt = found.system_prompt
        whole = {"system prompt": prompt}
        lines = prompt.splitlines()
        yield Fact("What the model was told", "system prompt", count(len(prompt), "character"), whole=whole)
        yield from (Fact("What the model was told", "", line, whole=whole) for line in lines)


def _column(name: str, value: object) -> Fact:
    said = "NULL" if value is None else str(value)
    look = "lines--soft" if value is None else ""
    return Fact("Every column as it is stored", name, said, look=look, whole={name: value})


def _time(timestamp: float | None) -> str:
    return f"{day(timestamp)} {clock(timestamp)}".strip()


def _tokens(read: int | None, written: int | None) -> str:
    known = ((read, "in"), (written, "out"))
    return ", ".join(f"{count(many)} {kind}" for many, kind in known if many is not None)
