"""Whose words a message holds: a person's or the model's own, or text that Hermes put there for the model.

Pure, on decoded text. Hermes stores hand-overs, reminders and whole skill texts under the roles `user` and `assistant`;
newer releases mark such rows in columns, older ones only by how the text begins.
"""

from __future__ import annotations

import json
import re
from typing import Final

from hermes_tui.model import Kind

SUMMARY_STARTS: Final = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:")
SUMMARY_END: Final = "--- END OF CONTEXT SUMMARY"  # the line goes on with a sentence to the model
CARRIER_START: Final = "[PRIOR CONTEXT"
CARRIER_END: Final = "[END OF PRIOR CONTEXT"
NOTICE_STARTS: Final = (
    "Continue from the compressed conversation context above. This marker exists because",
    "You've reached the maximum number of tool-calling iterations allowed",
    "Your previous turn indicated a tool call but none was included",
    "You just executed tool calls but returned an empty response",
    "[IMPORTANT: Background process",
    "[ASYNC DELEGATION",
    "[Your active task list was preserved across context compression]",
    "[Planning state preserved",
    "[System: Your previous ",
    "[System: Continue now.",
)
NOTE_STARTS: Final = ("[System note: Your previous turn", "[System note: A new message")
"""How notes begin that a gateway put before the words of a person when it went on after an interruption."""
STARTS: Final = (*SUMMARY_STARTS, CARRIER_START, *NOTICE_STARTS)  # all by which a row's kind can be told

NOTICE_KINDS: Final = frozenset(
    {
        "model_switch",
        "personality_switch",
        "async_delegation_complete",
        "process_complete",
        "auto_continue",
        "internal_notification",
        "failed_turn",
    }
)
HIDDEN_KINDS: Final = frozenset({"hidden", "model_only"})

_MEMORY: Final = re.compile(r"<memory-context>.*?(?:</memory-context>|\Z)", re.DOTALL | re.IGNORECASE)
_SKILL_START: Final = "[IMPORTANT: The user has invoked the "
_SKILL: Final = re.compile(re.escape(_SKILL_START) + r'"([^"]*)"')
_SKILL_WORDS: Final = "The user has provided the following instruction alongside the skill invocation: "
_BUNDLE_WORDS: Final = "\nUser instruction: "
_LOADED_START: Final = '[IMPORTANT: The "'
_LOADED: Final = re.compile(re.escape(_LOADED_START) + r'[^"]*" skill is auto-loaded\.')
_LOADED_END: Final = "then run them with the terminal tool using the absolute path."
# It names [SILENT] in itself, so its end is the bracket before a blank line.
_CRON: Final = re.compile(
    r"\A\[(?:IMPORTANT|SYSTEM): You are running as a scheduled cron job\b.*?\][ \t]*(?:\n[ \t]*\n|\Z)", re.DOTALL
)
_RESTATED: Final = re.compile(r"\[STILL IN PROGRESS\b[^\]]*\]")


def kind_of(
    role: str,
    text: str,
    display_kind: str | None = None,
    display_metadata: str | bytes | None = None,
    compressed_summary: object = None,
) -> Kind:
    """What a row is for a reader. `text` is its decoded text, the other arguments are columns as stored.

    A hand-over is a SUMMARY also where newer releases mark it hidden: it shows what the model was left with. A row that
    carries a hand-over and a person's words together (see `own_words`) is a TURN, so that no word of theirs is folded
    away with the machine's. Tool results are TOOL and never judged by their text. Rows of role system and session_meta
    are NOTICE. A `display_kind` that is not known says nothing.
    """
    if role == "tool":
        return Kind.HIDDEN if _is_hidden(display_kind, display_metadata) else Kind.TOOL
    start = text.lstrip()
    flagged = compressed_summary not in (None, 0, "", "0")
    if flagged or start.startswith((*SUMMARY_STARTS, CARRIER_START)):
        words = _without_handover(start)
        if words is None and flagged:
            return Kind.SUMMARY
        if words is not None and not words:
            return Kind.SUMMARY
    if _is_hidden(display_kind, display_metadata):
        return Kind.HIDDEN
    if role in ("system", "session_meta") or display_kind in NOTICE_KINDS:
        return Kind.NOTICE
    if role == "user" and start.startswith(NOTICE_STARTS):
        return Kind.NOTICE
    return Kind.TURN


def wraps_words(text: str) -> bool:
    """Whether `own_words` may be found only far into `text`, of which the beginning is enough to tell."""
    start = text.lstrip()
    wraps = (*SUMMARY_STARTS, *NOTE_STARTS, CARRIER_START, _SKILL_START, _LOADED_START, "<memory-context")
    return start.startswith(wraps)


def own_words(text: str) -> str:
    """What a person or the model said in `text`: without hand-overs, recalled memory and skill texts; may be "".

    A skill that was called without further words is the command that was typed, such as `/work`. What a job of cron is
    told about its being one stands before what it is to do, and is left out too.
    """
    return _CRON.sub("", _unwrapped(text), count=1).strip()


def _unwrapped(text: str) -> str:
    text = _MEMORY.sub("", text).strip()
    while text.startswith(NOTE_STARTS):
        text = text.partition("]")[2].lstrip()
    words = _without_handover(text)
    if words is not None:
        return words
    if (skill := _SKILL.match(text)) is not None:
        return _typed(text, skill[1])
    if _LOADED.match(text) is not None:
        return text.rpartition(_LOADED_END)[2].strip()
    return text


def _without_handover(text: str) -> str | None:
    """The words that surround a compaction hand-over; None where there is no hand-over. `text` has no blanks before."""
    if text.startswith(CARRIER_START):
        before, sign, rest = text.partition(CARRIER_END)
        if sign and _past_sign(rest).startswith(SUMMARY_STARTS):
            return _past_sign(before).strip()
        return None
    if not text.startswith(SUMMARY_STARTS):
        return None
    _, sign, rest = text.partition(SUMMARY_END)
    if not sign:
        return ""
    words = rest.partition("---")[2].strip()
    return _RESTATED.sub("", words, count=1).strip() if words.startswith("[STILL IN PROGRESS") else words


def _past_sign(text: str) -> str:
    """What follows the bracket that closes a sign whose beginning was cut off."""
    return text.partition("]")[2].lstrip()


def _typed(text: str, name: str) -> str:
    _, sign, rest = text.rpartition(_SKILL_WORDS)
    if sign:
        words = rest.partition("\n\n[Runtime note:")[0]
    else:
        words = text.partition(_BUNDLE_WORDS)[2].partition("\n\n[Loaded as part of the ")[0]
    command = name if name.startswith("/") else f"/{name}"
    return words.strip() or command


def _is_hidden(display_kind: str | None, display_metadata: str | bytes | None) -> bool:
    if display_kind in HIDDEN_KINDS:
        return True
    if not display_metadata:
        return False
    raw = display_metadata.decode("utf-8", "replace") if isinstance(display_metadata, bytes) else display_metadata
    if "model_only" not in raw:
        return False
    value: object = raw
    for _ in range(3):  # old rows are encoded twice
        if not isinstance(value, str):
            break
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return False
    return isinstance(value, dict) and bool(value.get("model_only"))
