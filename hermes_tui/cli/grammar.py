"""What may be typed behind `hermes-tui`, and the sentence for what may not.

WHERE stands before or after the verb. Only the first word that is not an option can be a verb; behind `--` nothing is
one, so `hermes-tui -- search` opens a session called "search". In `search` and `sessions` a word with a single dash in
front is text or a filter turned round (`-source:cron`), and behind `--` any word is.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import NoReturn

from hermes_tui import __version__

USAGE = """\
hermes-tui [WHERE] [ANCHOR]              open the browser, at a session or message when one is given
hermes-tui demo [ANCHOR]                 the browser over a sample store; no Hermes needed
hermes-tui [WHERE] sessions [FILTER...]  list the sessions
hermes-tui [WHERE] search TEXT...        find messages; TEXT may hold filters
hermes-tui [WHERE] show ANCHOR           read the messages around a place
hermes-tui [WHERE] export SESSION        write a conversation to a file or a pipe
hermes-tui [WHERE] context ANCHOR...     what a place is about, short enough for a model or a colleague
hermes-tui [WHERE] doctor                what the store is, what it offers, what is damaged

WHERE   --db PATH (repeatable) | --profile NAME | --all-profiles
        state.db files, the store of one Hermes profile, or those of all; else the one that Hermes itself would use
ANCHOR  SESSION or SESSION#MESSAGE; SESSION is an id, the beginning of one, or a title; a message id alone will do.
        With several stores the name of one may stand in front: work/SESSION#MESSAGE.
        For a session that is called like a verb: hermes-tui -- search
FILTER  source: model: role: tool: session: conversation: title: profile: cwd: with values (source:cli,telegram);
        after: before: on: with a date (2026-08-01, 2026-08, yesterday, 7d);
        is: live, compacted, rewound, archived, pinned, running, branch, child; in: text, tools, reasoning, titles.
        A - in front turns one round: -source:cron

Each verb tells more: hermes-tui search --help. With --json a verb prints one JSON value. Nothing is ever written."""

MASK = "\0"  # stands before what must not be read as an option; no argument of a process can hold it


class UsageError(Exception):
    """What was typed cannot be understood. `str(error)` is a sentence."""


class Options(argparse.Namespace):
    """What was typed, understood. Fields of other verbs keep their defaults."""

    verb: str | None = None
    db: list[str]
    profile: str | None
    all_profiles: bool = False
    color: bool
    json: bool = False
    markdown: bool = False
    explain: bool = False
    everything: bool = False
    anchor: str | None = None
    text: list[str]
    sort: str = "best"
    limit: int | None = None
    case: bool = False
    regex: bool = False
    reasoning: bool = False
    history: bool = True
    window: int = 10
    keep: str | None = None
    to: str | None = None
    output: str | None = None
    force: bool = False
    images: bool = False
    keep_secrets: bool = False
    around: int | None = None
    budget: int | None = None
    query: str | None = None


def parse(arguments: Sequence[str]) -> Options:
    """Understand the arguments behind the program's name.

    Raises UsageError, and SystemExit(0) after `--help` and `--version` have answered.
    """
    before, verb, after = _split(list(arguments))
    options = Options()
    if verb is None:
        _browser_parser().parse_args(_shielded(before), options)
    else:
        parser = _PARSERS[verb]()
        words = _shielded([*before, *after], dashes=verb in ("search", "sessions", "context"))
        parser.parse_intermixed_args(words, options)
        options.verb = verb
    _unmask(options)
    _check(options)
    return options


def _split(arguments: list[str]) -> tuple[list[str], str | None, list[str]]:
    """What stands before the verb, the verb, and what stands behind it; all before and no verb for the browser."""
    number = 0
    while number < len(arguments):
        word = arguments[number]
        if word in ("--db", "--profile"):
            number += 2
        elif word.startswith("-") and word != "--":
            number += 1
        elif word in _PARSERS:
            return arguments[:number], word, arguments[number + 1 :]
        else:
            break
    return arguments, None, []


def _shielded(words: list[str], *, dashes: bool = False) -> list[str]:
    """The words with a mask on each that argparse must take as text: all behind `--`, and with `dashes` also those with
    a single dash in front, other than -h."""
    shielded: list[str] = []
    for number, word in enumerate(words):
        if word == "--":
            return [*shielded, *(MASK + rest for rest in words[number + 1 :])]
        single = word.startswith("-") and not word.startswith("--") and word != "-h"
        shielded.append(MASK + word if dashes and single else word)
    return shielded


def _unmask(options: Options) -> None:
    options.text = [_as_text(word.removeprefix(MASK)) for word in vars(options).get("text", [])]
    options.db = [path.removeprefix(MASK) for path in options.db]
    for name in ("anchor", "profile", "keep", "output", "query"):
        if (value := getattr(options, name)) is not None:
            setattr(options, name, value.removeprefix(MASK))
    if options.anchor is not None:
        options.anchor = _as_text(options.anchor)
    if options.query is not None:
        options.query = _as_text(options.query)


def _as_text(word: str) -> str:
    """The argument read as UTF-8 whatever the locale, U+FFFD for what is not; paths are left as the system has them."""
    try:
        return os.fsencode(word).decode("utf-8", "replace")
    except UnicodeEncodeError:
        return word


def _check(options: Options) -> None:
    """What argparse cannot say: options that contradict each other."""
    ways = {"--db": bool(options.db), "--profile": options.profile is not None, "--all-profiles": options.all_profiles}
    given = [way for way, is_given in ways.items() if is_given]
    if len(given) > 1:
        raise UsageError(f"Give either {' or '.join(given)}, not both.")
    if options.verb == "demo" and given:
        raise UsageError(f"The demo brings its own store: leave {given[0]} away.")
    if options.verb == "search" and not options.text:
        raise UsageError("Give the text to search for: hermes-tui search TEXT...")
    if options.verb == "context" and not options.text and options.query is None:
        raise UsageError("Give the places, or what to look for: hermes-tui context ANCHOR... or --search TEXT")


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, and leaves it to `main` to print it."""

    def error(self, message: str) -> NoReturn:
        unknown, _, words = message.partition("unrecognized arguments: ")
        if not unknown and words:
            message = f"“{words.replace(MASK, '')}” is not understood here"
            if self.prog.endswith(" search") and words.startswith("--"):
                message += f"; to look for such text put -- in front: {self.prog} -- {words}"
        raise UsageError(f"{message[:1].upper()}{message[1:]}. See {self.prog} --help.")


