"""A search as it is remembered, and as one line of a file: JSON in ASCII, which holds any text there is."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence

from hermes_tui.model import Case, Mode
from hermes_tui.model.record import dataclass

FORMAT = 1  # of a line; lines of another are left as they stand
KEPT = 1_000  # past searches


@dataclass(frozen=True, slots=True)
class Past:
    """A search made before. `when` is in Unix seconds, None where the file does not say."""

    text: str
    case: Case = Case.FOLD
    regex: bool = False
    reasoning: bool = False
    when: float | None = None

    @property
    def mode(self) -> Mode:
        """The switches the search was made with."""
        return Mode(case=self.case, regex=self.regex, reasoning=self.reasoning)


@dataclass(frozen=True, slots=True)
class Saved:
    """A search saved under a name. `when` is in Unix seconds, None where the file does not say."""

    name: str
    text: str
    case: Case = Case.FOLD
    regex: bool = False
    reasoning: bool = False
    when: float | None = None

    @property
    def mode(self) -> Mode:
        """The switches the search is made with."""
        return Mode(case=self.case, regex=self.regex, reasoning=self.reasoning)


def to_line(search: Past | Saved, old: Mapping[str, object] | None = None) -> bytes:
    """`search` as a line, without its newline, with the keys `old` had besides ours."""
    entry = {**(old or {}), "format": FORMAT, "text": search.text, "case": search.case.value}
    entry |= {"regex": search.regex, "reasoning": search.reasoning, "when": search.when}
    if isinstance(search, Saved):
        entry["name"] = search.name
    return json.dumps(entry, separators=(",", ":")).encode("ascii")


def from_line(line: bytes) -> Mapping[str, object] | None:
    """The JSON object a line holds, None when it holds none."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def foreign(entry: Mapping[str, object] | None) -> bool:
    """Whether an object is of a format that another version of this program wrote."""
    found = entry.get("format") if entry else None
    return type(found) is int and found != FORMAT


def as_past(entry: Mapping[str, object] | None) -> Past | None:
    """The search an object stands for, None when it stands for none that can be understood."""
    if entry is None or type(entry.get("format")) is not int or entry["format"] != FORMAT:
        return None
    text, regex, reasoning = entry.get("text"), entry.get("regex", False), entry.get("reasoning", False)
    try:
        case = Case(entry.get("case", Case.FOLD.value))
    except ValueError:
        return None
    if not isinstance(text, str) or not text.strip() or not isinstance(regex, bool) or not isinstance(reasoning, bool):
        return None
    return Past(text, case, regex, reasoning, _seconds(entry.get("when")))


def as_saved(entry: Mapping[str, object] | None) -> Saved | None:
    """The saved search an object stands for, None when it stands for none that can be understood."""
    past = as_past(entry)
    name = entry.get("name") if entry else None
    if past is None or not isinstance(name, str) or not name.strip():
        return None
    return Saved(name.strip(), past.text, past.case, past.regex, past.reasoning, past.when)


def _seconds(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        seconds = float(value)
    except OverflowError:
        return None
    return seconds if math.isfinite(seconds) else None


def newest_first(searches: Iterable[Past]) -> tuple[Past, ...]:
    """`searches`, newest first, each text with its switches once and no more than KEPT."""
    unique: dict[tuple[object, ...], Past] = {}
    for past in searches:
        unique.setdefault(_what(past), past)
    return tuple(unique.values())[:KEPT]


def _what(past: Past) -> tuple[object, ...]:
    """What makes two searches the same: all but their time."""
    return past.text, past.case, past.regex, past.reasoning


def trimmed(lines: Sequence[bytes]) -> list[bytes]:
    """The newest KEPT lines of past searches: each search once, and what is not understood as it stands."""
    seen: set[object] = set()
    kept: list[bytes] = []
    for line in reversed(lines):
        past = as_past(from_line(line))
        key = _what(past) if past else line
        if key not in seen:
            seen.add(key)
            kept.append(line)
    return kept[:KEPT][::-1]


def saved_in(lines: Sequence[bytes]) -> dict[str, Saved]:
    """The saved searches of a file by name."""
    return {saved.name: saved for line in lines if (saved := as_saved(from_line(line)))}


def with_changes(lines: Sequence[bytes], changes: Mapping[str, Saved | None]) -> list[bytes]:
    """The lines of a file of saved searches after `changes`, None forgetting a name; others stay as they stand."""
    kept: list[bytes] = []
    old: dict[str, Mapping[str, object] | None] = {}
    for line in lines:
        entry = from_line(line)
        saved = as_saved(entry)
        if saved is not None and saved.name in changes:
            old[saved.name] = entry
        else:
            kept.append(line)
    return kept + [to_line(saved, old.get(saved.name)) for saved in changes.values() if saved is not None]
