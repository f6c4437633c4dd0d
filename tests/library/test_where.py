"""Which store is meant, and which profile it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.library import StoreMissing, profile_at, store_of


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A Hermes home with the default profile and two others, of which one has a store."""
    for folder in ("", "profiles/office", "profiles/empty"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    for store in ("state.db", "profiles/office/state.db"):
        (tmp_path / store).touch()
    return tmp_path


def test_a_path_is_taken_as_it_is(home: Path) -> None:
    environ = {"HERMES_HOME": str(home)}
    assert store_of(path="some/where.db", environ=environ) == (Path("some/where.db"), None)


def test_without_a_word_the_home_is_read(home: Path) -> None:
    assert store_of(environ={"HERMES_HOME": str(home)}) == (home / "state.db", "default")


def test_the_sticky_profile_is_followed(home: Path) -> None:
    (home / "active_profile").write_text("office\n")
    assert store_of(environ={"HERMES_HOME": str(home)}) == (home / "profiles/office/state.db", "office")


def test_a_profile_by_its_name(home: Path) -> None:
    environ = {"HERMES_HOME": str(home)}
    assert store_of(profile="office", environ=environ) == (home / "profiles/office/state.db", "office")
    assert store_of(profile="default", environ=environ) == (home / "state.db", "default")


@pytest.mark.parametrize("name", ["empty", "nobody", "../office", ""])
def test_a_profile_without_a_store_names_those_that_have_one(name: str, home: Path) -> None:
    with pytest.raises(StoreMissing) as refused:
        store_of(profile=name, environ={"HERMES_HOME": str(home)})
    assert "default, office" in str(refused.value)


def test_a_home_without_any_store(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing, match="none"):
        store_of(profile="office", environ={"HERMES_HOME": str(tmp_path)})
    assert store_of(environ={"HERMES_HOME": str(tmp_path)}) == (tmp_path / "state.db", "default")


def test_a_file_that_is_no_profile_s_store_belongs_to_none(home: Path) -> None:
    environ = {"HERMES_HOME": str(home)}
    assert profile_at(home / "state.db", environ=environ) == "default"
    assert profile_at(home / "profiles" / "office" / "state.db", environ=environ) == "office"
    assert profile_at(home / "office" / "state.db", environ=environ) is None
    assert profile_at(home / "office.db", environ=environ) is None
