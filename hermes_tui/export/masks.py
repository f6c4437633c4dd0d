"""A text without its secrets: `[masked: GitHub token]` where a token stood, and how many there were.

What is masked stays masked: the result holds nothing that would be masked again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from hermes_tui.export.secret_forms import FORMS, NAMES, Form, Found, group_of
from hermes_tui.model import Message, Session
from hermes_tui.render.words import count

ROUNDS = 4  # what a mask leaves behind can be a secret of another kind, which is masked in the next round
_BEFORE, _BEHIND = 120, 900  # characters around a name that are looked at, on a line that is longer than all of them
_APART = 200  # characters between two of them from which they are looked at by themselves
_OWN = tuple(form for form in FORMS if not form.named)
_NAMED = tuple(form for form in FORMS if form.named)


def mask(text: str) -> tuple[str, Counter[str]]:
    """`text` without its secrets, and how many of each kind were taken out."""
    found: Counter[str] = Counter()
    for _ in range(ROUNDS):
        before = found.total()
        text = _masked(text, _likely(_OWN, text), found)
        named = _likely(_NAMED, text)
        if named:
            text = "".join(_masked(part, named if is_named else (), found) for part, is_named in _parts(text))
        if found.total() == before:
            break
    return text, found


def _likely(forms: Iterable[Form], text: str) -> list[Form]:
    """The forms that a text may hold, told from a few letters of each."""
    lower = text.lower()
    return [form for form in forms if any(hint in lower for hint in form.hints)]


def _masked(text: str, forms: Iterable[Form], found: Counter[str]) -> str:
    for form in forms:
        text = form.pattern.sub(lambda match, form=form: _put(match, form, found), text)  # type: ignore[misc]
    return text


def _put(match: Found, form: Form, found: Counter[str]) -> str:
    if not form.check(match):
        return match[0]
    found[form.kind] += 1
    start, end = match.span(group_of(match))
    return f"{match.string[match.start() : start]}[masked: {form.kind}]{match.string[end : match.end()]}"


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """`text` in parts, each with whether it may hold a name with a sign behind it; lines near each other stay
    together."""
    lower = text.lower()
    if len(lower) != len(text):  # a few letters are longer when they are small
        yield text, True
        return
    done = start = end = 0
    for name in NAMES.finditer(lower):
        if name.start() < end:
            continue
        low = max(end, name.start() - _BEFORE, text.rfind("\n", end, name.start()) + 1)
        line_end = text.find("\n", name.end())
        if low > end + _APART or not end:
            yield text[done:start], False
            yield text[start:end], True
            done, start = end, low
        end = min(name.end() + _BEHIND, len(text) if line_end < 0 else line_end)
    yield text[done:start], False
    yield text[start:end], True
    yield text[end:], False


class Masker:
    """Masks one text after the other and counts what it found; with `keep` it leaves everything as it is."""

    def __init__(self, *, keep: bool = False) -> None:
        self.keep = keep
        self.found: Counter[str] = Counter()

    def text(self, text: str) -> str:
        """`text` without its secrets."""
        if self.keep or not text:
            return text
        masked, found = mask(text)
        self.found += found
        return masked

    def message(self, message: Message) -> Message:
        """The message with no secret in its text, its calls and its reasoning."""
        if self.keep:
            return message
        calls = tuple(replace(call, arguments=self.text(call.arguments)) for call in message.tool_calls)
        text, reasoning = self.text(message.text), self.text(message.reasoning)
        return replace(message, text=text, reasoning=reasoning, tool_calls=calls)

    def session(self, session: Session) -> Session:
        """The session with no secret in its title and its first words."""
        if self.keep:
            return session
        title = None if session.title is None else self.text(session.title)
        return session._replace(title=title, preview=self.text(session.preview))

    def words(self) -> str:
        """`3 secrets masked: 2 GitHub tokens, 1 password`; "" when there was none."""
        kinds = ", ".join(count(many, kind) for kind, many in self.found.most_common())
        return f"{count(self.found.total(), 'secret')} masked: {kinds}" if kinds else ""
