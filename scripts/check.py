#!/usr/bin/env python3
"""Builds the presets and runs every test. Called by scripts/test.sh, after the set-up.

Usage: ./scripts/test.sh [--long] [STEP...]

  --long    the promised figures at full size (hours rather than minutes), as a table
  STEP      only these steps, in their order

Ends with `N passed, N failed, N skipped`. Exit: 0 nothing failed, 1 something did, 2 the build, 3 usage.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import figures
import gpu_tests
import measuring
import programs

ROOT = programs.ROOT


class Tally(collections.Counter):
    """How many checks passed, failed and were skipped; and which failed, for the end of a long log."""

    def __init__(self, *counts):
        super().__init__(*counts)
        self.failures = []

    def add(self, passed, line, words=""):
        """Counts a check. `words` say what was found wrong, where the log has that already."""
        self[{True: "passed", False: "failed", None: "skipped"}[passed]] += 1
        if passed is False:
            self.failures.append("\n    ".join([line, *words.splitlines()[:WORDS_LINES]]))
        if passed is not True:
            print(f"  {'FAILED' if passed is False else 'skipped'}: {line}", flush=True)

    def told(self):
        """Which checks failed, and why; empty where none did."""
        return "".join(f"\nFAILED: {failure}" for failure in self.failures) + ("\n" if self.failures else "")

    def __str__(self):
        return f"{self['passed']} passed, {self['failed']} failed, {self['skipped']} skipped"


WORDS_LINES = 12  # Of a failure, repeated at the end.


def build(preset, *targets):
    if subprocess.run([ROOT / "scripts/build.sh", preset, *targets]).returncode:
        sys.exit(2)


def script(tally, *command):
    tally.add(subprocess.run([ROOT / "scripts" / command[0], *command[1:]]).returncode == 0,
              " ".join(command))


def gtest(tally, preset, name, only="*", **how):
    """Runs a GoogleTest program in parts, as many at a time as there are cores, counts each of its tests, and
    shows what failed. A part is ended when it makes no progress, never because a slow machine takes its time.
    """
    if not programs.exists(preset, name):
        return tally.add(False, f"build/{preset}/{name} is not built")
    cores = len(os.sched_getaffinity(0))
    parts = PARTS_OF_A_CORE * cores
    with concurrent.futures.ThreadPoolExecutor(cores) as pool:
        ended = list(pool.map(lambda part: run_part(preset, name, only, part, parts, **how), range(parts)))
    for part, (code, output, tests) in enumerate(ended, 1):
        for test in tests:
            passed = None if test["result"] == "SKIPPED" else "failures" not in test
            words = "\n".join(failure["failure"] for failure in test.get("failures", []))
            tally.add(passed, f"{preset} {name}: {test['classname']}.{test['name']}", words)
        if code:
            print(told(output, tests))
        if code and all("failures" not in test for test in tests):
            tally.add(False, f"{preset} {name}: part {part} of {parts}, exit {code}, {last_begun(output)}")
    if not any(tests for _, _, tests in ended):
        tally.add(False, f"{preset} {name}: no test ran")
    print(f"  slowest: {slowest([test for _, _, tests in ended for test in tests])}", flush=True)


PARTS_OF_A_CORE = 8
SLOWEST_COUNT = 8
SILENCE_SECONDS = 1800  # The longest test takes a quarter of this in the slowest build, on a busy core.


def run_part(preset, name, only, part, parts, env=None):
    """Exit code, output and tests of one part of a GoogleTest program."""
    began = time.monotonic()
    shard = {"GTEST_TOTAL_SHARDS": str(parts), "GTEST_SHARD_INDEX": str(part)}
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        ended = programs.run(preset, name, f"--gtest_filter={only}", f"--gtest_output=json:{report.name}",
                             env=shard | (env or {}), silence_seconds=SILENCE_SECONDS)
        text = pathlib.Path(report.name).read_text()
    suites = json.loads(text)["testsuites"] if text else []
    tests = [test for suite in suites for test in suite["testsuite"]]
    if tests or ended.code:
        print(f"  part {part + 1} of {parts} of {name}: {len(tests)} tests, exit {ended.code}, {time.monotonic() - began:.0f} s", flush=True)
    return ended.code, ended.out + ended.err, tests


def slowest(tests):
    """The tests that took longest, in seconds."""
    times = sorted(((float(test["time"].rstrip("s")), f"{test['classname']}.{test['name']}") for test in tests), reverse=True)
    return ", ".join(f"{name} {seconds:.0f}" for seconds, name in times[:SLOWEST_COUNT])


def told(output, tests):
    """What a failed part printed, without the tests that passed. Of a part that was killed, all of it."""
    if not tests:
        return output[-20_000:]
    return "\n".join(line for line in output.splitlines()
                     if not re.match(r"\[( RUN  |   *OK |-----|=====)", line) and line.strip())


def last_begun(output):
    """In which test a part ended."""
    begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
    return f"in {begun[-1]}" if begun else "before its first test"


def add_figures(tally, measured):
    for figure in measured:
        tally.add(figure.passed, f"{figure.asked}: {figure.measured}")


# The steps, in order.

def tree(tally, full):
    """The tree itself: include rules, no machine's paths, documents, shape, style; these checks are checked, and so are the figures."""
    for name in ("layers.py", "hygiene.py", "documents.py", "shape.py"):
        script(tally, name)
        script(tally, name, "--self-test")
    script(tally, "style.py")
    script(tally, "style.py", "--self-test")
    if full:
        script(tally, "style.py", "--tidy")
    script(tally, "figures.py", "--self-test")
    script(tally, "verdicts.py", "--self-test")
    script(tally, "first_faults.py", "--self-test")
    script(tally, "gate/counters.py", "--self-test")
    script(tally, "gate/budget.py", "--self-test")
    script(tally, "gate/canaries.py", "--self-test")
    script(tally, "gate/effectiveness.py", "--self-test")
    script(tally, "gate/memory.py", "--self-test")
    script(tally, "gate/outcome.py", "--self-test")
    script(tally, "gate/baselines.py", "--self-test")
    script(tally, "gate/suite.py", "--self-test")
    script(tally, "gate/spending.py", "--self-test")
    script(tally, "gate/times.py", "--self-test")
    script(tally, "gate/revisions.py", "--self-test")
    script(tally, "gpu_tests.py", "--self-test")
    script(tally, "mutants.py", "--self-test")
    script(tally, "mutated_inputs.py", "--self-test")


