"""The way in and every way out: exit codes, and no traceback whatever happens.

0 answered, 1 the question failed, 2 usage, 3 no readable store, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from hermes_tui.cli import output as streams
from hermes_tui.cli.grammar import Options, UsageError, parse
from hermes_tui.library import Cancelled, LibraryError, StoreError, StoreMissing, StoreUnreadable

ANSWERED, FAILED, USAGE, NO_STORE, INTERRUPTED = 0, 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `hermes-tui` with these arguments (those of the process by default); the exit code."""
    streams.prepare()
    try:
        code = _run(sys.argv[1:] if arguments is None else arguments)
        streams.finish()
        return code
    except BrokenPipeError:
        streams.leave()
        return ANSWERED
    except KeyboardInterrupt:
        streams.leave()
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("HERMES_TUI_DEBUG"):
            raise
        streams.say(
            f"hermes-tui: something went wrong, {type(error).__name__}: {error} (HERMES_TUI_DEBUG=1 shows where)"
        )
        streams.leave()
        return FAILED


def _run(arguments: Sequence[str]) -> int:
    try:
        options = parse(arguments)
        _answer(options)
    except SystemExit as end:  # argparse has printed its help
        return end.code if isinstance(end.code, int) else ANSWERED
    except UsageError as error:
        return _refuse(str(error), USAGE)
    except (StoreMissing, StoreUnreadable) as error:
        return _refuse(str(error), NO_STORE)
    except (StoreError, LibraryError) as error:
        return _refuse(str(error), FAILED)
    except Cancelled:
        return INTERRUPTED
    return ANSWERED


def _answer(options: Options) -> None:
    if options.verb is None or options.verb == "demo":
        from hermes_tui.cli import browser

        start = browser.browse if options.verb is None else browser.demo
        start(options)
        return
    output = streams.Output(color=options.color)
    if options.verb == "export":
        from hermes_tui.cli import exporting

        exporting.export(options, output)
        return
    if options.verb == "context":
        from hermes_tui.cli import handing

        handing.context(options, output)
        return
    from hermes_tui.cli import shapes, verbs

    reply = verbs.ask(options, brief=output.terminal and not (options.json or options.markdown))
    if options.json:
        shape = shapes.reply(
            reply.value,
            profile=reply.profile,
            explain=options.explain,
            ways_out=reply.ways_out,
            unread=reply.unread,
            elsewhere=reply.elsewhere,
        )
        output.lines([shapes.dump(shape, indent=2 if output.terminal else None)])
    else:
        from hermes_tui.cli import people

        people.tell(reply, options, output)
    for each in reply.unread:
        streams.say(f"{each.name} is left out: {each.why}")


def _refuse(sentence: str, code: int) -> int:
    streams.say(f"hermes-tui: {sentence}")
    return code
