"""A scrollbar that is painted again when it looks different, and not each time a line scrolls by."""

from __future__ import annotations

from math import ceil
from typing import Self

from textual.geometry import Region
from textual.scrollbar import ScrollBar

_PARTS = 8  # of a cell that a bar of this kind can be drawn in


class SteadyBar(ScrollBar):
    """In a conversation of a hundred thousand lines most keys move the bar by less than can be drawn."""

    _shape: tuple[object, ...] = ()

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Paint, unless it would look the same."""
        shape = self.shape()
        if shape == self._shape and not (regions or layout or recompose):
            return self
        self._shape = shape
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def notify_style_update(self) -> None:
        """Other colours."""
        self._shape = ()
        super().notify_style_update()

    def shape(self) -> tuple[object, ...]:
        """All that the look depends on."""
        size, virtual, window = self.size.height, ceil(self.window_virtual_size), ceil(self.window_size)
        bar: tuple[int, int] | None = None
        if size and 0 < window < virtual:
            thumb = max(1, window * size / virtual)
            place = self.position / (virtual - window) * (size - thumb)
            bar = int(place * _PARTS), ceil(thumb * _PARTS)
        styles = self.parent.styles if self.parent is not None else self.styles
        return (
            bar,
            self.size,
            self.mouse_over,
            self.grabbed is not None,
            styles.scrollbar_color,
            styles.scrollbar_color_hover,
            styles.scrollbar_color_active,
            styles.scrollbar_background,
            styles.scrollbar_background_hover,
            styles.scrollbar_background_active,
        )
