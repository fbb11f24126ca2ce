"""action.yml and the template for GitLab, carried out as runners do, with the wheel that they install."""

from __future__ import annotations

import json
import subprocess
import sysconfig
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from tests.integration.install.forge import forge
from tests.integration.install.runner import Runner, surroundings

ROOT = Path(__file__).parents[3]
ACTION = ROOT / "action.yml"
TEMPLATE = ROOT / "packaging/pipelines/gitlab.yml"
PIP = "--no-index --no-deps"
STEADY = "--set engine=null --set direct=no --set size=4MiB --set runtime=100ms --set warmup=20ms --noisy-host"
TWO = "old=.,rate=4000/s\n\nnew=.,rate=400/s\n"
LIBRARIES = sysconfig.get_paths()["purelib"]


def job(folder: Path, temporary: Path, **env: str) -> Runner:
    folder.mkdir()
    return Runner(folder, {**surroundings(folder, temporary, LIBRARIES), **env}, {"github.token": "secret"})


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for temporary files of a runner that has carried out the first step of the action."""
    folder = tmp_path_factory.mktemp("runner")
    (folder / "temp").mkdir()
    runner = job(folder / "job", folder / "temp")
    runner.known |= {"inputs.install": str(wheel), "inputs.pip-options": PIP}
    (install, *_) = yaml.safe_load(ACTION.read_text())["runs"]["steps"]
    runner.step(install)
    assert (runner.failed, runner.path) == ("", [str(folder / "temp/plimsoll/bin")]), runner.said
    return folder / "temp"


def after_install(folder: Path, installed: Path, **env: str) -> Runner:
    runner = job(folder, installed, **env)
    runner.path, runner.done = [str(installed / "plimsoll/bin")], ("Install",)
    return runner


def test_the_action_comments_a_regression_and_fails(installed: Path, tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}))
    with forge("Bearer secret") as server:
        github = {"GITHUB_API_URL": server.address, "GITHUB_REPOSITORY": "o/r", "GITHUB_EVENT_PATH": str(event)}
        runner = after_install(tmp_path / "job", installed, **github)
        outputs = runner.use(ACTION, {"targets": TWO, "baseline": "old", "options": f"{STEADY} --blocks 3"})
        assert runner.failed == "Gate", runner.said
        assert outputs["exit-code"] == "1"
        assert "::error title=randread" in runner.said
        ours = server.comments[1:]
        assert len(ours) == 1
        assert "| 🔴 worse | randread | IOPS | new | old |" in ours[0]
        assert (tmp_path / "job/summary.md").read_text() in ours[0]
        assert all((tmp_path / "job/checkout" / outputs[name]).stat().st_size for name in ("report", "result-file"))
        said = commented(installed, tmp_path / "job/checkout", {**runner.env, "GITHUB_TOKEN": "secret"})
        assert (said, len(server.comments)) == ("", 2), "the comment is replaced"
        said = commented(installed, tmp_path / "job/checkout", {**runner.env, "GITHUB_TOKEN": "wrong"})
        assert "the server answered 403; the token needs the right to write comments" in said


def commented(installed: Path, folder: Path, env: dict[str, str]) -> str:
    """What the step that comments prints; it never fails."""
    program = installed / "plimsoll"
    words = [program / "bin/python", program / "share/plimsoll/comment.py", "plimsoll-gate/comment.md"]
    return subprocess.run(words, cwd=folder, env=env, check=True, text=True, capture_output=True).stdout


@pytest.mark.parametrize(("event", "token"), [({"ref": "main"}, "secret"), ({"pull_request": {"number": 7}}, "")])
def test_without_a_request_or_a_token_nothing_is_commented(
    installed: Path, tmp_path: Path, event: dict[str, object], token: str
) -> None:
    (tmp_path / "event.json").write_text(json.dumps(event))
    runner = after_install(tmp_path / "job", installed, GITHUB_EVENT_PATH=str(tmp_path / "event.json"))
    (tmp_path / "job/checkout/plimsoll-gate").mkdir()
    (tmp_path / "job/checkout/plimsoll-gate/comment.md").write_text("text")
    said = commented(installed, tmp_path / "job/checkout", {**runner.env, "GITHUB_TOKEN": token})
    assert said == "no comment: this pipeline runs for no pull or merge request, or has no token\n"


def test_the_template_compares_with_the_pipeline_before(installed: Path, tmp_path: Path) -> None:
    gate = yaml.safe_load(TEMPLATE.read_text())[".plimsoll"]
    runner = job(tmp_path / "job", installed)
    work = tmp_path / "job/checkout"
    # What before_script makes, which is what the action's first step makes.
    (work / ".plimsoll").symlink_to(installed / "plimsoll")
    (made, _, shown) = gate["before_script"]
    assert (made, shown) == ("python3 -m venv .plimsoll", 'export PATH="$PWD/.plimsoll/bin:$PATH"')
    env = {
        **runner.env, **gate["variables"], "PLIMSOLL_OPTIONS": f"{STEADY} --blocks 1",
        "PLIMSOLL_BASELINE_FILE": "before.plimsoll.gz", "PLIMSOLL_COMMENT_TOKEN": "secret",
        "PLIMSOLL_TARGETS": "disk=.,rate=4000/s", "CI_MERGE_REQUEST_IID": "7", "CI_PROJECT_ID": "3",
    }  # fmt: skip
    del env["GITHUB_ACTIONS"]

    def carried_out(part: str, **more: str) -> str:
        script = "\n".join([shown, *gate[part]])
        done = subprocess.run(
            ["sh", "-ec", script], cwd=work, env={**env, **more}, text=True, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    with forge("secret") as server:
        env["CI_API_V4_URL"] = server.address
        assert "There is no baseline yet" in carried_out("script")
        (work / "plimsoll-gate/session.plimsoll.gz").rename(work / "before.plimsoll.gz")
        # Another machine: its store is empty.
        env["PLIMSOLL_HOME"] = str(tmp_path / "elsewhere")
        carried_out("script")
        assert "runs apart" in (work / "plimsoll-gate/comment.md").read_text()
        assert ElementTree.parse(work / "plimsoll-gate/plimsoll.xml").getroot().tag in ("testsuites", "testsuite")
        assert carried_out("after_script") == ""
        assert "runs apart" in server.comments[-1]
        assert len(server.comments) == 2


def test_words_of_users_are_never_carried_out(installed: Path, tmp_path: Path) -> None:
    runner = after_install(tmp_path / "job", installed)
    outputs = runner.use(ACTION, {"tests": "$(touch hurt) `touch hurt`; touch hurt", "comment": "no"})
    assert runner.failed == "Gate"
    assert outputs["exit-code"] == "2"
    assert list((tmp_path / "job/checkout").rglob("hurt")) == []
