r"""What people and tools write, and what can be copied out of it: read this as the documentation of `hints.find`.

A case is a text and everything that is to be found in it, in the order of the text; nothing else may be found.
"""

from __future__ import annotations

from dataclasses import dataclass

from hermes_tui.hints import HintKind


@dataclass(frozen=True)
class Found:
    """One thing to be found: what is copied; of a path also the file alone and the place in it."""

    kind: HintKind
    text: str
    of: str = ""
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True)
class Case:
    text: str
    found: tuple[Found, ...]
    call: bool = False


def path(text: str, *, of: str | None = None, line: int | None = None, column: int | None = None) -> Found:
    return Found(HintKind.PATH, text, text if of is None else of, line, column)


def url(text: str, *, of: str = "", line: int | None = None, column: int | None = None) -> Found:
    return Found(HintKind.URL, text, of, line, column)


def command(text: str) -> Found:
    return Found(HintKind.COMMAND, text)


def code(text: str) -> Found:
    return Found(HintKind.CODE, text)


def inline(text: str) -> Found:
    return Found(HintKind.INLINE, text)


def an_id(text: str) -> Found:
    return Found(HintKind.ID, text)


def a_hash(text: str) -> Found:
    return Found(HintKind.HASH, text)


def email(text: str) -> Found:
    return Found(HintKind.EMAIL, text)


def case(text: str, *found: Found, call: bool = False) -> Case:
    return Case(text, found, call)


SHA1 = "356a192b7913b04c54574d18c28d46e6395428ab"
SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
UUID = "12345678-1234-4234-9234-123456789abc"
SESSION = "20261021_090000_a1b2c3"
LOOP = "for i in a; do\n  b $i\ndone"
HERE = "cat <<EOF\n\tx\nEOF"

