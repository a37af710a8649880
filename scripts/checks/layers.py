#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes flow one way: between the slices of harness/ by a table, into paths by the doors; and that a target
states facts, in words that judge nothing.

Usage: scripts/checks/layers.py [--self-test]

Prints each include and word that breaks a rule, with the rule. Exit: 0 clean, 1 not.
--self-test plants one illegal include or word per rule in a copy of the tree; each must be found.
"""
import pathlib
import re
import shutil
import sys
import tempfile

# Room of harness/: a slice, or a part of one | the rooms and files that it may include besides itself. A file belongs to
# the longest room that its path begins with. Bottom up: a room may name only rooms above it in this table.
ROOMS = {
    "base": "",
    "device_code": "base",
    "device_code/ptx/device": "",  # The text that a translated module is compiled with.
    "device_code/ptx": "base device_code device_code/ptx/device",
    "device_code/nvrtc": "base",
    "device_code/libnvrtc": "base device_code/nvrtc",
    "device_code/libnvjitlink": "base device_code/ptx",
    "core": "base",
    "driver": "base core",
    "devices/sim/kernel.h": "device_code/kernel_image.h",
    "devices/sim": "base device_code core driver devices/sim/kernel.h",
    "devices/gpu": "base core driver",
    "run": "base device_code core driver",
    "search": "base core driver run",
    "report": "base core run search",
    "command": "base core run search report",
    "gate": "base",
    "gate/views": "base report gate",
    "gate/command": "base run search report command gate gate/views",
    "gate/canary": "",
    "client/border": "base core",
    "client/outside": "base core client/border",
    "client/inside/libnvtx": "base",
    "client/inside/libcuda": "base device_code device_code/ptx core driver devices/sim run/strategies/random_walk.h client/border client/inside/libnvtx",
    "client/inside/instrumented": "client/inside/libcuda",
    "client/inside/libcudart": "base/short_lock.h base/missed_calls.h driver/cuda/cuda.def driver/cuda/outer_call.h",
    "client/inside/libnvml": "base/missed_calls.h devices/sim/attributes.def devices/sim/identity.h devices/sim/limits.h",
    "client/inside/preload": "client/inside/libcuda",
    "client/inside/stand_ins": "base",
    "client/inside/torch": "driver/cuda/host_work.h",
    "client/views": "base core report client/border client/outside",
    "client/command": "base core run search report command client/border client/outside client/views",
    "client/selftest": "",
    "nightly": "base core run search",
    "nightly/views": "base report nightly",
    "nightly/command": "base run search report command client/outside client/views client/command nightly nightly/views",
    "cli": "base core run search report command gate/command client/outside client/command nightly/command",
    "fuzz": "base core run search report",
    "fuzz/bench_gpu": "driver devices/gpu run",
}

# Including files | allowed includes | reason. The first row that matches a file applies; \1 is the text of its group.
DOORS = [
    (r"(?:targets|harness/\w+/tests)/.*\.cu", r"harness/devices/sim/kernel\.h",
     "a kernel shares no inline function with the host: it includes harness/devices/sim/kernel.h and nothing else"),
    (r"targets/([^/]+)/.*", r"harness/driver/runtime\.h|targets/\1/.*",
     "a target could ship: it knows harness/driver/runtime.h, <cuda.h> and its own folder"),
    (r"scenarios/([^/]+)/tests/.*", r"harness/.*|targets/\1/.*|scenarios/\1/.*", "no path knows another path"),
    (r"scenarios/([^/]+)/bench\.cpp",
     r"harness/(?:run/scenario/[a-z_]+|run/run|run/tables|search/search|fuzz/bench_path)\.h"
     r"|harness/(?:run/actors|run/oracles|core/instruments)/.*|targets/\1/\1\.h|scenarios/\1/.*",
     "a main of a path enters by harness/run/run.h and search/search.h, and knows its own path"),
    (r"scenarios/([^/]+)/.*",
     r"harness/run/scenario/[a-z_]+\.h|harness/core/fault/kinds\.h|harness/(?:run/actors|run/oracles|core/instruments)/.*"
     r"|targets/\1/\1\.h|scenarios/\1/.*",
     "a scenario knows harness/run/scenario, fault/kinds.h, actors, oracles, instruments and its own target's header"),
    (r"harness/.*/tests/.*", r"harness/.*", "the harness knows no path"),
]

# A target consists of tasks, and only the harness may interleave them.
THREADS = {"thread", "mutex", "shared_mutex", "atomic", "condition_variable", "future", "semaphore"}

# Names of code that judges or makes choices, alone or as part of a longer name. A target only reports facts.
JUDGING = re.compile(r"\w*(?:Fault|Window|Claim|Verdict|History|Picker|[Ss]hadow)\w*|\bhistory\b")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def room_of(file):
    """Returns the room that a file of harness/ belongs to, or None."""
    fits = [room for room in ROOMS if f"{file}/".startswith(f"harness/{room}/")]
    return max(fits, key=len, default=None)


def may_include(room, include):
    """Returns whether a room may include a file of harness/."""
    names = ROOMS[room].split()
    return room_of(include) in [room, *names] or include.removeprefix("harness/") in names


def complaint(root, file, bracket, include):
    """Returns the complaint about this include, or None."""
    if bracket == "<":
        if file.startswith("targets/") and include in THREADS:
            return "a target's tasks are the harness's: no threads, locks or atomics of its own"
        return None
    if not (root / include).is_file():
        return "no such file; an include names a file by its path from the root"
    for pattern, allowed, why in DOORS:
        if match := re.fullmatch(pattern, file):
            return None if re.fullmatch(match.expand(allowed), include) else why
    if not include.startswith("harness/"):
        return "the harness knows no path"
    room = room_of(file)
    return None if may_include(room, include) else f"{room} may include {ROOMS[room] or 'no other room'}"


def judging_words(file, line):
    """Returns the words of the line that must not occur in a target."""
    return JUDGING.findall(line) if file.startswith("targets/") else []


def sources(root):
    for folder in ("harness", "targets", "scenarios"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".h", ".cpp", ".cu", ".cuh"}:
                yield path.relative_to(root).as_posix()


def complaints_about(root, file):
    """Yields the complaints about one file, one per line."""
    if file.startswith("harness/") and "/tests/" not in file and room_of(file) is None:
        yield f"{file}: in no room: give it a place in ROOMS of scripts/checks/layers.py"
        return
    for number, line in enumerate((root / file).read_text().splitlines(), 1):
        if (match := INCLUDE.match(line)) and (why := complaint(root, file, *match.groups())):
            yield f"{file}:{number}: includes {match[2]}: {why}"
        for word in judging_words(file, line):
            yield f"{file}:{number}: says {word}: a target tells facts; who judges stands in the scenario"


def circles(root, files):
    """Yields a complaint for each circle between folders of a slice."""
    arrows = {}
    for file in files:
        at = file.split("/")
        if at[0] != "harness" or len(at) < 4 or "tests" in at:
            continue
        for line in (root / file).read_text().splitlines():
            match = INCLUDE.match(line)
            to = match[2].split("/") if match else []
            if len(to) > 3 and to[:2] == at[:2] and to[2] != at[2]:
                arrows.setdefault("/".join(at[:3]), set()).add("/".join(to[:3]))

    def reached(folder, seen):
        for other in arrows.get(folder, set()) - seen:
            seen.add(other)
            reached(other, seen)
        return seen

    for folder in sorted(arrows):
        if folder in (around := reached(folder, set())):
            yield f"{folder}: in a circle of includes with {' '.join(sorted(one for one in around if folder in reached(one, set()) and one != folder))}"


def misplaced():
    """Yields a complaint for each row of the table that names no row before it."""
    before = set()
    for room, names in ROOMS.items():
        for name in names.split():
            if room_of(f"harness/{name}") not in before:
                yield f"scripts/checks/layers.py: {room} names {name}, which is not above it"
        before.add(room)


def check(root):
    """Returns all complaints about the tree."""
    files = list(sources(root))
    return [*misplaced(), *(line for file in files for line in complaints_about(root, file)), *circles(root, files)]


# File | include or line planted in it | a part of the complaint, empty if there must be none.
PLANTS = [
    ("harness/base/base.h", '"harness/run/run.h"', "base may include no other room"),
    ("harness/planted.h", '"harness/run/run.h"', "in no room"),
    ("harness/planted/planted.h", "", "in no room"),
    ("harness/core/planted.cpp", '"harness/driver/runtime.h"', "core may include base"),
    ("harness/run/run.cpp", '"harness/devices/sim/planted.h"', "run may include"),
    ("harness/run/run.cpp", '"scenarios/planted/scenario.h"', "no path"),
    ("harness/run/run.cpp", '"harness/core/world.h"', ""),
    ("harness/devices/sim/kernel.h", '"harness/base/base.h"', "kernel.h may include"),
    ("harness/devices/gpu/planted.cpp", '"harness/devices/sim/planted.h"', "devices/gpu may include"),
    ("harness/device_code/ptx/device/planted.h", '"harness/base/base.h"', "no other room"),
    ("harness/gate/planted.cpp", '"harness/run/run.h"', "gate may include"),
    ("harness/gate/planted.cpp", '"harness/gate/views/planted.h"', "gate may include"),
    ("harness/gate/views/planted.cpp", '"harness/gate/planted.h"', ""),
    ("harness/nightly/planted.cpp", '"harness/report/planted.h"', "nightly may include"),
    ("harness/nightly/command/planted.cpp", '"harness/client/command/planted.h"', ""),
    ("harness/client/command/planted.cpp", '"harness/nightly/command/planted.h"', "client/command may include"),
    ("harness/client/outside/planted.cpp", '"harness/core/pick/planted.h"', ""),
    ("harness/client/border/planted.cpp", '"harness/client/outside/planted.h"', "client/border may include"),
    ("harness/client/inside/libcuda/planted.cpp", '"harness/client/outside/search/search.h"', "libcuda may include"),
    ("harness/client/inside/libnvml/planted.cpp", '"harness/devices/sim/objects.h"', "libnvml may include"),
    ("harness/client/inside/libnvml/planted.cpp", '"harness/devices/sim/limits.h"', ""),
    ("harness/report/planted.cpp", '"harness/gate/planted.h"', "report may include"),
    ("harness/fuzz/fuzz.cpp", '"scenarios/planted/scenario.h"', "no path"),
    ("harness/core/tests/planted.cpp", '"targets/planted/planted.h"', "the harness knows no path"),
    ("harness/core/tests/planted.cpp", '"harness/cli/planted.h"', ""),
    ("harness/devices/tests/kernels/planted.cu", '"harness/base/base.h"', "a kernel shares"),
    ("targets/planted/borrow.h", '"harness/core/scheduler/scheduler.h"', "a target could ship"),
    ("targets/planted/borrow.h", '"scenarios/planted/scenario.h"', "a target could ship"),
    ("targets/planted/borrow.h", '"targets/other/other.h"', "a target could ship"),
    ("targets/planted/borrow.h", "<atomic>", "a target's tasks"),
    ("targets/planted/borrow.h", '"harness/driver/runtime.h"', ""),
    ("targets/planted/borrow.h", "<cuda.h>", ""),
    ("targets/planted/kernel.cu", '"harness/driver/runtime.h"', "a kernel shares"),
    ("targets/planted/kernel.cu", '"harness/devices/sim/kernel.h"', ""),
    ("scenarios/planted/driver.cpp", '"harness/run/run.h"', "a scenario knows"),
    ("scenarios/planted/driver.cpp", '"targets/planted/borrow.h"', "a scenario knows"),
    ("scenarios/planted/driver.cpp", '"targets/other/other.h"', "a scenario knows"),
    ("scenarios/planted/driver.cpp", '"planted.h"', "no such file"),
    ("scenarios/planted/driver.cpp", '"targets/planted/planted.h"', ""),
    ("scenarios/planted/driver.cpp", '"harness/run/actors/planted.h"', ""),
    ("scenarios/planted/explain.cpp", '"harness/core/instruments/planted.h"', ""),
    ("scenarios/planted/bench.cpp", '"harness/base/fiber.h"', "a main of a path"),
    ("scenarios/planted/bench.cpp", '"harness/run/run.h"', ""),
    ("scenarios/planted/tests/driver_test.cpp", '"targets/other/other.h"', "another path"),
    ("targets/managed_dict/planted.h", "FaultKind kind;", "says FaultKind"),
    ("targets/alltoallv/planted.h", "void reached(Window window);", "says Window"),
    ("targets/example/planted.cpp", "using harness::ClaimKind;", "says ClaimKind"),
    ("targets/argpack/planted.cpp", "Verdict verdict;", "says Verdict"),
    ("targets/managed_dict/planted.cpp", "scheduler.history().add(found);", "says history"),
    ("targets/graph_argument/core.h", "struct BlockShadow;", "says BlockShadow"),
    ("targets/alltoallv/cache.cpp", "harness::Picker& picker;", "says Picker"),
    ("targets/managed_dict/planted.h", "int by_default;  // A claim of the real system.", ""),
    ("scenarios/managed_dict/planted.h", "harness::Fault fault;", ""),
]
CIRCLE = ("harness/core/pick/planted.h", '"harness/core/scheduler/scheduler.h"', "in a circle")


def plant(root, file, planted):
    """Adds the include or line to the file; creates the file and the included file, if missing. Returns the original contents."""
    is_include = planted.startswith(('"', "<"))
    files = [root / path for path in [file] + ([planted.strip('"')] if is_include and "/" in planted else [])]
    before = {path: path.read_text() if path.is_file() else None for path in files}
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    if planted:
        with files[0].open("a") as out:
            out.write(f"\n#include {planted}\n" if is_include else f"\n{planted}\n")
    return before


def take_back(before):
    for path, text in before.items():
        if text is None:
            path.unlink()
        else:
            path.write_text(text)


def is_judged_rightly(root, file, planted, word, complaints):
    """Compares the result of `complaints` with and without the plant, and removes the plant."""
    before = complaints() if (root / file).is_file() else []
    taken = plant(root, file, planted)
    new = [line for line in complaints() if line not in before]
    take_back(taken)
    if len(new) >= 1 and word in new[0] if word else not new:
        return True
    print(f"planted {planted or 'a stray file'} in {file}: expected {word or 'no complaint'!r}, got {new}")
    return False


def self_test(tree):
    """Checks each plant only against its own file, except the first one and the circle, which are checked against the whole tree."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for source in sources(tree):
            (root / source).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(tree / source, root / source)
        rightly = [is_judged_rightly(root, *one, lambda file=one[0]: list(complaints_about(root, file))) for one in PLANTS]
        rightly.append(is_judged_rightly(root, *PLANTS[0], lambda: check(root)))
        rightly.append(is_judged_rightly(root, *CIRCLE, lambda: list(circles(root, list(sources(root))))))
    print(f"layers: {sum(rightly)} of {len(rightly)} plants judged rightly")
    return len(rightly) - sum(rightly)


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    if sys.argv[1:] not in ([], ["--self-test"]):
        print(f"layers: unknown arguments {sys.argv[1:]}; see --help", file=sys.stderr)
        return 3
    tree = pathlib.Path(__file__).resolve().parents[2]
    if sys.argv[1:]:
        return 1 if self_test(tree) else 0
    complaints = check(tree)
    print("\n".join(complaints) or f"layers: {len(list(sources(tree)))} files in {len(ROOMS)} rooms, no include runs back")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
