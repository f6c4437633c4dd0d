"""Over the browser: what to write out, in which form, to which file; and how far it is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static
from textual.worker import Worker

from hermes_tui.export.documents import Form
from hermes_tui.export.files import Taken, WriteError, name_for
from hermes_tui.export.writing import Keepsakes, Order, Passage, Subject
from hermes_tui.library import Stores, Ticket
from hermes_tui.render import one_line
from hermes_tui.tui.asking import ERRORS
from hermes_tui.tui.box import Box

LOOK = 0.1
"""Seconds between two looks at how far the writing is."""
FORMS = {Form.MARKDOWN: "Markdown", Form.JSON: "JSON", Form.JSONL: "JSON lines", Form.HTML: "HTML page"}
WAYS = {"secrets": "F4", "images": "F5"}
"""The keys by which what is masked or left out would be in the document."""
KEYS = "Enter writes it. F2 to F5 change the lines above. Escape closes this."

Write = Callable[[Stores, Ticket], list[str]]
Run = Callable[[Write], Awaitable[list[str]]]


class WriteScreen(ModalScreen[str | None]):
    """Ends with sentences about the file that was written, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", show=False),
        Binding("f2", "next('what')", "What", show=False),
        Binding("f3", "next('form')", "Form", show=False),
        Binding("f4", "next('secrets')", "Secrets", show=False),
        Binding("f5", "next('images')", "Pictures", show=False),
    ]

    def __init__(self, subjects: Sequence[Subject | Passage | Keepsakes], run: Run) -> None:
        super().__init__()
        self._subjects = subjects
        self._run = run
        self._chosen = {"what": 0, "form": 0, "secrets": 0, "images": 0}
        self._offered = ""  # the path that was made up here, as long as nobody changed it
        self._asked: Path | None = None  # there already, and Enter was not yet pressed again
        self._writing: Worker[None] | None = None
        self._far = (0, 0)

    def compose(self) -> ComposeResult:
        """The choices, the file, and which keys there are."""
        with Vertical(id="write"):
            yield Static("Write out", id="write-title", markup=False)
            yield Static(id="write-choices", markup=False)
            yield Box(id="write-box", placeholder="File")
            yield Static(KEYS, id="write-keys", markup=False)

    def on_mount(self) -> None:
        """Offer a file."""
        self._show()
        self.set_interval(LOOK, self._tell_progress)

    @property
    def subject(self) -> Subject | Passage | Keepsakes:
        """What is to be written."""
        return self._subjects[self._chosen["what"]]

    @property
    def form(self) -> Form:
        """In which form."""
        forms = self.subject.forms
        return forms[self._chosen["form"] % len(forms)]

    def _show(self) -> None:
        """Choices as they are, each with a sign at the one that holds."""
        pictures = self._chosen["images"]
        secrets = self._chosen["secrets"]
        lines = [
            ("F2", "What", [each.label for each in self._subjects], self._chosen["what"]),
            ("F3", "Form", [FORMS[form] for form in self.subject.forms], self.subject.forms.index(self.form)),
            ("F4", "Secrets", ["masked", "as they stand"], secrets),
            ("F5", "Pictures", ["left out", "in the file"], pictures),
        ]
        text = "\n".join(
            f"{key} {name:<9}"
            + "  ".join(f"{'●' if number == at else '○'} {word}" for number, word in enumerate(words))
            for key, name, words, at in lines
        )
        self.query_one("#write-choices", Static).update(text)
        box = self.query_one(Box)
        if box.value == self._offered:
            self._offered = str(Path.cwd() / name_for(self.subject.title, self.subject.name, self.form.suffix))
            box.value = self._offered
            box.cursor_position = len(box.value)

    def _say(self, sentence: str) -> None:
        self.query_one("#write-keys", Static).update(one_line(sentence, 400))

    def _tell_progress(self) -> None:
        if self._writing is not None:
            done, total = self._far
            self._say(f"Writing, {done:,} of {total:,} messages. Escape stops it." if total else "Reading ...")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Another file has to be asked about anew."""
        event.stop()
        if self._asked is not None and self._path() != self._asked:
            self._asked = None
            self._say(KEYS)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Write it."""
        event.stop()
        if self._writing is None and event.value.strip():
            self._far = (0, 0)
            self._writing = self.run_worker(self._write(self._order()), group="write", exclusive=True)

    def _path(self) -> Path:
        return Path(self.query_one(Box).value.strip()).expanduser()

    def _order(self) -> Order:
        path = self._path()
        return Order(
            form=self.form,
            path=path,
            force=path == self._asked,
            keep_secrets=self._chosen["secrets"] == 1,
            images=self._chosen["images"] == 1,
            reasoning=True,
            how=WAYS,
        )

    async def _write(self, order: Order) -> None:
        subject = self.subject

        def progress(done: int, total: int) -> None:
            self._far = (done, total)

        try:
            told = await self._run(lambda stores, ticket: subject.write(stores, order, progress, ticket))
        except Taken as error:
            self._asked = order.path
            self._say(f"{error} Enter again replaces it, Escape leaves it.")
        except (WriteError, *ERRORS) as error:
            self._say(str(error))
        except asyncio.CancelledError:
            if self.is_attached:
                self._say("Stopped; nothing was written.")
            raise
        else:
            self.dismiss(" ".join(told))
        finally:
            self._writing = None

    def action_next(self, name: str) -> None:
        """The next choice of a line."""
        if self._writing is not None:
            return
        sizes = {"what": len(self._subjects), "form": len(self.subject.forms), "secrets": 2, "images": 2}
        self._chosen[name] = (self._chosen[name] + 1) % sizes[name]
        self._show()

    def action_close(self) -> None:
        """Stop what is being written; else end."""
        if self._writing is not None:
            self._writing.cancel()
        else:
            self.dismiss(None)
