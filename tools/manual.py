"""Writes man pages and shell completion from the command line itself into packaging, before a wheel is built.

A wheel carries them: `man plimsoll` and completion work where share/ of the environment is looked at. The pages are
not in git, as they say what the code says; `--check` compares the scripts of completion alone.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer.main
from typer._completion_shared import get_completion_script

from plimsoll.cli.main import EXIT_CODES, app

SHARE = Path(__file__).parent.parent / "packaging" / "wheel" / "data" / "share"
COMPLETION = {
    "bash": "bash-completion/completions/plimsoll",
    "zsh": "zsh/site-functions/_plimsoll",
    "fish": "fish/vendor_completions.d/plimsoll.fish",
}
ENVIRONMENT = (
    ("PLIMSOLL_STORE", "The result store: a file, or an SQLAlchemy URL."),
    ("PLIMSOLL_HOME", "Folder for results and the list of work folders; by default ~/.local/share/plimsoll."),
    ("PLIMSOLL_DEBUG", "With 1, internal errors show where they happened."),
    ("AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, …", "Object storage: as for the provider's own tools."),
)


def escaped(text: str) -> str:
    """Words that roff prints as they are."""
    plain = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return re.sub(r"^\.", "\\\\&.", plain, flags=re.MULTILINE)


def words(text: str) -> str:
    """Running text; what stands between back quotes is bold."""
    parts = re.split(r"`([^`]*)`", " ".join(text.split()))
    return "".join(f"\\fB{escaped(part)}\\fR" if index % 2 else escaped(part) for index, part in enumerate(parts))


def head(name: str, about: str) -> Iterator[str]:
    """Title and name of a page."""
    first = about.strip().partition("\n\n")[0].rstrip(".")
    title = name.upper().replace(" ", "\\-")
    yield f'.TH {title} 1 "" "Plimsoll" "Plimsoll Manual"'
    yield f".SH NAME\n{escaped(name.replace(' ', '-'))} \\- {words(first[:1].lower() + first[1:])}"


def parameters(command: Any, context: Any) -> Iterator[str]:
    """Every argument and option of a command."""
    yield from (f".TP\n\\fB{escaped(name)}\\fR\n{words(about)}" for name, about in getattr(command, "words", ()))
    for parameter in command.get_params(context):
        if getattr(parameter, "hidden", False):
            continue
        name, about = parameter.get_help_record(context) or ("", getattr(parameter, "help", "") or "")
        if parameter.param_type_name == "argument":
            name = parameter.metavar or parameter.name.upper()
        yield f".TP\n\\fB{escaped(name)}\\fR\n{words(about)}"


def body(command: Any, context: Any, level: str) -> Iterator[str]:
    """Synopsis, text and options; commands below this one follow as sections of the same page."""
    pieces = " ".join(command.collect_usage_pieces(context))
    yield f".{level} {'SYNOPSIS' if level == 'SH' else escaped(context.command_path)}"
    yield f"\\fB{escaped(context.command_path)}\\fR {escaped(pieces)}"
    if level == "SH":
        yield ".SH DESCRIPTION"
    yield from (f".PP\n{words(part)}" for part in (command.help or "").split("\n\n"))
    yield ".SH OPTIONS" if level == "SH" else ".PP"
    yield from parameters(command, context)
    if command.epilog:
        yield f".{'SH EXAMPLES' if level == 'SH' else 'PP'}\n{words(command.epilog)}"
    if hasattr(command, "list_commands"):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            yield from body(below, below.make_context(name, [], parent=context, resilient_parsing=True), "SS")


def main_page(group: Any, context: Any) -> Iterator[str]:
    """The page of `plimsoll` itself."""
    yield from head("plimsoll", group.help)
    yield ".SH SYNOPSIS\n\\fBplimsoll\\fR COMMAND [OPTIONS]\n.SH COMMANDS"
    for name in group.list_commands(context):
        about = (group.get_command(context, name).help or "").partition("\n\n")[0]
        yield f".TP\n\\fBplimsoll\\-{escaped(name)}\\fR(1)\n{words(about)}"
    yield ".SH OPTIONS"
    yield from parameters(group, context)
    yield f".SH EXIT STATUS\n{words(EXIT_CODES)}\n.SH ENVIRONMENT"
    yield from (f".TP\n\\fB{escaped(name)}\\fR\n{words(about)}" for name, about in ENVIRONMENT)


def pages() -> Mapping[str, str]:
    """Path below share and text of every man page."""
    group: Any = typer.main.get_command(app)
    context = group.make_context("plimsoll", [], resilient_parsing=True)
    found = {"man/man1/plimsoll.1": "\n".join(main_page(group, context)) + "\n"}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        own = command.make_context(name, [], parent=context, resilient_parsing=True)
        lines = [*head(f"plimsoll {name}", command.help or name), *body(command, own, "SH")]
        lines.append(".SH SEE ALSO\n\\fBplimsoll\\fR(1)")
        found[f"man/man1/plimsoll-{name}.1"] = "\n".join(lines) + "\n"
    return found


def scripts() -> Mapping[str, str]:
    """Path below share and text of every script of completion."""
    found = {}
    for shell, path in COMPLETION.items():
        script = get_completion_script(prog_name="plimsoll", complete_var="_PLIMSOLL_COMPLETE", shell=shell)
        found[path] = script.strip() + "\n"
    return found


def main() -> int:
    """Write the files, or compare the scripts with what is there."""
    if "--check" in sys.argv:
        stale = [name for name, text in scripts().items() if _there(name) != text]
        if stale:
            print(f"packaging is not what the code says: {', '.join(stale)}; run `make docs`", file=sys.stderr)
        return bool(stale)
    # A command that is gone leaves no page.
    shutil.rmtree(SHARE / "man", ignore_errors=True)
    for name, text in {**pages(), **scripts()}.items():
        path = SHARE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return 0


def _there(name: str) -> str | None:
    path = SHARE / name
    return path.read_text() if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
