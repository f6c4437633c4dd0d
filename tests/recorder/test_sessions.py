"""Sessions: created, named, ended, flagged, paid for and deleted."""

from __future__ import annotations

import hashlib
import json

import pytest

from hermes_tui.recorder import Layout, RecorderError, Usage
from tests.recorder.conftest import NOON, OpenStore, Store


def test_a_session_stores_what_it_was_given(store: Store) -> None:
    session = store.recorder.create_session(
        "telegram",
        title="Garden lights",
        model="acme/large",
        model_config={"temperature": 0.2},
        chat_id="77",
        origin_json={"platform": "telegram"},
        cwd="/srv/garden",
        started_at=NOON - 50,
    )
    row = store.recorder.session(session)
    assert (row["source"], row["title"], row["model"], row["chat_id"]) == (
        "telegram",
        "Garden lights",
        "acme/large",
        "77",
    )
    assert (row["cwd"], row["started_at"], row["ended_at"], row["end_reason"]) == ("/srv/garden", NOON - 50, None, None)
    assert json.loads(row["model_config"]) == {"temperature": 0.2}
    assert json.loads(row["origin_json"]) == {"platform": "telegram"}
    assert (row["message_count"], row["archived"]) == (0, 0)


def test_made_ids_tell_the_time_and_differ(store: Store) -> None:
    ids = {store.recorder.create_session("cli", started_at=NOON) for _ in range(50)}
    assert len(ids) == 50
    assert {session[:16] for session in ids} == {"20260921_141320_"}


def test_an_id_of_ones_own_is_kept_and_cannot_be_used_twice(store: Store) -> None:
    assert store.recorder.create_session("cron", session_id="cron_backup_20261101_030000").startswith("cron_backup")
    with pytest.raises(RecorderError, match="cron_backup_20261101_030000"):
        store.recorder.create_session("cron", session_id="cron_backup_20261101_030000")


def test_an_unknown_field_is_an_error_not_a_loss(store: Store) -> None:
    with pytest.raises(RecorderError, match="no field 'modle'"):
        store.recorder.create_session("cli", modle="x")  # type: ignore[call-arg]


def test_titles_are_cleaned(store: Store) -> None:
    session = store.recorder.create_session("cli", title="  Fix\u200b the\n\tbuild \u202e\x07 ")
    assert store.recorder.session(session)["title"] == "Fix the build"
    assert store.recorder.set_title(session, "Überblick  🦊\ud800") == "Überblick 🦊\ufffd"
    assert store.recorder.set_title(session, " \u200b ") is None
    assert store.recorder.session(session)["title"] is None


def test_a_title_has_a_length(store: Store) -> None:
    session = store.recorder.create_session("cli", title="x" * 100)
    with pytest.raises(RecorderError, match="at most 100 characters"):
        store.recorder.set_title(session, "x" * 101)
    assert store.recorder.session(session)["title"] == "x" * 100


def test_no_two_sessions_share_a_title(store: Store) -> None:
    first = store.recorder.create_session("cli", title="Taxes")
    second = store.recorder.create_session("cli")
    with pytest.raises(RecorderError, match=f"belongs to session '{first}'"):
        store.recorder.set_title(second, "Taxes")
    with pytest.raises(RecorderError, match="belongs to session"):
        store.recorder.create_session("cli", title="Taxes")
    store.recorder.set_title(first, "Taxes")
    store.recorder.set_title(first, None)
    assert store.recorder.set_title(second, "Taxes") == "Taxes"


def test_the_next_title_of_a_series(store: Store) -> None:
    assert store.recorder.next_title("Taxes") == "Taxes"
    store.recorder.create_session("cli", title="Taxes")
    store.recorder.create_session("cli", title="Taxes #7")
    store.recorder.create_session("cli", title="Taxes for 100%_")
    assert store.recorder.next_title("Taxes") == "Taxes #8"
    assert store.recorder.next_title("Taxes #2") == "Taxes #8"
    assert store.recorder.next_title("Taxes for 100%_") == "Taxes for 100%_ #2"


def test_the_first_end_stays_until_the_session_is_reopened(store: Store) -> None:
    session = store.recorder.create_session("cli")
    assert store.recorder.end_session(session, "cli_close")
    ended_at = store.recorder.session(session)["ended_at"]
    assert ended_at > NOON
    assert not store.recorder.end_session(session, "idle")
    assert store.recorder.session(session)["end_reason"] == "cli_close"
    assert store.recorder.session(session)["ended_at"] == ended_at
    store.recorder.reopen(session)
    assert (store.recorder.session(session)["ended_at"], store.recorder.session(session)["end_reason"]) == (None, None)
    assert store.recorder.end_session(session, "idle")


def test_a_session_that_is_not_there_is_named(store: Store) -> None:
    for attempt in (
        lambda: store.recorder.session("nobody"),
        lambda: store.recorder.end_session("nobody", "idle"),
        lambda: store.recorder.reopen("nobody"),
        lambda: store.recorder.set_title("nobody", "x"),
        lambda: store.recorder.update_session("nobody", model="x"),
        lambda: store.recorder.archive("nobody"),
        lambda: store.recorder.append("nobody", "user", "x"),
        lambda: store.recorder.compact("nobody", "x"),
        lambda: store.recorder.delete_session("nobody"),
        lambda: store.recorder.record_usage("nobody", Usage("m")),
    ):
        with pytest.raises(RecorderError, match="There is no session 'nobody'"):
            attempt()


