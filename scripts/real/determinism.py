#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replays many findings of `afterlife run` many times, and compares all that they tell.

Usage: scripts/real/determinism.py [--preset PRESET] [--replays N] [--seeds N] [--least N] [--only TEXT] [--self-test]

Finds what the programs of harness/client/tests/clients and of mistakes.py show from each seed (1 to N, 2 by default), each at least once:
at least 50 findings (--least) that differ in program, fault or decisions. Replays each 20 times (--replays), and compares the decisions, the fault
and its places with what was found; in addresses nothing is compared. --self-test has one replay in seven changed after it ran: that
must be seen. Prints a line for each finding that differs, and a table. Exit: 0 all are alike, 1 not, 2 nothing is built, 3 usage.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from common.command_line import CommandLine  # noqa: E402
import mistakes  # noqa: E402

CLIENTS = ROOT / "harness/client/tests/clients"


def commands(build, folder):
    """Yields the programs with their names. The scripts of mistakes.py are written to the folder."""
    for file in sorted(CLIENTS.glob("*.py")):
        yield file.stem, [sys.executable, file]
    yield "native", [build / "client_native"]
    yield "asked", [build / "client_asked"]
    for name, text in mistakes.programs():
        file = folder / f"{name}.py"
        file.write_text(text)
        yield name, [sys.executable, file]


def printed(command):
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if not ended.stdout.startswith("{"):
        return {"findings": [], "failures": [ended.stderr.strip()[-200:]]}
    return json.loads(ended.stdout)


def told(finding):
    """Returns the parts that must be equal: decisions, fault and story. Code offsets are the same in every run of a build."""
    kept = {key: finding[key] for key in ("signature", "kind", "object", "born", "captured", "died", "used", "detail", "places",
                                          "decisions")}
    return json.dumps(kept, sort_keys=True)


def found(build, name, command, seed, out):
    """Returns the findings of a program with a seed. Prints those that could not be repeated."""
    result = printed([build / "afterlife", "run", "--runs", "25", "--seed", seed, "--out", out, "--json", "--", *command])
    for failure in result["failures"]:
        print(f"  {name}, seed {seed}: {failure}", file=sys.stderr)
    return result["findings"]


def differences(build, finding, replays, planted):
    """Counts the replays with different results, by their first difference."""
    reasons = collections.Counter()
    for number in range(replays):
        replay = printed([build / "afterlife", "replay", "--json", finding["file"]])
        now = replay.get("now")
        if planted and number % 7 == 6 and now:
            now["decisions"] = now["decisions"][1:] or [{"who": "no one", "answer": "something", "place": []}]
        if now is None:
            reasons["the fault is not there"] += 1
        elif told(now) != told(finding):
            reasons["it tells something else"] += 1
        elif not replay["as_recorded"]:
            reasons[replay["differs"]] += 1
    return reasons


def main():
    parser = CommandLine(__doc__)
    parser.add_argument("--preset", default="release", choices=("release", "dev"))
    parser.add_argument("--replays", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--least", type=int, default=50)
    parser.add_argument("--only", default="")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    build = ROOT / "build" / options.preset
    if not (build / "client_asked").is_file():
        sys.exit(print(f"determinism: build/{options.preset} is not built: ./scripts/build.sh {options.preset}", file=sys.stderr) or 2)
    alike = different = replayed = 0
    known = set()
    with tempfile.TemporaryDirectory() as kept:
        folder = pathlib.Path(kept)
        for name, command in commands(build, folder):
            if options.only not in name:
                continue
            for seed in range(1, options.seeds + 1):
                for finding in found(build, name, command, seed, folder / f"found-{name}-{seed}"):
                    if (name, told(finding)) in known:
                        continue
                    known.add((name, told(finding)))
                    reasons = differences(build, finding, options.replays, options.self_test)
                    replayed += options.replays
                    different += bool(reasons)
                    alike += not reasons
                    for reason, count in reasons.items():
                        print(f"  {name}, seed {seed}, {finding['signature']}: {count} of {options.replays}: {reason}", flush=True)
    print(f"{alike + different} findings, at least {options.least} asked; {replayed} replays; {different} findings differ")
    if options.self_test:
        sys.exit(0 if different == len(known) and known else 1)
    sys.exit(0 if different == 0 and len(known) >= options.least else 1)


if __name__ == "__main__":
    main()
