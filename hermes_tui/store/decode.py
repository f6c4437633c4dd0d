"""A raw column -> what a person reads. Pure: no SQL, no screen, and nothing here raises on odd data.

Control characters and terminal escapes stay in the text (`render` cleans what is painted), a NUL and what follows it
too. Bytes that are no UTF-8 and lone surrogates become U+FFFD, so that every text can be encoded again.
"""

from __future__ import annotations

import math
from collections.abc import Container
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from hermes_tui.model import Message, Region, State, ToolCall
from hermes_tui.query.terms import USUAL_REGIONS
from hermes_tui.store.readable import NotJsonError, Object, lines, parse, readable, scalar
from hermes_tui.store.scaffold import kind_of

__all__ = [
    "decode_calls",
    "decode_json_texts",
    "decode_text",
    "decode_time",
    "kind_of",
    "message_fields",
    "named_arguments",
    "state_of",
    "stored_calls",
    "to_text",
]

SENTINELS: Final = ("\x00json:", "\x01json:")  # mark content that was a list or dict when it was stored
LATEST: Final = 4.2e9  # seconds; times beyond it are milliseconds or finer, or no times
EARLIEST_SCALED: Final = 1e8  # seconds (1973): what milliseconds or finer must come to, to be believed
_TEXT_TYPES: Final = frozenset({"text", "input_text", "output_text"})
_IMAGE_TYPES: Final = frozenset({"image", "image_url", "input_image"})


def to_text(raw: object) -> str:
    """A cell of any type as text that can be encoded; NULL is ""."""
    match raw:
        case None:
            return ""
        case str():
            return _whole(raw)
        case bytes():
            return raw.decode("utf-8", "replace")
        case _:
            return str(raw)


def decode_text(content: str | bytes | None, role: str) -> str:
    """The content of a message as a person reads it.

    Content of several parts reads as its text parts one below the other, with `[image/png 40 KB]` and the like where
    something else was. The JSON of tool results reads as lines (see `readable`); other text stands as it is stored.
    """
    text = to_text(content)
    if text.startswith(SENTINELS):
        try:
            return _whole(_parts(parse(text[len(SENTINELS[0]) :])))
        except NotJsonError:
            return text
    return _whole(readable(text)) if role == "tool" else text


def decode_calls(tool_calls: str | bytes | None) -> tuple[ToolCall, ...]:
    """The calls an assistant row asks for.

    Read are OpenAI's list, the older flat shape, and either of them encoded twice. What is no such list becomes one
    call without a name that holds the raw text.
    """
    try:
        return tuple(_call(item) for item in stored_calls(tool_calls))
    except NotJsonError:
        return (ToolCall(id=None, name="", arguments=to_text(tool_calls)),)


def stored_calls(tool_calls: str | bytes | None) -> list[Any]:
    """The calls of a row as parsed JSON values, whatever stands around them; see `named_arguments`.

    Raises NotJsonError.
    """
    raw = to_text(tool_calls)
    if not raw.strip():
        return []
    value: Any = raw
    for _ in range(3):  # some releases encode it twice
        value = parse(value) if isinstance(value, str) else value
    calls = value if isinstance(value, list) and not isinstance(value, Object) else [value]
    return calls if value else []


def named_arguments(item: Any) -> tuple[str | None, str, Any]:
    """The id, the name and the arguments (as they are stored; None where there are none) of one of `stored_calls`."""
    if not isinstance(item, Object):
        return None, "", item
    inner = item.get("function")
    fields = inner if isinstance(inner, Object) else item
    name = inner if isinstance(inner, str) else fields.get("name")
    given = next((key for key in ("arguments", "args", "input") if fields.get(key) is not None), None)
    number = item.get("id") or item.get("call_id")
    return (
        None if number is None else _whole(scalar(number)),
        _whole(name) if isinstance(name, str) else "",
        None if given is None else fields.get(given),
    )


def decode_json_texts(raw: str | bytes | None) -> str:
    """The texts in a provider's JSON list (reasoning details, codex items), one below the other; "" if there are none.

    Signatures, ids and encrypted parts are left out.
    """
    source = to_text(raw)
    if not source.strip():
        return ""
    try:
        value = parse(source)
        value = parse(value) if isinstance(value, str) else value
    except NotJsonError:
        return ""
    return _whole("\n".join(_texts(value, depth=0)))


def decode_time(value: object) -> float | None:
    """Unix seconds of a time cell, or None where it holds no time.

    Milliseconds, microseconds and nanoseconds are scaled down; text may be a number or ISO 8601 (UTC unless it says
    otherwise). Believed are times from 1970 to 2103.
    """
    match value:
        case bool():
            return None
        case int() | float():
            return _seconds(value)
        case str() | bytes():
            return _written_time(to_text(value).strip())
        case _:
            return None


