"""Front ends: they take what people type for an original tool, run it in the core, and print what that tool prints.

One package per original: its arguments become plans, its outcome becomes the original's output. What was measured goes
to the store like any other session.
"""