def _parser(name: str, description: str) -> _Parser:
    prog = f"hermes-tui {name}".rstrip()
    parser = _Parser(
        prog=prog,
        description=description,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
    )
    where = parser.add_argument_group("where")
    where.add_argument(
        "--db", metavar="PATH", action="append", default=[], help="a state.db file to read; may be repeated"
    )
    where.add_argument("--profile", metavar="NAME", default=None, help="the Hermes profile whose store to read")
    where.add_argument("--all-profiles", action="store_true", default=False, help="the stores of all Hermes profiles")
    parser.add_argument("--no-color", dest="color", action="store_false", default=True, help="no colours")
    return parser


def _browser_parser() -> _Parser:
    parser = _parser("", "Find what was said before: a read-only browser and search for Hermes Agent's sessions.")
    parser.usage = "\n" + USAGE
    parser.add_argument("--version", action="version", version=f"hermes-tui {__version__}")
    _history(parser)
    parser.add_argument("anchor", nargs="?", metavar="ANCHOR", help="where to open")
    return parser


def _demo_parser() -> _Parser:
    parser = _parser(
        "demo", "The browser over a made-up store, which is written to a private folder and removed at the end."
    )
    parser.add_argument("anchor", nargs="?", metavar="ANCHOR", help="where to open")
    _history(parser)
    parser.add_argument(
        "--keep", metavar="PATH", help="write the store to PATH and leave it there; in a pipe only that"
    )
    return parser


def _history(parser: _Parser) -> None:
    parser.add_argument(
        "--no-history", dest="history", action="store_false", default=True, help="neither remember nor recall searches"
    )


def _sessions_parser() -> _Parser:
    parser = _parser("sessions", "List the sessions, newest activity first; one line for each conversation.")
    parser.add_argument(
        "text", nargs="*", metavar="FILTER", help="only those that pass (source:cli, after:7d) and are called so"
    )
    _limit(parser, "at most N sessions")
    _everything(parser, "archived, hidden, automation and sub-agent sessions too")
    _json(parser)
    return parser


