"""The colours: one dark and one light set, and what our own names fall back on in other themes."""

from __future__ import annotations

from textual.theme import Theme

from hermes_tui.tui.colours import BACKGROUND, FOREGROUND, SURFACE, VARIABLES

DARK = Theme(
    name="hermes-dark",
    primary="#8ab4f8",
    secondary="#7f9ccf",
    accent="#e9b44c",
    warning="#e2b26b",
    error="#f28b82",
    success="#8fd3a2",
    foreground=FOREGROUND[True],
    background=BACKGROUND[True],
    surface=SURFACE[True],
    panel="#20242c",
    dark=True,
    variables={
        **VARIABLES[True],
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
    foreground=FOREGROUND[False],
    background=BACKGROUND[False],
    surface=SURFACE[False],
    panel="#ebe8e0",
    dark=False,
    variables={
        **VARIABLES[False],
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
