"""What a person writes for a place in one of several stores -> the `Anchor` with the name of its store."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from hermes_tui.library.fan import fan
from hermes_tui.library.library import Library
from hermes_tui.library.places import Ambiguous, LibraryError, NotFound
from hermes_tui.model import Anchor, Session
from hermes_tui.store.connection import Ticket

Name = str | None
Libraries = Mapping[Name, Library]


def find(text: str, libraries: Libraries, *, many: bool, ticket: Ticket | None = None) -> Anchor:
    """The place `text` names.

    With `many` stores a store's name may stand in front (`work/SESSION#MESSAGE`); without one all are looked through,
    and the place has to be in one of them only. A gateway writes the sessions of several profiles into one store: the
    name of such a profile may stand in front too. Raises NotFound and Ambiguous.
    """
    text = text.strip()
    name, sign, rest = text.partition("/")
    if many and sign and name in libraries:
        with suppress(NotFound):
            return replace(libraries[name].resolve(rest, ticket=ticket), profile=name)
    try:
        return _anywhere(text, libraries, many=many, ticket=ticket)
    except NotFound as missing:
        if sign:
            with suppress(NotFound):
                return _of_owner(name, rest, libraries, many=many, ticket=ticket)
        raise missing from None


def exactly(text: str, libraries: Libraries, *, ticket: Ticket | None = None) -> Anchor | None:
    """The place, where `text` is an anchor as it is written with a store's name in front, and nothing else."""
    name, sign, rest = text.strip().partition("/")
    if not sign or name not in libraries:
        return None
    try:
        found = libraries[name].resolve(rest, ticket=ticket)
    except LibraryError:
        return None
    return replace(found, profile=name) if str(found) == rest else None


def _anywhere(text: str, libraries: Libraries, *, many: bool, ticket: Ticket | None) -> Anchor:
    places, refusals = _looked_through(text, libraries, ticket)
    if not many and places:
        return next(iter(places.values()))
    named = [replace(anchor, profile=name) for name, anchor in places.items()]
    if len(named) > 1:
        raise Ambiguous(text, [_session(anchor, libraries, ticket) for anchor in named], places=named)
    if named:
        return named[0]
    for refusal in refusals.values():
        if isinstance(refusal, Ambiguous) or not many:
            raise refusal
    raise NotFound(f"No session or message goes by “{text[:100]}” in any of these stores: {_names(libraries)}.")


def _of_owner(owner: str, text: str, libraries: Libraries, *, many: bool, ticket: Ticket | None) -> Anchor:
    """The place in a session that a gateway wrote for the profile `owner`."""
    places, _ = _looked_through(text, libraries, ticket)
    for name, anchor in places.items():
        if libraries[name].transcript(anchor, ticket=ticket).session.owner == owner:
            return replace(anchor, profile=name) if many else anchor
    raise NotFound(f"No session of the profile {owner} goes by “{text[:100]}”.")


def _looked_through(
    text: str, libraries: Libraries, ticket: Ticket | None
) -> tuple[dict[Name, Anchor], dict[Name, LibraryError]]:
    """The place in each store that has one, and why the others have none. A store that cannot be asked has none, unless
    no store can."""

    def ask(name: Name, library: Library) -> Anchor | LibraryError:
        try:
            return library.resolve(text, ticket=ticket)
        except LibraryError as refusal:
            return refusal

    answers, errors = fan(libraries, ask)
    if not answers:
        raise next(iter(errors.values()))
    places = {name: answer for name, answer in answers.items() if isinstance(answer, Anchor)}
    return places, {name: answer for name, answer in answers.items() if isinstance(answer, LibraryError)}


def _session(anchor: Anchor, libraries: Libraries, ticket: Ticket | None) -> Session:
    found = libraries[anchor.profile].transcript(anchor, ticket=ticket).session
    return found._replace(profile=anchor.profile)


def _names(libraries: Libraries) -> str:
    return ", ".join(str(name) for name in libraries)