PATHS = [
    # From the root, from home, from here.
    case("the file /home/bob/project/app.py is there", path("/home/bob/project/app.py")),
    case("look in /etc and in /var/log/syslog", path("/etc"), path("/var/log/syslog")),
    case("/swapfile.img takes 4 GB", path("/swapfile.img")),
    case("~/notes/today.md", path("~/notes/today.md")),
    case("~bob/.ssh/id_ed25519 is private", path("~bob/.ssh/id_ed25519")),
    case("$HOME/.config/app/settings.toml", path("$HOME/.config/app/settings.toml")),
    case("${XDG_DATA_HOME}/app/a.db", path("${XDG_DATA_HOME}/app/a.db")),
    case("./run.sh and ../other/run.sh", path("./run.sh"), path("../other/run.sh")),
    case("src/app.py and tests/unit", path("src/app.py"), path("tests/unit")),
    case(".github/workflows/ci.yml", path(".github/workflows/ci.yml")),
    case("the hermes_tui/ and widgets/ folders", path("hermes_tui/"), path("widgets/")),
    case("hermes_tui/render/page.py", path("hermes_tui/render/page.py")),
    case("docs/LICENSE, sub/Makefile", path("docs/LICENSE"), path("sub/Makefile")),
    case("edit package.json, then the Makefile", path("package.json"), path("Makefile")),
    case("put it into .gitignore and .env.local", path(".gitignore"), path(".env.local")),
    case("archive.tar.gz and types.d.ts", path("archive.tar.gz"), path("types.d.ts")),
    case("site/résumé.pdf and naïve.txt", path("site/résumé.pdf"), path("naïve.txt")),
    case("cafe\u0301/menu.md", path("cafe\u0301/menu.md")),
    case("pages/[slug].tsx and app/(group)/page.tsx", path("pages/[slug].tsx"), path("app/(group)/page.tsx")),
    case("Downloads/report(1).pdf", path("Downloads/report(1).pdf")),
    case("import x from '@/lib/utils.ts'", path("@/lib/utils.ts")),
    case("node_modules/@types/node/index.d.ts", path("node_modules/@types/node/index.d.ts")),
    case("lib/libc++.so.1 and a+b/c.txt", path("lib/libc++.so.1"), path("a+b/c.txt")),
    case("img/logo@2x.png", path("img/logo@2x.png")),
    case("foo-bar_baz/qux.v2.min.js", path("foo-bar_baz/qux.v2.min.js")),
    case("├── app.py\n│   └── views.py", path("app.py"), path("views.py")),
    # What a sentence puts around a path.
    case("(see src/app.py).", path("src/app.py")),
    case("src/a.py, src/b.py; src/c.py! src/d.py?", *map(path, ("src/a.py", "src/b.py", "src/c.py", "src/d.py"))),
    case("[src/a.py] {src/b.py} <src/c.py>", path("src/a.py"), path("src/b.py"), path("src/c.py")),
    case("**src/a.py**, *src/b.py*, _src/c.py_", path("src/a.py"), path("src/b.py"), path("src/c.py")),
    case("src/app.py's author", path("src/app.py")),
    case("what of /usr/lib/... and src/app.py…", path("/usr/lib/"), path("src/app.py")),
    case("`src/app.py`, “src/b.py” and «src/c.py»", path("src/app.py"), path("src/b.py"), path("src/c.py")),
    case('{"path": "/srv/data/a.json", "n": 1}', path("/srv/data/a.json")),
    case('"\\n/etc/hosts\\n"', path("/etc/hosts")),
    case("-> /opt/x/bin <-", path("/opt/x/bin")),
    case("modified:   src/app.py", path("src/app.py")),
    case("rename a.py -> b.py", path("a.py"), path("b.py")),
    case("| src/a.py | 12 |", path("src/a.py")),
    case("read(src/app.py)", path("src/app.py")),
    case('"src/app.py."', path("src/app.py")),
    case("cp src/{a,b}.py dst/ lib/*.py doc/<name>.md", path("dst/")),
    case("MEDIA:/srv/cat.png, [image /tmp/cat.png]", path("/srv/cat.png"), path("/tmp/cat.png")),
    case("read @file:src/app.py:10-20", path("src/app.py:10-20", of="src/app.py", line=10)),
    case("@scope/package/file.js", path("@scope/package/file.js")),
    case("данные/отчёт.csv and Δ/β.txt", path("данные/отчёт.csv"), path("Δ/β.txt")),
    # Options, assignments, lists of folders.
    case("--config=etc/app.toml -I/usr/include", path("etc/app.toml"), path("/usr/include")),
    case("PYTHONPATH=/srv/app:/srv/lib x", path("/srv/app"), path("/srv/lib")),
    case("-v /data/pg:/var/lib/postgresql", path("/data/pg"), path("/var/lib/postgresql")),
    case("/usr/bin:/bin:/usr/local/bin", path("/usr/bin"), path("/bin"), path("/usr/local/bin")),
    case("/data/station=A/year=2015/part-0.parquet", path("/data/station=A/year=2015/part-0.parquet")),
    case("2>/dev/null", path("/dev/null")),
    case("tests/test_app.py::TestA::test_b", path("tests/test_app.py")),
    case("#!/usr/bin/env python3", path("/usr/bin/env")),
    # Blanks, where something tells that they belong to the name.
    case('open "/home/bob/My Documents/a b.txt" now', path("/home/bob/My Documents/a b.txt")),
    case("open '~/My Files/x.md'", path("~/My Files/x.md")),
    case("`./my notes/to do.md`", path("./my notes/to do.md")),
    case("“/Users/ann/Library/Application Support/x.db”", path("/Users/ann/Library/Application Support/x.db")),
    case("cd /home/bob/my\\ dir/x.txt", path("/home/bob/my\\ dir/x.txt", of="/home/bob/my dir/x.txt")),
    case('"/usr/bin/python3 app.py"', path("/usr/bin/python3"), path("app.py")),
    case('"/bin/cp /srv/a /srv/b"', path("/bin/cp"), path("/srv/a"), path("/srv/b")),
]

