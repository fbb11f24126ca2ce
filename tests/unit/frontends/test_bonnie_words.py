"""Bonnie++'s options, table and CSV line."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.errors import UsageError
from plimsoll.frontends.bonnie import output
from plimsoll.frontends.bonnie.options import parse
from plimsoll.frontends.bonnie.output import Cell

FOUND = {
    phase: Cell(1000.0 * (index + 1), 10 + index, 90_000 * (index + 1))
    for index, phase in enumerate((*output.DATA, *output.FILES))
}


REST = ["-m", "box", "-c", "2", "-x", "3", "-z", "7", "-qfb"]


def test_options() -> None:
    settings = parse(["-d", "/mnt", "-s", "2g:16384:1000:3", "-r", "512", "-n", "4:2000:100", *REST])
    assert settings.parameters() == {
        "version": "2",
        "size": 2**31,
        "chunk": 16384,
        "skip_characters": True,
        "unbuffered": True,
        "seeks": 1000,
        "seekers": 3,
        "files": 4096,
        "file_size_min": 100,
        "file_size_max": 2000,
        "seed": 7,
    }
    assert (settings.directory, settings.name, settings.concurrency, settings.runs, settings.quiet) == (
        "/mnt",
        "box",
        2,
        3,
        True,
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-s 100 -r 60", "twice the 60 MiB"),
        ("-yx", "-y x: it is -y s for the semaphores of -p, or -y p for a line"),
        ("-z 1 -Z f", "give one of them"),
        ("-z -1", "a seed is 0 or more"),
        ("-Z /nowhere", "cannot read /nowhere: No such file"),
        ("-t 3", "no option -t; the nearest one there is: -x"),
        ("-S 3", "no option -S; the nearest one there is: -s"),
        ("--iterations 3", "no option --iterations; the nearest one there is: -x"),
        ("-k", "no option -k"),
        ("-n 1:2:3:4", "several folders"),
        ("-s", "needs a value"),
        ("dir", "-d"),
        ("-s x", "not a size"),
        ("--nope", "no option --nope; its options are letters: -D, "),
        ("--directory=/mnt", "no option --directory=/mnt; the nearest one there is: -d"),
        ("--sise 4", "no option --sise; the nearest one there is: -s"),
        ("-s 4:0 -r 2", "chunk is 0"),
        ("-s 4:8k:0 -r 2", "number of seeks is 0"),
        ("-s 4 -r 2 -n 1:5:9", "largest size comes first"),
    ],
)
def test_what_is_wrong_is_named(words: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(words.split())


def test_the_csv_line_has_its_fields() -> None:
    line = output.csv_line(FOUND, parse(["-s", "64", "-r", "32", "-m", "h,x", "-n", "1", "-z", "1795314518"]))
    fields = line.split(",")
    assert len(fields) == 50
    assert fields[:9] == ["1.98", "2.00a", "h_x", "1", "1795314518", "64M", "", "8192", "5"]
    assert fields[9:13] == ["1000", "10", "2000", "11"]
    assert fields[-12:-10] == ["90000us", "180ms"]


def test_files_are_of_any_size_up_to_the_largest() -> None:
    """As in the original, where no smallest one is given."""
    settings = parse(["-s", "64", "-r", "32", "-n", "1:100", "-m", "host"])
    assert (settings.file_size_min, settings.file_size_max) == (0, 100)
    lines = list(output.table(FOUND, settings))
    assert lines[7].startswith("files:max  ")
    assert lines[8].lstrip().startswith("1:100:0 ")
    assert output.csv_line(FOUND, settings).split(",")[21:26] == ["1", "100", "", "", ""]


def test_lines_of_several_runs_have_names() -> None:
    names = output.HEADER.split(",")
    line = output.csv_line(FOUND, parse(["-s", "64", "-r", "32", "-n", "1", "-m", "host"])).split(",")
    assert len(set(names)) == len(names) == len(line)
    named = dict(zip(names, line, strict=True))
    assert (named["num_seeks"], named["putc"], named["num_files"], named["seq_create"]) == ("8192", "1000", "1", "7000")
    assert (named["putc_latency"], named["ran_del_latency"]) == ("90000us", "1080ms")


def test_what_was_left_out_is_empty() -> None:
    found = {phase: cell for phase, cell in FOUND.items() if not phase.startswith("char")}
    settings = parse(["-s", "64", "-r", "32", "-n", "0", "-f", "-m", "host"])
    fields = output.csv_line(found, settings).split(",")
    assert (fields[9:11], fields[15:17]) == (["", ""], ["", ""])
    assert output.csv_line({}, settings).count(",") == 49


def test_columns_of_the_table_are_those_of_the_original() -> None:
    lines = list(output.table(FOUND, parse(["-s", "64", "-r", "32", "-n", "1", "-m", "host"])))
    assert lines[0] == "Version 2.00a       ------Sequential Output------ --Sequential Input- --Random-"
    assert lines[2] == "Name:Size etc        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP"
    assert lines[3] == "host            64M 1000k  10 2000k  11 3000k  12 4000k  13 5000k  14  6000  15"
    assert lines[4] == "Latency               90000us     180ms     270ms     360ms     450ms     540ms"
    assert lines[8].startswith("                  1  7000  16")


@pytest.mark.parametrize(("us", "text"), [(0, "0us"), (99_999, "99999us"), (100_000, "100ms"), (140_000_000, "140s")])
def test_latencies(us: int, text: str) -> None:
    assert output.latency(us) == text


def test_the_seed_of_the_line_is_that_of_the_run(tmp_path: Path) -> None:
    """So that -z with what stands in the line repeats it."""
    random = tmp_path / "random"
    random.write_bytes(bytes(range(256)))
    for words in (["-z", "7"], ["-Z", str(random)], []):
        settings = parse(["-s", "64", "-r", "32", *words])
        assert output.csv_line(FOUND, settings).split(",")[4] == str(settings.parameters()["seed"])
    assert parse(["-s", "64", "-r", "32", "-z", "7"]).seed == 7
    assert parse(["-s", "64", "-r", "32", "-Z", str(random)]).seed == 1_389_924_910
    assert parse(["-s", "64", "-r", "32"]).seed > 1_700_000_000


def test_without_data_the_tests_of_many_files_are_left() -> None:
    settings = parse(["-s", "0", "-n", "1", "-z", "5", "-m", "x"])
    assert settings.rare() == {"skip_data": True}
    found = {phase: cell for phase, cell in FOUND.items() if phase in output.FILES}
    # As 2.00a prints it.
    assert output.csv_line(found, settings).startswith("1.98,2.00a,x,1,5,,,,,,,,,,,,,,,,,1,,,,,7000,16,")
    lines = list(output.table(found, settings))
    assert lines[0] == "Version 2.00a       ------Sequential Create------ --------Random Create--------"
    assert len(lines) == 5


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("-D", "direct"),
        ("-y", "together"),
        ("-ys", "together"),
        ("-y s", "together"),
        ("-y p", "prompts"),
        ("-yP", "prompts"),
    ],
)
def test_what_few_runs_ask_for(words: str, asked: str) -> None:
    assert parse(["-s", "64", "-r", "32", *words.split(), "-f"]).rare() == {asked: True}
    assert parse(["-s", "64", "-r", "32"]).rare() == {}
