"""Past and saved searches come back, from any text and beside any other browser; what a disk does is a sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import platformdirs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.history import KEPT, LONGEST, LONGEST_NAME, History, Past, Saved, files
from hermes_tui.history.journal import SLACK
from hermes_tui.history.searches import from_line
from hermes_tui.model import Case, Mode

ROOT = Path(__file__).parents[1]
posix = pytest.mark.skipif(os.name != "posix", reason="links, pipes and permissions of POSIX")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "hermes-tui"


def opened(folder: Path) -> History:
    return History.open(folder, environ={"HOME": str(folder.parent / "nobody")})


def texts(history: History) -> list[str]:
    return [past.text for past in history.past]


def named(history: History) -> dict[str, str]:
    return {saved.name: saved.text for saved in history.saved}


def entries(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


# -- what people are promised -----------------------------------------------------------------------------------------


def test_searches_come_back_in_the_next_run_newest_first(folder: Path) -> None:
    first = opened(folder)
    assert (first.past, first.saved, first.trouble) == ((), (), None)
    first.remember("stale socket")
    first.remember(r"error \d+", case=Case.EXACT, regex=True, reasoning=True)
    for history in (first, opened(folder)):
        assert history.trouble is None
        newest, oldest = history.past
        assert (newest.text, newest.mode) == (r"error \d+", Mode(case=Case.EXACT, regex=True, reasoning=True))
        assert (oldest.text, oldest.mode) == ("stale socket", Mode())
        assert newest.when is not None
        assert oldest.when is not None
        assert newest.when >= oldest.when


def test_a_search_made_again_moves_to_the_front(folder: Path) -> None:
    history = opened(folder)
    for text in ("a", "b", "a", "c", "b"):
        history.remember(text)
    assert texts(history) == texts(opened(folder)) == ["b", "c", "a"]


def test_the_same_text_with_other_switches_is_another_search(folder: Path) -> None:
    history = opened(folder)
    history.remember("a")
    history.remember("a", regex=True)
    history.remember("a", case=Case.EXACT)
    history.remember("a", reasoning=True)
    history.remember("a")
    assert len(history.past) == len(opened(folder).past) == 4


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u3000"])
def test_nothing_is_not_remembered(folder: Path, blank: str) -> None:
    history = opened(folder)
    history.remember(blank)
    assert history.past == ()
    assert not folder.exists()


def test_searches_are_saved_replaced_and_forgotten_by_name(folder: Path) -> None:
    history = opened(folder)
    history.save("standup", "source:cli after:yesterday")
    history.save(" Errors ", r"error \d+", regex=True, case=Case.EXACT)
    history.save("standup", "after:monday", reasoning=True)
    history.save("gone", "x")
    history.forget("gone")
    history.forget("never was")
    for again in (history, opened(folder)):
        assert again.trouble is None
        errors, standup = again.saved
        assert (errors.name, errors.text, errors.mode) == ("Errors", r"error \d+", Mode(case=Case.EXACT, regex=True))
        assert (standup.name, standup.text, standup.mode) == ("standup", "after:monday", Mode(reasoning=True))


@pytest.mark.parametrize(
    ("name", "text"),
    [("", "x"), (" ", "x"), ("x", ""), ("x", " \n"), ("n" * (LONGEST_NAME + 1), "x"), ("x", "t" * (LONGEST + 1))],
)
def test_a_saved_search_needs_a_name_and_a_text_of_some_length(folder: Path, name: str, text: str) -> None:
    history = opened(folder)
    with pytest.raises(ValueError, match=r"^A saved search .*\.$"):
        history.save(name, text)
    assert history.saved == ()
    assert not folder.exists()


def test_chosen_columns_come_back_until_the_usual_ones_are_chosen(folder: Path) -> None:
    assert opened(folder).columns is None
    opened(folder).choose_columns(("title", "cost"))
    again = opened(folder)
    assert (again.columns, again.trouble) == (("title", "cost"), None)
    again.choose_columns(())
    assert opened(folder).columns == ()
    again.choose_columns(None)
    assert opened(folder).columns is None
    assert not (folder / "columns.json").exists()


@pytest.mark.parametrize("written", [b"{", b"[1]", b"\xff\xfe", b'{"format": 1, "columns": 3}', b'{"format": 9}'])
def test_a_choice_that_cannot_be_read_is_none(folder: Path, written: bytes) -> None:
    folder.mkdir(parents=True)
    (folder / "columns.json").write_bytes(written + b"\n")
    history = opened(folder)
    assert history.columns is None
    damaged = from_line(written) is None
    assert ("The choice of columns cannot be read" in (history.trouble or "")) is damaged
    history.choose_columns(["cost"])
    assert opened(folder).columns == ("cost",)


def test_nothing_is_created_before_there_is_something_to_keep(folder: Path) -> None:
    opened(folder)
    assert not folder.parent.exists()


@posix
def test_nobody_else_may_read_it(folder: Path) -> None:
    history = opened(folder)
    history.remember("secret")
    history.save("secret", "secret")
    history.choose_columns(["title"])
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    for count in range(KEPT + SLACK + 1):
        history.remember(f"secret {count}")
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_off_remembers_nothing_and_touches_no_file(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HOME", "XDG_STATE_HOME", "LOCALAPPDATA", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    opened(folder).remember("before")
    before = sorted(tmp_path.rglob("*"))
    history = History.off()
    history.remember("a")
    history.choose_columns(["title"])
    assert history.columns is None
    assert history.trouble is None
    history.save("a", "a")
    assert history.trouble == "History is off: no search is saved or forgotten."
    assert (history.past, history.saved) == ((), ())
    assert sorted(tmp_path.rglob("*")) == before
    assert texts(opened(folder)) == ["before"]


def test_it_lies_in_the_platforms_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HERMES_HOME", raising=False)
    for variable in ("HOME", "XDG_STATE_HOME", "LOCALAPPDATA", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    place = platformdirs.user_state_path("hermes-tui", appauthor=False)
    assert place.is_relative_to(tmp_path)
    history = History.open()
    history.remember("a")
    assert history.trouble is None
    assert texts(opened(place)) == ["a"]
    assert [path for path in tmp_path.rglob("*") if not path.is_dir() and path.parent != place] == []


@posix
def test_without_a_home_folder_it_keeps_to_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setattr(platformdirs, "user_state_path", lambda *_, **__: Path("~/.local/state/hermes-tui"))
    history = History.open()
    history.remember("a")
    assert "the system names no home folder" in (history.trouble or "")
    assert texts(history) == ["a"]
    assert list(tmp_path.iterdir()) == []


# -- never in a home of Hermes ----------------------------------------------------------------------------------------


def test_it_never_lies_in_a_home_of_hermes(tmp_path: Path) -> None:
    home = tmp_path / "somebody"
    default, other, root = home / ".hermes", tmp_path / "elsewhere", tmp_path / "root"
    profile = root / "profiles" / "work"
    for made in (default, other, profile):
        made.mkdir(parents=True)
    (root / "state.db").touch()
    inside = [
        (default, {}),
        (default / "state" / "hermes-tui", {}),
        (default / "a" / ".." / "b", {"HERMES_HOME": str(other)}),
        (other / "hermes-tui", {"HERMES_HOME": str(other)}),
        (other / "hermes-tui", {"HERMES_HOME": "$PLACE/elsewhere", "PLACE": str(tmp_path)}),
        (other / "hermes-tui", {"HERMES_HOME": "${PLACE}/elsewhere", "PLACE": str(tmp_path)}),
        (home / "x" / "hermes-tui", {"HERMES_HOME": "~/x"}),
        (profile / "hermes-tui", {"HERMES_HOME": str(profile)}),
        (root / "hermes-tui", {"HERMES_HOME": str(profile)}),
        (home / ".hermes-test" / "hermes-tui", {"HERMES_DATA_DIR_SUFFIX": "-test"}),
    ]
    before = sorted(tmp_path.rglob("*"))
    for folder, environ in inside:
        history = History.open(folder, environ={"HOME": str(home), "USERPROFILE": str(home), **environ})
        history.remember("a")
        history.save("b", "b")
        assert "Hermes' own folder" in (history.trouble or ""), folder
        assert (texts(history), named(history)) == (["a"], {"b": "b"})
    assert sorted(tmp_path.rglob("*")) == before


@posix
def test_links_do_not_lead_it_into_a_home_of_hermes(tmp_path: Path) -> None:
    home = tmp_path / "somebody" / ".hermes"
    home.mkdir(parents=True)
    (home / "notes").write_bytes(b"x")
    by_folder = tmp_path / "by-folder"
    by_folder.symlink_to(home)
    by_file = tmp_path / "by-file"
    by_file.mkdir()
    (by_file / "history.jsonl").symlink_to(home / "notes")
    home_is_a_link = tmp_path / "link-to-home"
    home_is_a_link.symlink_to(home)
    somebody = {"HOME": str(home.parent)}
    for folder, environ in (
        (by_folder, somebody),
        (by_folder / "deeper", somebody),
        (by_file, somebody),
        (home / "x", {"HOME": "/nonexistent", "HERMES_HOME": str(home_is_a_link)}),
    ):
        history = History.open(folder, environ=environ)
        history.remember("a")
        assert "Hermes' own folder" in (history.trouble or ""), folder
    assert [path.name for path in home.iterdir()] == ["notes"]
    assert (home / "notes").read_bytes() == b"x"


def test_a_folder_that_only_sounds_like_hermes_is_fine(tmp_path: Path) -> None:
    history = History.open(tmp_path / ".hermes-tui", environ={"HOME": str(tmp_path)})
    history.remember("a")
    assert history.trouble is None


# -- any text ---------------------------------------------------------------------------------------------------------

ANY = st.text(st.characters(exclude_categories=()), min_size=1, max_size=40).filter(str.strip)


@given(text=ANY, name=ANY, regex=st.booleans(), case=st.sampled_from(Case))
def test_any_text_comes_back_as_it_was(text: str, name: str, regex: bool, case: Case) -> None:
    with tempfile.TemporaryDirectory() as place:
        history = opened(Path(place))
        history.remember(text, regex=regex, case=case)
        history.save(name, text, regex=regex, case=case)
        again = opened(Path(place))
        assert history.trouble is again.trouble is None
        assert again.past == history.past == (Past(text, case, regex, when=history.past[0].when),)
        assert again.saved == history.saved == (Saved(name.strip(), text, case, regex, when=history.saved[0].when),)


@pytest.mark.parametrize("text", ["\udc80\ud800", "a\0b", "a\nb\r\n", "a\u2028\x85b", "\x1b[31m", '"\\', "🎉" * 5_000])
def test_awkward_texts_come_back_as_they_were(folder: Path, text: str) -> None:
    history = opened(folder)
    history.remember(text)
    history.save(text[:100], text)
    history.remember("after")
    again = opened(folder)
    assert again.trouble is None
    assert texts(again) == ["after", text]
    assert named(again) == {text[:100].strip(): text}


def test_a_pasted_file_is_remembered_for_the_session_only_and_says_so(folder: Path) -> None:
    history = opened(folder)
    history.remember("x" * 100_000)
    history.remember("short")
    assert texts(history) == ["short", "x" * 100_000]
    assert history.trouble == "A search of more than 10,000 characters is remembered for this session only."
    assert texts(opened(folder)) == ["short"]


# -- files that are not as they should be -----------------------------------------------------------------------------

GOOD = b'{"format":1,"text":"good"}'
DAMAGED = [
    b"\xff\xfe\x00",
    b"{",
    b"[]",
    b'"text"',
    b"null",
    b"{}",
    b'{"text":"no format"}',
    b'{"format":"1","text":"a"}',
    b'{"format":true,"text":"a"}',
    b'{"format":1}',
    b'{"format":1,"text":7}',
    b'{"format":1,"text":"  "}',
    b'{"format":1,"text":"a","regex":1}',
    b'{"format":1,"text":"a","case":"loud"}',
    b'{"format":1,"text":"a","case":[]}',
    b'{"format":1,"text":"' + b"x" * 100,
    b"[" * 100_000,
    b"9" * 10_000,
    b"\0" * 512,
]


@pytest.mark.parametrize("name", ["history.jsonl", "searches.jsonl"])
def test_damaged_lines_are_skipped_counted_and_left_alone(folder: Path, name: str) -> None:
    folder.mkdir(parents=True)
    good = [b'{"format":1,"text":"good","name":"good"}', b'{"format":1,"text":"fine","name":"fine"}']
    (folder / name).write_bytes(b"\n".join([good[0], *DAMAGED, b"", b"  ", good[1]]) + b"\n")
    history = opened(folder)
    assert history.trouble == f"{len(DAMAGED)} lines were skipped as damaged: {folder / name}."
    found = texts(history) if name == "history.jsonl" else [saved.text for saved in history.saved]
    assert found == ["fine", "good"]
    history.remember("new")
    history.save("new", "new")
    lines = (folder / name).read_bytes().split(b"\n")
    assert [line for line in DAMAGED if line not in lines] == []
    assert opened(folder).trouble == history.trouble


def test_one_damaged_line_is_one(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "history.jsonl").write_bytes(GOOD + b"\n{")
    assert opened(folder).trouble == f"1 line was skipped as damaged: {folder / 'history.jsonl'}."


def test_a_line_cut_short_does_not_take_the_next_one_with_it(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "history.jsonl").write_bytes(GOOD + b'\n{"format":1,"te')
    opened(folder).remember("next")
    assert texts(opened(folder)) == ["next", "good"]


def test_what_a_later_version_writes_is_kept(folder: Path) -> None:
    folder.mkdir(parents=True)
    later = {"format": 2, "name": "later", "words": ["a"]}
    known = {"format": 1, "name": "known", "text": "a", "colour": "red"}
    other = {"format": 1, "name": "other", "text": "a", "colour": {"deep": [1]}}
    (folder / "searches.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in (later, known, other)))
    (folder / "history.jsonl").write_text(json.dumps(later) + "\n" + json.dumps(known) + "\n")
    history = opened(folder)
    assert history.trouble is None
    assert named(history) == {"known": "a", "other": "a"}
    history.save("known", "b")
    for count in range(KEPT - 10):
        history.remember(str(count))
    kept = {entry["name"]: entry for entry in entries(folder / "searches.jsonl")}
    assert kept["later"] == later
    assert kept["other"] == other
    assert (kept["known"]["text"], kept["known"]["colour"]) == ("b", "red")
    assert entries(folder / "history.jsonl")[:2] == [later, known]


@pytest.mark.parametrize("when", ["NaN", "Infinity", "-1", '"now"', "true", "1" + "0" * 400, "null", "[]"])
def test_a_time_that_is_none_is_unknown(folder: Path, when: str) -> None:
    folder.mkdir(parents=True)
    (folder / "history.jsonl").write_text(f'{{"format":1,"text":"a","when":{when}}}\n')
    assert [past.when for past in opened(folder).past] == [-1.0 if when == "-1" else None]


def test_the_past_is_trimmed_to_the_newest(folder: Path) -> None:
    history = opened(folder)
    for count in range(KEPT + 3 * SLACK):
        history.remember(str(count))
        history.remember("again and again")
    lines = (folder / "history.jsonl").read_bytes().splitlines()
    assert KEPT <= len(lines) <= KEPT + SLACK
    newest = ["again and again", *(str(count) for count in reversed(range(3 * SLACK + 1, KEPT + 3 * SLACK)))]
    assert texts(history) == texts(opened(folder)) == newest


def test_of_a_huge_past_the_end_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "TAIL", 100)
    folder.mkdir(parents=True)
    (folder / "history.jsonl").write_bytes(b"".join(b'{"format":1,"text":"%d"}\n' % n for n in range(50)))
    history = opened(folder)
    assert history.trouble is None
    assert texts(history) == ["49", "48", "47"]


def test_saved_searches_too_large_to_be_read_are_not_replaced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "TAIL", 100)
    folder.mkdir(parents=True)
    before = b'{"format":1,"name":"a","text":"a"}\n' * 10
    (folder / "searches.jsonl").write_bytes(before)
    history = opened(folder)
    history.save("b", "b")
    assert "too large" in (history.trouble or "")
    assert named(history) == {"b": "b"}
    assert (folder / "searches.jsonl").read_bytes() == before


# -- disks that do not do as they are told ----------------------------------------------------------------------------


def assert_in_memory_only(history: History) -> None:
    """Both kinds of search are remembered, and each has a sentence that says for how long."""
    history.remember("a")
    history.save("b", "b")
    assert texts(history) == ["a"]
    assert named(history) == {"b": "b"}
    trouble = history.trouble or ""
    assert trouble.count("remembered for this session only.") == 2
    assert trouble.isprintable()


def test_a_folder_that_is_a_file(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_bytes(b"x")
    assert_in_memory_only(opened(folder))
    assert folder.read_bytes() == b"x"


def test_a_folder_in_a_file(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_bytes(b"x")
    assert_in_memory_only(opened(folder / "deeper" / "still"))


def test_files_that_are_folders(folder: Path) -> None:
    (folder / "history.jsonl").mkdir(parents=True)
    (folder / "searches.jsonl").mkdir()
    assert_in_memory_only(opened(folder))
    assert list((folder / "searches.jsonl").iterdir()) == []


def test_a_lock_that_is_a_folder(folder: Path) -> None:
    (folder / "lock").mkdir(parents=True)
    assert_in_memory_only(opened(folder))


@posix
def test_files_that_are_pipes_do_not_block(folder: Path) -> None:
    folder.mkdir(parents=True)
    os.mkfifo(folder / "history.jsonl")
    os.mkfifo(folder / "searches.jsonl")
    assert_in_memory_only(opened(folder))


@posix
def test_links_that_go_round(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in ("history.jsonl", "searches.jsonl"):
        (folder / name).symlink_to(name)
    assert_in_memory_only(opened(folder))


@posix
def test_a_folder_that_may_not_be_written(folder: Path) -> None:
    opened(folder).remember("before")
    os.chmod(folder, 0o500)
    try:
        if os.access(folder, os.W_OK):
            pytest.skip("root may write everywhere")
        history = opened(folder)
        history.save("b", "b")
        assert "Permission denied" in (history.trouble or "")
        assert texts(history) == ["before"]
        assert named(history) == {"b": "b"}
    finally:
        os.chmod(folder, 0o700)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="a folder in which nobody may make one")
def test_a_folder_that_cannot_be_made() -> None:
    assert_in_memory_only(opened(Path("/proc/self/hermes-tui/state")))


def test_a_folder_with_a_name_that_cannot_be() -> None:
    history = opened(Path("a\0b"))
    assert (history.trouble or "").endswith("Searches are remembered for this session only.")
    history.remember("a")
    assert texts(history) == ["a"]


FULL_DISK = """
import resource, sys
from pathlib import Path
from hermes_tui.history import History

