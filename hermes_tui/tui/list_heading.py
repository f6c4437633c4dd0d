"""What stands above the list: how many there are, in which order, what is left out and the key that shows it. Pure."""

from __future__ import annotations

from hermes_tui.render import cells, count, fit
from hermes_tui.tui import labels
from hermes_tui.tui.columns import GAP, RIGHT, Column, Fit, head
from hermes_tui.tui.order import Grouping, ListOrder
from hermes_tui.tui.piece import field
from hermes_tui.tui.sheet import Sheet


def heading(sheet: Sheet | None, width: int, *, reading: bool = False, numbered: bool = True) -> list[str]:
    """The lines above the rows: how many there are, in which order, and what is left out with the key that shows it.

    `numbered` says whether F1 to F9 lift filters.
    """
    if sheet is None:
        return ["Reading the store ..."]
    said = [_how_many(sheet), *_filters(sheet, numbered=numbered), *_beside(sheet)]
    if reading and not sheet.listing.truncated:
        said.append("reading ...")
    hidden = {reason: many for reason, many in sheet.listing.hidden.items() if reason != "filters"}
    everything = sheet.view.everything
    left = labels.left_out(hidden, "a", "hides again" if everything else "shows all")
    if everything and not left:
        left = ["nothing hidden (a hides again)"]
    lines = _broken(said, width)
    if not left:
        return lines
    if cells(whole := f"{lines[-1]} · {left[0]}") <= width:
        return [*lines[:-1], whole]
    return [*lines, next((line for line in left if cells(line) <= width), fit(left[-1], width))]


def _how_many(sheet: Sheet) -> str:
    listing = sheet.listing
    shown = count(len(listing.rows), "conversation")
    if listing.truncated:
        if listing.total <= len(listing.rows):
            return f"The newest {shown}, reading on ..."
        return f"{count(len(listing.rows))} of {count(listing.total, 'conversation')}, reading on ..."
    if sheet.view.filters:
        shown = f"{count(len(listing.rows))} of {count(listing.of, 'conversation')}"
    order, grouping = sheet.view.order, sheet.view.grouping
    shown += f" by {order.value}" if order is not ListOrder.ACTIVITY else ""
    return shown + (f", grouped by {grouping.value}" if grouping is not Grouping.NONE else "")


def _filters(sheet: Sheet, *, numbered: bool) -> list[str]:
    return [f"{text} (F{number})" if numbered and number < 10 else text for number, text in sheet.view.filters]


def _beside(sheet: Sheet) -> list[str]:
    return [f"{count(sheet.empty)} empty"] if sheet.empty else []


def _broken(said: list[str], width: int) -> list[str]:
    """What is said, joined into lines of at most `width` cells; the last of two is cut where that is not enough."""
    lines = [fit(said[0], width)]
    for part in said[1:]:
        if cells(lines[-1]) + 3 + cells(part) <= width:
            lines[-1] += f" · {part}"
        elif len(lines) < 2:
            lines.append(fit(part, width))
        else:
            lines[-1] = fit(f"{lines[-1]} · {part}", width)
    return lines


def column_names(fits: Fit) -> str:
    """The line above the columns; what does not fit is counted, with the key that chooses."""
    more = f"+{len(fits.left)} (z)" if fits.left else ""
    line = ""
    for column, width in fits.shown:
        if column is Column.TITLE:
            line += field(head(column), width - cells(more)) + more
        else:
            line += " " * GAP + field(head(column), width, right=column in RIGHT)
    return line