WINDOWS = [
    case(
        "see (`src/app.py:12`), then C:\\Users\\demo\\my file.txt.",
        path("src/app.py:12", of="src/app.py", line=12),
        path("C:\\Users\\demo\\my file.txt"),
    ),
    case("C:\\Windows\\System32\\drivers\\etc\\hosts", path("C:\\Windows\\System32\\drivers\\etc\\hosts")),
    case("D:/games/save.dat, e:\\x", path("D:/games/save.dat"), path("e:\\x")),
    case("\\\\server\\share\\dir\\a.txt.", path("\\\\server\\share\\dir\\a.txt")),
    case("(UNC: `\\\\server\\share\\x`)", path("\\\\server\\share\\x")),
    case("\\\\?\\C:\\very\\long.txt", path("\\\\?\\C:\\very\\long.txt")),
    case(".\\build\\app.exe or ..\\x.ps1", path(".\\build\\app.exe"), path("..\\x.ps1")),
    case("src\\app\\Main.cs", path("src\\app\\Main.cs")),
    case("%APPDATA%\\Code\\settings.json", path("%APPDATA%\\Code\\settings.json")),
    case("C:\\Program Files\\Git\\bin\\git.exe", path("C:\\Program Files\\Git\\bin\\git.exe")),
    case("C:\\Program Files (x86)\\Foo\\a.dll!", path("C:\\Program Files (x86)\\Foo\\a.dll")),
    case("C:\\Documents and Settings\\bob\\x.ini", path("C:\\Documents and Settings\\bob\\x.ini")),
    case('"C:\\Users\\Ann B\\My Dir" is a folder', path("C:\\Users\\Ann B\\My Dir")),
    case("copy C:\\a\\b.txt to D:\\c", path("C:\\a\\b.txt"), path("D:\\c")),
    case("C:\\src is where app.py lives", path("C:\\src"), path("app.py")),
    case("run C:\\py\\python.exe main.py", path("C:\\py\\python.exe"), path("main.py")),
    case("C:\\x\\Foo.cs:line 12", path("C:\\x\\Foo.cs", line=12)),
    case("C:\\x\\a.cpp(12,5): error C2065", path("C:\\x\\a.cpp(12,5)", of="C:\\x\\a.cpp", line=12, column=5)),
    case('"C:\\\\Users\\\\Bob\\\\app.py"', path("C:\\\\Users\\\\Bob\\\\app.py")),
    case("打开C:\\用户\\报告.docx文件", path("C:\\用户\\报告.docx")),
    case(r"\d+\w* and \frac{a}{b} and \alpha\beta"),
    case(r"print('a\nb\tc.')"),
]

PLACES = [
    case("src/app.py:12", path("src/app.py:12", of="src/app.py", line=12)),
    case("src/app.py:12:5: error", path("src/app.py:12:5", of="src/app.py", line=12, column=5)),
    case("at app.go:12-20,", path("app.go:12-20", of="app.go", line=12)),
    case("src/app.ts(12,5): error TS2304", path("src/app.ts(12,5)", of="src/app.ts", line=12, column=5)),
    case("> /srv/x/y.py(12)run()", path("/srv/x/y.py(12)", of="/srv/x/y.py", line=12)),
    case("src/a.rs#L12-L20", path("src/a.rs#L12-L20", of="src/a.rs", line=12)),
    case("see app.py: it fails", path("app.py")),
    case("app.py:foo", path("app.py")),
    case("./x.sh: line 12: foo: not found", path("./x.sh", line=12)),
    case("at script.pl line 12.", path("script.pl", line=12)),
    case("in /srv/w/x.php on line 12", path("/srv/w/x.php", line=12)),
    case("ERROR /x/src/Foo.java:[12,5] ';' expected", path("/x/src/Foo.java", line=12, column=5)),
    # Tracebacks.
    case('  File "/srv/app/main.py", line 12, in <module>', path("/srv/app/main.py", line=12)),
    case('  File "main.py", line 3', path("main.py", line=3)),
    case('  File "<string>", line 1, in <module>'),
    case("    at run (/srv/app/a.js:12:5)", path("/srv/app/a.js:12:5", of="/srv/app/a.js", line=12, column=5)),
    case("    at file:///srv/a.mjs:1:2", url("file:///srv/a.mjs:1:2", of="/srv/a.mjs", line=1, column=2)),
    case("    at node:internal/main:28:49"),
    case("  --> src/main.rs:5:9", path("src/main.rs:5:9", of="src/main.rs", line=5, column=9)),
    case("panicked at src/main.rs:5:9:", path("src/main.rs:5:9", of="src/main.rs", line=5, column=9)),
    case("\t/srv/app/main.go:12 +0x1d", path("/srv/app/main.go:12", of="/srv/app/main.go", line=12)),
    case("\tat com.foo.Bar.baz(Bar.java:12)", path("Bar.java:12", of="Bar.java", line=12)),
    case("/srv/app/a.rb:12:in `run'", path("/srv/app/a.rb:12", of="/srv/app/a.rb", line=12)),
    # Diffs: the names without what git puts before them.
    case("diff --git a/src/x.py b/src/x.py", path("src/x.py"), path("src/x.py")),
    case("diff --git a/my file.txt b/my file.txt", path("my file.txt"), path("my file.txt")),
    case("--- a/src/x.py\n+++ b/src/x.py", path("src/x.py"), path("src/x.py")),
    case("--- a/my file.txt\t2026-10-21\n+++ /dev/null", path("my file.txt"), path("/dev/null")),
    case("rename from src/old name.py\nrename to src/new.py", path("src/old name.py"), path("src/new.py")),
    case("Binary files a/x.png and b/x.png differ", path("x.png"), path("x.png")),
    case("a/src/x.py is no diff", path("a/src/x.py")),
]

