"""`plimsoll cloud policy`: the permissions that renting needs."""

from __future__ import annotations

from plimsoll.cli.cloud._options import Provider

EXAMPLES = "`plimsoll cloud policy > policy.json`, then `aws iam create-policy --policy-document file://policy.json …`."


def command(provider: Provider = "aws") -> None:
    """Print the smallest set of permissions, in the provider's format."""
    from plimsoll.cli.output import print_json
    from plimsoll.clouds import finding

    print_json(finding.cloud(provider).policy())
