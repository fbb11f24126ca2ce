"""Google Cloud: persistent disks and Hyperdisk, and machine types with what they give to disks.

gcp25 is cloud.google.com/compute/docs/disks as of 2025; facts in our own words.
"""

from plimsoll.catalog.provider import Provider
from plimsoll.catalog.providers.gcp.instances import instances

PROVIDER = Provider(
    title="Google Cloud",
    home_region="us-central1",
    documents={"gcp25": "Google Cloud disks, 2025"},
    instances=instances,
    unknown={
        "hyperdisk-throughput": "neither its limits nor its price are known",
        "hyperdisk-ml": "neither its limits nor its price are known",
    },
)
