"""The browser: the only room that knows Textual."""
