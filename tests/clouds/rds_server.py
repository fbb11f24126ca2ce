"""What answers for an emulated database: a MariaDB of its own, on a served volume with the limits of its storage.

It listens on an address of the emulated cloud's network, which only this machine has.
"""

from __future__ import annotations

import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.clouds.moto import free_port
from tests.clouds.rds import Created

from plimsoll.targets.owner import current_owner
from plimsoll.volumes import lifecycle, registry
from plimsoll.volumes.changes import modify
from plimsoll.volumes.registry import Volume
from plimsoll.volumes.removal import remove

USER = "root"
"""Folders of tests are closed to others."""
START_S = 60.0
LOADING_IOPS = "10000"
SMALL = {
    "innodb_buffer_pool_size": "8M",
    "innodb_buffer_pool_chunk_size": "1M",
    "innodb_log_file_size": "16M",
    "innodb_flush_method": "O_DIRECT",
    "performance_schema": "0",
    "skip-name-resolve": "1",
}
"""Most of the data of a small test lie outside the memory of the server, as most of a large one's do."""


@dataclass
class MariaDb:
    """Started with what CreateDBInstance asked for; `folder` is for its socket and log.

    Until `limit` the volume is fast: loading the data is not what is measured.
    """

    created: Created
    address: str
    folder: Path
    port: int = field(default_factory=free_port)
    settings: dict[str, str] = field(default_factory=lambda: dict(SMALL))
    _volume: Volume | None = None
    _process: subprocess.Popen[bytes] | None = None

    def start(self) -> MariaDb:
        """Volume, system tables, server; returns itself once it answers."""
        asked = self.created.parameters
        shape = {"type": asked["StorageType"], "size": f"{asked['AllocatedStorage']}GiB"}
        shape["iops"] = LOADING_IOPS
        request = lifecycle.VolumeRequest(
            name=self.created.identifier, options=shape, file_system="ext4", keeper=current_owner()
        )
        self._volume = lifecycle.create(request)
        assert self._volume.mount is not None
        data = Path(self._volume.mount) / "data"
        data.mkdir()
        self.folder.mkdir(parents=True)
        install = ["mariadb-install-db", "--no-defaults", f"--datadir={data}", f"--user={USER}", "--skip-test-db"]
        subprocess.run(install, check=True, capture_output=True)
        first = self.folder / "first.sql"
        first.write_text(
            f"CREATE DATABASE {asked['DBName']};"
            f"\nCREATE USER {asked['MasterUsername']}@'%' IDENTIFIED BY '{asked['MasterUserPassword']}';"
            f"\nGRANT ALL ON *.* TO {asked['MasterUsername']}@'%';\n"
        )
        first.chmod(0o600)
        own = {"datadir": data, "bind-address": self.address, "port": self.port, "socket": self.folder / "socket"}
        own |= {"pid-file": self.folder / "pid", "init-file": first, "log-error": self.folder / "log", "user": USER}
        words = [f"--{name}={value}" for name, value in {**own, **self.settings}.items()]
        self._process = subprocess.Popen(["mariadbd", "--no-defaults", *words])
        self._wait()
        return self

    def limit(self) -> None:
        """From now on the storage gives what was asked for."""
        assert self._volume is not None
        modify(self._volume.name, {"iops": self.created.parameters["Iops"]})

    def stop(self) -> None:
        """The server, then its volume."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)
        if self._volume is not None:
            with registry.changes():
                remove(self._volume.folder, force=True)

    def _wait(self) -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex((self.address, self.port)) == 0:
                    return
            time.sleep(0.1)
        raise AssertionError((self.folder / "log").read_text()[-2000:])
