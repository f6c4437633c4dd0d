"""`context`: the evidence pack of places, or of the best hits of a search, as Markdown or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hermes_tui.cli.grammar import Options, UsageError
from hermes_tui.cli.output import Output, say
from hermes_tui.cli.verbs import open_stores
from hermes_tui.export import evidence, packing, shapes
from hermes_tui.library import LibraryError, Stores
from hermes_tui.model import Anchor, Answer
from hermes_tui.render.words import count

HITS = 5  # of a search, in one pack


def context(options: Options, output: Output) -> None:
    """Print the pack. Raises StoreError, LibraryError and UsageError."""
    budget = evidence.BUDGET if options.budget is None else options.budget
    if budget < evidence.SMALLEST:
        raise UsageError(f"A budget of less than {evidence.SMALLEST} tokens has no room for anything.")
    with open_stores(options) as stores:
        query = "" if options.query is None else " ".join([options.query, *options.text])
        answer = None if options.query is None else _search(stores, query, options.limit or HITS)
        places = _found(answer) if answer is not None else [stores.resolve(text) for text in options.text]
        pack = evidence.pack(
            stores,
            places,
            query=query,
            budget=budget,
            around=evidence.AROUND if options.around is None else options.around,
            keep_secrets=options.keep_secrets,
        )
        more = 0 if answer is None else max(0, (answer.total or 0) - len(answer.hits))
        pack = replace(pack, more_hits=more)
        if options.json:
            shape = packing.shape(pack, query=query, profile=None if stores.many else stores.first.profile)
            output.lines([shapes.dump(shape, indent=2 if output.terminal else None)])
        elif pack.parts:
            output.write(pack.markdown())
        unread = [f"{each.name} is left out: {each.why}" for each in stores.unread]
        for sentence in filter(None, (_nothing(answer, places), *unread, stores.badge)):
            say(sentence)


def _search(stores: Stores, query: str, limit: int) -> Answer:
    answer = stores.search(query, sort="best", limit=limit)
    if answer.problem is not None:
        raise LibraryError(answer.problem)
    return answer


def _found(answer: Answer) -> list[Anchor]:
    """The messages found; where there is none, the sessions that are called so."""
    return [hit.anchor for hit in answer.hits] or [
        Anchor(session.id, None, session.profile) for session in answer.sessions
    ]


def _nothing(answer: Answer | None, places: Sequence[Anchor]) -> str | None:
    if answer is None or places:
        return None
    looked = f"{count(answer.coverage.searched)} of {count(answer.coverage.messages, 'message')} searched"
    hidden = "".join(f", {count(many)} {reason}" for reason, many in answer.hidden.items())
    return f"0 hits, {looked}{hidden}; hermes-tui search says more."