def _search_parser() -> _Parser:
    parser = _parser("search", 'Find every message that holds TEXT: all its words, in any order; "..." for exact text.')
    parser.add_argument("text", nargs="*", metavar="TEXT", help="what to look for; several words are joined by blanks")
    parser.add_argument("--sort", choices=("best", "newest", "oldest"), help="the order of the hits (default: best)")
    _limit(parser, "at most N hits")
    parser.add_argument("--case", action="store_true", help="tell capitals from small letters")
    parser.add_argument("--regex", action="store_true", help="TEXT, filters apart, is one regular expression")
    parser.add_argument("--reasoning", action="store_true", help="look into what the model thought as well")
    parser.add_argument("--explain", action="store_true", help="say how the answer is found, and why that way")
    _everything(parser, "rewound and hidden messages too")
    _json(parser)
    return parser


def _show_parser() -> _Parser:
    parser = _parser("show", "Read the messages around a place, or the beginning of a session.")
    parser.add_argument("anchor", metavar="ANCHOR", help="SESSION, SESSION#MESSAGE or a message id")
    parser.add_argument("--window", metavar="N", type=_number, help="N messages on either side (default: 10)")
    _everything(parser, "rewound and hidden messages too")
    _json(parser, markdown=True)
    return parser


def _export_parser() -> _Parser:
    parser = _parser(
        "export",
        "Write a conversation, every message of it, to a file or to standard output. Secrets are masked.",
    )
    parser.add_argument("anchor", metavar="SESSION", help="SESSION, SESSION#MESSAGE or a message id")
    parser.add_argument(
        "--to", choices=("markdown", "json", "jsonl", "html"), help="the form (default: as FILE is called, or markdown)"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where to; - is standard output, which is meant without it too unless that is a terminal",
    )
    parser.add_argument("--force", action="store_true", help="replace FILE if it is there")
    parser.add_argument("--window", dest="around", metavar="N", type=_number, help="only N messages around MESSAGE")
    parser.add_argument("--reasoning", action="store_true", help="what the model thought, in Markdown too")
    _handing(parser)
    return parser


def _context_parser() -> _Parser:
    parser = _parser(
        "context",
        "What places are about, for a model or a colleague: goal, messages around each place, last answer, anchors "
        "and dates, as Markdown that keeps to a budget and says what it leaves out.",
    )
    parser.add_argument("text", nargs="*", metavar="ANCHOR", help="SESSION, SESSION#MESSAGE or a message id")
    parser.add_argument(
        "--search", dest="query", metavar="TEXT", help="the best hits of a search; TEXT may hold filters"
    )
    parser.add_argument("--budget", metavar="TOKENS", type=_number, help="at most so many tokens (default: 4000)")
    parser.add_argument(
        "--window", dest="around", metavar="N", type=_number, help="N messages around each (default: 6)"
    )
    _limit(parser, "at most N hits of a search (default: 5)")
    _handing(parser, images=False)
    _json(parser)
    return parser


def _handing(parser: argparse.ArgumentParser, *, images: bool = True) -> None:
    if images:
        parser.add_argument("--images", action="store_true", help="pictures too, not only what they are")
    parser.add_argument("--keep-secrets", action="store_true", help="leave keys, tokens and passwords as they stand")


def _doctor_parser() -> _Parser:
    parser = _parser(
        "doctor", "What the store is, what it offers, what is damaged; and proof that looking left no mark."
    )
    _json(parser)
    return parser


_PARSERS = {
    "context": _context_parser,
    "demo": _demo_parser,
    "doctor": _doctor_parser,
    "export": _export_parser,
    "search": _search_parser,
    "sessions": _sessions_parser,
    "show": _show_parser,
}


def _json(parser: argparse.ArgumentParser, *, markdown: bool = False) -> None:
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON value")
    if markdown:
        form.add_argument("--markdown", action="store_true", help="print Markdown")


def _limit(parser: argparse.ArgumentParser, meaning: str) -> None:
    parser.add_argument("--limit", metavar="N", type=_number, help=meaning)


def _everything(parser: argparse.ArgumentParser, meaning: str) -> None:
    parser.add_argument("--all", dest="everything", action="store_true", help=meaning)


def _number(text: str) -> int:
    """A whole number above zero."""
    text = text.removeprefix(MASK)
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"must be a whole number above 0, not {text!r}")
    return int(text)