def state_of(active: object, compacted: object) -> State:
    """What the columns `active` and `compacted` say; NULL in the first is live, as in files that lack it."""
    if active is None or _truth(active):
        return State.LIVE
    return State.COMPACTED if _truth(compacted) else State.REWOUND


def message_fields(message: Message, regions: Container[Region] = USUAL_REGIONS) -> list[str]:
    """The texts a query is matched against: text, tool name, each call's name and arguments, reasoning if asked for.

    The text of a tool result belongs to the tools. Empty ones are left out.
    """
    fields: list[str] = []
    if (Region.TOOLS if message.role == "tool" else Region.TEXT) in regions:
        fields.append(message.text)
    if Region.TOOLS in regions:
        fields.append(message.tool_name or "")
        for call in message.tool_calls:
            fields += [call.name, call.arguments]
    if Region.REASONING in regions:
        fields.append(message.reasoning)
    return [field for field in fields if field]


def _whole(text: str) -> str:
    """`text` with surrogate pairs joined and lone ones replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _truth(flag: object) -> bool:
    return flag not in (None, 0, "", "0", b"", b"0")


def _seconds(number: float) -> float | None:
    try:
        seconds = float(number)
    except OverflowError:
        return None
    if 0 <= seconds <= LATEST:
        return seconds
    for scale in (1e3, 1e6, 1e9):
        scaled = seconds / scale
        if EARLIEST_SCALED <= scaled <= LATEST:
            return scaled
    return None


def _written_time(text: str) -> float | None:
    try:
        return _seconds(float(text))
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        return _seconds((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (OverflowError, ValueError):
        return None


def _call(item: Any) -> ToolCall:
    number, name, given = named_arguments(item)
    return ToolCall(id=number, name=name, arguments="" if given is None else _arguments(given))


def _arguments(value: Any) -> str:
    return _whole(readable(value) if isinstance(value, str) else lines(value))


def _parts(value: Any) -> str:
    """Stored structure as text: parts one below the other, anything else as lines."""
    match value:
        case Object():
            return _part(value)
        case list() if all(_is_part(item) for item in value):
            return "\n".join(text for text in map(_parts, value) if text)
        case str():
            return value
        case _:
            return lines(value)


def _is_part(item: Any) -> bool:
    return isinstance(item, str) or (isinstance(item, Object) and (item.text("type") or item.text("text")) is not None)


def _part(part: Object) -> str:
    kind = part.text("type")
    content = part.get("content")
    if part.get("_multimodal") is True and content is not None:
        return _parts(content)
    if kind is None:
        return part[0][1] if len(part) == 1 and part.text("text") is not None else lines(part)
    if kind in _IMAGE_TYPES:
        return _image(part)
    for name in ("text", "refusal"):
        said = part.get(name)
        if isinstance(said, Object):
            said = said.get("value")
        if isinstance(said, str) and (kind in _TEXT_TYPES or name == kind):
            return said
    if isinstance(content, str | list) and content:
        return _parts(content)
    named = part.text("filename") or part.text("name")
    inner = part.get(kind)
    if named is None and isinstance(inner, Object):
        named = inner.text("filename") or inner.text("name")
    data = (inner if isinstance(inner, Object) else part).text("file_data") or ""
    media, comma, data = data.removeprefix("data:").partition(",") if data.startswith("data:") else ("", "", data)
    told = " ".join(each for each in (media.partition(";")[0] or kind, named) if each)
    return _measured(told, _decoded_size(data)) if data and (not comma or media.endswith(";base64")) else f"[{told}]"


def _image(part: Object) -> str:
    held = part.get("image_url") or part.get("source") or part.get("image") or part
    if isinstance(held, Object):
        data = held.text("data")
        if data is not None:
            return _measured(held.text("media_type") or "image", _decoded_size(data))
        held = held.get("url") or held.get("file_id") or part.get("file_id")
    if not isinstance(held, str) or not held:
        return "[image]"
    if not held.startswith("data:"):
        return f"[image {held}]"
    head, _, data = held.removeprefix("data:").partition(",")
    encoded = head.endswith(";base64")
    size = _decoded_size(data) if encoded else len(unquote_to_bytes(data))
    return _measured(head.partition(";")[0] or "image", size)


def _decoded_size(data: str) -> int:
    """How many bytes base64 stands for."""
    letters = len(data) - sum(map(data.count, " \r\n\t="))
    return letters * 3 // 4


def _measured(name: str, size: int) -> str:
    if size < 1024:
        return f"[{name} {size} B]"
    if size < 1024 * 1024:
        return f"[{name} {math.floor(size / 1024 + 0.5)} KB]"
    return f"[{name} {size / 1024 / 1024:.1f} MB]"


def _texts(value: Any, *, depth: int) -> list[str]:
    if depth > 8:
        return []
    if isinstance(value, Object):
        found = [text for name in ("text", "thinking") if (text := value.text(name))]
        return found or [text for name in ("summary", "content") for text in _texts(value.get(name), depth=depth + 1)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item, depth=depth + 1)]
    return []
