"""The pictures in the content of a message, as they are stored: never fetched, never decoded."""

from __future__ import annotations

import re
from typing import Any, Final

from hermes_tui.model import Image
from hermes_tui.store.decode import SENTINELS, to_text
from hermes_tui.store.readable import NotJsonError, Object, parse

_TYPE: Final = re.compile(r"image/[a-z0-9.+-]{1,40}", re.IGNORECASE)
_DATA: Final = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_DEEPEST: Final = 8


def images_of(content: object) -> tuple[Image, ...]:
    """The pictures that are in the content itself, in their order; those it only points to are left out."""
    text = to_text(content)
    if not text.startswith(SENTINELS):
        return ()
    try:
        value = parse(text[len(SENTINELS[0]) :])
    except NotJsonError:
        return ()
    found: list[Image] = []
    _look(value, found, depth=0)
    return tuple(found)


def _look(value: Any, found: list[Image], *, depth: int) -> None:
    if depth > _DEEPEST:
        return
    if isinstance(value, Object):
        data = value.text("data")
        if data is not None:
            _add(value.text("media_type") or "", data, found)
        for _, inner in value:
            _look(inner, found, depth=depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _look(inner, found, depth=depth + 1)
    elif isinstance(value, str) and value.startswith("data:image/"):
        head, _, data = value.removeprefix("data:").partition(",")
        kind, _, encoding = head.partition(";")
        if encoding == "base64":
            _add(kind, data, found)


def _add(media_type: str, data: str, found: list[Image]) -> None:
    """Keep a picture that is what it says: nothing else may stand where a document names a type and its data."""
    data = "".join(data.split())
    if _TYPE.fullmatch(media_type) and _DATA.fullmatch(data):
        found.append(Image(media_type.lower(), data))
