"""What leaves the program: a conversation, a window or a list of places as a document, and what is handed over besides.

Everything is written as it is read, a portion at a time, so that the longest conversation costs no more memory than a
short one; secrets are masked unless they are asked for. Asks the library, and `render` for safe text; knows no screen
and no command line.
"""
