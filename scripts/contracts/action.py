#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the GitHub Action that other projects use, and the workflows of this one, and runs the action's steps here.

Usage: scripts/contracts/action.py [--preset PRESET] [--look-only] [--self-test]

  form    The YAML has what GitHub documents for an action (metadata syntax) and for a workflow: names, inputs with a description, steps
          with `uses` or `run`, a shell for each `run` of an action, no input that no one reads or that is not there.
  steps   The `run` steps, in their order, as a job of another project would have them: in a folder of their own with two programs, and a
          wheel of the preset (release) in an empty environment. A new bug must fail the job, be in the summary and in the SARIF, and with
          `new-only` it must be known the second time.

--self-test breaks the YAML in several ways; each must be found. Needs Debian's package python3-yaml; without it nothing is done, and that is
said. Exit: 0 all as it must be, 1 not, 2 the build, 3 usage. Example: scripts/contracts/action.py --look-only
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common.command_line import CommandLine  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ACTION = ROOT / ".github/actions/afterlife/action.yml"
CLIENTS = ROOT / "harness/client/tests/clients"


def wrong_steps(steps, is_action):
    for number, step in enumerate(steps or [], 1):
        if ("uses" in step) == ("run" in step):
            yield f"step {number} has not one of uses and run"
        if "uses" in step and not re.fullmatch(r"\./[\w./-]+|[\w.-]+(/[\w.-]+)+@[\w.-]+", step["uses"]):
            yield f"step {number} uses '{step['uses']}', which names no action with its version"
        if "run" in step and is_action and "shell" not in step:
            yield f"step {number} runs something in no shell"
        if unknown := set(step) - {"name", "id", "if", "uses", "with", "run", "shell", "env", "working-directory", "continue-on-error"}:
            yield f"step {number} has {', '.join(sorted(unknown))}"
    if not steps:
        yield "there are no steps"


def wrong_action(action, text):
    """Yields the complaints about an action, one per line."""
    for key in ("name", "description", "runs"):
        if key not in action:
            yield f"it has no {key}"
    if action.get("runs", {}).get("using") != "composite":
        yield "it is not composite"
    for name, one in (action.get("inputs") or {}).items():
        if "description" not in one or one.get("required", False) == ("default" in one):
            yield f"the input {name} has no description, or is neither required nor has a default"
        if f"inputs.{name}" not in text:
            yield f"the input {name} is read by no step"
    for name in set(re.findall(r"inputs\.([\w-]+)", text)) - set(action.get("inputs") or {}):
        yield f"there is no input {name}"
    for script in (step.get("run", "") for step in action.get("runs", {}).get("steps") or []):
        if "${{" in script:
            yield "a script has an expression in it, which anyone could fill with commands: use env"
    yield from wrong_steps(action.get("runs", {}).get("steps"), True)


def wrong_workflow(workflow):
    if True not in workflow and "on" not in workflow:  # YAML 1.1 parses `on` as true.
        yield "it never starts"
    for name, job in (workflow.get("jobs") or {"": {}}).items():
        if "runs-on" not in job:
            yield f"the job {name} runs on nothing"
        yield from (f"job {name}: {wrong}" for wrong in wrong_steps(job.get("steps"), False))


def value_of(expression, inputs, environment):
    expression = expression.strip()
    known = {**{f"inputs.{name}": value for name, value in inputs.items()}, "runner.temp": environment["RUNNER_TEMP"]}
    return known[expression]


def run_steps(action, inputs, folder, environment):
    """Runs the scripts of an action; those with `if: always()` run even after a failure. Returns whether all of them succeeded."""
    given = {name: one.get("default", "") for name, one in action["inputs"].items()} | inputs
    is_well = True
    for step in action["runs"]["steps"]:
        if "run" not in step or not (is_well or "always()" in step.get("if", "")):
            continue
        own = {name: re.sub(r"\$\{\{(.*?)\}\}", lambda match: value_of(match[1], given, environment), value)
               for name, value in step.get("env", {}).items()}
        ended = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", step["run"]], cwd=folder, env={**environment, **own},
                               capture_output=True, text=True)
        is_well = is_well and ended.returncode == 0
    return is_well


def wheel_of(preset, folder):
    tree = folder / "tree"
    build = ROOT / "build" / preset
    for command in (["cmake", "--install", build, "--prefix", tree],
                    [sys.executable, ROOT / "scripts/package/wheel.py", tree, "0.0.1", folder]):
        ended = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if ended.returncode:
            print(f"action: {ended.stderr.strip()}: ./scripts/build.sh {preset} installed", file=sys.stderr)
            sys.exit(2)
    return next(folder.glob("*.whl"))


def wrong_when_run(action, preset):
    """Yields the complaints about what the steps do when they run, one per line."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wheel = wheel_of(preset, folder)
        for at, (script, new_only, well) in enumerate((("sound.py", "false", True), ("collected.py", "false", False),
                                                       ("collected.py", "true", True), ("collected.py", "false", False))):
            runner, project = folder / f"runner-{at}", folder / "project"
            for one in (runner, project):
                one.mkdir(exist_ok=True)
            (project / "program.py").write_text((CLIENTS / script).read_text())
            environment = {**os.environ, "RUNNER_TEMP": str(runner), "GITHUB_STEP_SUMMARY": str(runner / "summary.md")}
            inputs = {"command": "python3 program.py", "wheel": str(wheel), "runs": "30", "new-only": new_only}
            if run_steps(action, inputs, project, environment) != well:
                yield f"the job with {script} and new-only={new_only} did not end as it must"
            summary, log = runner / "summary.md", runner / "afterlife.sarif"
            if not log.is_file() or len(json.loads(log.read_text())["runs"][0]["results"]) != (script != "sound.py"):
                yield f"the SARIF of {script} has not what was found"
            if not summary.is_file() or ("use_after_free" in summary.read_text()) != (script != "sound.py"):
                yield f"the summary of {script} has not what was found"


def self_test(yaml, text):
    plants = [("    shell: bash\n", ""), ("      shell: bash\n", ""), ("using: composite", "using: node20"),
              ("    description: How many runs\n", ""), ("inputs.runs", "inputs.run"), ("@v4", ""),
              ('$AFTERLIFE_WHEEL"', '${{ inputs.wheel }}"'), ("    required: true\n", "")]
    seen = 0
    for old, new in plants:
        broken = text.replace(old, new, 1)
        try:
            found = broken == text or list(wrong_action(yaml.safe_load(broken), broken))
        except yaml.YAMLError:
            found = True
        seen += bool(found)
    print(f"action: {seen} of {len(plants)} plants judged rightly")
    return 0 if seen == len(plants) else 1


def main():
    parser = CommandLine(__doc__)
    parser.add_argument("--preset", default="release")
    parser.add_argument("--look-only", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    try:
        import yaml
    except ImportError:
        print("action: skipped: no python3-yaml here")
        return 0
    text = ACTION.read_text()
    if options.self_test:
        return self_test(yaml, text)
    action = yaml.safe_load(text)
    wrong = [f"{ACTION.relative_to(ROOT)}: {one}" for one in wrong_action(action, text)]
    for file in sorted((ROOT / ".github/workflows").glob("*.yml")):
        wrong += [f"{file.relative_to(ROOT)}: {one}" for one in wrong_workflow(yaml.safe_load(file.read_text()))]
    if not wrong and not options.look_only:
        wrong = list(wrong_when_run(action, options.preset))
    print("\n".join(wrong) or "action: the action and the workflows are as they must be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
