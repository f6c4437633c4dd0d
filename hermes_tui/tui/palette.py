"""The command palette's view of the command table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.dom import DOMNode

from hermes_tui.tui.command import DIGIT
from hermes_tui.tui.commands import Command, Where, applicable


class CommandProvider(Provider):
    """Offers the table in the command palette: what applies to the pane that has the focus, under its own name."""

    async def discover(self) -> Hits:
        """All commands that apply, in the order of the table."""
        for command in self._commands():
            yield DiscoveryHit(command.title, self._runner(command), command.title, _help(command))

    async def search(self, query: str) -> Hits:
        """The commands whose title is like `query`."""
        matcher = self.matcher(query)
        for command in self._commands():
            score = matcher.match(command.title)
            if score > 0:
                yield Hit(
                    score,
                    matcher.highlight(command.title),
                    self._runner(command),
                    command.title,
                    _help(command),
                )

    def _commands(self) -> Iterable[Command]:
        where = getattr(self.screen, "where", Where.ANYWHERE)
        return (
            command
            for command in applicable(where)
            if command.action != "app.command_palette" and DIGIT not in command.action
        )

    def _runner(self, command: Command) -> Callable[[], Awaitable[None]]:
        target: DOMNode = self.focused or self.screen
        return partial(_run, self, command.action, target)


async def _run(provider: Provider, action: str, target: DOMNode) -> None:
    """Run `action` where its key would: on the nearest node above the focus that knows it."""
    for node in target.ancestors_with_self:
        if "." in action or getattr(node, f"action_{action}", None) is not None:
            await provider.app.run_action(action, node)
            return


def _help(command: Command) -> str:
    return f"{command.shown}: {command.does}"
