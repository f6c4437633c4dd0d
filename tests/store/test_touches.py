"""What tool calls do to which paths: a table of calls as agents make them, and how paths are put together."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hermes_tui.model import Deed
from hermes_tui.store.decode import named_arguments, stored_calls
from hermes_tui.store.touches import Named, deed_of, resolved, steps, touches

READ, WROTE, RAN, SEARCHED, OTHER = Deed.READ, Deed.WROTE, Deed.RAN, Deed.SEARCHED, Deed.OTHER
PATCH = (
    "*** Begin Patch\n*** Update File: src/a b.py\n@@\n-x\n+y\n*** Add File: new.md\n+hi\n*** Delete File: old.txt\n"
)
MOVED = "*** Update File: one.py\n*** Move to: two.py\n*** Move File: a/x.py -> b/x.py\n"
GIT = (
    "diff --git a/src/x.c b/src/x.c\n--- a/src/x.c\t2026-01-01\n+++ b/src/x.c\n@@ -1 +1 @@\n-a/b.c\n+c\n--- /dev/null\n"
)

CASES: list[tuple[str, Any, list[tuple[str, Deed]]]] = [
    # The tools of Hermes
    ("read_file", {"path": "src/app.py", "offset": 3}, [("src/app.py", READ)]),
    ("write_file", {"path": "~/notes/a.md", "content": "see /etc/passwd\n--- a/x\n"}, [("~/notes/a.md", WROTE)]),
    ("patch", {"mode": "replace", "path": "x.py", "old_string": "a/b.py", "new_string": "c"}, [("x.py", WROTE)]),
    ("patch", {"mode": "patch", "patch": PATCH}, [("src/a b.py", WROTE), ("new.md", WROTE), ("old.txt", WROTE)]),
    ("patch", {"patch": MOVED}, [("one.py", WROTE), ("two.py", WROTE), ("a/x.py", WROTE), ("b/x.py", WROTE)]),
    ("search_files", {"pattern": "def /x", "path": "/srv/app"}, [("/srv/app", SEARCHED)]),
    ("search_files", {"pattern": "x", "path": "."}, []),
    ("terminal", {"command": "pytest -q tests/test_x.py"}, [("tests/test_x.py", RAN)]),
    ("execute_code", {"code": "text = open('/srv/app/x.csv').read()\nprint(os.path, 'a.b', \"text/html\")"},
     [("/srv/app/x.csv", RAN)]),
    ("execute_code", {"code": 'write_file("src/app.py", "https://x.org/a.py")'}, [("src/app.py", RAN)]),
    ("terminal", {"command": "python -m tides.predict -o x.csv"}, [("x.csv", RAN)]),
    ("terminal", {"command": "python -m pytest tests/test_x.py"}, [("tests/test_x.py", RAN)]),
    ("terminal", {"command": "ls", "workdir": "/srv/app"}, [("/srv/app", RAN)]),
    ("vision_analyze", {"image_url": "/tmp/shot.png", "question": "a/b?"}, [("/tmp/shot.png", READ)]),
    ("vision_analyze", {"image_url": "https://example.com/a.png"}, []),
    ("text_to_speech", {"text": "hello.", "output_path": "/tmp/o.mp3"}, [("/tmp/o.mp3", WROTE)]),
    ("skill_view", {"name": "work", "file_path": "references/a.md"}, [("references/a.md", READ)]),
    ("cronjob", {"action": "list", "script": "watch.py"}, [("watch.py", OTHER)]),
    ("send_message", {"target": "telegram", "source": "cli"}, []),
    # Those of others
    ("Edit", {"file_path": "C:\\Users\\Bob\\a.txt", "old_string": "x"}, [("C:\\Users\\Bob\\a.txt", WROTE)]),
    ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "x/y.py"}]}, [("a.py", WROTE)]),
    ("Bash", {"command": "make -C build", "description": "in src/x.c"}, []),
    ("Grep", {"pattern": "x", "path": "lib"}, [("lib", SEARCHED)]),
    ("mcp__filesystem__read_multiple_files", {"paths": ["a.py", "b/c.py"]}, [("a.py", READ), ("b/c.py", READ)]),
    ("mcp__fs__move_file", {"source": "a/x", "destination": "b/x"}, [("a/x", WROTE), ("b/x", WROTE)]),
    ("str_replace_based_edit_tool", {"command": "view", "path": "/r/a.py"}, [("/r/a.py", READ)]),
    ("str_replace_based_edit_tool", {"command": "create", "path": "/r/a.py"}, [("/r/a.py", WROTE)]),
    ("apply_patch", "*** Begin Patch\n*** Update File: lib/x.rb\n", [("lib/x.rb", WROTE)]),
    ("apply_patch", {"input": GIT}, [("src/x.c", WROTE)]),
    ("shell", {"command": ["bash", "-lc", "cat src/a.py"], "workdir": "/w"}, [("src/a.py", RAN), ("/w", RAN)]),
    ("read_files", {"files": [{"path": "a.py"}, {"path": "b.py", "lines": [1, 2]}]}, [("a.py", READ), ("b.py", READ)]),
    # Command lines
    ("bash", {"command": "cat 'my notes.txt' \"/a b/c.txt\" x\\ y.md"}, [("/a b/c.txt", RAN), ("x y.md", RAN)]),
    ("bash", {"command": "CONF=/etc/app.toml run --file=a/b.c -Iinc x=y"}, [("/etc/app.toml", RAN), ("a/b.c", RAN)]),
    ("bash", {"command": "./go.sh>out.log 2>/dev/null|tee ../t.txt;rm z.o"},
     [("./go.sh", RAN), ("out.log", RAN), ("../t.txt", RAN), ("z.o", RAN)]),
    ("bash", {"command": "sed -i 's/a/b/g' f.py && curl https://x.io/a.py -d @b.json"},
     [("f.py", RAN), ("b.json", RAN)]),
    ("bash", {"command": "type C:\\Users\\Bob\\x.txt"}, [("C:\\Users\\Bob\\x.txt", RAN)]),
    ("bash", {"command": "git commit -m 'fix a/b in c.py' && echo 1.5 e.g. 'x/y (z)'"}, []),
    ("bash", {"command": "cat <<'EOF' > conf/a.ini\npath = /not/this.txt\nEOF\ncat end.md"},
     [("conf/a.ini", RAN), ("end.md", RAN)]),
    ("bash", {"command": "apply_patch <<'EOF'\n*** Update File: src/q.go\n+ x/y.go\nEOF"}, [("src/q.go", WROTE)]),
    ("bash", {"command": "cat 文档/说明.md 说明.txt"}, [("文档/说明.md", RAN), ("说明.txt", RAN)]),
    ("bash", "ls /srv/app", [("/srv/app", RAN)]),
    # Nothing, and nonsense
    ("read_file", {"path": ""}, []),
    ("read_file", {"path": None}, []),
    ("read_file", {"path": "a\nb"}, []),
    ("read_file", {"path": "x" * 5000}, []),
    ("read_file", None, []),
    ("", "not json /a/b.py", []),
    ("clock", {}, []),
    ("todo", [1, 2], []),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "expected"), CASES, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("escaped", [True, False])
def test_what_a_call_touches(name: str, arguments: Any, expected: list[tuple[str, Deed]], escaped: bool) -> None:
    text = arguments if isinstance(arguments, str | None) else json.dumps(arguments, ensure_ascii=escaped)
    stored = json.dumps([{"id": "c", "function": {"name": name, "arguments": text}}], ensure_ascii=escaped)
    for cell in (stored, json.dumps(stored)):  # some releases encode it twice
        (item,) = stored_calls(cell)
        number, told, given = named_arguments(item)
        assert (number, told) == ("c", name)
        assert [(path, deed) for path, deed, _ in touches(told, given)] == expected


def test_a_call_says_where_it_works() -> None:
    call = {"command": "cat a.py", "workdir": "sub"}
    assert touches("terminal", json.dumps(call)) == (Named("a.py", RAN, "sub"), Named("sub", RAN))


def test_arguments_of_endless_depth_end() -> None:
    nested: Any = {"path": "deep.py"}
    for _ in range(50):
        nested = {"files": [nested]}
    assert touches("read", json.dumps(nested)) == ()


@pytest.mark.parametrize(
    ("name", "deed"),
    [
        ("read_file", READ),
        ("readFile", READ),
        ("NotebookEdit", WROTE),
        ("LS", SEARCHED),
        ("search_replace", WROTE),
        ("execute_code", RAN),
        ("browser_navigate", OTHER),
        ("", OTHER),
    ],
)
def test_deeds_are_told_from_the_words_of_a_name(name: str, deed: Deed) -> None:
    assert deed_of(name) is deed


@pytest.mark.parametrize(
    ("path", "folders", "whole"),
    [
        ("a.py", ["/srv/app"], "/srv/app/a.py"),
        ("./a.py", ["/srv/app/"], "/srv/app/a.py"),
        ("../a.py", ["/srv/app"], "/srv/a.py"),
        ("../../../a.py", ["/srv/app"], "/a.py"),
        ("/x/a.py", ["/srv/app"], "/x/a.py"),
        ("~/a.py", ["/srv/app"], "~/a.py"),
        ("a.py", ["sub", "/srv"], "/srv/sub/a.py"),
        ("a.py", ["/abs", "/srv"], "/abs/a.py"),
        ("a.py", [None, "~/p"], "~/p/a.py"),
        ("a.py", [None, None], "a.py"),
        ("b\\a.py", ["C:\\proj"], "C:\\proj\\b\\a.py"),
        ("..\\a.py", ["C:\\proj\\x"], "C:\\proj\\a.py"),
        ("D:/x.py", ["C:\\proj"], "D:/x.py"),
        ("\\\\host\\share\\x", ["C:\\proj"], "\\\\host\\share\\x"),
        ("a/../b", [None], "b"),
        ("..", ["a"], "."),
    ],
)
def test_a_path_is_completed_by_where_it_was_used(path: str, folders: list[str | None], whole: str) -> None:
    assert resolved(path, *folders) == whole


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/a/b", ("", "a", "b")),
        ("a//b/./c/", ("a", "b", "c")),
        ("C:\\a\\b", ("C:", "a", "b")),
        ("~/a", ("~", "a")),
        ("../a", ("..", "a")),
        ("/../a", ("", "a")),
        ("a/..", ()),
        ("file:///a/b", ("", "a", "b")),
        ("/", ("",)),
        ("", ()),
    ],
)
def test_a_path_leads_through_names(path: str, names: tuple[str, ...]) -> None:
    assert steps(path) == names
