#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the shards of a night of many machines, merges them, and says what that costs.

Usage: scripts/nightly/shards.py [--preset NAME] [--findings N] [--own N] [--tapes N] [--check] [COUNT...]

  --preset NAME   the build (release)
  --findings N    findings in each shard (50)
  --own N         how many of them no other shard has (5)
  --tapes N       tapes in each shard, each with a feature that all shards have and some have a shorter tape to (1000)
  --check         merges them once more in another order, some twice, and compares the reports byte for byte
  COUNT           how many shards (1 10 100 1000)

Two shards of a night of everything are run; the others are made of what these two found: each has its own numbers, its
own choice of findings, and reproducers and tapes of its own, in files as `afterlife nightly shard` writes them.
Prints a row for each COUNT: seconds and memory of merging and reporting, and the disk that shards and history take.
Exit: 0 done, 1 merging 1000 took over 60 s or 1 GiB, or reports differ, 2 a night failed, 3 usage.
"""
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import programs  # noqa: E402
from common.command_line import CommandLine  # noqa: E402

TEMPLATE_RUNS = 6000
TAPE_DIGITS = 32  # The length of a decision as harness/nightly/tapes/shortest_tapes.h writes it.
SECONDS_AT_MOST, KIB_AT_MOST, COUNT_OF_PROMISE = 60, 1 << 20, 1000
REPORTS = ("html", "junit", "sarif", "markdown", "metrics")
HASH_BEGIN, HASH_FACTOR, HASH_MASK = 0xcbf29ce484222325, 0x100000001b3, (1 << 64) - 1


def hash_of(data):
    """Returns the hash of bytes that is used to seal files: 16 hexadecimal digits."""
    value = HASH_BEGIN
    for byte in data:
        value = ((value ^ byte) * HASH_FACTOR) & HASH_MASK
    return f"{value:016x}"


def sealed(content):
    """Returns the bytes of a file that contains `content`, in the format of harness/nightly/sealed.h."""
    body = json.dumps(content, indent=1, sort_keys=True)[:-2].encode()
    return body + f',\n "seal": "{hash_of(body)}"\n}}\n'.encode()


def opened(file):
    content = json.loads(file.read_text())
    del content["seal"]
    return content


def nightly(preset, *arguments):
    ended = programs.run(preset, "afterlife", "nightly", *arguments)
    if ended.code not in (0, 1):
        sys.exit(f"shards: afterlife nightly {arguments[0]} ended with {ended.code}: {ended.err.strip()}")
    return ended


class Template:
    """The material of which shards are made: the record of a real shard, and all findings of two shards."""

    def __init__(self, preset, folder):
        history = folder / "template"
        nightly(preset, "plan", 2, "--runs", TEMPLATE_RUNS, "--seed", 1, "--history", history)
        shards = []
        for index in (1, 2):
            nightly(preset, "shard", index, "--history", history)
            place = history / "night" / f"shard-{index}-of-2"
            shards.append((place, opened(place / "shard.json")))
        self.record = shards[0][1]
        known = {}
        for place, record in shards:
            for number, cell in enumerate(record["cells"]):
                for finding in cell["findings"]:
                    known.setdefault(finding["cause"], (number, finding, (place / finding["file"]).read_bytes()))
        self.findings = list(known.values())

    def add_tapes(self, record, source, tape_count):
        """Adds tapes for artificial features to all cells in turn, each as long as a real tape or shorter."""
        kept = [(cell["tapes"]["kept"], cell["tapes"]["kept"][:]) for cell in record["cells"] if cell.get("tapes", {}).get("kept")]
        for number in range(tape_count):
            tapes, found = kept[number % len(kept)]
            like = found[number // len(kept) % len(found)]
            decisions = source.randint(1, max(1, len(like["tape"]) // TAPE_DIGITS))
            tapes.append(dict(like, tape=like["tape"][:decisions * TAPE_DIGITS], features=[f"reaches made_{number}"]))

    def shard(self, plan, night, index, finding_count, own_count, tape_count):
        """Returns the record of a shard and its reproducers: {file: bytes}."""
        source = random.Random(index)
        record = json.loads(json.dumps(self.record))
        record.update(night=night, index=index, number=plan["number"], seed=plan["seed"], shards=plan["shards"],
                      planned_runs=plan["budget"]["runs"], ended_at=1_700_000_000 + index)
        for number, cell in enumerate(record["cells"]):
            cell.update(findings=[], seed=source.getrandbits(64), seconds=source.uniform(0.1, 2),
                        runs=cell["runs"] + index, planned_runs=cell["runs"] + index)
            for window in cell["windows"]:
                window["reached"] += source.randrange(9)
        self.add_tapes(record, source, tape_count)
        files = {}
        chosen = source.sample(self.findings, min(len(self.findings), finding_count))
        for place in range(finding_count):
            number, finding, text = chosen[place % len(chosen)]
            finding = dict(finding, runs=source.randint(1, 9))
            if place < own_count or place >= len(chosen):
                finding["signature"] += f" used:step_{index}_{place}"
                finding["cause"] = hash_of(finding["signature"].encode())
            name = pathlib.PurePath(finding["file"])
            finding["file"] = str(name.with_name(f"{name.stem}-{place}{name.suffix}"))
            files[finding["file"]] = text + f"# shard {index} {'.' * source.randrange(40)}\n".encode()
            finding["hash"] = hash_of(files[finding["file"]])
            record["cells"][number]["findings"].append(finding)
        return record, files


def leave(folder, plan, record, files):
    place = folder / f"shard-{record['index']}-of-{plan['shards']}"
    for name, text in files.items():
        file = place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)
    (place / "shard.json").write_bytes(sealed(record))


def made(preset, template, folder, count, *counts):
    """Returns the folder of `count` shards, each with these counts of findings, own findings and tapes."""
    text = nightly(preset, "plan", count, "--runs", TEMPLATE_RUNS * count, "--seed", 1, "--history", folder / "plan",
                   "--json").out
    plan = json.loads(text)
    shards = folder / "shards"
    shards.mkdir()
    for index in range(1, count + 1):
        leave(shards, plan, *template.shard(plan, hash_of(text.encode()), index, *counts))
    return shards


def mib(path):
    """Returns the disk space of a file or a folder."""
    return int(subprocess.run(["du", "-sk", path], capture_output=True, text=True, check=True).stdout.split()[0]) / 1024


def reports(preset, history, folder, *shards):
    """Returns all outputs of a merge of these folders: {name: bytes}."""
    files = {name: folder / f"{history.name}.{name}" for name in REPORTS}
    words = [word for name, file in files.items() for word in (f"--{name}", file)]
    nightly(preset, "merge", *shards, "--history", history)
    told = nightly(preset, "report", "--json", "--history", history, *words).out
    export = nightly(preset, "export", "--history", history).out
    # Links contain the history's name, which differs.
    own = {name: file.read_bytes().replace(f"{history.name}/".encode(), b"") for name, file in files.items()}
    return own | {"json": told.encode(), "export": export.encode()}


def is_same_in_another_order(preset, folder, shards):
    names = sorted(shards.iterdir())
    source = random.Random(1)
    other = source.sample(names, len(names))
    straight = reports(preset, folder / "one", folder, *names)
    for part in (other[: len(other) // 2 + 1], other[len(other) // 3:]):  # Some shards are merged twice.
        crooked = reports(preset, folder / "two", folder, *part, *part[:3])
    wrong = [name for name in straight if straight[name] != crooked[name]]
    print(f"{len(names)} shards in another order, some of them twice: "
          f"{'the same bytes' if not wrong else 'other ' + ', '.join(wrong)}", file=sys.stderr)
    return not wrong


def measured(arguments, template, count):
    """Returns a row of the table, and whether the promise held."""
    preset = arguments.preset
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shards = made(preset, template, folder, count, arguments.findings, arguments.own, arguments.tapes)
        history = folder / "history"
        merging = nightly(preset, "merge", shards, "--history", history, "--json")
        again = nightly(preset, "merge", shards, "--history", history)
        reporting = nightly(preset, "report", "--history", history)
        found = len(json.loads(merging.out)["findings"])
        row = (count, found, merging.seconds, again.seconds, reporting.seconds, merging.peak_kib / 1024, mib(shards),
               mib(history / "history.sqlite"), mib(history / "findings"))
        good = count != COUNT_OF_PROMISE or (merging.seconds <= SECONDS_AT_MOST and merging.peak_kib <= KIB_AT_MOST)
        if arguments.check:
            shutil.rmtree(history)
            good &= is_same_in_another_order(preset, folder, shards)
    return row, good


def parsed():
    parser = CommandLine(__doc__)
    parser.add_argument("--preset", default="release")
    parser.add_argument("--findings", type=int, default=50)
    parser.add_argument("--own", type=int, default=5)
    parser.add_argument("--tapes", type=int, default=1000)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("count", nargs="*", type=int, default=[1, 10, 100, 1000])
    return parser.parse_args()


def main():
    arguments = parsed()
    if not programs.exists(arguments.preset, "afterlife"):
        print(f"shards: build/{arguments.preset}/afterlife is not built", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        template = Template(arguments.preset, pathlib.Path(folder))
        print(f"| shards | findings | merge, s | again, s | report, s | memory, MiB | shards, MiB | history, MiB | reproducers and pages, MiB |\n"
              f"|{'--:|' * 9}", flush=True)
        all_good = True
        for count in arguments.count:
            row, good = measured(arguments, template, count)
            print("| " + " | ".join(f"{cell:.1f}" if isinstance(cell, float) else str(cell) for cell in row) + " |",
                  flush=True)
            all_good &= good
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
