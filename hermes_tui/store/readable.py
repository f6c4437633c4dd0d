"""JSON as a person reads it: the words of the stored text, in their order, without its quotes and escapes.

Search relies on one rule: the letters and digits of the readable text are those of the stored text, token by token
and in the same order, once the escapes of JSON strings are undone. So keys keep their order and their repeats, numbers
stay as they were written, no word is added, and a string of several lines stands as it is, never indented.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

DEEPEST: Final = 100  # levels of nesting; deeper text is left as stored, wherever it is decoded from
# The envelope that Hermes puts around results from outside, such as web pages.
_ENVELOPE: Final = re.compile(r"(<untrusted_tool_result\b.*?\n\n)(.*)(\n</untrusted_tool_result>\s*)", re.DOTALL)
_BLANKS: Final = re.compile(r"\s*")
_END_OF_LINE: Final = re.compile(r"[ \t]*(?:\r?\n|\Z)")


class NotJsonError(ValueError):
    """The text is not JSON, or nested deeper than anything that is meant to be read."""


class Object(list[tuple[str, Any]]):
    """A JSON object as its pairs: order and repeated keys are kept."""

    def get(self, name: str) -> Any:
        """The value of the last pair of that name, else None."""
        return next((value for key, value in reversed(self) if key == name), None)

    def text(self, name: str) -> str | None:
        """`get` where it is a string, else None."""
        value = self.get(name)
        return value if isinstance(value, str) else None


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=Object, parse_float=str, parse_int=str, parse_constant=str, strict=False
)


def parse(text: str) -> Any:
    """The value of a whole JSON text: `Object`, list, str (a string, or a number as written), bool or None.

    Raises NotJsonError.
    """
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise NotJsonError from error


def lines(value: Any) -> str:
    """A parsed value as text: `key: value` and `- item` lines, what is inside one indented. Raises NotJsonError."""
    chunks: list[str] = []
    _write(value, chunks, lead="", depth=0)
    return "".join(chunk if chunk.endswith("\n") else chunk + "\n" for chunk in chunks[:-1]) + chunks[-1]


def readable(text: str) -> str:
    """`text` with the JSON objects and arrays it consists of decoded; any other text unchanged.

    Decoded are: a whole JSON object or array; objects one to a line; an object with a note on the lines below it; and
    each of these inside the envelope around results from outside.
    """
    envelope = _ENVELOPE.fullmatch(text) if text.startswith("<untrusted") else None
    head, body, tail = envelope.groups() if envelope else ("", text, "")
    start = _skip(body, 0)
    if not body.startswith(("{", "["), start):
        return text
    try:
        return head + lines(parse(body)) + tail
    except NotJsonError:
        return head + (_sequence(body) if body.startswith("{", start) else body) + tail


def _sequence(text: str) -> str:
    """Objects, each with its lines to itself, decoded; what follows the last of them as it is."""
    done: list[str] = []
    place = 0
    while True:
        start = _skip(text, place)
        if not text.startswith("{", start):
            break
        try:
            value, stop = _DECODER.raw_decode(text, start)
            decoded = lines(value)
        except (ValueError, RecursionError):
            break
        if _END_OF_LINE.match(text, stop) is None:
            break
        done += [text[place:start], decoded]
        place = stop
    return "".join([*done, text[place:]])


def _skip(text: str, place: int) -> int:
    blanks = _BLANKS.match(text, place)
    return place if blanks is None else blanks.end()


def _write(value: Any, chunks: list[str], *, lead: str, depth: int) -> None:
    """Append the lines of `value`; `lead` is what stands before it on its first line."""
    if depth > DEEPEST:
        raise NotJsonError
    if isinstance(value, str):
        _write_text(value, chunks, lead=lead)
    elif isinstance(value, Object) and value:
        _write_object(value, chunks, lead=lead, depth=depth)
    elif isinstance(value, list) and value:
        if lead:
            chunks.append(lead)
        dash = "  " * depth + "-"
        for item in value:
            _write(item, chunks, lead=dash, depth=depth + 1)
    else:
        _write_text(scalar(value), chunks, lead=lead)


def _write_text(text: str, chunks: list[str], *, lead: str) -> None:
    if "\n" in text:
        chunks += [lead, text] if lead else [text]
    else:
        chunks.append(f"{lead} {text}" if lead and text else lead or text)


def _write_object(value: Object, chunks: list[str], *, lead: str, depth: int) -> None:
    pad = "  " * depth
    first = pad
    if lead.endswith("-"):  # an object in a list begins on the line of its dash
        first = f"{lead} "
    elif lead:
        chunks.append(lead)
    for number, (key, item) in enumerate(value):
        _write(item, chunks, lead=f"{pad if number else first}{key}:", depth=depth + 1)


def scalar(value: Any) -> str:
    """A value with nothing inside, as it was written."""
    match value:
        case True:
            return "true"
        case False:
            return "false"
        case None:
            return "null"
        case Object():
            return "{}"
        case list():
            return "[]"
        case _:
            return str(value)
