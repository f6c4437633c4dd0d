"""A text ends where it ends, however its fences stand; another's parser says where."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from hermes_tui.export.fences import closed

LINES = (
    "```",
    "```sh",
    "~~~",
    "````",
    "  ```",
    "   ```",
    "    ```",
    "\t```",
    "- ```sh",
    "1. ```",
    "2. ```",
    "   - ```",
)
AROUND = ("> ```", "> - ```", "- a", "10. a", "ls", "  ls", "    ls", "", "> q", "a line ", "<details>")


@settings(max_examples=200, deadline=None)
@example(["```", "- ```", "```", "after"])
@example(["- ```sh", "  ls"])
@example(["- ```sh", "ls", "```"])
@given(st.lists(st.sampled_from(LINES + AROUND), max_size=8))
def test_nothing_behind_a_text_is_swallowed(lines: list[str]) -> None:
    tokens = MarkdownIt("commonmark").parse(closed("\n".join(lines)) + "\n\n## behind\n")
    assert [token.content for token in tokens[-3:]] == ["", "behind", ""]
    assert (tokens[-3].type, tokens[-3].level) == ("heading_open", 0)


@pytest.mark.parametrize(
    "text",
    [
        "a\n\n```py\nx\n```\nb",
        "1. a\n   ```sh\n   x\n\n   y\n   ```\n2. b",
        "- ```sh\n  ls\n  ```\nb",
        "> ```\n> x\n\nb",
        "~~~~\n```\n~~~\n~~~~",
    ],
)
def test_a_text_that_closes_its_fences_stays_as_it_is(text: str) -> None:
    assert closed(text) == text
    assert closed(text + "\n```py\nx") == text + "\n```py\nx\n```"
