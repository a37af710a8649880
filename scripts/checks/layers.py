#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes flow one way: down the spine, from ribs to spine, into paths by the doors;
and that a target tells facts, in words that judge nothing.

Usage: scripts/checks/layers.py [--self-test]

Prints the spine, or each include and word that breaks a rule, with the rule. Exit: 0 clean, 1 not.
--self-test plants one illegal include or word per rule in a copy of the tree; each must be found.
"""
import pathlib
import re
import shutil
import sys
import tempfile

# Each may include those before it. A file in a folder a/, or a_b.h, stands where a stands.
SPINE = """base records sanitizers label printable files process crash watchdog arena pick fault intervention history fiber scheduler sync shared ledger
           host heap verdict world kernel_image device cuda runtime scenario tables case run reproducer
           minimize search triage price""".split()

SPINE_FILE = rf"harness/(?:{'|'.join(SPINE)})(?:_[a-z0-9_]+)?(?:/.+|\.h|\.def)"

# Including files | allowed includes | reason. The first row that matches a file applies; \1 is the text of its group.
RULES = [
    (r"(?:targets|harness/tests)/.*\.cu", r"harness/devices/sim/kernel\.h",
     "a kernel shares no inline function with the host: harness/devices/sim/kernel.h and nothing else"),
    (r"harness/devices/sim/kernel\.h", r"harness/device_code/kernel_image\.h",
     "harness/devices/sim/kernel.h is all that a kernel sees, so it includes plain data at most"),
    (r"targets/([^/]+)/.*", r"harness/driver/runtime\.h|targets/\1/.*",
     "a target could ship: it knows harness/driver/runtime.h, <cuda.h> and its own folder"),
    (r"scenarios/([^/]+)/tests/.*", r"harness/.*|targets/\1/.*|scenarios/\1/.*",
     "no path knows another path"),
    (r"scenarios/([^/]+)/bench\.cpp",
     r"harness/(?:scenario(?:/[a-z]+)?|run|search|tables)\.h|harness/fuzz/bench_path\.h"
     r"|harness/(?:actors|oracles|instruments)/.*|targets/\1/\1\.h|scenarios/\1/.*",
     "a main of a path enters by harness/run/run.h and search.h, and knows its own path"),
    (r"scenarios/([^/]+)/.*",
     r"harness/run/scenario(?:/[a-z]+)?\.h|harness/core/fault/kinds\.h|harness/(?:actors|oracles|instruments)/.*"
     r"|targets/\1/\1\.h|scenarios/\1/.*",
     "a scenario knows harness/run/scenario/scenario.h, fault/kinds.h, actors, oracles, instruments and its own target's header"),
    (r"harness/fuzz/bench_spine\.cpp", SPINE_FILE, "the spine's benchmark knows the spine"),
    (r"harness/device_code/ptx/device/.*", r"harness/device_code/ptx/device/.*",
     "what a translated module is compiled with includes nothing else"),
    (r"harness/device_code/ptx/.*", r"harness/(?:printable|kernel_image)\.h|harness/(?:files|process|ptx)/.*",
     "translation is text in, kernels out: it knows kernel images and processes, and no device"),
    (r"harness/device_code/nvrtc/.*", r"harness/base/printable\.h|harness/(?:files|process|nvrtc)/.*",
     "a program is text in, PTX out: it knows processes and files, and nothing of the driver"),
    (r"harness/device_code/libnvjitlink/.*", r"harness/device_code/ptx/(?:link|module)\.h|harness/entries/(?:(?:handed_over|short_lock)\.h|libnvjitlink/.*)",
     "libnvJitLink.so.13 puts texts together, and knows no driver"),
    (r"harness/client/inside/libnvtx/.*", r"harness/entries/(?:handed_over\.h|libnvtx/.*)", "the tool of NVTX hands over to the driver, and knows nothing else"),
    (r"harness/client/inside/libnvml/.*", r"harness/devices/sim/(?:attributes\.def|identity\.h|limits\.h)|harness/entries/(?:missed_calls\.h|libnvml/.*)",
     "libnvidia-ml.so.1 knows what the simulated device is, and nothing else"),
    (r"harness/client/inside/stand_ins/.*", r"harness/base/process/(?:cuda_tool|tool)\.h|harness/client/inside/stand_ins/.*",
     "a stand-in finds the tool, and knows nothing else"),
    (r"harness/device_code/libnvrtc/.*", r"harness/device_code/nvrtc/.*|harness/entries/(?:handed_over|short_lock)\.h", "libnvrtc.so.13 hands over to what compiles, and knows nothing else"),
    (r"harness/client/inside/libcuda/.*", SPINE_FILE + r"|harness/(?:devices/sim|entries/libcuda)/.*|harness/entries/(?:missed_calls|libnvtx/interface)\.h|harness/client/(?:broker/message|call_mark|forced|hang_watch|orders|report|server_socket)\.h|harness/device_code/ptx/(?:fatbin|image|link|module)\.h"
     r"|harness/run/strategies/random_walk\.h",
     "libcuda.so.1 is the spine with the simulated device, and answers what a client's run orders"),
    (r"harness/client/inside/torch/.*", r"harness/driver/cuda/host_work\.h|harness/client/inside/torch/.*",
     "the plug-in for PyTorch is built for the user's, and knows one entry point of the driver"),
    (r"harness/client/inside/libcudart/.*", r"harness/driver/cuda\.def|harness/driver/cuda/outer_call\.h|harness/entries/(?:short_lock\.h|libcudart/.*)",
     "libcudart.so.13 calls the driver by its interface, and knows nothing of what is behind it"),
    (r"harness/fuzz/bench_gpu/.*", SPINE_FILE + r"|harness/devices/gpu/gpu_device\.h|harness/fuzz/bench_gpu/.*",
     "the benchmarks of a GPU know the driver and the tables, and make no run"),
    (r"harness/entries/.*",
     r"harness/(?:run|reproducer|minimize|search|triage|price|tables|printable|fault/kinds|fault/former_words)\.h|harness/(?:reports|entries|gate|nightly|client|files|process)/.*"
     r"|harness/run/strategies/bytes\.h",
     "an entry knows harness/run/run.h, search.h, price.h, tables.h, reports, the gate, nights, and bytes where a fuzzer feeds it"),
    (r"harness/tests/.*", r"harness/.*", "the harness knows no path"),
    (r"harness/devices/([^/]+)/.*", SPINE_FILE + r"|harness/devices/\1/.*",
     "a rib member knows the spine, never another rib"),
    (r"harness/gate/views/.*", SPINE_FILE + r"|harness/(?:reports|gate)/.*",
     "a view of what the gate found knows the gate and the reports"),
    (r"harness/nightly/views/.*", SPINE_FILE + r"|harness/(?:reports|nightly)/.*",
     "a view of a night knows nights and the reports"),
    (r"harness/nightly/.*", r"harness/(?:base|printable|run|reproducer|search|triage|triage/choice|fault/former_words|tables|verdict)\.h|harness/(?:files|nightly)/.*",
     "a night plans, runs and sorts searches: it knows harness/run/run.h, search.h, triage.h, tables.h, and no report"),
    (r"harness/gate/.*", r"harness/(?:base|printable)\.h|harness/(?:files|process|gate)/.*",
     "the gate compares numbers: it knows words that every layer shares, whole files, and no run"),
    (r"harness/client/views/.*", SPINE_FILE + r"|harness/(?:reports|client)/.*",
     "a view of a client's runs knows those and the reports"),
    (r"harness/client/.*", r"harness/(?:base|printable|pick|pick/deviations|sanitizers|fault/former_words)\.h|harness/(?:files|process|client)/.*",
     "clients are other programs: what runs them knows decisions, processes and files, and no world"),
    (r"harness/(strategies|actors|oracles|reports|instruments)/.*", SPINE_FILE + r"|harness/\1/.*",
     "a rib member knows the spine, never another rib"),
    (r"harness/.*", SPINE_FILE, "the spine knows ribs by interface and name, and no path"),
]

# A target consists of tasks, and only the harness may interleave them.
THREADS = {"thread", "mutex", "shared_mutex", "atomic", "condition_variable", "future", "semaphore"}

# Names of code that judges or makes choices, alone or as part of a longer name. A target only reports facts.
JUDGING = re.compile(r"\w*(?:Fault|Window|Claim|Verdict|History|Picker|[Ss]hadow)\w*|\bhistory\b")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def spine_rank(path):
    """Returns the position of a file in the spine, or None if it does not belong to it."""
    match = re.fullmatch(r"harness/([a-z0-9_]+)(?:/.+|\.(?:h|cpp|def))", path)
    fits = [i for i, name in enumerate(SPINE)
            if match and (match[1] == name or match[1].startswith(name + "_"))]
    return max(fits, key=lambda i: len(SPINE[i]), default=None)


def complaint(root, file, bracket, include):
    """Returns the complaint about this include, or None."""
    if bracket == "<":
        if file.startswith("targets/") and include in THREADS:
            return "a target's tasks are the harness's: no threads, locks or atomics of its own"
        return None
    if not (root / include).is_file():
        return "no such file; an include names a file by its path from the root"
    who, allowed, why = next(
        (match, allowed, why) for pattern, allowed, why in RULES
        if (match := re.fullmatch(pattern, file)))
    if not re.fullmatch(who.expand(allowed), include):
        return why
    rank, included_rank = spine_rank(file), spine_rank(include)
    if rank is not None and included_rank is not None and included_rank > rank:
        return f"points back up the spine: {SPINE[included_rank]} comes after {SPINE[rank]}"
    return None


def judging_words(file, line):
    """Returns the words of the line that must not occur in a target."""
    return JUDGING.findall(line) if file.startswith("targets/") else []


def sources(root):
    for folder in ("harness", "targets", "scenarios"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".h", ".cpp", ".cu"}:
                yield path.relative_to(root).as_posix()


def complaints_about(root, file):
    """Yields the complaints about one file, one per line."""
    if re.fullmatch(r"harness/[^/]+", file) and file != "harness/devices/sim/kernel.h" and spine_rank(file) is None:
        yield f"{file}: not in the spine; give it its place in SPINE of scripts/checks/layers.py"
    for number, line in enumerate((root / file).read_text().splitlines(), 1):
        if (match := INCLUDE.match(line)) and (why := complaint(root, file, *match.groups())):
            yield f"{file}:{number}: includes {match[2]}: {why}"
        for word in judging_words(file, line):
            yield f"{file}:{number}: says {word}: a target tells facts; who judges stands in the scenario"


def check(root):
    """Returns all complaints about the tree."""
    return [line for file in sources(root) for line in complaints_about(root, file)]


# File | include or line planted in it | a part of the complaint, empty if there must be none.
PLANTS = [
    ("harness/base/base.h", '"harness/run/run.h"', "points back up the spine"),
    ("harness/scheduler_trace.cpp", '"harness/driver/runtime.h"', "points back up the spine"),
    ("harness/run/run.cpp", '"harness/devices/sim/planted.h"', "by interface and name"),
    ("harness/run/run.cpp", '"scenarios/planted/scenario.h"', "no path"),
    ("harness/planted.h", "", "not in the spine"),
    ("harness/devices/sim/kernel.h", '"harness/base/base.h"', "plain data at most"),
    ("harness/run/strategies/planted.cpp", '"harness/run/oracles/planted.h"', "never another rib"),
    ("harness/devices/gpu/planted.cpp", '"harness/devices/sim/planted.h"', "never another rib"),
    ("harness/core/instruments/planted.cpp", '"harness/report/planted.h"', "never another rib"),
    ("harness/run/oracles/planted.cpp", '"targets/planted/planted.h"', "never another rib"),
    ("harness/gate/planted.cpp", '"harness/run/run.h"', "the gate compares numbers"),
    ("harness/gate/planted.cpp", '"harness/report/planted.h"', "the gate compares numbers"),
    ("harness/report/planted.cpp", '"harness/gate/planted.h"', "never another rib"),
    ("harness/fuzz/bench_gpu/planted.cpp", '"harness/gate/rule.h"', "the benchmarks of a GPU"),
    ("harness/gate/views/planted.cpp", '"harness/run/oracles/planted.h"', "a view of what the gate"),
    ("harness/gate/views/planted.cpp", '"harness/gate/planted.h"', ""),
    ("harness/nightly/planted.cpp", '"harness/core/scheduler/scheduler.h"', "a night plans"),
    ("harness/nightly/planted.cpp", '"harness/report/planted.h"', "a night plans"),
    ("harness/nightly/planted.cpp", '"harness/gate/planted.h"', "a night plans"),
    ("harness/run/run.cpp", '"harness/nightly/planted.h"', "by interface and name"),
    ("harness/report/planted.cpp", '"harness/nightly/planted.h"', "never another rib"),
    ("harness/nightly/views/planted.cpp", '"harness/gate/planted.h"', "a view of a night"),
    ("harness/nightly/views/planted.cpp", '"harness/nightly/planted.h"', ""),
    ("harness/client/outside/planted.cpp", '"harness/core/world.h"', "clients are other programs"),
    ("harness/client/outside/planted.cpp", '"harness/report/planted.h"', "clients are other programs"),
    ("harness/client/outside/planted.cpp", '"harness/base/process/planted.h"', ""),
    ("harness/run/run.cpp", '"harness/client/outside/planted.h"', "by interface and name"),
    ("harness/report/planted.cpp", '"harness/client/outside/planted.h"', "never another rib"),
    ("harness/client/views/planted.cpp", '"harness/gate/planted.h"', "a view of a client's runs"),
    ("harness/client/views/planted.cpp", '"harness/client/outside/planted.h"', ""),
    ("harness/client/inside/libcuda/planted.cpp", '"harness/client/outside/search/search.h"', "libcuda"),
    ("harness/client/inside/libcuda/planted.cpp", '"harness/client/border/orders.h"', ""),
    ("harness/device_code/nvrtc/planted.cpp", '"harness/driver/device.h"', "a program is text in"),
    ("harness/device_code/nvrtc/planted.cpp", '"harness/base/process/planted.h"', ""),
    ("harness/device_code/libnvrtc/planted.cpp", '"harness/driver/cuda/cuda.h"', "libnvrtc"),
    ("harness/client/inside/libcudart/planted.cpp", '"harness/driver/device.h"', "libcudart"),
    ("harness/client/inside/libnvtx/planted.cpp", '"harness/driver/cuda/cuda.h"', "NVTX"),
    ("harness/client/inside/libnvml/planted.cpp", '"harness/devices/sim/objects.h"', "libnvidia-ml"),
    ("harness/client/inside/stand_ins/planted.cpp", '"harness/driver/cuda/cuda.h"', "stand-in"),
    ("harness/device_code/libnvjitlink/planted.cpp", '"harness/device_code/ptx/image.h"', "libnvJitLink"),
    ("harness/cli/planted.cpp", '"harness/core/scheduler/scheduler.h"', "an entry knows"),
    ("harness/fuzz/fuzz.cpp", '"scenarios/planted/scenario.h"', "an entry knows"),
    ("harness/client/inside/libcuda/planted.cpp", '"harness/devices/gpu/planted.h"', "libcuda"),
    ("harness/tests/planted.cpp", '"targets/planted/planted.h"', "the harness knows no path"),
    ("targets/planted/borrow.h", '"harness/core/scheduler/scheduler.h"', "a target could ship"),
    ("targets/planted/borrow.h", '"scenarios/planted/scenario.h"', "a target could ship"),
    ("targets/planted/borrow.h", '"targets/other/other.h"', "a target could ship"),
    ("targets/planted/borrow.h", "<atomic>", "a target's tasks"),
    ("targets/planted/kernel.cu", '"harness/driver/runtime.h"', "a kernel shares"),
    ("scenarios/planted/driver.cpp", '"harness/run/run.h"', "a scenario knows"),
    ("scenarios/planted/driver.cpp", '"targets/planted/borrow.h"', "a scenario knows"),
    ("scenarios/planted/driver.cpp", '"targets/other/other.h"', "a scenario knows"),
    ("scenarios/planted/bench.cpp", '"harness/base/fiber.h"', "a main of a path"),
    ("scenarios/planted/tests/driver_test.cpp", '"targets/other/other.h"', "another path"),
    ("scenarios/planted/driver.cpp", '"planted.h"', "no such file"),
    ("harness/run/run.cpp", '"harness/base/base.h"', ""),
    ("harness/run/strategies/planted.cpp", '"harness/core/pick/pick.h"', ""),
    ("harness/cli/planted.cpp", '"harness/search/search.h"', ""),
    ("targets/planted/borrow.h", '"harness/driver/runtime.h"', ""),
    ("targets/planted/borrow.h", "<cuda.h>", ""),
    ("targets/planted/kernel.cu", '"harness/devices/sim/kernel.h"', ""),
    ("scenarios/planted/driver.cpp", '"targets/planted/planted.h"', ""),
    ("scenarios/planted/driver.cpp", '"harness/run/actors/planted.h"', ""),
    ("scenarios/planted/explain.cpp", '"harness/core/instruments/planted.h"', ""),
    ("scenarios/planted/bench.cpp", '"harness/run/run.h"', ""),
    ("targets/managed_dict/planted.h", "harness::Fault fault;", "says Fault"),
    ("targets/managed_dict/planted.h", "FaultKind kind;", "says FaultKind"),
    ("targets/managed_dict/memory.cpp", "void reached(Window window);", "says Window"),
    ("targets/managed_dict/planted.h", "Claim claim;", "says Claim"),
    ("targets/managed_dict/planted.cpp", "Verdict verdict;", "says Verdict"),
    ("targets/managed_dict/planted.h", "History& events();", "says History"),
    ("targets/managed_dict/planted.cpp", "scheduler.history().add(found);", "says history"),
    ("targets/managed_dict/blocks.h", "// The shadow of a block.", "says shadow"),
    ("targets/managed_dict/planted.h", "struct BlockShadow;", "says BlockShadow"),
    ("targets/argpack/facts.h", "// The shadow of a wrapper.", "says shadow"),
    ("targets/argpack/planted.h", "virtual void reached(Window window);", "says Window"),
    ("targets/alltoallv/planted.h", "virtual void reached(Window window);", "says Window"),
    ("targets/alltoallv/cache.cpp", "harness::Picker& picker;", "says Picker"),
    ("targets/example/planted.cpp", "using harness::ClaimKind;", "says ClaimKind"),
    ("targets/managed_dict/planted.h", "int by_default;  // A claim of the real system.", ""),
    ("targets/graph_argument/planted.h", "void reach(Window window);", "says Window"),
    ("targets/graph_argument/core.h", "struct Shadow;", "says Shadow"),
    ("targets/planted/borrow.h", "harness::Fault fault;", "says Fault"),
    ("scenarios/managed_dict/planted.h", "harness::Fault fault;", ""),
]


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
    if len(new) == 1 and word in new[0] if word else not new:
        return True
    print(f"planted {planted or 'a stray file'} in {file}: expected {word or 'no complaint'!r}, got {new}")
    return False


def self_test(tree):
    """Checks each plant only against its own file, except the first one, which is checked against the whole tree."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for source in sources(tree):
            (root / source).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(tree / source, root / source)
        rightly = [is_judged_rightly(root, *one, lambda file=one[0]: list(complaints_about(root, file))) for one in PLANTS]
        rightly.append(is_judged_rightly(root, *PLANTS[0], lambda: check(root)))
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
    print("\n".join(complaints) or f"layers: {len(list(sources(tree)))} files, " + " <- ".join(SPINE))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
