from tests.clouds.fixtures import _proxy, moto_server, proxy
from tests.integration.clouds.host.conftest import cloud, machines_of
from tests.integration.clouds.rds.conftest import database
from tests.integration.clouds.session.conftest import _known_address
from tests.integration.run.conftest import plimsoll

__all__ = ["_known_address", "_proxy", "cloud", "database", "machines_of", "moto_server", "plimsoll", "proxy"]
