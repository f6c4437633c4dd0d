"""The TOML table `[hermes.storage]`: read as written, refused in words that name the mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.recorder import Recorder, RecorderError, StorageSettings


def written(folder: Path, text: str) -> Path:
    file = folder / "settings.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_every_name_is_read(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """
        [hermes.storage]
        db_path = "/var/lib/agent/state.db"
        journal_mode = "DELETE"
        synchronous = "full"
        busy_timeout = 250
        fts_enabled = false
        """,
    )
    assert StorageSettings.load(file) == StorageSettings(
        db_path=Path("/var/lib/agent/state.db"),
        journal_mode="delete",
        synchronous="full",
        busy_timeout=250,
        fts_enabled=False,
    )


@pytest.mark.parametrize("text", ["", "[hermes]\nname = 'x'\n", "[hermes.storage]\n", "[other]\nstorage = 1\n"])
def test_names_left_out_keep_their_defaults(tmp_path: Path, text: str) -> None:
    settings = StorageSettings.load(written(tmp_path, text))
    assert settings == StorageSettings()
    assert (settings.journal_mode, settings.synchronous, settings.fts_enabled) == ("wal", "normal", True)


def test_a_home_folder_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    file = written(tmp_path, "[hermes.storage]\ndb_path = '~/agent/state.db'\n")
    assert StorageSettings.load(file).db_path == tmp_path / "home" / "agent" / "state.db"


def test_a_relative_path_starts_at_the_folder_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    file = written(tmp_path, "[hermes.storage]\ndb_path = 'data/state.db'\n")
    assert StorageSettings.load(file).db_path == tmp_path / "data" / "state.db"


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("db_path = 7", "db_path must be a string"),
        ("db_path = ' '", "db_path must not be empty"),
        ("journal_mode = true", "journal_mode must be a string"),
        ("journal_mode = 'off'", "journal_mode must be one of wal, delete"),
        ("synchronous = 'sometimes'", "synchronous must be one of off, normal"),
        ("busy_timeout = '5 s'", "busy_timeout must be a whole number of milliseconds"),
        ("busy_timeout = 2.5", "busy_timeout must be a whole number"),
        ("busy_timeout = true", "busy_timeout must be a whole number"),
        ("busy_timeout = -1", "busy_timeout is in milliseconds"),
        ("busy_timeout = 99000000", "busy_timeout is in milliseconds"),
        ("fts_enabled = 'yes'", "fts_enabled must be true or false"),
        ("fts_enabled = 1", "fts_enabled must be true or false"),
        ("db_pth = 'x'", "unknown name 'db_pth'; known are db_path, journal_mode"),
    ],
)
def test_a_mistake_is_named_with_the_file_and_table(tmp_path: Path, line: str, named: str) -> None:
    file = written(tmp_path, f"[hermes.storage]\n{line}\n")
    with pytest.raises(RecorderError) as caught:
        StorageSettings.load(file)
    assert named in str(caught.value)
    assert str(file) in str(caught.value)
    assert "[hermes.storage]" in str(caught.value)


@pytest.mark.parametrize("text", ["hermes = 1\n", "[hermes]\nstorage = 'x'\n"])
def test_what_is_not_a_table_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(RecorderError, match="must be a table"):
        StorageSettings.load(written(tmp_path, text))


def test_a_file_that_is_not_toml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecorderError, match="not valid TOML"):
        StorageSettings.load(written(tmp_path, "[hermes.storage\n"))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecorderError, match=r"missing\.toml"):
        StorageSettings.load(tmp_path / "missing.toml")


def test_a_recorder_opens_what_the_file_describes(tmp_path: Path) -> None:
    file = written(
        tmp_path, "[hermes.storage]\ndb_path = 'made/state.db'\njournal_mode = 'delete'\nfts_enabled = false\n"
    )
    with Recorder.configured(file) as recorder:
        assert recorder.path == tmp_path / "made" / "state.db"
        assert recorder.path.is_file()
        assert (recorder.journal_mode, recorder.journal_note) == ("delete", None)
        assert not recorder.indexed


def test_a_store_needs_a_path() -> None:
    with pytest.raises(RecorderError, match="db_path"):
        Recorder()