def unit(tally, full):
    """Unit and conformance tests under ASan and UBSan."""
    build("asan")
    gtest(tally, "asan", "afterlife_tests")


def properties(tally, full):
    """RapidCheck properties under ASan and UBSan."""
    build("asan")
    for name in programs.named("asan", "property_") or ["property_<path>"]:
        gtest(tally, "asan", name, env={"RC_PARAMS": "seed=1"})


def corpus(tally, full):
    """Every committed reproducer, smallest program and smallest case, replayed under ASan and UBSan."""
    build("asan")
    if not programs.exists("asan", "afterlife"):
        return tally.add(False, "build/asan/afterlife is not built")
    files = sorted(p for kind in ("repros", "programs", "smallest") for p in ROOT.glob(f"corpus/*/{kind}/*"))
    replayed = programs.side_by_side(lambda file: programs.run("asan", "afterlife", "replay", file, "--json"), files)
    for file, ended in zip(files, replayed):
        tally.add(ended.code == 0, f"replay {file.relative_to(ROOT)}: exit {ended.code} {ended.err.strip()}")
    if not files:
        tally.add(False, "corpus/ is empty")


def fuzzers(tally, full):
    """A short run of each libFuzzer target from its committed seeds."""
    names = sorted(f"fuzz_{folder.parent.name}" for folder in ROOT.glob("corpus/*/seeds"))
    build("fuzz", *names)
    for name, ended in zip(names, programs.side_by_side(fuzzed, names)):
        if ended is None:
            tally.add(False, f"build/fuzz/{name} is not built")
            continue
        if ended.code:
            print(ended.err[-8000:])
        tally.add(ended.code == 0, f"{name}: exit {ended.code}")
    if not names:
        tally.add(False, "corpus/ has no seeds")


def fuzzed(name):
    """How a short run of a libFuzzer target ended; None where it is not built."""
    if not programs.exists("fuzz", name):
        return None
    with tempfile.TemporaryDirectory() as found:  # libFuzzer writes to the first folder only.
        shutil.copytree(ROOT / "corpus" / name.removeprefix("fuzz_") / "seeds", found, dirs_exist_ok=True)
        return programs.run("fuzz", name, "-runs=20000", "-seed=1", "-max_total_time=60", f"-artifact_prefix={found}/", found)


def races(tally, full):
    """The scheduler, its locks and the kernels under TSan, which itself does not survive a crash in a kernel."""
    build("tsan", "afterlife_tests")
    gtest(tally, "tsan", "afterlife_tests", only="*Fiber*:*Scheduler*:*Sync*:*Race*:*Tsan*:*Kernel*-*Crash*")


def searched(script_name, out):
    """What `afterlife run` says of a script in harness/tests/clients, and its exit code."""
    ended = programs.run("release", "afterlife", "run", "--runs", "30", "--out", out, "--json", "--", "python3",
                         f"harness/tests/clients/{script_name}.py")
    return json.loads(ended.out or "{}"), ended.code