folder = Path(sys.argv[1])
history = History.open(folder, environ={"HOME": "/nonexistent"})
history.remember("first")
history.save("first", "first")
size = (folder / "history.jsonl").stat().st_size
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
for room in (size + 10, size, 1):  # for a piece of a line, for none
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, most))
    history.remember(f"with room for {room - size}")
    history.save("second", "second")
    assert history.trouble.count("remembered for this session only.") == 2, history.trouble
    assert (folder / "history.jsonl").stat().st_size == size
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
assert len(history.past) == 4 and len(history.saved) == 2
history.remember("last")
history.save("third", "third")
assert history.trouble is None, history.trouble
again = History.open(folder, environ={"HOME": "/nonexistent"})
assert again.past == history.past and len(again.past) == 5, again.past
assert again.saved == history.saved and len(again.saved) == 3, again.saved
assert again.trouble is None, again.trouble
assert sorted(path.name for path in folder.iterdir()) == ["history.jsonl", "lock", "searches.jsonl"]
"""


@posix
def test_a_full_disk_costs_nothing_once_there_is_room_again(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


# -- several at once --------------------------------------------------------------------------------------------------

BROWSER = """
import sys
from pathlib import Path
from hermes_tui.history import History

me, count = sys.argv[2], int(sys.argv[3])
history = History.open(Path(sys.argv[1]), environ={"HOME": "/nonexistent"})
sys.stdin.readline()
for number in range(count):
    history.remember(f"{me} {number} " + "x" * (number % 500))
    if number % 20 == 0:
        history.save(f"{me} {number}", "text")
        history.save("shared", me)
