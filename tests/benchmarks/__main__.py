"""`python -m tests.benchmarks`: measure, print tables, save JSON.

`compare` shows what got slower between two saved runs, `history` the ratios of each commit, `chart` draws them
beside their goals.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_tui.recorder import Layout
from tests.benchmarks import (
    asked,
    chart,
    compare,
    conversation,
    disk,
    keystrokes,
    listing,
    manners,
    peers,
    saved,
    search,
    starting,
    statements,
    stores,
    tables,
    transcript,
    wal,
)
from tests.benchmarks.measure import Result, commit, document
from tests.benchmarks.questions import Question, questions
from tests.benchmarks.stores import SIZES, default_folder, to_stderr


@dataclass(frozen=True, slots=True)
class Bench:
    """A benchmark: how the store it needs is prepared, and how it is run on that."""

    prepare: Callable[..., Any]
    run: Callable[..., Iterator[Result]]


BENCHES = {
    "search": Bench(stores.prepare, search.run),
    "cancel": Bench(stores.prepare, manners.cancel),
    "held": Bench(stores.prepare, manners.held),
    "transcript": Bench(conversation.prepare, transcript.run),
    "listing": Bench(listing.prepare, listing.run),
    "starting": Bench(starting.prepare, starting.run),
    "statements": Bench(stores.prepare, statements.run),
    "writer": Bench(stores.prepare, wal.run),
    "disk": Bench(stores.prepare, disk.run),
    "peers": Bench(asked.prepare, peers.run),
    "typing": Bench(keystrokes.prepare, keystrokes.run),
}

COMMANDS = {"chart": chart.main, "compare": compare.main, "history": saved.main}
"""What is done with saved results instead of measuring."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 2 for a command line that cannot be understood."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in COMMANDS:
        return COMMANDS[words[0]](words[1:])
    asked = _grammar().parse_args(words)
    benches, wanted = chosen(asked.only)
    if not benches:
        print(f"No benchmark and no question is called so. Benchmarks: {', '.join(BENCHES)}.", file=sys.stderr)
        print(f"Questions: {', '.join(question.name for question in questions())}.", file=sys.stderr)
        return 2
    for folder in (asked.stores, *([asked.out] if asked.out is not None else [])):
        if trouble := _unusable(folder):
            print(trouble, file=sys.stderr)
            return 2
    code, results = 0, list[Result]()
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{asked.size}-{asked.layout}-{(commit() or 'none').rstrip('+')}"
    try:
        for layout in list(Layout) if asked.layout == "all" else [Layout(asked.layout)]:
            for bench in benches:
                store = BENCHES[bench].prepare(asked.stores, asked.size, layout, say=to_stderr)
                results += BENCHES[bench].run(store, wanted, runs=asked.runs, say=to_stderr)
                _save(asked.out, name, results, runs=asked.runs)
    except KeyboardInterrupt:
        code = 130
        print("\nStopped. Below is what was measured before.", file=sys.stderr)
        _save(asked.out, name, results, runs=asked.runs)
    print(tables.report(results))
    if asked.out is not None and results:
        print(f"\nSaved as {name}.json and {name}.md.", file=sys.stderr)
    return code


def _unusable(folder: Path) -> str | None:
    """Why nothing can be kept in a folder, which is made if it is not there; None when all is well."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return f"{folder} cannot be a folder for this: {error.strerror}. Name another one."
    return None if os.access(folder, os.W_OK) else f"{folder} cannot be written to. Name another folder."


def _save(folder: Path | None, name: str, results: Sequence[Result], *, runs: int) -> None:
    """Keep what was measured so far, if anywhere: for `compare` as JSON, for people as Markdown."""
    if folder is None or not results:
        return
    saved = json.dumps(document(results, runs=runs), indent=1, ensure_ascii=False)
    for ending, text in (("json", saved), ("md", tables.report(results))):
        draft = folder / f".{name}.{ending}.part"
        draft.write_text(text + "\n", encoding="utf-8")
        draft.replace(folder / f"{name}.{ending}")


def chosen(names: Sequence[str]) -> tuple[list[str], list[Question]]:
    """The benchmarks and questions of these names: without a name of a kind all of it, for a wrong name nothing."""
    known = {question.name: question for question in questions()}
    if any(name not in known and name not in BENCHES for name in names):
        return [], []
    benches = [name for name in BENCHES if name in names] or list(BENCHES)
    return benches, [known[name] for name in known if name in names] or list(known.values())


def _grammar() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--size", choices=list(SIZES), default="S", help="how many messages: " + _sizes())
    parser.add_argument("--layout", choices=[*(layout.value for layout in Layout), "all"], default="views")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="benchmarks and questions by name")
    parser.add_argument("--runs", type=_positive, default=5, help="warm takes of everything (default: 5)")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="save the results in this folder")
    parser.add_argument("--stores", type=Path, default=default_folder(), metavar="FOLDER", help="where stores are kept")
    return parser


def _sizes() -> str:
    return ", ".join(f"{name} {count:,}" for name, count in SIZES.items())


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
