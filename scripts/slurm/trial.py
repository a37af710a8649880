#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries the job array on a real Slurm on loopback: one element is killed and requeued, and nothing comes of it.

Usage: scripts/slurm/trial.py [--preset NAME] [--only PATH | --programs] [--runs N] [--shards N]

Starts a cluster (scripts/slurm/loopback.sh) in a folder of its own, submits a night of eight shards with
scripts/slurm/night.sh, kills the program and the script of one element with SIGKILL as soon as it has finished
something, requeues it, tells another one to stop, which requeues itself, and waits for the job that merges. Then the same shards are run one after another without Slurm. The
export of both histories, their JSON and their reports must be equal, but for times and rates. With --programs it is a night of four
programs, of which one has a bug, by a list.
Exit: 0 equal, 1 not, 2 a step failed, 3 usage, 77 skipped: slurm-wlm or munge is not installed.
"""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent), str(pathlib.Path(__file__).resolve().parent.parent / "nightly")]
import kill  # noqa: E402
from common import programs  # noqa: E402
from common.command_line import CommandLine  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
VICTIM, STOPPED = 3, 2
SKIPPED = 77
SECONDS_AT_MOST = 240


def run(*command, good=(0,), **how):
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, **how)
    if ended.returncode not in good:
        sys.exit(f"trial: {command[0]} ended with {ended.returncode}: {ended.stderr.strip() or ended.stdout.strip()}")
    return ended.stdout


def wait_until(what, holds):
    end = time.monotonic() + SECONDS_AT_MOST
    while not (found := holds()):
        if time.monotonic() > end:
            sys.exit(f"trial: {what} did not come in {SECONDS_AT_MOST} s")
        time.sleep(0.05)
    return found


def state_of(job):
    """Returns the state of a job or of an array element, and how often it was restarted."""
    text = run("scontrol", "show", "job", job)
    return re.search(r"JobState=(\w+)", text)[1], int(re.search(r"Restarts=(\d+)", text)[1])


def processes_of(night, index):
    """Returns the processes of an array element: its script and the program."""
    own = []
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and f"\0SLURM_ARRAY_TASK_ID={index}\0".encode() in b"\0" + (entry / "environ").read_bytes():
                if str(night).encode() in (entry / "environ").read_bytes() and b"slurmstepd" not in (entry / "cmdline").read_bytes():
                    own.append(int(entry.name))
    return own


def kill_and_requeue(array, shared, count):
    """Kills the element as soon as a part of it is finished, and puts it back into the queue."""
    part = shared / "night" / f"shard-{VICTIM}-of-{count}.part"
    wait_until(f"a finished variant of shard {VICTIM}", lambda: list(part.glob("cell-*.json")))
    before = len(list(part.glob("cell-*.json")))
    for process in processes_of(shared, VICTIM):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    element = f"{array}_{VICTIM}"
    wait_until("the end of the killed element", lambda: state_of(element)[0] in ("FAILED", "COMPLETED"))
    state = state_of(element)[0]
    run("scontrol", "requeue", element)
    run("scontrol", "update", f"jobid={element}", "starttime=now")
    return state, before


def stop(array, shared, count):
    """Signals an element to stop, as Slurm does when its time is over. The element must requeue itself."""
    part = shared / "night" / f"shard-{STOPPED}-of-{count}.part"
    wait_until(f"a finished variant of shard {STOPPED}", lambda: list(part.glob("cell-*.json")))
    element = f"{array}_{STOPPED}"
    # Keeps trying for a minute, even if the element is no longer running when scancel checks it.
    telling = subprocess.Popen(["scancel", "--batch", "--signal=TERM", element], stderr=subprocess.DEVNULL)
    wait_until("the element that was told to stop in the queue", lambda: state_of(element)[1] > 0)
    telling.kill()
    telling.wait()
    subprocess.run(["scontrol", "update", f"jobid={element}", "starttime=now"], capture_output=True, check=False)


def on_slurm(arguments, folder):
    """Makes the nightly run as a job array. Returns its history and a line about what was done."""
    history, shared = folder / "history", folder / "shared"
    environment = os.environ | {"AFTERLIFE": str(programs.path(arguments.preset, "afterlife"))}
    array, merge = run(HERE / "night.sh", arguments.shards, *terms(arguments), "--history", history, "--shared", shared,
                       env=environment).split()
    stop(array, shared, arguments.shards)
    state, before = kill_and_requeue(array, shared, arguments.shards)
    merged = wait_until("the end of the merge", lambda: (state_of(merge)[0] in ("COMPLETED", "FAILED")) and state_of(merge)[0])
    state_after, restarts = state_of(f"{array}_{VICTIM}")
    state_of_other, restarts_of_other = state_of(f"{array}_{STOPPED}")
    print(f"array {array} of {arguments.shards} elements; element {VICTIM} was killed with {before} variants finished ({state}), "
          f"requeued, and ended {state_after} after {restarts} restart; element {STOPPED} was told to stop, requeued itself and ended "
          f"{state_of_other} after {restarts_of_other}; the merge ended {merged}", file=sys.stderr)
    if (restarts, state_after, restarts_of_other, state_of_other) != (1, "COMPLETED", 1, "COMPLETED"):
        sys.exit("trial: the elements were not requeued once each")
    told = (shared / "logs" / "merge.txt").read_text()
    if "shards are missing" in told or "night 1, " not in told:
        sys.exit(f"trial: the merge says: {told[-500:]}")
    return history


def terms(arguments):
    return ["--runs", arguments.runs, "--seed", 5, *(listed(arguments) or ["--only", arguments.only])]


def listed(arguments):
    """Returns the option with the list for a nightly run of programs, or an empty list for other nightly runs."""
    return ["--programs", arguments.list] if arguments.list else []


def write_programs(folder):
    """Writes a list of programs. Returns the name of the file."""
    clients = programs.ROOT / "harness/client/tests/clients"
    names = {"first": "sound.py", "second": "collected.py", "third": "sound.py", "fourth": "sound.py"}
    file = folder / "programs.toml"
    file.write_text("".join(f'[[program]]\nname = "{name}"\ncommand = ["python3", "{clients / script}"]\nruns = 1\n'
                            for name, script in names.items()))
    return file


def alone(arguments, folder):
    """Runs the same shards one after another. Returns the history."""
    history = folder / "history"
    program = programs.path(arguments.preset, "afterlife")
    run(program, "nightly", "plan", arguments.shards, *terms(arguments), "--history", history)
    for index in range(1, arguments.shards + 1):
        run(program, "nightly", "shard", index, "--history", history, *listed(arguments))
    run(program, "nightly", "merge", "--history", history, *listed(arguments), good=(0, 1))
    return history


def left_in(settings, folder):
    """Returns the files that a nightly run left, without its shards, in the form in which scripts/nightly/kill.py compares them."""
    disk = kill.Disk(folder, mounts=False, place=folder)
    return {name: text for name, text in kill.all_of(settings, disk).items() if not name.startswith("history/night/")}


@contextlib.contextmanager
def cluster(folder):
    started = subprocess.run([HERE / "loopback.sh", "start", folder], capture_output=True, text=True)
    if started.returncode == SKIPPED:
        print(f"trial: skipped: {started.stderr.strip()}")
        sys.exit(SKIPPED)
    if started.returncode:
        sys.exit(f"trial: {started.stderr.strip()}")
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    try:
        yield
    finally:
        subprocess.run([HERE / "loopback.sh", "stop", folder], check=False)


def parsed():
    parser = CommandLine(__doc__)
    parser.add_argument("--preset", default="release")
    parser.add_argument("--only", default="argpack")
    parser.add_argument("--programs", action="store_true")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--shards", type=int, default=8)
    arguments = parser.parse_args()
    arguments.runs = arguments.runs or (960 if arguments.programs else 16_000)
    return arguments


def main():
    arguments = parsed()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part in ("slurm", "alone"):
            (folder / part).mkdir()
        arguments.list = write_programs(folder) if arguments.programs else None
        with cluster(folder / "cluster"):
            on_slurm(arguments, folder / "slurm")
        alone(arguments, folder / "alone")
        settings = kill.Settings(arguments.preset, arguments.only, arguments.runs)
        wrong = list(kill.differences(left_in(settings, folder / "slurm"), left_in(settings, folder / "alone")))
    for line in wrong:
        print(f"trial: {line}", file=sys.stderr)
    print(f"{'FAILED: the history' if wrong else 'the history and all reports'} of the job array {'differs from' if wrong else 'equal'} "
          f"{'that' if wrong else 'those'} of the same shards run alone")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
            sys.exit(2)
        raise