GLUED = [
    case("请看src/app.py文件", path("src/app.py")),
    case("请看 src/app.py，谢谢。", path("src/app.py")),
    case("（src/app.py）、《a.md》", path("src/app.py"), path("a.md")),
    case("在/home/bob/project下面", path("/home/bob/project")),
    case("/home/用户 and /srv/资料/", path("/home/用户"), path("/srv/资料/")),
    case("/home/用户/文档/报告.txt。", path("/home/用户/文档/报告.txt")),
    case("或者/home/用户/a.txt", path("/home/用户/a.txt")),
    case("看/etc/hosts和/etc/passwd", path("/etc/hosts"), path("/etc/passwd")),
    case("文档/报告.txt", path("文档/报告.txt")),
    case("第src/app.py:12行", path("src/app.py:12", of="src/app.py", line=12)),
    case("src/app.py를 보세요", path("src/app.py")),
    case("「src/app.py」を開く", path("src/app.py")),
    case("提交a1b2c3d里", a_hash("a1b2c3d")),
    case("写信给bob@lab.test吧", email("bob@lab.test")),
    case("见https://lab.test/a/b。谢谢", url("https://lab.test/a/b")),
    case("打开https://lab.test/a查看", url("https://lab.test/a")),
    case("https://zh.lab.test/wiki/北京", url("https://zh.lab.test/wiki/北京")),
    case("是/否 和/或"),
]

URLS = [
    case("https://lab.test", url("https://lab.test")),
    case("see https://lab.test/a?b=1&c=2#d, please.", url("https://lab.test/a?b=1&c=2#d")),
    case("(https://lab.test/wiki/A_(b))", url("https://lab.test/wiki/A_(b)")),
    case("https://lab.test/a).", url("https://lab.test/a")),
    case('<https://lab.test/a> "https://lab.test/b"', url("https://lab.test/a"), url("https://lab.test/b")),
    case("'https://lab.test/it's' `https://lab.test/c`", url("https://lab.test/it"), url("https://lab.test/c")),
    case("**https://lab.test/a** _https://lab.test/b_", url("https://lab.test/a"), url("https://lab.test/b")),
    case("http://[::1]:8080/x http://127.0.0.1:80/", url("http://[::1]:8080/x"), url("http://127.0.0.1:80/")),
    case("localhost:8080/health and localhost:3000.", url("localhost:8080/health"), url("localhost:3000")),
    case("github.com/ann/app/blob/main/a.py#L3", url("github.com/ann/app/blob/main/a.py#L3")),
    case("lab.example:8080/x and a.b.dev:443/", url("lab.example:8080/x"), url("a.b.dev:443/")),
    case("www.lab.test/a,", url("www.lab.test/a")),
    case("git@github.com:ann/app.git", url("git@github.com:ann/app.git")),
    case("postgres://u:p@db:5432/x ssh://git@h/x.git", url("postgres://u:p@db:5432/x"), url("ssh://git@h/x.git")),
    case("s3://bucket/key and vscode://file/a", url("s3://bucket/key"), url("vscode://file/a")),
    case("file:///home/bob/a%20b.txt", url("file:///home/bob/a%20b.txt", of="/home/bob/a b.txt")),
    case("file:///C:/x/y.txt", url("file:///C:/x/y.txt", of="C:/x/y.txt")),
    case('[the page](https://lab.test/a "t")', url("https://lab.test/a")),
    case("![x](img/a.png) [b](<my file.md>)", path("img/a.png"), path("my file.md")),
    case("[guide](docs/guide) and [top](#top)", path("docs/guide")),
    case(
        "[src/a.py](src/a.py:42)",
        path("src/a.py"),
        path("src/a.py:42", of="src/a.py", line=42),
    ),
    case('<a href="https://lab.test/x">y</a>', url("https://lab.test/x")),
    case("href=&quot;https://lab.test/x&quot;", url("https://lab.test/x")),
    case("no :// and x:// here"),
]

