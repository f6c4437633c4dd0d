"""The colours: one dark and one light set, and what our own names fall back on in other themes."""

from __future__ import annotations

from textual.theme import Theme

_DARK = {
    "soft": "#939aa9",
    "heading": "#c3cad8",
    "user": "#8fd3a2",
    "assistant": "#8ab4f8",
    "tool": "#c6a8ee",
    "state": "#e2b26b",
    "mark-background": "#6a5210",
    "mark-foreground": "#fff0c2",
    "current-background": "#e9b44c",
    "current-foreground": "#1c1400",
    "cursor": "#31353f",
    "cursor-far": "#22262e",
    "line": "#2a2f38",
}
_LIGHT = {
    "soft": "#5f6672",
    "heading": "#3c434f",
    "user": "#1a7438",
    "assistant": "#1f5fbf",
    "tool": "#7638ad",
    "state": "#8a5a00",
    "mark-background": "#ffe08a",
    "mark-foreground": "#3b2b00",
    "current-background": "#e08700",
    "current-foreground": "#fffaf0",
    "cursor": "#d6e3f7",
    "cursor-far": "#eae7df",
    "line": "#dedad0",
}
VARIABLES = {True: _DARK, False: _LIGHT}
"""Our names for themes that do not define them, by whether the theme is dark."""

DARK = Theme(
    name="hermes-dark",
    primary="#8ab4f8",
    secondary="#7f9ccf",
    accent="#e9b44c",
    warning="#e2b26b",
    error="#f28b82",
    success="#8fd3a2",
    foreground="#dde1e8",
    background="#15171c",
    surface="#1a1d23",
    panel="#20242c",
    dark=True,
    variables={
        **_DARK,
        "input-cursor-background": "#dde1e8",
        "input-cursor-foreground": "#15171c",
        "input-selection-background": "#3a4d70",
        "scrollbar": "#363c48",
        "scrollbar-hover": "#4a5262",
        "scrollbar-active": "#8ab4f8",
        "scrollbar-background": "#15171c",
        "scrollbar-background-hover": "#15171c",
        "scrollbar-background-active": "#15171c",
        "scrollbar-corner-color": "#15171c",
    },
)
LIGHT = Theme(
    name="hermes-light",
    primary="#1f5fbf",
    secondary="#46689c",
    accent="#8f5200",
    warning="#8a5a00",
    error="#b3261e",
    success="#1a7438",
    foreground="#22252b",
    background="#fbfaf7",
    surface="#f3f1eb",
    panel="#ebe8e0",
    dark=False,
    variables={
        **_LIGHT,
        "input-cursor-background": "#22252b",
        "input-cursor-foreground": "#fbfaf7",
        "input-selection-background": "#b9d0f2",
        "scrollbar": "#cbc7bc",
        "scrollbar-hover": "#aeaa9f",
        "scrollbar-active": "#1f5fbf",
        "scrollbar-background": "#fbfaf7",
        "scrollbar-background-hover": "#fbfaf7",
        "scrollbar-background-active": "#fbfaf7",
        "scrollbar-corner-color": "#fbfaf7",
    },
)
