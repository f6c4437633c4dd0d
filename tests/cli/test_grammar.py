"""What may be typed: the forms CLI.md gives, in any order of WHERE and verb, and a sentence for everything else."""

from __future__ import annotations

import pytest

from hermes_tui.cli.grammar import Options, UsageError, parse


def understood(*words: str) -> dict[str, object]:
    """The fields of what was typed that are not as they are when nothing is."""
    plain, options = vars(Options()), vars(parse(words))
    defaults = {"db": [], "profile": None, "color": True, "text": [], **plain}
    return {name: value for name, value in options.items() if value != defaults.get(name)}


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("", {}),
        ("s1#12", {"anchor": "s1#12"}),
        ("--db a.db", {"db": ["a.db"]}),
        ("--db=a.db s1", {"db": ["a.db"], "anchor": "s1"}),
        ("s1 --db a.db", {"db": ["a.db"], "anchor": "s1"}),
        ("--profile work", {"profile": "work"}),
        ("--db a.db --db b.db s1", {"db": ["a.db", "b.db"], "anchor": "s1"}),
        ("--all-profiles search a", {"verb": "search", "text": ["a"], "all_profiles": True}),
        ("sessions --db a.db --db b.db", {"verb": "sessions", "db": ["a.db", "b.db"]}),
        ("--all-profiles work/s1#2", {"all_profiles": True, "anchor": "work/s1#2"}),
        ("demo", {"verb": "demo"}),
        ("demo s1#2", {"verb": "demo", "anchor": "s1#2"}),
        ("demo --keep x.db", {"verb": "demo", "keep": "x.db"}),
        ("sessions", {"verb": "sessions"}),
        ("sessions --limit 5 --json", {"verb": "sessions", "limit": 5, "json": True}),
        ("sessions --all", {"verb": "sessions", "everything": True}),
        ("--db a.db sessions", {"verb": "sessions", "db": ["a.db"]}),
        ("sessions --db a.db", {"verb": "sessions", "db": ["a.db"]}),
        ("--profile work --no-color sessions", {"verb": "sessions", "profile": "work", "color": False}),
        ("search kettle", {"verb": "search", "text": ["kettle"]}),
        ("search a --limit 3 b --json c", {"verb": "search", "text": ["a", "b", "c"], "limit": 3, "json": True}),
        ("search --sort newest a", {"verb": "search", "text": ["a"], "sort": "newest"}),
        ("search --explain a", {"verb": "search", "text": ["a"], "explain": True}),
        ("search -source:cron a", {"verb": "search", "text": ["-source:cron", "a"]}),
        ("search a -b -", {"verb": "search", "text": ["a", "-b", "-"]}),
        ("search -1", {"verb": "search", "text": ["-1"]}),
        ("search -- --onefile --json", {"verb": "search", "text": ["--onefile", "--json"]}),
        ("search --json -- -h", {"verb": "search", "text": ["-h"], "json": True}),
        ("search search", {"verb": "search", "text": ["search"]}),
        ("search --db a.db demo", {"verb": "search", "text": ["demo"], "db": ["a.db"]}),
        ("show s1#2 --window 5", {"verb": "show", "anchor": "s1#2", "window": 5}),
        ("show --markdown s1", {"verb": "show", "anchor": "s1", "markdown": True}),
        ("show -- -odd", {"verb": "show", "anchor": "-odd"}),
        ("doctor --json", {"verb": "doctor", "json": True}),
        ("-- search", {"anchor": "search"}),
        ("--db a.db -- demo", {"anchor": "demo", "db": ["a.db"]}),
        ("--db sessions", {"db": ["sessions"]}),
        ("search a --profile -x", {"verb": "search", "text": ["a"], "profile": "-x"}),
        ("--db=-x", {"db": ["-x"]}),
    ],
)
def test_every_form_is_understood(words: str, meant: dict[str, object]) -> None:
    assert understood(*words.split()) == meant


def test_blanks_inside_an_argument_stay() -> None:
    assert understood("search", '"exact text"', "", "b c") == {"verb": "search", "text": ['"exact text"', "", "b c"]}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("search", "text to search for"),
        ("search --json", "text to search for"),
        ("show", "ANCHOR"),
        ("show a b", "“b” is not understood"),
        ("a b", "“b” is not understood"),
        ("search --onefile", "hermes-tui search -- --onefile"),
        ("search a --jsn", "--jsn"),
        ("sessions --jso", "--jso"),
        ("show a --json --markdown", "--markdown"),
        ("doctor --markdown", "--markdown"),
        ("demo --json", "--json"),
        ("demo --db a.db", "its own store"),
        ("--profile work demo", "its own store"),
        ("--db a --profile b", "not both"),
        ("--db", "--db"),
        ("--profile", "--profile"),
        ("--all-profiles --db a", "--db or --all-profiles"),
        ("--profile work --all-profiles sessions", "--profile or --all-profiles"),
        ("--all-profiles demo", "its own store"),
        ("search a --sort fastest", "fastest"),
        ("sessions --limit", "--limit"),
        ("sessions --limit 0", "above 0"),
        ("sessions --limit -3", "above 0"),
        ("sessions --limit=-3", "above 0"),
        ("search a --limit many", "above 0"),
        ("search a --limit 1.5", "above 0"),
        ("search a --limit 9999999999999999999999", "above 0"),
        ("search a --limit ٣", "above 0"),
        ("show a --window 0", "above 0"),
        ("show a --window wide", "above 0"),
        ("--json", "--json"),
        ("frobnicate s1", "“s1” is not understood"),
    ],
)
def test_what_is_not_understood_is_said_in_a_sentence(words: str, says: str) -> None:
    with pytest.raises(UsageError, match=r"^[A-Z“]") as refused:
        parse(words.split())
    sentence = str(refused.value)
    assert says in sentence
    assert "\0" not in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize("words", ["--help", "-h", "search --help", "sessions -h", "show -h", "doctor -h", "demo -h"])
def test_help_answers_and_ends(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(words.split())
    assert ended.value.code == 0
    printed = capsys.readouterr()
    assert "hermes-tui" in printed.out
    assert "--db PATH" in printed.out
    assert printed.err == ""


def test_help_names_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--help"])
    printed = capsys.readouterr().out
    for verb in ("demo", "sessions", "search", "show", "doctor"):
        assert f" {verb}" in printed