NAMES = [
    case(f"session {SESSION}.", an_id(SESSION)),
    case(f"{SESSION}#421, and work/{SESSION}#7", an_id(f"{SESSION}#421"), an_id(f"work/{SESSION}#7")),
    case("20261021_090512_5ub001", an_id("20261021_090512_5ub001")),
    case("api_1793000000_0a1b2c3d", an_id("api_1793000000_0a1b2c3d")),
    case("cron_ab12cd34ef56_20261024_030000", an_id("cron_ab12cd34ef56_20261024_030000")),
    case(f"id={UUID}, {{{UUID.upper()}}}", an_id(UUID), an_id(UUID.upper())),
    case(f"{UUID}#12", an_id(f"{UUID}#12")),
    case("call_abc123DEF456ghi toolu_01AbCdEfGh", an_id("call_abc123DEF456ghi"), an_id("toolu_01AbCdEfGh")),
    case(f"hermes --resume {SESSION}", an_id(SESSION)),
    case(f"/x/sessions/{SESSION}.json", path(f"/x/sessions/{SESSION}.json")),
    case("commit a1b2c3d fixes it", a_hash("a1b2c3d")),
    case(f"commit {SHA1}", a_hash(SHA1)),
    case(f"sha256:{SHA256}", a_hash(SHA256)),
    case("index 83db48f..bf2a3c1 100644", a_hash("83db48f"), a_hash("bf2a3c1")),
    case("(a1b2c3d), `e5f6a7b`", a_hash("a1b2c3d"), a_hash("e5f6a7b")),
    case("mail ops@lab.test, or ann.b+c@sub.lab.test.", email("ops@lab.test"), email("ann.b+c@sub.lab.test")),
    case("<ops@lab.test> mailto:ops@lab.test", email("ops@lab.test"), email("ops@lab.test")),
    case("scp x ann@lab.test:/srv/a.txt", path("/srv/a.txt")),
]

COMMANDS = [
    case("$ npm install", command("npm install")),
    case("  $ ls -la\ntotal 0", command("ls -la")),
    case("ann@box:~/app$ git status", path("~/app"), command("git status")),
    case("[root@box ~]# systemctl restart x", command("systemctl restart x")),
    case("(venv) $ pip install .", command("pip install .")),
    case("PS C:\\x> dir", path("C:\\x"), command("dir")),
    case("it costs $ 5"),
    case("# A heading"),
    case("Run `$ make all` now", command("make all")),
    case("```sh\nmake\n\n# all\nmake x\n```", code("make\n\n# all\nmake x"), command("make"), command("make x")),
    case("```sh\na \\\n  --b \\\n  --c\n```", code("a \\\n  --b \\\n  --c"), command("a --b --c")),
    case("```sh\nfor i in a; do\n  b $i\ndone\n```", code(LOOP), command(LOOP)),
    case(f"```sh\n{HERE}\nls\n```", code(HERE + "\nls"), command(HERE), command("ls")),
    case("```sh\necho 'a\nb'\nls\n```", code("echo 'a\nb'\nls"), command("echo 'a\nb'"), command("ls")),
    case("```sh\na |\n  b\n```", code("a |\n  b"), command("a |\n  b")),
    case("```sh\necho it's\nls\n```", code("echo it's\nls"), command("echo it's"), command("ls")),
    case("```console\n$ ls\nx y\n# apt up\n```", code("$ ls\nx y\n# apt up"), command("ls"), command("apt up")),
    case("```console\n$ cat <<E\n> hi\n> E\nhi\n```", code("$ cat <<E\n> hi\n> E\nhi"), command("cat <<E\nhi\nE")),
    case("```powershell\na `\n  -b\n```", code("a `\n  -b"), command("a -b")),
    case("```python\nrun()\n```", code("run()")),
    case("command: ls -la\ntimeout: 5", command("ls -la"), call=True),
    case("command:\ncd x\nmake\ncwd: /srv", command("cd x\nmake"), path("/srv"), call=True),
    case("    command: npm start", command("npm start")),
]

