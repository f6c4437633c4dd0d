"""Pictures in a message: those it holds, in their order, and nothing that only says it is one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hermes_tui.model import Image
from hermes_tui.store.images import images_of

PNG = "iVBORw0KGgo="


def url(address: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": address}}


CASES: dict[str, tuple[Any, list[Image]]] = {
    "as OpenAI has it": (
        [{"type": "text", "text": "a"}, url(f"data:image/png;base64,{PNG}")],
        [Image("image/png", PNG)],
    ),
    "as its newer interface has it": (
        [{"type": "input_image", "image_url": f"data:image/JPEG;base64,{PNG}"}],
        [Image("image/jpeg", PNG)],
    ),
    "as Anthropic has it": (
        [{"type": "image", "source": {"type": "base64", "media_type": "image/webp", "data": PNG}}],
        [Image("image/webp", PNG)],
    ),
    "in a result of a tool": (
        {"_multimodal": True, "content": [url(f"data:image/gif;base64,{PNG}")]},
        [Image("image/gif", PNG)],
    ),
    "several, with line breaks in the data": (
        [url(f"data:image/png;base64,{PNG[:4]}\n{PNG[4:]}"), url(f"data:image/gif;base64,{PNG}")],
        [Image("image/png", PNG), Image("image/gif", PNG)],
    ),
    "elsewhere": ([url("https://example.com/x.png")], []),
    "no base64": ([url('data:image/png;base64,"><script>')], []),
    "not encoded": ([url("data:image/svg+xml,<svg onload=x>")], []),
    "no picture": ([url(f"data:text/html;base64,{PNG}")], []),
    "another type": ([{"type": "image", "source": {"media_type": 'image/png" x="', "data": PNG}}], []),
    "nothing in it": ([url("data:image/png;base64,")], []),
}


@pytest.mark.parametrize("name", CASES)
def test_the_pictures_of_a_message(name: str) -> None:
    parts, found = CASES[name]
    for sentinel in ("\x00json:", "\x01json:"):
        assert list(images_of(sentinel + json.dumps(parts))) == found
        assert list(images_of((sentinel + json.dumps(parts)).encode())) == found


@pytest.mark.parametrize(
    "content", [None, 7, "", f"data:image/png;base64,{PNG}", "\x00json:{", "\x00json:" + "[" * 500]
)
def test_other_content_has_none(content: object) -> None:
    assert images_of(content) == ()
