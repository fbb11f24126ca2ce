"""Front ends: they take what people type for an original tool, run it in the core, and print what that tool prints.

One folder per original, found by itself: its `command.py` has `TITLE`, the words of its help, and `run`. Its arguments
become plans, its outcome becomes the original's output. What was measured goes to the store like any other session.
"""