def test_fields_can_change(store: Store) -> None:
    session = store.recorder.create_session("cli", model="small", cwd="/a")
    store.recorder.update_session(session, model="large", git_branch="main")
    row = store.recorder.session(session)
    assert (row["model"], row["git_branch"], row["cwd"]) == ("large", "main", "/a")


def test_a_system_prompt_is_read_back_and_stored_once_where_the_layout_can(store: Store) -> None:
    prompt = "You are a careful agent. 你好"
    first = store.recorder.create_session("cli", system_prompt=prompt)
    second = store.recorder.create_session("cli", system_prompt=prompt)
    assert store.recorder.session(first)["system_prompt"] == prompt
    if store.recorder.layout is Layout.INLINE:
        assert store.column("SELECT system_prompt FROM sessions") == [prompt, prompt]
        return
    digest = hashlib.sha256(prompt.encode()).hexdigest()
    assert store.rows("SELECT system_prompt, system_prompt_hash FROM sessions") == [(None, digest)] * 2
    assert store.rows("SELECT hash, prompt FROM system_prompts") == [(digest, prompt)]
    store.recorder.set_system_prompt(first, "Another")
    store.recorder.set_system_prompt(second, None)
    assert store.column("SELECT prompt FROM system_prompts") == ["Another"]
    assert store.recorder.session(second)["system_prompt"] is None


def test_usage_adds_up_and_side_work_is_kept_apart(store: Store) -> None:
    session = store.recorder.create_session("cli")
    for _ in range(2):
        store.recorder.record_usage(
            session,
            Usage("acme/large", input_tokens=100, output_tokens=20, estimated_cost_usd=0.5, billing_provider="acme"),
        )
    store.recorder.record_usage(session, Usage("acme/small", input_tokens=7, reasoning_tokens=3))
    store.recorder.record_usage(session, Usage("acme/tiny", input_tokens=9, task="title_generation"))
    row = store.recorder.session(session)
    assert (row["input_tokens"], row["output_tokens"], row["reasoning_tokens"], row["api_call_count"]) == (
        207,
        40,
        3,
        3,
    )
    assert (row["estimated_cost_usd"], row["actual_cost_usd"]) == (1.0, None)
    assert (row["model"], row["billing_provider"]) == ("acme/large", "acme")
    accounts = (
        "SELECT model, task, input_tokens, estimated_cost_usd, api_call_count FROM session_model_usage ORDER BY 1"
    )
    assert store.rows(accounts) == [
        ("acme/large", "", 200, 1.0, 2),
        ("acme/small", "", 7, 0.0, 1),
        ("acme/tiny", "title_generation", 9, 0.0, 1),
    ]


def test_archiving_takes_the_whole_conversation_along(store: Store) -> None:
    root = store.recorder.create_session("cli")
    store.recorder.append_many(root, [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}])
    helper = store.recorder.delegate(root)
    tip = store.recorder.split(root, "They counted.")
    branch = store.recorder.branch(tip)

    def archived() -> set[str]:
        return set(store.column("SELECT id FROM sessions WHERE archived = 1"))

    store.recorder.archive(root)
    assert archived() == {root, tip}
    store.recorder.archive(tip, False)
    assert archived() == set()
    store.recorder.archive(helper)
    store.recorder.archive(branch)
    assert archived() == {helper, branch}


def test_pins_and_hiding_where_the_layout_has_them(store: Store) -> None:
    session = store.recorder.create_session("cli")
    if store.recorder.layout is Layout.INLINE:
        with pytest.raises(RecorderError, match=r"no column sessions\.pinned"):
            store.recorder.pin(session)
        with pytest.raises(RecorderError, match=r"no column sessions\.hidden"):
            store.recorder.hide(session)
        return
    store.recorder.pin(session)
    store.recorder.hide(session)
    assert store.rows("SELECT pinned, hidden FROM sessions") == [(1, 1)]
    store.recorder.pin(session, False)
    assert store.rows("SELECT pinned, hidden FROM sessions") == [(0, 1)]


def test_deleting_takes_messages_sub_agents_and_accounts(store: Store) -> None:
    doomed = store.recorder.create_session("cli", system_prompt="only here")
    store.recorder.append(doomed, "user", "farewell wording")
    store.recorder.record_usage(doomed, Usage("m"))
    helper = store.recorder.delegate(doomed)
    store.recorder.append(helper, "user", "farewell of the helper")
    second_helper = store.recorder.delegate(helper)
    branch = store.recorder.branch(doomed)
    kept = store.recorder.create_session("cli")
    store.recorder.append(kept, "user", "kept wording")

    store.recorder.delete_session(doomed)

    assert second_helper not in store.column("SELECT id FROM sessions")
    assert dict(store.rows("SELECT id, parent_session_id FROM sessions")) == {branch: None, kept: None}
    assert store.column("SELECT DISTINCT session_id FROM messages ORDER BY 1") == sorted([branch, kept])
    assert store.rows("SELECT * FROM session_model_usage") == []
    copies = store.column("SELECT id FROM messages WHERE session_id = ?", branch)
    assert store.found("messages_fts", "farewell") == copies
    assert store.found("messages_fts_trigram", "arewel") == copies
    store.assert_indexes_agree()


def test_a_prompt_nobody_uses_goes_with_its_session(open_store: OpenStore) -> None:
    store = open_store(Layout.VIEWS)
    doomed = store.recorder.create_session("cli", system_prompt="only here")
    store.recorder.create_session("cli", system_prompt="shared")
    store.recorder.delete_session(doomed)
    assert store.column("SELECT prompt FROM system_prompts") == ["shared"]
