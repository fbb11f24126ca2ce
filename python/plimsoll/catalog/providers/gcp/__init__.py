"""Google Cloud: persistent disks and Hyperdisk.

gcp25 is cloud.google.com/compute/docs/disks as of 2025; facts in our own words.
"""

from plimsoll.catalog.provider import Provider

PROVIDER = Provider(home_region="us-central1", documents={"gcp25": "Google Cloud disks, 2025"})
