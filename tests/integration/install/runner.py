"""What a runner of GitHub Actions does with a composite action: its steps in order, in bash, each with its files."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")
SAME = re.compile(r"([\w.-]+) == '(\w*)'")


@dataclass
class Runner:
    """One job; `failed` is the step that ended it."""

    folder: Path
    env: dict[str, str]
    known: dict[str, str]
    """What expressions can name: `inputs.tests`, `github.token`."""
    said: str = ""
    failed: str = ""
    path: list[str] = field(default_factory=list)
    done: tuple[str, ...] = ()
    """Steps that were carried out before, by another job in the same place."""

    def use(self, action: Path, inputs: dict[str, str]) -> dict[str, str]:
        """Carry out an action; its outputs."""
        read = yaml.safe_load(action.read_text())
        assert set(inputs) <= set(read["inputs"])
        for name, each in read["inputs"].items():
            self.known[f"inputs.{name}"] = inputs.get(name, self.expanded(str(each["default"])))
        for step in read["runs"]["steps"]:
            if not self.failed and step["name"] not in self.done and self.holds(step.get("if")):
                self.step(step)
        return {name: self.expanded(each["value"]) for name, each in read["outputs"].items()}

    def expanded(self, text: str) -> str:
        return EXPRESSION.sub(lambda found: self.known.get(found[1], ""), text)

    def holds(self, condition: str | None) -> bool:
        if condition is None:
            return True
        found = SAME.fullmatch(condition)
        assert found is not None, f"this runner does not know the condition {condition!r}"
        return self.known.get(found[1], "") == found[2]

    def step(self, step: dict[str, Any]) -> None:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "what users write must not become part of a script"
        script, output, path = (self.folder / name for name in ("step.sh", "output", "path"))
        script.write_text(step["run"])
        output.write_text("")
        path.write_text("")
        own = {name: self.expanded(value) for name, value in step.get("env", {}).items()}
        files = {"GITHUB_OUTPUT": str(output), "GITHUB_PATH": str(path)}
        search = ":".join([*reversed(self.path), self.env["PATH"]])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script],
            cwd=self.folder / "checkout", env={**self.env, **files, **own, "PATH": search},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=300,
        )  # fmt: skip
        self.said += done.stdout
        self.path += path.read_text().split()
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            self.known[f"steps.{step.get('id', '')}.outputs.{name}"] = value
        if done.returncode:
            self.failed = step["name"]


def surroundings(folder: Path, temporary: Path, libraries: str) -> dict[str, str]:
    """The variables of a runner; Plimsoll's needs come from `libraries`, since there is no network."""
    for name in ("checkout", "home"):
        (folder / name).mkdir()
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder / "home"),
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_WORKSPACE": str(folder / "checkout"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "RUNNER_TEMP": str(temporary),
        "PYTHONPATH": libraries,
        "OPENBLAS_CORETYPE": os.environ.get("OPENBLAS_CORETYPE", ""),
    }
