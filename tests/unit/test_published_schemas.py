"""Files that other programs read are held against the schemas that their makers publish."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.conftest import need_module, need_program

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.executable).parent
JOB = ROOT / "examples/kubernetes/job.yaml"


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("github-actions", "action.yml"),
        ("github-workflows", ".github/workflows/release.yml"),
        ("gitlab-ci", "packaging/pipelines/gitlab.yml"),
    ],
)
def test_what_pipelines_read(schema: str, file: str) -> None:
    checker = need_program(str(TOOLS / "check-jsonschema"))
    words = [checker, "--builtin-schema", f"vendor.{schema}", ROOT / file]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_job_for_kubernetes() -> None:
    checker = need_program(str(TOOLS / "kubernetes-validate"))
    done = subprocess.run([checker, "--strict", JOB], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_job_asks_for_no_right_that_it_does_not_need() -> None:
    need_module("yaml")
    claims = {each["metadata"]["name"]: each for each in yaml.safe_load_all(JOB.read_text())}
    pod = claims.pop("plimsoll")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["resources"]["requests"] == container["resources"]["limits"]
    mounted = {each["name"] for each in container["volumeMounts"]}
    assert mounted == {each["name"] for each in pod["volumes"]} == {*claims, "scratch"}


def test_a_release_has_each_processor_its_parts_and_a_signature() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]
    assert jobs["wheel"]["strategy"]["matrix"]["runner"] == ["ubuntu-22.04", "ubuntu-22.04-arm"]
    steps = "\n".join(str(step) for each in jobs.values() for step in each["steps"])
    assert all(part in steps for part in ("make wheel", "cyclonedx", "attest-build-provenance", "SHA256SUMS"))