CODE = [
    case("```\nx = 1\n```", code("x = 1")),
    case("```\nx = 1\n\n```", code("x = 1\n")),
    case("```\n" + "y" * 300 + "\n```\n", code("y" * 300)),
    case("```\ncat <<EOF\n\tx\nEOF\n```", code("cat <<EOF\n\tx\nEOF")),
    case("```py\nif x:\n    y\n```", code("if x:\n    y")),
    case("~~~\n```\nx\n```\n~~~", code("```\nx\n```")),
    case("````md\n```\nx\n```\n````", code("```\nx\n```")),
    case("- a\n  ```py\n  if x:\n      y\n  ```", code("if x:\n    y")),
    case("1. ```\n   x\n     y\n   ```", code("x\n  y")),
    case("> ```\n> x\n>   y\n> ```\nz", code("x\n  y")),
    case("```\r\na\r\nb\r\n```\r\n", code("a\r\nb")),
    case("```\nnever closed\n", code("never closed")),
    case("```\n```\nno code"),
    case("use `foo(1)` and ``a ` b``", inline("foo(1)"), inline("a ` b")),
    case("`cat /etc/hosts | wc`", inline("cat /etc/hosts | wc"), path("/etc/hosts")),
    case("`` ` `` and ` x `", inline("`"), inline("x")),
    case("a ` alone, and ``"),
    case("```js\nconst a = `x/${y}`\n```", code("const a = `x/${y}`")),
]

FALSE_FRIENDS = [
    case("and/or, he/she, TCP/IP, client/server, N/A, 24/7, w/o"),
    case("1/2 of 3/4, 2026/01/02, 10.0.0.0/8, km/h"),
    case("v1.2.3, 1.2/1.3, 3.14, e.g. this, i.e. that, p.m."),
    case("text/html; application/json, image/svg+xml, application/vnd.ms-excel"),
    case("s/foo/bar/, s/foo/bar/g, y/abc/xyz/, /foo.*bar/i, /^a$/"),
    case("/help and /compact are commands; yes /no"),
    case("<br/> </div> <b>x</b>"),
    case("Node.js, Vue.js and ASP.NET; TypeScript/Node.js"),
    case("console.log(x); self.key = a.b.c; res.json(); System.out"),
    case("src/**/*.py *.md test_*"),
    case("a // comment, 5 / 2, x/y.z, red/green/blue"),
    case("feature/login-fix, origin/main, openai/gpt-4.1, @angular/core"),
    case("#a1b2c3 #a1b2c3d4 0x7fff85319 1234567 deadbeef defaced 1234567e8 20261021"),
    case("@pytest.fixture, @bob, a@b, img@1.2"),
    case("C++, C#, F#, 100%, a = b/c"),
    case("10:30, 12:45:10, host:8080, std::vector, key:value"),
    case("done.Go to it. End.Then"),
    case("/, //, ., .., ~, ./, ../, ..., ./..."),
    case("❤/🚀 — “quoted words” and 'it's'"),
]

ESCAPES = [
    case("\x1b[35msrc/app.py\x1b[m\x1b[36m:\x1b[m\x1b[32m12\x1b[m:x", path("src/app.py:12", of="src/app.py", line=12)),
    case("\x1b]8;;https://lab.test\x1b\\src/a.py\x1b]8;;\x1b\\", path("src/a.py")),
    case("```\n\x1b[1mbold\x1b[0m\n```", code("\x1b[1mbold\x1b[0m")),
]

CASES = [*PATHS, *WINDOWS, *PLACES, *GLUED, *URLS, *NAMES, *COMMANDS, *CODE, *FALSE_FRIENDS, *ESCAPES]
