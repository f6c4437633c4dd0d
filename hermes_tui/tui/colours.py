"""The colours themselves: one dark and one light set. Pure, so that they are known before there is a screen."""

from __future__ import annotations

_DARK = {
    "soft": "#939aa9",
    "heading": "#c3cad8",
    "user": "#8fd3a2",
    "assistant": "#8ab4f8",
    "tool": "#c6a8ee",
    "state": "#e2b26b",
    "failed": "#f28b82",
    "cyan": "#7fcdd6",
    "mark-background": "#6a5210",
    "mark-foreground": "#fff0c2",
    "current-background": "#e9b44c",
    "current-foreground": "#1c1400",
    "find-background": "#174a54",
    "find-foreground": "#d3f5fb",
    "found-background": "#4fcfe2",
    "found-foreground": "#00181c",
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
    "failed": "#b3261e",
    "cyan": "#0b6e7a",
    "mark-background": "#ffe08a",
    "mark-foreground": "#3b2b00",
    "current-background": "#e08700",
    "current-foreground": "#fffaf0",
    "find-background": "#b5e4ed",
    "find-foreground": "#04303a",
    "found-background": "#0a7c90",
    "found-foreground": "#f2fdff",
    "cursor": "#d6e3f7",
    "cursor-far": "#eae7df",
    "line": "#dedad0",
}
VARIABLES = {True: _DARK, False: _LIGHT}
"""Our names for themes that do not define them, by whether the theme is dark."""
FOREGROUND = {True: "#dde1e8", False: "#22252b"}
BACKGROUND = {True: "#15171c", False: "#fbfaf7"}
SURFACE = {True: "#1a1d23", False: "#f3f1eb"}
ACCENT = {True: "#e9b44c", False: "#8f5200"}
"""What themes have their own names for, by whether they are dark."""
