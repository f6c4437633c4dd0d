"""Secrets are masked wherever they stand, what only looks like one is left alone, and what is masked stays masked."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.export.masks import Masker, mask
from hermes_tui.model import Message, Session, ToolCall

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAabcdefghijklmnopqrstuvwxyz\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
FORMS = {  # what a provider hands out, put together so that no scanner of this repository takes it for a real one
    "sk-" + "proj-abcdEFGH1234567890abcdEFGH12345678": "API key",
    "sk-" + "ant-api03-aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z-AAAA": "API key",
    "sk-" + "or-v1-0123456789abcdef0123456789abcdef0123456789abcdef": "API key",
    "gsk_" + "abcdEFGH1234567890abcdEFGH1234567890": "API key",
    "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789": "GitHub token",
    "gho_" + "abcdefghijklmnopqrstuvwxyz0123456789": "GitHub token",
    "github_pat_" + "11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz0123456789": "GitHub token",
    "glpat-" + "abcdEFGH12345678_xyz": "GitLab token",
    "xoxb-" + "123456789012-1234567890123-abcdefghijklmnopqrstuvwx": "Slack token",
    "AKIA" + "IOSFODNN7ABCDEFG": "AWS access key",
    "AIza" + "SyD-1234567890abcdefghijklmnopqrstu": "Google key",
    "hf_" + "abcdefghijklmnopqrstuvwxyzABCDEFGH": "Hugging Face token",
    "sk_live_" + "abcdefgh12345678": "Stripe key",
    "npm_" + "abcdefghijklmnopqrstuvwxyz0123456789": "npm token",
    "123456789" + ":AAabcdefghijklmnopqrstuvwxyz012345678": "Telegram bot token",
    JWT: "JWT",
    PEM: "private key",
    PEM.replace("RSA ", ""): "private key",
    PEM.replace("RSA", "OPENSSH").replace("\n", "\\n"): "private key",
}
# `«...»` is what has to go.
NAMED = (
    "Authorization: Bearer «abc123def456ghi»",
    "-H 'Authorization: Basic «dXNlcjpwYXNz1»'",
    '"Authorization": "Bearer «abc123def456ghi»"',
    'curl -H "authorization: token «abcdef123456»" https://x',
    "X-Api-Key: «abcdef123456»",
    "PRIVATE-TOKEN: «abcdef123456»",
    "postgres://bob:«hunter2»@db.local/x",
    "redis://:«s3cr3t»@cache:6379/0",
    "https://bob:«p%40ss»@[::1]/",
    "password=«hunter2»",
    "password=«swordfish»",
    '"password": "«correct horse»"',
    '{\\"password\\": \\"«hunter2»\\"}',
    "password: «swordfish»",
    "  db_password: «swordfish»",
    "DB_PASSWORD=«swordfish»",
    "config['password'] = '«hunter2»'",
    'password => "«x1y2»"',
    "passphrase: '«open sesame»'",
    "MYSQL_PWD=«hunter2»",
    "token=«a1b2c3d4e5f6»",
    "https://x/?api_key=«a1b2c3d4e5»&x=1",
    '"api_key" : "«abcdefgh1234»"',
    "apiKey: '«abcdefgh1234»'",
    "client_secret: «8Q~abcdefgh1234»",
    "access_token = '«ya12.abcdefgh»'",
    '"refreshToken": "«abcd1234efgh»"',
    "OPENAI_API_KEY=«abcdefgh12345678zz»",
    "export MY_SECRET='«Zq8!kd93jd02ks»'",
    "GH_PAT: «abcd1234efgh5678ijkl»",
    "aws_secret_access_key = «wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzKEYY»",
    "curl -u bob:«s3cret» https://x",
    "mysql --password «hunter2»",
    "tool --token «abcdef123456»",
    "sshpass -p «hunter2» ssh x",
    "machine x login bob password «hunter2»",
    "<password>«hunter2»</password>",
    "Cookie: «session=abcdef1234567890abcdef; theme=dark»",
    "-H 'Cookie: «sid=Zm9vYmFy1234567890»'",
    "docker login -u me -p «S3cr3tPw» ghcr.io",
    "mysql -u root -p«S3cr3t» shop",
    "redis-cli -h cache -a «foobared1» ping",
    "my password is «S3cr3t!pass»",
    "the passphrase was `«open sesame»`",
    "password：«hunter2abc»",
    "Passwort: «geheim123»",
    "contraseña: «clave2024»",
    "密码: «hunter2abc»",
    "密码是«hunter2abc»",
    "https://b.s3.amazonaws.com/k?X-Amz-Signature=«aabbccddeeff00112233445566778899»&x=1",
    "https://x.blob.core.windows.net/c?sv=2024&sig=«abcDEF123456%2BabcDEF%3D»",
    'psk="«hunter22hunter»"',
)
FRIENDS = (
    "3f786850e387550fdab836ed7e6dc881de23001b",
    "550e8400-e29b-41d4-a716-446655440000",
    "sha256:" + "e3b0c442" * 8,
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkM9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "[image/png 40 KB]",
    "password=<password>",
    "password = getpass()",
    "password: str",
    "password=$DB_PASSWORD",
    "password: ${DB_PASSWORD}",
    "password=%s",
    "password={{ password }}",
    "OPENAI_API_KEY=your-key-here",
    "OPENAI_API_KEY=$OPENAI_API_KEY",
    'api_key=os.environ["OPENAI_API_KEY"]',
    "token = None",
    "max_tokens=4096",
    'pad_token="<pad>"',
    "tokens: 1234567890",
    "the token: see below for details",
    "Password: required",
    "postgres://user:password@localhost/db",
    "https://example.com:8080/a@b",
    "git@github.com:a/b.git",
    "ssh://git@github.com:22/a",
    "the secret: nobody knows",
    "CACHE_KEY=9fceb02d0ae598e95dc970b74767f19372d61af8",
    "PUBLIC_KEY=ssh-ed25519-abcdefgh12345",
    "task-manager-of-the-whole-world-12",
    "sk-learn is a library",
    "sk-fading-circle-of-css-classes",
    "hf_hub_download(repo_id)",
    "ghp_ is a prefix",
    "bearer of bad news everybody",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "docker run -u 1000:1000 x",
    "password = user.password",
    "password=self.password",
    "password=password",
    "password_hash=5f4dcc3b5aa765d61d8327deb882cf99",
    "AKIA is a prefix",
    "session token count: 12345678",
    "key: value",
    "primary_key=id_12345678",
    "AIza is the beginning",
    "xoxb- and so on",
    "eyJhbGciOiJIUzI1NiJ9",
    "forgot password? Click here",
    "the password, please",
    "secret=secret",
    "token: [masked: token]",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    "monkey=banana12345",
    "Cookie: theme=dark; lang=en",
    "Cookie: session=<session>",
    "mysql -h db --port 3306 -p shop",
    "docker run -p 8080:80 nginx",
    "the password is required here",
    "a password is base64-encoded, not sealed",
    "password is 12345678 characters too long",
    "密码是什么",
    "Passwort: erforderlich",
    "git log --show-signature=never",
    "https://x/?sig=short",
    "it says -----BEGIN RSA PRIVATE KEY----- and then goes on in plain words about other things",
)


@pytest.mark.parametrize("secret", FORMS)
@pytest.mark.parametrize(
    "around", ["{}", "use {} now", "see `{}`.", '{{"x": "{}"}}', "花{}花", "KEY={}\n", "a\\n{}", "https://x/{}"]
)
def test_a_secret_of_a_known_form_is_masked_wherever_it_stands(secret: str, around: str) -> None:
    masked, found = mask(around.format(secret))
    assert masked == around.format(f"[masked: {FORMS[secret]}]")
    assert found == {FORMS[secret]: 1}


@pytest.mark.parametrize("text", NAMED)
def test_a_secret_behind_a_name_is_masked_and_nothing_else(text: str) -> None:
    before, secret, after = text.replace("»", "«").split("«")
    masked, found = mask(before + secret + after)
    kind = next(iter(found))
    assert masked == f"{before}[masked: {kind}]{after}"
    assert found.total() == 1


@pytest.mark.parametrize("text", FRIENDS)
def test_what_only_looks_like_a_secret_is_left_alone(text: str) -> None:
    assert mask(text) == (text, {})


def test_a_key_whose_end_was_cut_off_is_masked_as_far_as_it_goes() -> None:
    body = "\n".join(["MIIEpAIBAAKCAQEAabcdefghijklmnopqrstuvwxyzabcdef"] * 3)
    masked, found = mask(f"cat id\n-----BEGIN OPENSSH PRIVATE KEY-----\n{body}\nand that was all of it")
    assert masked == "cat id\n[masked: private key]\nand that was all of it"
    assert found == {"private key": 1}


def test_the_token_of_a_bot_in_the_address_it_calls_is_masked() -> None:
    address = "https://api.telegram.org/bot{}/getMe"
    assert mask(address.format("123456789" + ":AAabcdefghijklmnopqrstuvwxyz012345678"))[0] == address.format(
        "[masked: Telegram bot token]"
    )


PLANTED = [text.replace("«", "").replace("»", "") for text in NAMED]
PIECES = ["password", "token", "api_key", "Bearer ", "Authorization", "=", ": ", '"', "'", "\\", "\n", " ", "://", "@"]
ODD = ["a1b2", "sk-", "İ", "\x00", "\ud800", "[masked: ", "]", "x" * 50, "-----BEGIN RSA PRIVATE KEY-----"]
PARTS = st.sampled_from([*FORMS, *PLANTED, *FRIENDS, *PIECES, *ODD])


@settings(max_examples=300, deadline=None)
@given(st.lists(PARTS, max_size=12).map("".join))
def test_what_is_masked_holds_nothing_more_to_mask(text: str) -> None:
    masked, _ = mask(text)
    assert mask(masked) == (masked, {})


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(list(FORMS)), min_size=1, max_size=3), st.lists(st.sampled_from(FRIENDS), max_size=3))
def test_no_secret_is_left_among_other_things(secrets: list[str], friends: list[str]) -> None:
    masked, found = mask("\n".join([*friends, *secrets, *friends]))
    assert not [secret for secret in secrets if secret in masked]
    assert found.total() >= len(secrets)


def test_a_message_and_a_session_are_masked_in_all_their_parts_and_counted() -> None:
    secret = next(iter(FORMS))
    call = ToolCall(id="c", name="terminal", arguments=f"command: echo {secret}")
    message = Message(1, "s", "user", f"it is {secret}", tool_calls=(call,), reasoning=f"so {secret} it is")
    session = Session("s", "cli", title=f"about {secret}", preview="password=hunter2")
    masker = Masker()
    masked = (masker.message(message), masker.session(session))
    assert secret not in repr(masked)
    assert "hunter2" not in repr(masked)
    assert masker.words() == "5 secrets masked: 4 API keys, 1 password"
    keeping = Masker(keep=True)
    assert (keeping.message(message), keeping.session(session)) == (message, session)
    assert keeping.words() == ""
