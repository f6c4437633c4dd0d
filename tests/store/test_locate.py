"""Which file is meant when none is named: Hermes' own rules, on every platform, with nothing created."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes_tui.store.locate import (
    default_home,
    default_store,
    hermes_home,
    hermes_root,
    profile_of,
    profiles,
    sticky_profile,
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A person's home folder, without any Hermes in it."""
    folder = tmp_path / "person"
    folder.mkdir()
    return folder


def profile(root: Path, name: str) -> Path:
    """Make a profile with a store; its path."""
    store = root / "profiles" / name / "state.db"
    store.parent.mkdir(parents=True)
    store.touch()
    return store


def test_the_default_is_the_hidden_folder_of_the_home(home: Path) -> None:
    environ = {"HOME": str(home)}
    assert default_store(environ, platform="linux") == home / ".hermes" / "state.db"
    assert default_store(environ, platform="darwin") == home / ".hermes" / "state.db"
    assert hermes_root(environ, platform="linux") == home / ".hermes"
    assert list(home.iterdir()) == []


def test_windows_keeps_it_in_local_app_data(home: Path) -> None:
    local = {"LOCALAPPDATA": str(home / "Local"), "USERPROFILE": str(home)}
    assert default_home(local, platform="win32") == home / "Local" / "hermes"
    assert default_home({"USERPROFILE": str(home)}, platform="win32") == home / "AppData" / "Local" / "hermes"
    assert default_home({**local, "LOCALAPPDATA": "  "}, platform="win32") == home / "AppData" / "Local" / "hermes"


def test_a_suffix_makes_another_default(home: Path) -> None:
    environ = {"HOME": str(home), "HERMES_DATA_DIR_SUFFIX": "-work"}
    assert default_store(environ, platform="linux") == home / ".hermes-work" / "state.db"


def test_without_any_environment_the_system_knows_the_home() -> None:
    assert default_home({}, platform="linux") == Path.home() / ".hermes"


def test_the_environment_of_the_process_is_used_when_none_is_given(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", str(home / "elsewhere"))
    assert default_store() == home / "elsewhere" / "state.db"


@pytest.mark.parametrize("given", ["{home}/data", "  {home}/data\n", "~/data", "$HOME/data", "${HOME}/data"])
def test_hermes_home_names_the_folder(home: Path, given: str) -> None:
    environ = {"HOME": str(home), "HERMES_HOME": given.replace("{home}", str(home))}
    assert hermes_home(environ, platform="linux") == home / "data"
    assert hermes_root(environ, platform="linux") == home / "data"
    assert default_store(environ, platform="linux") == home / "data" / "state.db"


def test_only_windows_expands_percent_names(home: Path) -> None:
    environ = {"USERPROFILE": str(home), "HOME": str(home), "DATA": str(home / "d"), "HERMES_HOME": "%DATA%"}
    assert hermes_home(environ, platform="win32") == home / "d"
    assert hermes_home(environ, platform="linux") == Path("%DATA%")


def test_unknown_names_stay_as_they_are(home: Path) -> None:
    assert hermes_home({"HOME": str(home), "HERMES_HOME": "/a/$NOSUCH/~b"}, platform="linux") == Path("/a/$NOSUCH/~b")


@pytest.mark.parametrize("blank", ["", "   ", "\t\n"])
def test_a_blank_hermes_home_is_none(home: Path, blank: str) -> None:
    environ = {"HOME": str(home), "HERMES_HOME": blank}
    assert default_store(environ, platform="linux") == home / ".hermes" / "state.db"


# Profiles


def test_the_root_of_a_profile(home: Path) -> None:
    inside = {"HOME": str(home), "HERMES_HOME": str(home / ".hermes" / "profiles" / "work")}
    assert hermes_root(inside, platform="linux") == home / ".hermes"
    outside = {"HOME": str(home), "HERMES_HOME": "/opt/data/profiles/work"}
    assert hermes_root(outside, platform="linux") == Path("/opt/data")
    plain = {"HOME": str(home), "HERMES_HOME": "/opt/data"}
    assert hermes_root(plain, platform="linux") == Path("/opt/data")


def test_a_home_that_is_a_profile_is_taken_as_it_is(home: Path) -> None:
    root = home / ".hermes"
    work = profile(root, "work")
    profile(root, "play")
    (root / "active_profile").write_text("play")
    environ = {"HOME": str(home), "HERMES_HOME": str(work.parent)}
    assert default_store(environ, platform="linux") == work


@pytest.mark.parametrize("text", ["work", "work\n", "  work  ", "\ufeffwork"])
def test_the_sticky_profile_is_followed(home: Path, text: str) -> None:
    work = profile(home / ".hermes", "work")
    (home / ".hermes" / "active_profile").write_text(text, encoding="utf-8")
    assert default_store({"HOME": str(home)}, platform="linux") == work
    root_named = {"HOME": str(home), "HERMES_HOME": str(home / ".hermes")}
    assert default_store(root_named, platform="linux") == work


def test_a_sticky_profile_without_a_store_is_still_what_hermes_uses(home: Path) -> None:
    (home / ".hermes" / "profiles" / "new").mkdir(parents=True)
    (home / ".hermes" / "active_profile").write_text("new")
    expected = home / ".hermes" / "profiles" / "new" / "state.db"
    assert default_store({"HOME": str(home)}, platform="linux") == expected


@pytest.mark.parametrize(
    "content", [b"", b"default", b"gone", b"../../etc", b"Work", b"\xff\xfe\x00", b"a b", b"x" * 70]
)
def test_a_sticky_file_that_makes_no_sense_means_the_default(home: Path, content: bytes) -> None:
    profile(home / ".hermes", "work")
    (home / ".hermes" / "active_profile").write_bytes(content)
    assert default_store({"HOME": str(home)}, platform="linux") == home / ".hermes" / "state.db"


def test_the_sticky_profile_by_name(home: Path) -> None:
    assert sticky_profile(home) is None
    (home / "active_profile").write_text("work")
    assert sticky_profile(home) == "work"


def test_profiles_are_listed_with_the_default_first(home: Path) -> None:
    root = home / ".hermes"
    stores = {name: profile(root, name) for name in ("zebra", "alpha", "a-b_3")}
    assert list(profiles(root)) == ["a-b_3", "alpha", "zebra"]
    (root / "state.db").touch()
    found = profiles(root)
    assert list(found) == ["default", "a-b_3", "alpha", "zebra"]
    assert found == {"default": root / "state.db", **stores}


def test_what_is_no_profile_is_not_listed(home: Path) -> None:
    root = home / ".hermes"
    profile(root, "good")
    for name in ("Upper", ".hidden", "-dash", "with space", "x" * 65, "default"):
        profile(root, name)
    (root / "profiles" / "empty").mkdir()
    (root / "profiles" / "file").touch()
    profile(root, "buried")
    (root / "profiles" / ".deleted").mkdir(exist_ok=True)
    (root / "profiles" / ".deleted" / "buried").touch()
    assert list(profiles(root)) == ["good"]


def test_a_root_that_is_not_there_has_no_profiles(home: Path) -> None:
    assert profiles(home / "nowhere") == {}


def test_a_store_knows_its_profile(home: Path) -> None:
    root = home / ".hermes"
    work = profile(root, "work")
    assert profile_of(work, root) == "work"
    assert profile_of(root / "state.db", root) == "default"
    assert profile_of(home / "copy.db", root) is None
    assert profile_of(work.with_name("backup.db"), root) is None
    os.symlink(work, home / "link.db")
    assert profile_of(home / "link.db", root) == "work"
