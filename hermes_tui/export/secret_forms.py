"""How secrets look: the forms of providers' keys, and the names and signs that stand before a password or a token.

Every rule is a pattern and a question about what it found, because a pattern alone takes a git hash, a UUID, a picture
in base64 or a word such as `<token>` for a secret. Quantifiers are bounded: a text is searched in time that grows with
its length.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable

from hermes_tui.model.record import dataclass

Found = re.Match[str]

_PLACEHOLDER = re.compile(
    r"(?:[<\[{(%$*#.•…]|x{3,}|y{3,}|your|my[-_]?(?:key|token|secret|pass)|example|dummy|fake|placeholder|redacted|"
    r"masked|changeme|change[-_]me|insert|replace|none$|null$|nil$|true$|false$|undefined$|empty$|string|str$|text$|"
    r"bytes$|int$|bool$|any$|optional|required|missing|invalid|incorrect|wrong|yes$|no$|not$|hidden$|"
    r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[-_]?key|key|credentials?|user(?:name)?)s?[.:,;!?]?$)",
    re.IGNORECASE,
)
_ENCODING = re.compile(r"(?:base|sha-?|md|utf-?|argon|pbkdf|aes-?|rsa-?|rot)\d", re.IGNORECASE)
_EXPRESSION = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+(?:$|[(\[])|[A-Za-z_][\w.]*[(\[]|process\.env|os\.environ|self\.")


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of secret.

    `hints` are what a text must hold, in small letters, to be looked at. Of what `pattern` finds the group `secret` or
    `quoted` is the secret where `check` agrees. `named` says that a name has to stand before it on the same line.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    check: Callable[[Found], bool] = lambda _: True
    named: bool = False


def value_of(found: Found) -> str:
    """What would be the secret."""
    return found[group_of(found)]


def group_of(found: Found) -> str:
    """The name of the group that holds it: `quoted` where it stands in quotes."""
    return "quoted" if "quoted" in found.re.groupindex and found["quoted"] is not None else "secret"


# -- what a secret is not ----------------------------------------------------------------------------------------------


def _meant(found: Found) -> bool:
    """Whether it can be a secret: no word that stands for one, no piece of a program where there are no quotes."""
    value = value_of(found)
    return not _PLACEHOLDER.match(value) and (group_of(found) == "quoted" or not _EXPRESSION.match(value))


def _digits(value: str) -> bool:
    return any(map(str.isdigit, value))


def _keyish(found: Found) -> bool:
    """Whether it looks like a key: letters and digits, and one stretch of them that is no word."""
    value = value_of(found)
    longest = max(re.split(r"[-_.]", value), key=len)
    mixed = _digits(longest) or not (longest.islower() or longest.isupper())
    return len(longest) >= 12 and mixed and any(map(str.isalpha, value))


def _bits(value: str) -> float:
    """The entropy of its characters, in bits each."""
    return -sum(many / len(value) * math.log2(many / len(value)) for many in Counter(value).values())


def _header(found: Found) -> bool:
    value = value_of(found)
    return _meant(found) and (_digits(value) or (len(value) >= 20 and not value.islower()))


def _password(found: Found) -> bool:
    """In quotes any word is a password; without them one that has a sign no word of a sentence has."""
    value = value_of(found)
    if not _meant(found):
        return False
    return group_of(found) == "quoted" or (len(value) >= 4 and not value.rstrip(".,;:!?").isalpha())


def _key(found: Found) -> bool:
    """Whether the name in front, as far as it is written there, is one of a secret, and the value no plain word."""
    name, before = found[0][:3].lower(), found.string[max(0, found.start() - 12) : found.start()]
    if (name == "key" and not _BEFORE_KEY.search(before)) or (name == "tok" and not _BEFORE_TOKEN.search(before)):
        return False
    return _flag(found)


def _flag(found: Found) -> bool:
    value = value_of(found)
    if len(value) < 8 or not _meant(found) or not any(map(str.isalpha, value)):
        return False
    return _digits(value) or (len(value) >= 20 and _bits(value) >= 3.5)


def _random(found: Found) -> bool:
    """Whether a value is long and looks like chance: no path, no address, no words."""
    value = value_of(found)
    if len(value) < 12 or not _meant(found) or "://" in value or value.startswith(("/", "~", "./")):
        return False
    return _bits(value) >= 2.8 and ((_digits(value) and any(map(str.isalpha, value))) or len(value) >= 24)


def _cookie(found: Found) -> bool:
    """Whether one of the values is long and of chance: `theme=dark` is none."""
    values = re.findall(r"=([^;\s]{8,})", value_of(found))
    return any(_digits(value) and any(map(str.isalpha, value)) and not _PLACEHOLDER.match(value) for value in values)


def _told(found: Found) -> bool:
    """Whether it is what a sentence gives away: `is hunter2`, not `is required` or `is base64-encoded`."""
    value = value_of(found).rstrip(".,;:!?。，；！？")
    if not _meant(found) or len(value) < 4 or _ENCODING.match(value):
        return False
    return group_of(found) == "quoted" or (_digits(value) and not value.isdigit() and any(map(str.isalpha, value)))


# -- the forms ---------------------------------------------------------------------------------------------------------


def _alone(kind: str, hints: str, pattern: str, check: Callable[[Found], bool] = lambda _: True) -> Form:
    """A secret known by its own form: not a part of something longer."""
    whole = rf"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=/bot))(?P<secret>{pattern})(?![A-Za-z0-9_-])"
    return Form(kind, tuple(hints.split()), re.compile(whole), check)


_QUOTE = r"\\{0,4}[\"'`]"
_IS = rf"(?:{_QUOTE})?\]?[ \t]{{0,4}}(?::=|=>|[:=])[ \t]{{0,4}}"  # behind a name, which may stand in quotes
_BARE = r"(?P<secret>(?!\[masked: )[^\s\"'`,;&<>(){}\[\]|\\]{1,400})"
_IN_QUOTES = rf"{_QUOTE}(?P<quoted>(?!\[masked: )[^\"'`\n\\]{{1,400}})(?={_QUOTE})"
_PASSWORD = r"(?:password|passwd|passphrase|passcode|(?<![a-z])pwd|(?<=_)pass)"
_BEFORE_KEY = re.compile(
    r"(?:api|access|secret|private|auth|signing|encryption|master|account|service)[ _-]?$", re.IGNORECASE
)
_BEFORE_TOKEN = re.compile(
    r"(?:(?:^|[^A-Za-z])|(?:access|refresh|auth|id|session|bot|bearer|api|csrf|oauth|personal)[_-]?)$", re.IGNORECASE
)
_ENV = (
    r"(?<![A-Za-z0-9_])(?!(?:\w*_)?(?:PUBLIC|CACHE|PRIMARY|SORT|FOREIGN|PARTITION|PAD|EOS|BOS)_)[A-Z][A-Z0-9_]{0,60}_"
    r"(?:KEY|TOKEN|SECRET|PAT|CREDENTIALS?|AUTH)"
)


def _after(name: str, *, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile(f"{name}{_IS}(?:{_IN_QUOTES}|{_BARE})", flags)


_PASS_HINTS = ("password", "passwd", "passphrase", "passcode", "pwd", "_pass")
_OWN_FORMS = (
    Form(
        "private key",
        ("private key",),
        re.compile(
            r"(?P<secret>-----BEGIN (?P<of>[A-Z0-9 ]{0,30})PRIVATE KEY(?: BLOCK)?-----(?:"
            r"(?:[^-]|-(?!----)){0,20000}-----END (?P=of)PRIVATE KEY(?: BLOCK)?-----"
            r"|(?:(?:\\n|\s){0,4}[A-Za-z0-9+/=]{32,100})+))"  # its end was cut off
        ),
    ),
    _alone("private key", "age-secret-key-", r"AGE-SECRET-KEY-1[A-Z0-9]{40,80}"),
    _alone("JWT", "eyj", r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{0,2000}"),
    _alone("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    _alone("GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{20,255}"),
    _alone("GitLab token", "glpat- gldt- glrt- glptt-", r"gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_.-]{20,255}", _keyish),
    _alone("Slack token", "xox", r"xox[abceoprs]-[A-Za-z0-9-]{10,255}", lambda found: _digits(found[0])),
    _alone("Slack token", "xapp-", r"xapp-[0-9]-[A-Za-z0-9-]{10,255}"),
    Form(
        "Slack webhook",
        ("hooks.slack.com",),
        re.compile(r"hooks\.slack\.com/services/(?P<secret>T\w{6,20}/B\w{6,20}/\w{16,40})"),
    ),
    _alone("AWS access key", "akia asia abia acca", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    _alone("Google key", "aiza ya29. gocspx-", r"AIza[0-9A-Za-z_-]{30,40}|ya29\.[\w-]{20,400}|GOCSPX-[\w-]{20,60}"),
    _alone("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,60}"),
    _alone(
        "Stripe key", "_live_ _test_ whsec_", r"[spr]k_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9+/]{20,90}"
    ),
    _alone("API key", "sk-", r"sk-[A-Za-z0-9_-]{18,400}", _keyish),
    _alone(
        "API key", "gsk_ xai- pplx- tvly- fw_ r8_", r"(?:gsk_|xai-|pplx-|tvly-|fw_|r8_)[A-Za-z0-9-]{24,200}", _keyish
    ),
    _alone("API key", "lin_api_ ntn_ dop_v1_ dapi", r"(?:lin_api_|ntn_|dop_v1_|dapi)[A-Za-z0-9]{30,90}", _keyish),
    _alone("npm token", "npm_", r"npm_[A-Za-z0-9]{30,60}"),
    _alone("PyPI token", "pypi-", r"pypi-[A-Za-z0-9_-]{50,400}"),
    _alone("SendGrid key", "sg.", r"SG\.[\w-]{16,60}\.[\w-]{16,90}"),
    _alone("Telegram bot token", ":aa", r"[0-9]{8,12}:AA[A-Za-z0-9_-]{30,40}"),
    _alone("Discord token", ".", r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}", _keyish),
    Form(
        "password",
        ("://",),
        re.compile(
            r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,200}:"
            r"(?P<secret>(?!\[masked: )[^\s/@\"'<>]{1,200})@(?=[\w\[])"
        ),
        _meant,
    ),
    Form(
        "token",
        ("bearer", "authorization", "api-key", "x-auth-token", "private-token"),
        re.compile(
            rf"(?:authorization{_IS}(?:{_QUOTE})?(?:(?:bearer|basic|token|digest|apikey)[ \t]+)?|bearer[ \t]+|"
            rf"(?:x-api-key|api-key|x-auth-token|private-token)(?:{_QUOTE})?[ \t]*:[ \t]*(?:{_QUOTE})?)"
            r"(?P<secret>(?!\[masked: )[A-Za-z0-9._~+/=:-]{8,4000})",
            re.IGNORECASE,
        ),
        _header,
    ),
    Form(
        "password",
        ("<passw", "login"),
        re.compile(rf"(?:<pass(?:word|wd)>|\blogin[ \t]+\S{{1,90}}\s{{1,9}}password[ \t]+){_BARE}", re.IGNORECASE),
        _meant,
    ),
    Form(
        "password",
        ("--pass", "sshpass", "curl"),
        re.compile(
            r"(?:--pass(?:word|wd|phrase)?[ \t]+|\bsshpass[ \t]+-p[ \t]*|"
            rf"\bcurl\b[^\n]{{0,300}}?[ \t](?:-u|--user)[ =]?(?:{_QUOTE})?[^\s:\"']{{1,90}}:)(?:{_QUOTE})?{_BARE}"
        ),
        lambda found: _meant(found) and not found["secret"].startswith("-"),
    ),
    Form(
        "secret",
        ("--api-key", "--token", "--secret", "--access-key", "--access-token", "--auth-token", "--apikey"),
        re.compile(
            rf"--(?:api-?key|(?:auth-|access-)?token|secret(?:-key)?|access-key)[ \t]+(?:{_QUOTE})?{_BARE}",
            re.IGNORECASE,
        ),
        _flag,
    ),
)
_PASSWORD_ELSEWHERE = (
    r"(?:passwort|kennwort|contrase[ñn]a|mot de passe|senha|пароль|密码|密碼|口令|パスワード|비밀번호)"
)
_GIVEN_AWAY = (
    Form(
        "cookie",
        ("cookie",),
        re.compile(
            rf"(?<![A-Za-z_])(?:set-)?cookie(?:{_QUOTE})?[ \t]{{0,4}}:[ \t]{{0,4}}(?:{_QUOTE})?"
            r"(?P<secret>(?!\[masked: )[\w.-]{1,80}=[^\n\"'`\\]{8,4000})",
            re.IGNORECASE,
        ),
        _cookie,
    ),
    Form(  # the short options of clients that take it so
        "password",
        (" -p", " -a"),
        re.compile(
            r"(?:\b(?:docker|podman|helm)[ \t]+(?:registry[ \t]+)?login\b[^\n|;&]{0,200}?[ \t]-p[ \t=]|"
            r"\bmysql(?:dump|admin|import)?\b[^\n|;&]{0,200}?[ \t]-p|\bredis-cli\b[^\n|;&]{0,200}?[ \t]-a[ \t])"
            rf"(?:{_QUOTE})?{_BARE}"
        ),
        lambda found: _meant(found) and len(found["secret"]) >= 4 and not found["secret"].startswith("-"),
    ),
    Form(
        "password",
        ("password", "passwd", "passphrase", "passcode", "pwd"),
        re.compile(
            r"(?:password|passwd|passphrase|passcode|\bpwd)"
            r"(?:[ \t]+(?:is|was)(?:[ \t]+now)?:?[ \t]+|[ \t]{0,2}：[ \t]{0,2})"
            rf"(?:{_IN_QUOTES}|{_BARE})",
            re.IGNORECASE,
        ),
        _told,
    ),
    Form(
        "password",
        ("passwort", "kennwort", "contrase", "mot de passe", "senha", "пароль", "密", "口令", "パスワード", "비밀번호"),
        re.compile(
            rf"{_PASSWORD_ELSEWHERE}(?:{_QUOTE})?[ \t]{{0,2}}(?:[:：=]|ist\b|es\b|est\b|é\b|是|は|为|為)[ \t]{{0,4}}"
            rf"(?:{_IN_QUOTES}|{_BARE})",
            re.IGNORECASE,
        ),
        _told,
    ),
    Form(
        "signature",
        ("sig=", "signature="),
        re.compile(
            r"[?&;](?:x-(?:amz|goog)-)?sig(?:nature)?=(?P<secret>(?!\[masked: )[A-Za-z0-9%+/=_-]{16,2000})",
            re.IGNORECASE,
        ),
        lambda found: _digits(found["secret"]),
    ),
    Form("password", ("psk",), re.compile(rf"\bpsk{_IS}(?:{_IN_QUOTES}|{_BARE})", re.IGNORECASE), _password),
)
_NAMED_FORMS = (
    Form("password", _PASS_HINTS, _after(_PASSWORD), _password, named=True),
    Form(  # a line of settings, or a word of a command
        "password",
        _PASS_HINTS,
        re.compile(rf"{_PASSWORD}(?:=|(?<=\w):[ \t]{{1,4}}(?=\S+[ \t]*$)){_BARE}", re.IGNORECASE | re.MULTILINE),
        lambda found: _meant(found) and len(found["secret"]) >= 4,
        named=True,
    ),
    Form("secret", ("key", "token", "secret"), _after("(?:key|token|secret)"), _key, named=True),
    Form("secret", ("_key", "_token", "_secret", "_pat", "_cred", "_auth"), _after(_ENV, flags=0), _random, named=True),
)
FORMS = (*_OWN_FORMS, *_GIVEN_AWAY, *_NAMED_FORMS)

# A name with a sign behind it, in small letters: cheap to look for, and false for most lines there are.
NAMES = re.compile(
    r"(?:key|token|secret|pass(?:word|wd|phrase|code)?|pwd|pat|credentials?|auth)[\"'`\]\\]{0,8}[ \t]{0,4}[:=]"
)
