"""The commands: each file's `command` function is the command of that name. Heavy imports happen inside it."""
