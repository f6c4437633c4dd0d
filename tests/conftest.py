"""What tests of several rooms share: sample stores, and the promise that nobody's own store is touched."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hermes_tui.recorder import Layout

PACE = (100_000, 50, 100)
"""How many new objects make the collector look for garbage in a process that runs tests; see `hermes_tui.cli.PACE`."""
SampleStore = Callable[[Layout], Path]


@pytest.fixture(scope="session", autouse=True)
def _no_store_of_the_reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test finds the store of whoever runs it, nor what they searched for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HERMES_HOME", str(tmp_path_factory.mktemp("home") / "nothing-here"))
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        patch.delenv("HERMES_TUI_DEBUG", raising=False)
        patch.setattr("hermes_tui.cli.PACE", PACE)
        yield


@pytest.fixture(scope="session")
def written_sample(tmp_path_factory: pytest.TempPathFactory) -> SampleStore:
    """The demo store in a layout, written once a run and never changed: for tests that only read."""
    written: dict[Layout, Path] = {}

    def write(layout: Layout) -> Path:
        from hermes_tui.sample import write_sample

        if layout not in written:
            path = tmp_path_factory.mktemp(f"sample-{layout}") / "state.db"
            write_sample(path, layout=layout)
            written[layout] = path
        return written[layout]

    return write


@pytest.fixture
def sample_store(written_sample: SampleStore, tmp_path: Path) -> SampleStore:
    """A copy of the demo store in a layout, in a folder of its own, to do anything with."""

    def copy(layout: Layout) -> Path:
        path = tmp_path / f"sample-{layout}" / "state.db"
        path.parent.mkdir()
        shutil.copyfile(written_sample(layout), path)
        return path

    return copy


@pytest.fixture
def sample_home(written_sample: SampleStore) -> Path:
    """A Hermes home whose store is the demo store, for reading."""
    return written_sample(Layout.VIEWS).parent


def pytest_collection_finish() -> None:
    """Garbage is looked for seldom, and not among what was imported: else that is a third of the time of a browser."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*PACE)
