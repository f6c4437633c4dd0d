"""What is hidden in a benchmark store: rare and common strings, in which kind of row, and how many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

PATH = "src/quarry/ledger_sync.py"
FLAG = "--dry-bake"
CRON = "cron"


@dataclass(slots=True)
class Draft:
    """A message before it is written. `kind` is user, reply, call or output; `long` output exceeds the word index."""

    kind: str
    source: str
    text: str
    argument: str = ""  # of the tool call of a `call`
    reasoning: str = ""
    barren: bool = False  # compaction will store it again, so it would be found twice
    names: list[str] = field(default_factory=list)  # of the needles in it
    cut: int | None = None  # where needles go between two words, the next before the one before

    @property
    def long(self) -> bool:
        return self.kind == "output" and len(self.text) > 10_000


Fits = Callable[[Draft], bool]
Put = Callable[[Draft], None]


@dataclass(frozen=True, slots=True)
class Needle:
    """`count` rows that fit get it, evenly over the ages; with `share` every row that fits may, so often."""

    name: str
    put: Put
    fits: Fits
    count: int = 0
    share: float = 0.0


def needles() -> tuple[Needle, ...]:
    """All needles. Several of one name are planted in different kinds of rows."""
    return (
        Needle("common", _inside("harvest"), _anything, share=0.3),
        Needle("rare", _inside("quokkaphile"), _spoken, count=3),
        Needle("lantern", _inside("lantern"), _anything, share=0.1),
        Needle("granite", _inside("granite"), _without("lantern"), share=0.1),
        Needle("pair", _inside("lantern and granite"), _without("lantern", "granite"), count=25),
        Needle("path", _line(PATH), _is("output"), count=40),
        Needle("path", _inside(f"{PATH}:481"), _long, count=4),
        Needle("path", _line(f"{PATH}:77"), _is("output", CRON), count=6),
        Needle("path", _as_argument(f"sed -n 1,20p {PATH}"), _is("call"), count=40),
        Needle("flag", _inside(f"build {FLAG} now"), _spoken, count=8),
        Needle("flag", _as_argument(f"build {FLAG}=yes"), _is("call"), count=8),
        Needle("flag", _line(f"  {FLAG}  do nothing"), _is("output"), count=8),
        Needle("inside", _inside("unbrilligable"), _spoken, count=21),
        Needle("inside", _inside("unbrilligable"), _is("output"), count=11),
        Needle("inside", _inside("unbrilligable"), _is("reply", CRON), count=4),
        Needle("phrase", _inside("copper kettle sings"), _anything, count=15),
        Needle("decoy", _inside("kettle copper sings"), _anything, count=15),
        Needle("chinese", _glued("陨石"), _spoken, count=20),
        Needle("chinese", _glued("陨石"), _is("output"), count=10),
        Needle("letter", _inside("z"), _spoken, count=5),
        Needle("initial", _inside("zephyr"), _without("letter"), share=0.4),
        Needle("numbered", _inside("ledger_copy.py:1204"), _is("output"), count=20),
        Needle("shape", _inside("kx-481-22"), _anything, count=12),
        Needle("thought", _as_reasoning("moonfern"), _thinking, count=18),
        Needle("cron only", _inside("marrowstone"), _is("reply", CRON), count=10),
    )


class Planting:
    """Puts needles into the drafts of a store of `rows` messages; `done` counts them by name."""

    def __init__(self, rows: int, draw: Callable[[], float]) -> None:
        self.done: dict[str, int] = {}
        self._draw = draw
        self._due: list[tuple[Needle, float, float]] = [
            (needle, rows / needle.count if needle.count else 0.0, 0.0) for needle in needles()
        ]

    def plant(self, draft: Draft, number: int) -> None:
        """Put whatever is due into the draft of the row `number`."""
        if draft.barren:
            return
        for place, (needle, step, next_at) in enumerate(self._due):
            if not needle.fits(draft):
                continue
            if needle.share:
                if self._draw() >= needle.share:
                    continue
            elif number < next_at:
                continue
            needle.put(draft)
            draft.names.append(needle.name)
            self.done[needle.name] = self.done.get(needle.name, 0) + 1
            self._due[place] = (needle, step, next_at + step)


# -- which rows -------------------------------------------------------------------------------------------------------


def _anything(draft: Draft) -> bool:
    return draft.kind != "call"


def _spoken(draft: Draft) -> bool:
    return draft.kind in ("user", "reply")


def _thinking(draft: Draft) -> bool:
    return bool(draft.reasoning)


def _long(draft: Draft) -> bool:
    return draft.long


def _is(kind: str, source: str | None = None) -> Fits:
    return lambda draft: draft.kind == kind and not draft.long and source in (None, draft.source)


def _without(*names: str) -> Fits:
    return lambda draft: _anything(draft) and not any(name in draft.names for name in names)


# -- where in a row ---------------------------------------------------------------------------------------------------


def _inside(text: str) -> Put:
    """Between two words; behind everything else in long output, where the newest word index does not reach."""

    def put(draft: Draft) -> None:
        if draft.cut is None:
            half = len(draft.text) if draft.long else len(draft.text) // 2
            cut = draft.text.find(" ", half)
            draft.cut = len(draft.text) if cut < 0 else cut
        before, behind = draft.text[: draft.cut], draft.text[draft.cut :]
        draft.text = f"{before} {text}{behind or ' '}"

    return put


def _line(text: str) -> Put:
    """At the beginning of a line: in stored JSON it then stands behind an escape."""

    def put(draft: Draft) -> None:
        draft.text = f"{draft.text}\n{text} \nend"

    return put


def _glued(text: str) -> Put:
    """Amid other Chinese words."""

    def put(draft: Draft) -> None:
        draft.text = f"{draft.text} 今天{text}显示"

    return put


def _as_argument(text: str) -> Put:
    def put(draft: Draft) -> None:
        draft.argument = f"{draft.argument}; {text}"

    return put


def _as_reasoning(text: str) -> Put:
    def put(draft: Draft) -> None:
        draft.reasoning = f"{draft.reasoning} {text} indeed."

    return put
