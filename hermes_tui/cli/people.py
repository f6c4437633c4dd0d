"""A reply in a form for people: a table at a terminal, lines in a pipe, Markdown where asked; remarks on stderr."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable

from hermes_tui.cli import lines, markdown, tables
from hermes_tui.cli.grammar import Options
from hermes_tui.cli.output import Output, say
from hermes_tui.cli.verbs import Reply
from hermes_tui.model import Answer, Case, FoundStore, SessionList, Window
from hermes_tui.render.clean import clean
from hermes_tui.render.words import count


def tell(reply: Reply, options: Options, output: Output) -> None:
    """Print the reply, then what it does not show and how to see that."""
    output.lines(_rows(reply, options, output))
    for sentence in (_remark(reply, options), *_ways_out(reply, options), reply.badge):
        if sentence:
            say(sentence)


def _rows(reply: Reply, options: Options, output: Output) -> Iterable[str]:
    page = tables.Page(width=output.width, color=output.color, now=time.time()) if output.terminal else None
    many = reply.many
    match reply.value:
        case SessionList() as listed:
            return lines.sessions(listed) if page is None else tables.sessions(listed, page, many=many)
        case Answer() as answer:
            explain = options.explain
            return (
                lines.search(answer, explain=explain) if page is None else tables.search(answer, page, explain=explain)
            )
        case Window() as window if options.markdown:
            return markdown.show(window)
        case Window() as window:
            return lines.show(window) if page is None else tables.show(window, page)
        case reports:
            return lines.doctor(reports) if page is None else tables.doctor(reports, page)


def _remark(reply: Reply, options: Options) -> str | None:
    match reply.value:
        case SessionList() as listed:
            return tables.left_out(listed)
        case Answer() as answer:
            return tables.remark(answer)
        case Window() as window:
            return tables.beyond(window, show=_show_command(options))
        case _:
            return "; ".join(map(_elsewhere, reply.elsewhere)) or None


def _ways_out(reply: Reply, options: Options) -> Iterable[str]:
    """For an answer without a hit: other questions that have some, as they have to be typed."""
    for way in reply.ways_out:
        words = ["hermes-tui", "--profile", way.profile] if way.profile is not None else _command(options)
        words += ["search"]
        words += ["--case"] if way.mode.case is Case.EXACT else []
        words += ["--regex"] if way.mode.regex else []
        words += ["--reasoning"] if way.mode.reasoning else []
        words += ["--all"] if way.rewound or way.hidden else []
        words += ["--"] if way.text.startswith("--") else []
        many = f"{count(way.hits)}{'+' if way.more else ''} {'hit' if way.hits == 1 else 'hits'}"
        yield f"{many} {clean(way.reason, keep_newlines=False)}: {shlex.join([*words, way.text])}"


def _elsewhere(store: FoundStore) -> str:
    """What another store holds, in words."""
    told = count(store.sessions or 0, "session") if store.why is None else store.why
    if store.missing:
        told += f", {count(store.missing)} of them nowhere else"
    return f"{store.origin.value} {store.place.name} ({store.place.path}): {told}"


def _command(options: Options) -> list[str]:
    """What has to be typed to ask the same store, up to the verb."""
    words = ["hermes-tui"]
    words += [word for path in options.db for word in ("--db", path)]
    words += ["--profile", options.profile] if options.profile is not None else []
    words += ["--all-profiles"] if options.all_profiles else []
    return words


def _show_command(options: Options) -> str:
    """The command that shows another part of the same store in the same form, up to the anchor."""
    words = [*_command(options), "show"]
    words += ["--markdown"] if options.markdown else []
    words += ["--window", str(options.window)] if options.window != Options.window else []
    return shlex.join(words)