assert history.trouble is None, history.trouble
"""


def browsers(folder: Path, count: int) -> None:
    """Four browsers that start at once and each make `count` searches."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", BROWSER, str(folder), f"browser{number}", str(count)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
        )
        for number in range(4)
    ]
    for browser in running:
        assert browser.stdin is not None
        browser.stdin.write(b"\n")
        browser.stdin.flush()
    for browser in running:
        browser.communicate(timeout=120)
        assert browser.returncode == 0


def test_browsers_side_by_side_lose_nothing_of_each_others(folder: Path) -> None:
    browsers(folder, 200)
    history = opened(folder)
    assert history.trouble is None
    assert {text.rstrip("x").strip() for text in texts(history)} == {
        f"browser{browser} {number}" for browser in range(4) for number in range(200)
    }
    assert set(named(history)) == {
        "shared",
        *(f"browser{browser} {number}" for browser in range(4) for number in range(0, 200, 20)),
    }


def test_browsers_side_by_side_trim_without_losing_the_newest(folder: Path) -> None:
    seeded = opened(folder)
    for number in range(KEPT):
        seeded.remember(f"old {number}")
    browsers(folder, 150)
    history = opened(folder)
    assert history.trouble is None
    new = {text.rstrip("x").strip() for text in texts(history) if not text.startswith("old")}
    assert new == {f"browser{browser} {number}" for browser in range(4) for number in range(150)}


