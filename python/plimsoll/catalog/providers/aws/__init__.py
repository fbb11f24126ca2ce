"""Amazon Web Services: EBS volumes, the disks of EC2 instances, and the storage of RDS.

Sources, by the words of the types and tables; facts in our own words, the guides are CC BY-SA 4.0:

- ug23: Amazon EC2 user guide of 2023-06-15 (github.com/awsdocs/amazon-ec2-user-guide, commit e3707c4); ug18: the same
  of 2018-02-02 (commit d1a4d62); ec214: that of 2014-05-01
- ebs25: Amazon EBS user guide and the CreateVolume reference as of 2025
- dd13: Datadog, "Getting optimal performance with EBS provisioned IOPS", 2013-07-24
- olson24: M. Olson, "Continuous reinvention: a brief history of block storage at AWS", 2024-08-22
- rds25: Amazon RDS user guide, "Amazon RDS DB instance storage", as of 2025-12, and the CreateDBInstance reference (of
  which sizes are); gp3's figures also in the guide of 2023-06 (github.com/awsdocs/amazon-rds-user-guide)
- fit13: fitted to eight tests of an article of 2013 (Phoronix Test Suite on an m1.small with standard and provisioned
  volumes): benches/fit_2013.py, docs/volumes.md; sizes, prices and promises of these types as in dd13 and ug23
"""

from plimsoll.catalog.provider import Provider
from plimsoll.catalog.providers.aws.instances import instances

PROVIDER = Provider(
    title="AWS",
    home_region="us-east-1",
    documents={
        "ug23": "EC2 user guide, 2023-06",
        "ug18": "EC2 user guide, 2018-02",
        "ec214": "EC2 user guide, 2014-05",
        "ebs25": "EBS user guide, 2025",
        "dd13": "Datadog, 2013-07",
        "olson24": "M. Olson, 2024-08",
        "rds25": "RDS user guide, 2025-12",
        "fit13": "fit to an article, 2013",
    },
    instances=instances,
    database_service="rds",
)