def clients(tally, full):
    """Scripts as they are under `afterlife run`: one that uses what the collector ended, and one that does not."""
    with tempfile.TemporaryDirectory() as out:
        found, code = searched("collected", out)
        told = [(f["kind"], len(f["decisions"]), f["shown"]) for f in found.get("findings", [])]
        tally.add(code == 1 and told == [("use_after_death", 1, 3)], f"afterlife run collected.py: exit {code}, {told}")
        tally.add((found, code) == searched("collected", out), "afterlife run collected.py: the same again")
        for finding in found.get("findings", []):
            again = programs.run("release", "afterlife", "replay", finding["file"])
            tally.add(again.code == 0, f"afterlife replay of it: exit {again.code} {again.err.strip()}")
        found, code = searched("sound", out)
        tally.add(code == 0 and not found["findings"], f"afterlife run sound.py: exit {code}, {found.get('findings')}")


OUR_DRIVER = {"LD_LIBRARY_PATH": str(ROOT / "build/release/lib")}  # --device gpu passes calls on to the first libcuda.so.1 there.


def watched(tally):
    """The device that watches a driver, where that is ours: no GPU is needed. Of graph_argument it may tell refusals: scripts of it make
    mistakes of their own, after which a context is broken, and what made it so is seen in the driver alone."""
    for name in measuring.named_sound():
        with tempfile.TemporaryDirectory() as out:
            found, ended = measuring.fuzz(name, "--device", "gpu", "--runs", "300", "--out", out, env=OUR_DRIVER)
        row = found["results"][0]
        others = [each for each in row["signatures"] if not str(each).startswith("refusal ")]
        good = ended.code in (0, 1) and row["runs"] == 300 and not (others if name.startswith("graph_argument") else row["signatures"])
        tally.add(good, f"afterlife fuzz {name} --device gpu, on our driver: exit {ended.code}, {row['verdict']}, {row['signatures'][:3]}")


def commands(tally, full):
    """The release build as users meet it: bad inputs, how often the gate was wrong, a short search, nights that are killed, other people's programs."""
    build("release", "afterlife", "cuda_sim")
    build("asan", "afterlife")
    listed = programs.run("release", "afterlife", "list", "--json")
    tally.add(listed.code == 0, f"afterlife list: exit {listed.code} {listed.err.strip()}")
    script(tally, "documents.py", "--transcripts", "release")
    gate = programs.run("release", "afterlife", "gate", "--canaries", ROOT / "results/gate/canaries.txt")
    tally.add(gate.code == 0, f"the gate's own canaries: exit {gate.code} {gate.err.strip()}")
    compared = programs.run("release", "afterlife", "effectiveness", "--canaries", ROOT / "results/gate/effectiveness.txt")
    tally.add(compared.code == 0, f"the canaries of effectiveness: exit {compared.code} {compared.err.strip()}")
    add_figures(tally, figures.measure(full, ("bad_input",)))
    name = measuring.named_sound()[0]
    found, ended = measuring.fuzz(name, "--seconds", 5)
    verdict = found["results"][0]["verdict"]
    tally.add(ended.code == 0, f"afterlife fuzz {name} --seconds 5: exit {ended.code}, {verdict}")
    script(tally, "verdicts.py", *(["--long"] if full else []))
    script(tally, "first_faults.py", *(["--long"] if full else ["--seeds", "1", "--runs", "200"]))
    script(tally, "nightly/twice.py")
    script(tally, "nightly/kill.py", *([] if full else ["--kills", "10", "--full", "3", "--least", "1", "--runs", "500"]))
    if full:
        script(tally, "nightly/kill.py", "--shards", "2")
        script(tally, "nightly/overhead.py")
        script(tally, "nightly/shards.py", "--check")
    clients(tally, full)
    watched(tally)
    if full:
        build("dev", "afterlife")
        script(tally, "nightly/bisections.py")


def real(tally, full):
    """Real libraries, as their authors ship them: programs under `afterlife run`, and numba-cuda's tests, which come in its wheel."""
    build("release", "afterlife", "cuda_sim")
    part = [] if full else ["--only", "cuda.core", "--seeds", "1"]
    long = ["--long"] if full else []
    for command in (["real/real.py", *part, *long], ["real/suites.py", "numba-cuda", *long]):
        ended = subprocess.run([ROOT / "scripts" / command[0], *command[1:]], stderr=subprocess.PIPE, text=True)
        print(ended.stderr, end="", file=sys.stderr, flush=True)
        why = (ended.stderr.strip().splitlines() or [""])[-1]
        no_wheels = ended.returncode == 2 and "could not install" in why
        tally.add(None if no_wheels else ended.returncode == 0, f"{' '.join(command)}: exit {ended.returncode} {why}")