def test_threads_side_by_side(folder: Path) -> None:
    history = opened(folder)

    def work(me: int) -> None:
        for number in range(40):
            history.remember(f"{me} {number}")
            history.save(f"{me}", f"{number}")
            assert history.trouble is None
            assert len(history.past) >= number

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    again = opened(folder)
    assert len(again.past) == 240
    assert sorted(texts(again)) == sorted(texts(history))
    assert named(again) == named(history) == {str(me): "39" for me in range(6)}


def test_a_search_saved_elsewhere_meanwhile_shows_up(folder: Path) -> None:
    one, other = opened(folder), opened(folder)
    one.save("one", "1")
    other.save("other", "2")
    assert named(other) == {"one": "1", "other": "2"}
    other.forget("one")
    one.save("third", "3")
    assert named(one) == named(opened(folder)) == {"other": "2", "third": "3"}


@posix
def test_a_lock_nobody_gives_back_costs_no_search(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PATIENCE", 1)
    history = opened(folder)
    history.remember("first")
    with files.locked(folder) as alone:
        assert alone
        with files.locked(folder) as second:
            assert not second
        history.remember("second")
        history.save("a", "a")
    assert history.trouble is None
    again = opened(folder)
    assert texts(again) == ["second", "first"]
    assert named(again) == {"a": "a"}


def test_reading_does_not_wait_for_a_disk(folder: Path) -> None:
    """What the screen asks for comes from memory, also while a worker writes."""
    history = opened(folder)
    history.remember("a")
    asked = threading.Thread(target=lambda: (history.past, history.saved, history.trouble), daemon=True)
    with history._files:
        asked.start()
        asked.join(30)
        assert not asked.is_alive()
