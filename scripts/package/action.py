#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of an action on this machine, as a job of GitHub would.

Usage: scripts/package/action.py ACTION FOLDER TEMP [INPUT=VALUE]...

ACTION is the folder of an action.yml (a composite one), FOLDER the checkout in which its steps run, and TEMP the job's folder for what is
temporary: the summary of the job is TEMP/summary.md. Steps with `run` are run by bash with its options there. Those with `uses` are others'
actions, and not run: of each the inputs are printed, and files that it would upload must be there. A step that fails ends the job, but for
steps with `if: always()`.
Exit: that of the first step that failed, else 0; 2 an action that this cannot run, 3 usage.
Example: scripts/package/action.py .github/actions/afterlife my-project /tmp/job command='python3 my_test.py' wheel=afterlife.whl
"""
import json
import os
import pathlib
import re
import subprocess
import sys

import yaml

BASH = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c"]
UPLOADS = {"sarif_file"}


def value(expression, inputs, temp):
    """Returns the value of `${{ ... }}`, for the contexts that are available in an action."""
    context = {f"inputs.{name}": text for name, text in inputs.items()} | {"runner.temp": str(temp), "github.job": "job", "github.run_id": "1"}
    if expression not in context:
        sys.exit(f"action: no '{expression}' here")
    return context[expression]


def filled(text, inputs, temp):
    return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", lambda found: value(found[1], inputs, temp), str(text))


def is_wanted(step, has_failed, inputs, temp):
    """Returns whether a step runs; without a condition it does so only if no earlier step failed."""
    wanted = not has_failed
    for part in str(step.get("if", "success()")).split("&&"):
        part = part.strip()
        if part in ("always()", "success()"):
            wanted = part == "always()" or wanted
        elif found := re.fullmatch(r"(\S+) == '(.*)'", part):
            wanted = wanted and value(found[1], inputs, temp) == found[2]
        else:
            sys.exit(f"action: no condition like '{part}' here")
    return wanted


def use(step, inputs, temp):
    """Stands in for an external action. Returns 0 if the files that it would upload exist and are JSON."""
    given = {name: filled(text, inputs, temp) for name, text in step.get("with", {}).items()}
    print(f"uses {step['uses']}: {given}", flush=True)
    for name in UPLOADS & given.keys():
        try:
            json.loads(pathlib.Path(given[name]).read_text())
        except (OSError, ValueError) as error:
            print(f"action: {name}: {error}", file=sys.stderr)
            return 1
    return 0


def run(step, inputs, folder, temp):
    own = {name: filled(text, inputs, temp) for name, text in step.get("env", {}).items()}
    environment = os.environ | {"RUNNER_TEMP": str(temp), "GITHUB_STEP_SUMMARY": str(temp / "summary.md")} | own
    return subprocess.run([*BASH, filled(step["run"], inputs, temp)], cwd=folder, env=environment, check=False).returncode


def main():
    if len(sys.argv) < 4 or not all("=" in word for word in sys.argv[4:]):
        print(__doc__, end="", file=sys.stdout if sys.argv[1:] == ["--help"] else sys.stderr)
        return 0 if sys.argv[1:] == ["--help"] else 3
    action, folder, temp = yaml.safe_load((pathlib.Path(sys.argv[1]) / "action.yml").read_text()), sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    temp.mkdir(parents=True, exist_ok=True)
    given = dict(word.split("=", 1) for word in sys.argv[4:])
    if unknown := given.keys() - action["inputs"].keys():
        sys.exit(f"action: no input {', '.join(sorted(unknown))}")
    inputs = {name: given.get(name, what.get("default")) for name, what in action["inputs"].items()}
    if missing := [name for name, text in inputs.items() if text is None]:
        sys.exit(f"action: {', '.join(missing)} is required")
    code = 0
    for step in action["runs"]["steps"]:
        if is_wanted(step, code != 0, inputs, temp):
            print(f"== {step['name']}", flush=True)
            code = (run(step, inputs, folder, temp) if "run" in step else use(step, inputs, temp)) or code
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
            sys.exit(2)
        raise