def outputs(tally, full):
    """What is written for other programs and for people, read as they do: by their libraries, and in a browser."""
    build("release", "afterlife")
    for arguments in ((), ("--self-test",)):
        ended = subprocess.run([ROOT / "scripts/outputs/outputs.py", *arguments], stdout=subprocess.PIPE, text=True)
        print(ended.stdout, end="", flush=True)
        counted = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped", (ended.stdout.splitlines() or [""])[-1])
        tally.update(dict(zip(("passed", "failed", "skipped"), map(int, counted.groups() if counted else (0, 1, 0)))))


def unsanitized(tally, full):
    """In the release build what a sanitizer skips or takes too long for: programs under `afterlife run`, the laws of every config, long searches."""
    build("release", "unsanitized_tests")
    gtest(tally, "release", "unsanitized_tests")


def gpu(tally, full):
    """On a GPU, where there is one: the driver's conformance, PTX, equal values, and a short search of what is sound."""
    build("release", "afterlife", "afterlife_tests", "cuda_sim")
    sound = measuring.named_sound()
    asked = programs.run("release", "afterlife", "fuzz", sound[0], "--runs", 1, "--device", "gpu")
    if asked.code == 2:
        tally.add(None, asked.err.strip())
        # A kernel of a module in PTX, or that sets a condition, belongs to the process that loads it, where it would run in this one.
        return gtest(tally, "release", "afterlife_tests", only="*/gpu-*Ptx*:*AKernelSets*:*AKernelStops*", env=OUR_DRIVER)
    done = gpu_tests.of_preset("release")
    if not done:
        tally.add(False, "release afterlife_tests: no test ran")
    for each in done:
        tally.add(each.passed, f"release afterlife_tests: {each.name}\n{each.words}")
    written = ROOT / "build/gpu-conformance.txt"
    written.write_text(gpu_tests.text_of(done))
    print(f"  written: {written.relative_to(ROOT)}", flush=True)
    for name in sound:
        found, ended = measuring.fuzz(name, "--device", "gpu", "--seconds", 30 if full else 3)
        row = found["results"][0]
        tally.add(row["verdict"] != "refuted", f"afterlife fuzz {name} --device gpu: {row['verdict']}, {row['runs']} runs")


def promised(tally, full):
    """What the project promises, measured; without --long at a small fraction of the size."""
    build("release")
    build("asan")
    build("tsan", "afterlife")
    build("fuzz")
    measured = figures.measure(full)
    print("\n" + figures.table(measured), flush=True)
    add_figures(tally, measured)


def mutants(tally, full):
    """Rules of the simulated driver are broken, and its tests go red; without --long only whether they could be."""
    script(tally, "mutants.py", *([] if full else ["--check"]))
    script(tally, "mutate_policies.py", "--self-test")


def policies(tally, full):
    """What the sound claims rest on is mutated, and is refuted: a few places of each path, and every listed one."""
    script(tally, "mutate_policies.py", "--check")


def contracts(tally, full):
    """The fuzz targets as others build and judge them: OSS-Fuzz with each of its sanitizers, AFL++."""
    for sanitizer in ("address", "undefined"):
        script(tally, "contracts/oss_fuzz.py", "--sanitizer", sanitizer)
    script(tally, "contracts/oss_fuzz.py", "--look-only", "--self-test")
    script(tally, "contracts/afl.py", "--seconds", "60" if full else "10")


def recipes(tally, full):
    """A path is copied under another name, and everything takes it up with no other edit; omissions are seen."""
    script(tally, "copied_path.py", "--self-test")


STEPS = (tree, unit, properties, corpus, fuzzers, races, commands, unsanitized, real, outputs, gpu, promised, mutants, policies, contracts, recipes)


def processor_seconds():
    """The time of processors that this script and the programs that it waited for have taken."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main():
    arguments = sys.argv[1:]
    if "--help" in arguments or "-h" in arguments:
        print(__doc__.strip() + "\n\nSteps:")
        for step in STEPS:
            print(f"  {step.__name__:12}{step.__doc__}")
        return 0
    names = [a for a in arguments if a != "--long"]
    unknown = set(names) - {step.__name__ for step in STEPS}
    if unknown:
        print(f"test: no step named {', '.join(sorted(unknown))}; see --help", file=sys.stderr)
        return 3
    steps = [step for step in STEPS if not names or step.__name__ in names]
    tally = Tally()
    start = time.monotonic()
    for number, step in enumerate(steps, 1):
        print(f"\n== {number}/{len(steps)} {step.__name__}: {step.__doc__}", flush=True)
        began, spent, before = time.monotonic(), processor_seconds(), Tally(tally)
        step(tally, "--long" in arguments)
        print(f"== {step.__name__}: {Tally(tally - before)}, {time.monotonic() - began:.0f} s, "
              f"{processor_seconds() - spent:.0f} s of processors", flush=True)
    print(f"\nin {time.monotonic() - start:.0f} s, {processor_seconds():.0f} s of processors\n{tally.told()}{tally}")
    return 1 if tally["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
