"""What ends rentals whose session does not: signals, other commands, the sweep of what outlived its lease."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.clouds.fixtures import KEY, REGION, SECRET, everything, rental
from tests.clouds.kills import strangers
from tests.clouds.moto import ROOT
from tests.clouds.proxy import Answer, Call, Proxy
from tests.conftest import until

from plimsoll.clouds import finding, ledger, rent, sweep
from plimsoll.clouds.rent import adopted, renting
from plimsoll.errors import CloudError

AWS = finding.cloud("aws")
SESSION = """
import sys, time
from plimsoll.clouds import finding, rent
from plimsoll.clouds.wanted import Rental
from pydantic import TypeAdapter
rent.POLL_S, rent.SETTLING_S = 0.05, 1.0
with rent.renting(finding.cloud("aws"), TypeAdapter(Rental).validate_json(sys.argv[1])) as rented:
    rented.hosts()
    print("rented", flush=True)
    time.sleep(600)
"""


@contextmanager
def session() -> Iterator[subprocess.Popen[str]]:
    """A session in another process, which has rented."""
    command = [sys.executable, "-c", SESSION, json.dumps(asdict(rental()))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "rented\n"
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_gives_everything_back(proxy: Proxy, number: int) -> None:
    with session() as process:
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
        assert "giving back what is rented" in told
    assert everything(proxy.moto) == []
    assert ledger.ids() == []


def test_a_signal_while_a_call_is_under_way(proxy: Proxy) -> None:
    def interrupt(call: Call, _answer: Answer) -> None:
        if call.action == "RunInstances":
            signal.raise_signal(signal.SIGINT)
            # The main thread takes it before the answer comes.
            time.sleep(0.3)

    proxy.after.append(interrupt)
    with pytest.raises(KeyboardInterrupt), renting(AWS, rental()):
        pass
    assert everything(proxy.moto) == []


def test_what_a_living_session_has_stays(proxy: Proxy) -> None:
    with session():
        there = everything(proxy.moto)
        assert sweep.abandoned() == []
        assert sweep.outlived(AWS, REGION) == []
        with pytest.raises(CloudError, match="another command uses rental 0123abcd; wait for its end or stop it"):
            ledger.take_over("0123abcd")
        assert everything(proxy.moto) == there


def test_a_killed_session_is_ended_by_the_next_command(proxy: Proxy) -> None:
    with session() as process:
        process.kill()
        process.wait()
    assert everything(proxy.moto) != []
    assert sweep.abandoned()[0].startswith("rental 0123abcd in us-east-1, left by an earlier command: ended machine i-")
    assert everything(proxy.moto) == []
    assert sweep.abandoned() == []


def test_any_command_ends_what_a_killed_one_has_left(proxy: Proxy) -> None:
    with session() as process:
        process.kill()
        process.wait()
    command = [sys.executable, "-m", "plimsoll", "list", "tests"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert answer.returncode == 0
    assert "ending rental 0123abcd in us-east-1, which an earlier command has left" in answer.stderr
    assert "ended machine i-" in answer.stderr
    assert everything(proxy.moto) == []
    assert "rental" not in subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT).stderr


def test_a_command_goes_on_where_the_provider_cannot_be_asked(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    with session() as process:
        process.kill()
        process.wait()
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    command = [sys.executable, "-m", "plimsoll", "list", "tests"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert answer.returncode == 0
    assert "no credentials for AWS" in answer.stderr
    assert "randread" in answer.stdout
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    sweep.abandoned()
    assert everything(proxy.moto) == []


def test_a_killed_session_is_taken_over_with_its_machines(proxy: Proxy) -> None:
    with session() as process:
        process.kill()
        process.wait()
    runs = proxy.actions().count("RunInstances")
    with adopted(AWS, "0123abcd") as rented:
        assert [host.machine for host in rented.hosts()] == ["m1"]
        assert proxy.actions().count("RunInstances") == runs
    assert everything(proxy.moto) == []
    with pytest.raises(CloudError, match="there is no rental 0123abcd any more"):
        ledger.take_over("0123abcd")


def test_all_of_it_can_be_ended_before_its_time(proxy: Proxy) -> None:
    """What others have without our tags stays in any case."""
    others = strangers(proxy.moto)
    with session() as process:
        process.kill()
        process.wait()
    assert sweep.outlived(AWS, REGION) == []
    told = sweep.outlived(AWS, REGION, every=True)
    assert {line.rpartition(" ")[2] for line in told} == {"0123abcd", "feedbeef"}
    left = set(everything(proxy.moto))
    assert left < others
    assert len(left) > len(others) / 2
    sweep.abandoned()


def test_two_commands_sweep_at_once(proxy: Proxy) -> None:
    with session() as process:
        process.kill()
        process.wait()
    told: list[str] = []
    both = [threading.Thread(target=lambda: told.extend(sweep.abandoned())) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert len(told) == 1
    assert everything(proxy.moto) == []


def test_credentials_are_stored_nowhere(proxy: Proxy, tmp_path: Path) -> None:
    """Not in the home, not in what is said or logged, not in a process list, not in anything that AWS keeps."""
    with session() as process:
        lists = [Path(f"/proc/{process.pid}/cmdline").read_bytes()]
        lists += [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
        process.send_signal(signal.SIGINT)
        lists += [text.encode() for text in process.communicate(timeout=60)]
    lists += [call.body for call in proxy.calls]
    assert len(lists) > 20
    assert not [text for text in lists if SECRET.encode() in text or KEY.encode() in text]


@contextmanager
def open_to_all() -> Iterator[None]:
    """What is made may be read and written by everybody, unless its maker says otherwise."""
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


def test_private_keys_are_for_this_user_alone_and_never_sent(proxy: Proxy, tmp_path: Path) -> None:
    with open_to_all(), renting(AWS, rental()) as rented:
        files = [path for path in rented.ledger.folder.iterdir() if "key" in path.name]
        assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
        assert rented.ledger.folder.stat().st_mode & 0o777 == 0o700
        assert (rented.ledger.folder / ledger.FILE).stat().st_mode & 0o777 == 0o600
        private = (rented.ledger.folder / "key").read_text().splitlines()[1]
    assert not [call for call in proxy.calls if private in call.body.decode()]
    assert not list((tmp_path / "clouds").iterdir())


def test_a_half_written_line_of_a_killed_session(proxy: Proxy, tmp_path: Path) -> None:
    record = ledger.begin(rental())
    record.close()
    with (tmp_path / "clouds/0123abcd" / ledger.FILE).open("a") as file:
        file.write('{"at_ns":1,"intent":{"kind":"mach')
    assert sweep.abandoned() == ["rental 0123abcd in us-east-1, left by an earlier command: ended nothing"]
    assert proxy.actions()[0] == "DescribeInstances"


def test_a_ledger_that_cannot_be_read_is_told(proxy: Proxy, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "clouds/0123abcd"
    folder.mkdir(parents=True)
    (folder / ledger.FILE).write_text('{"rental": {}, "at_ns": 1}\n')
    with caplog.at_level(logging.WARNING):
        assert sweep.abandoned() == []
    assert "ledger.jsonl cannot be read (ValidationError); `plimsoll cloud list` asks the provider" in caplog.text
    assert proxy.calls == []


def test_what_does_not_end_in_time_is_told(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rent, "GIVING_BACK_S", 0.5)
    with session() as process:
        process.kill()
        process.wait()
    proxy.before.append(lambda call: Answer(200, b"<x/>") if call.action == "TerminateInstances" else None)
    told = sweep.abandoned()
    assert "still has machine i-" in told[0]
    assert "Its machines end at" in told[0]
    until(lambda: ledger.ids() == ["0123abcd"], "the ledger stays")
    proxy.before.clear()
    monkeypatch.setattr(rent, "GIVING_BACK_S", 60.0)
    sweep.abandoned()
    assert everything(proxy.moto) == []
