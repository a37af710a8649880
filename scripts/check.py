#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests. Called by scripts/test.sh, after the set-up.

Usage: ./scripts/test.sh [--quick [PATH] | --all | --list] [--long] [STEP...]

Without an argument it runs the steps `tree` to `readme` on the release build, the one that ./scripts/fuzz.sh makes.

  --quick [PATH]  about 3 minutes, while you work: the checks of the tree that take seconds, the corpus, and the quick
                  tests, or those of one path
  --all           every step, with all other builds (about an hour and a half on two cores)
  --list          the steps with the processor seconds that they take
  --long          the promised figures at full size (hours), as a table
  STEP            only these steps, in their order

Example: ./scripts/test.sh --quick argpack
Ends with `N passed, N failed, N skipped`. Exit: 0 nothing failed, 1 something did, 2 the build, 3 usage.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from measure import figures
from measure import gpu_tests
from common import measuring
from common import programs
from common.command_line import CommandLine
from common.gtests import WORDS_LINES, Tally, gtest

ROOT = programs.ROOT


def build(preset, *targets):
    if subprocess.run([ROOT / "scripts/build.sh", preset, *targets]).returncode:
        sys.exit(2)


def script(tally, *command):
    """Runs one of our scripts and shows its output if it fails."""
    ended = subprocess.run([ROOT / "scripts" / command[0], *command[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           errors="replace")
    if ended.returncode:
        print(ended.stdout, end="", flush=True)
    tally.add(ended.returncode == 0, " ".join(command), "\n".join(ended.stdout.splitlines()[-WORDS_LINES:]))


def add_figures(tally, measured):
    for figure in measured:
        tally.add(figure.passed, f"{figure.asked}: {figure.measured}")


# The steps, in order.

def tree(tally, full):
    """The tree itself: include rules, no machine's paths, documents, shape, style."""
    for name in (*QUICK_CHECKS, "checks/style.py"):
        script(tally, name)
    script(tally, "checks/reference.py", "--check")
    if full:
        script(tally, "checks/style.py", "--tidy")


QUICK_CHECKS = ("checks/layers.py", "checks/hygiene.py", "checks/foreign.py", "checks/documents.py", "checks/shape.py")


def unit(tally, full):
    """Unit and conformance tests and RapidCheck properties in the release build; only a sample of the laws, seeds and repetitions without --long."""
    properties = [f"property_{folder.name}" for folder in sorted((ROOT / "scenarios").iterdir()) if (folder / "scenario.cpp").exists()]
    build("release", "afterlife_tests", "cudart_tests", "cudart12_tests", *properties)
    gtest(tally, "release", "afterlife_tests", env={} if full else SAMPLED)
    gtest(tally, "release", "cudart_tests")
    gtest(tally, "release", "cudart12_tests")
    for name in properties:
        gtest(tally, "release", name, env={"RC_PARAMS": "seed=1"})


SAMPLED = {"AFTERLIFE_SAMPLED_TESTS": "1"}


def corpus(tally, full):
    """Replays every committed reproducer, smallest program and smallest case."""
    build("release", "afterlife")
    replay_corpus(tally, "release")


def replay_corpus(tally, preset, path="*"):
    files = sorted(p for kind in ("repros", "programs", "smallest") for p in ROOT.glob(f"corpus/{path}/{kind}/*"))
    replayed = programs.side_by_side(lambda file: programs.run(preset, "afterlife", "replay", file, "--json"), files)
    for file, ended in zip(files, replayed):
        tally.add(ended.code == 0, f"replay {file.relative_to(ROOT)}: exit {ended.code} {ended.err.strip()}")
    if not files:
        tally.add(False, "corpus/ is empty")


def readme(tally, full):
    """The commands of the README, its picture, the transcripts of all documents, and the command reference."""
    build("release", "afterlife", "cuda_sim")
    script(tally, "readme/run.py")
    script(tally, "readme/picture.py", "harness/docs/run.svg", "--check")
    script(tally, "checks/documents.py", "--transcripts", "release")
    script(tally, "checks/reference.py", "--check", "--commands", "release")


def plants(tally, full):
    """Faults are planted in what the checks of the tree and of the figures look at; each must be seen."""
    for name in (*QUICK_CHECKS, "checks/style.py", "checks/reference.py", "measure/figures.py", "verdicts.py", "measure/first_faults.py", "measure/gpu_tests.py", "mutation/mutants.py", "hostile/mutated_inputs.py",
                 "hostile/mutated_foreign.py", "mutation/triage_score.py", "readme/run.py", *(f"gate/{name}.py" for name in SELF_TESTED_GATE)):
        script(tally, name, "--self-test")


SELF_TESTED_GATE = ("counters", "budget", "canaries", "effectiveness", "memory", "outcome", "baselines", "suite", "spending", "times", "revisions")


def sanitizers(tally, full):
    """Unit tests, RapidCheck properties and the corpus under ASan and UBSan."""
    build("asan")
    gtest(tally, "asan", "afterlife_tests")
    for name in programs.named("asan", "property_") or ["property_<path>"]:
        gtest(tally, "asan", name, env={"RC_PARAMS": "seed=1"})
    replay_corpus(tally, "asan")


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
    """Returns the result of a short run of a libFuzzer target, or None if the target is not built."""
    if not programs.exists("fuzz", name):
        return None
    with tempfile.TemporaryDirectory() as found:  # libFuzzer writes to the first folder only.
        shutil.copytree(ROOT / "corpus" / name.removeprefix("fuzz_") / "seeds", found, dirs_exist_ok=True)
        return programs.run("fuzz", name, "-runs=20000", "-seed=1", "-max_total_time=60", f"-artifact_prefix={found}/", found)


def races(tally, full):
    """The scheduler, its locks and the kernels under TSan; crashes in kernels are left out, since TSan does not survive them."""
    build("tsan", "afterlife_tests")
    gtest(tally, "tsan", "afterlife_tests", only="*Fiber*:*Scheduler*:*Sync*:*Race*:*Tsan*:*Kernel*-*Crash*")


def searched(script_name, out):
    """Returns the report of `afterlife run` on a script in harness/client/tests/clients, and its exit code."""
    ended = programs.run("release", "afterlife", "run", "--runs", "30", "--out", out, "--json", "--", "python3",
                         f"harness/client/tests/clients/{script_name}.py")
    return json.loads(ended.out or "{}"), ended.code


def clients(tally, full):
    """Scripts under `afterlife run`: one with a use after garbage collection, and one without."""
    build("release", "afterlife", "cuda_sim")
    with tempfile.TemporaryDirectory() as out:
        found, code = searched("collected", out)
        told = [(f["kind"], len(f["decisions"]), f["shown"]) for f in found.get("findings", [])]
        tally.add(code == 1 and told == [("use_after_free", 1, 3)], f"afterlife run collected.py: exit {code}, {told}")
        tally.add((found, code) == searched("collected", out), "afterlife run collected.py: the same again")
        for finding in found.get("findings", []):
            again = programs.run("release", "afterlife", "replay", finding["file"])
            tally.add(again.code == 0, f"afterlife replay of it: exit {again.code} {again.err.strip()}")
        found, code = searched("sound", out)
        tally.add(code == 0 and not found["findings"], f"afterlife run sound.py: exit {code}, {found.get('findings')}")


OUR_DRIVER = {"LD_LIBRARY_PATH": str(ROOT / "build/release/lib")}  # `--device gpu` passes calls on to the first libcuda.so.1 in this folder.


def watched(tally):
    """Checks the device that watches a driver, with our own driver below it, so no GPU is needed. For graph_argument, reported refusals are accepted: its
    scripts make intentional errors that break a context, and only the driver knows why the context is broken."""
    for name in measuring.named_sound():
        with tempfile.TemporaryDirectory() as out:
            found, ended = measuring.fuzz(name, "--device", "gpu", "--runs", "300", "--out", out, env=OUR_DRIVER)
        row = found["results"][0]
        others = [each for each in row["signatures"] if not str(each).startswith("refusal ")]
        good = ended.code in (0, 1) and row["runs"] == 300 and not (others if name.startswith("graph_argument") else row["signatures"])
        tally.add(good, f"afterlife fuzz {name} --device gpu, on our driver: exit {ended.code}, {row['verdict']}, {row['signatures'][:3]}")


def commands(tally, full):
    """The release build as users run it: bad inputs, false alarms of the gate, a short search, nightly runs that are killed, other people's programs."""
    build("release", "afterlife", "cuda_sim")
    if full:
        build("asan", "afterlife")
    listed = programs.run("release", "afterlife", "list", "--json")
    tally.add(listed.code == 0, f"afterlife list: exit {listed.code} {listed.err.strip()}")
    canaries, searches = subprocess.run([sys.executable, ROOT / "scripts/gate/records.py"], stdout=subprocess.PIPE, text=True).stdout.split()
    gate = programs.run("release", "afterlife", "gate", "--canaries", canaries)
    tally.add(gate.code == 0, f"the gate's own canaries: exit {gate.code} {gate.err.strip()}")
    compared = programs.run("release", "afterlife", "effectiveness", "--canaries", searches)
    tally.add(compared.code == 0, f"the canaries of effectiveness: exit {compared.code} {compared.err.strip()}")
    add_figures(tally, figures.measure(full, ("bad_input",)))
    name = measuring.named_sound()[0]
    found, ended = measuring.fuzz(name, "--seconds", 5)
    verdict = found["results"][0]["verdict"]
    tally.add(ended.code == 0, f"afterlife fuzz {name} --seconds 5: exit {ended.code}, {verdict}")
    script(tally, "verdicts.py", *(["--long"] if full else []))
    script(tally, "measure/first_faults.py", *(["--long"] if full else ["--seeds", "1", "--runs", "200"]))
    script(tally, "nightly/twice.py")
    script(tally, "nightly/kill.py", *([] if full else ["--kills", "10", "--full", "3", "--least", "1", "--runs", "500"]))
    if full:
        script(tally, "nightly/kill.py", "--shards", "2")
        script(tally, "nightly/overhead.py")
        script(tally, "nightly/shards.py", "--check")
    watched(tally)
    script(tally, "hostile/mutated_foreign.py", "--count", "10000" if full else "200")
    if full:
        build("dev", "afterlife")
        script(tally, "nightly/bisections.py")


def real(tally, full):
    """CUDA runtime programs and programs of real libraries under `afterlife run`; and numba-cuda's own tests, which are in its wheel."""
    build("release", "afterlife", "cuda_sim")
    long = ["--long"] if full else []
    parts = [[]] if full else [["--only", "nvcc", "--seeds", "1"], ["--only", "cuda.core", "--seeds", "1"]]
    for command in (*(["real/real.py", *part, *long] for part in parts), ["real/suites.py", "numba-cuda", *long]):
        ended = subprocess.run([ROOT / "scripts" / command[0], *command[1:]], stderr=subprocess.PIPE, text=True)
        print(ended.stderr, end="", file=sys.stderr, flush=True)
        why = (ended.stderr.strip().splitlines() or [""])[-1]
        no_wheels = ended.returncode == 2 and "could not install" in why
        tally.add(None if no_wheels else ended.returncode == 0, f"{' '.join(command)}: exit {ended.returncode} {why}")


def outputs(tally, full):
    """The files written for other programs and for people, read by the libraries and in the browser that they are meant for."""
    build("release", "afterlife")
    for arguments in ((), ("--self-test",)):
        ended = subprocess.run([ROOT / "scripts/outputs/outputs.py", *arguments], stdout=subprocess.PIPE, text=True)
        print(ended.stdout, end="", flush=True)
        counted = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped", (ended.stdout.splitlines() or [""])[-1])
        tally.update(dict(zip(("passed", "failed", "skipped"), map(int, counted.groups() if counted else (0, 1, 0)))))


def gpu(tally, full):
    """On a GPU, if there is one: driver conformance, PTX, equal values, and a short search of the sound variants."""
    build("release", "afterlife", "afterlife_tests", "cuda_sim")
    sound = measuring.named_sound()
    asked = programs.run("release", "afterlife", "fuzz", sound[0], "--runs", 1, "--device", "gpu")
    if asked.code == 2:
        tally.add(None, asked.err.strip())
        # A PTX kernel, or a kernel that sets a condition, would run in this process; it must run in the process that loads it.
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
    """Measures what the project promises; at a small fraction of the size without --long."""
    build("release")
    build("asan")
    build("tsan", "afterlife")
    build("fuzz")
    measured = figures.measure(full)
    print("\n" + figures.table(measured), flush=True)
    add_figures(tally, measured)


def mutants(tally, full):
    """Rules of the simulated driver are broken, and its tests go red; without --long only whether they could be."""
    script(tally, "mutation/mutants.py", *([] if full else ["--check"]))
    script(tally, "mutation/mutate_policies.py", "--self-test")


def policies(tally, full):
    """What the sound claims rest on is mutated, and is refuted: a few places of each path, and every listed one."""
    script(tally, "mutation/mutate_policies.py", "--check")


def contracts(tally, full):
    """The fuzz targets as OSS-Fuzz (with each of its sanitizers) and AFL++ build and check them; the GitHub Action as a job runs it."""
    for sanitizer in ("address", "undefined"):
        script(tally, "contracts/oss_fuzz.py", "--sanitizer", sanitizer)
    script(tally, "contracts/oss_fuzz.py", "--look-only", "--self-test")
    script(tally, "contracts/afl.py", "--seconds", "60" if full else "10")
    script(tally, "contracts/action.py", "--self-test")
    script(tally, "contracts/action.py")


def recipes(tally, full):
    """Copies a path under another name: it must work without any other edit, and a variant with a new fact must change at most 8 files."""
    script(tally, "copied_path.py", "--self-test")


# The steps in order | processor seconds, including builds with an empty compiler cache.
STEPS = {tree: 120, unit: 1700, corpus: 10, clients: 20, readme: 40, plants: 120, sanitizers: 2500, fuzzers: 700, races: 600, commands: 500, real: 270,
         outputs: 150, gpu: 60, promised: 2000, mutants: 60, policies: 1500, contracts: 1500, recipes: 1900}
DEFAULT = (tree, unit, corpus, clients, readme)


def quick(path):
    """Returns the steps of --quick for one path, or for all paths if it is None."""
    def checks(tally, full):
        """The tree checks that take only seconds."""
        for name in QUICK_CHECKS:
            script(tally, name)

    def tests(tally, full):
        """The corpus and the quick tests."""
        build("release", "afterlife", "afterlife_tests")
        replay_corpus(tally, "release", path or "*")
        gtest(tally, "release", "afterlife_tests", only=f"*{path}*" if path else f"*-{SLOW_TESTS}", env=SAMPLED)

    return checks, tests


# Suites that take over 5 s; --quick omits them.
SLOW_TESTS = "*Law*:*Nightly*:*Night*:Cli*:*Client*:*Corpus*:*Gate*:*Nvrtc*:*Ptx*:*Triage*:*Prove*:*Price*"


def run_steps(steps, full):
    """Runs the steps, prints how long each took, and returns the tally of their checks."""
    tally, start = Tally(), time.monotonic()
    for number, step in enumerate(steps, 1):
        print(f"\n== {number}/{len(steps)} {step.__name__}: {step.__doc__}", flush=True)
        began, spent, before = time.monotonic(), processor_seconds(), Tally(tally)
        step(tally, full)
        print(f"== {step.__name__}: {Tally(tally - before)}, {time.monotonic() - began:.0f} s, "
              f"{processor_seconds() - spent:.0f} s of processors", flush=True)
    print(f"\nin {time.monotonic() - start:.0f} s, {processor_seconds():.0f} s of processors "
          f"({processor_seconds() / 2 / 60:.1f} minutes of two quiet cores)")
    return tally


def processor_seconds():
    """Returns the processor time used by this script and by the child processes that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def chosen(options):
    """Returns the steps selected by the arguments; exits if one is unknown."""
    by_name = {step.__name__: step for step in STEPS}
    unknown = set(options.steps) - set(by_name)
    if options.quick is not None:
        known = {folder.name for folder in (ROOT / "scenarios").iterdir()}
        unknown |= {options.quick} - known - {""}
    if unknown:
        print(f"test: no step or path named {', '.join(sorted(unknown))}; see --list", file=sys.stderr)
        sys.exit(3)
    if options.quick is not None:
        return quick(options.quick or None)
    return [step for step in STEPS if (step.__name__ in options.steps if options.steps else options.all or options.long or step in DEFAULT)]


def leave_shims():
    """Makes `python3` the interpreter that runs this, if it is now a shim of pyenv, whose start takes longer than most tests."""
    if pathlib.Path(shutil.which("python3") or "").parent.name == "shims":
        os.environ["PATH"] = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"


def main():
    parser = CommandLine(__doc__)
    parser.add_argument("--quick", nargs="?", const="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("steps", nargs="*")
    options = parser.parse_args()
    if options.list:
        for step, seconds in STEPS.items():
            print(f"{step.__name__:12}{seconds:6} s  {step.__doc__.splitlines()[0]}")
        return 0
    leave_shims()
    steps = chosen(options)
    seconds = sum(STEPS.get(step, 90) for step in steps)
    print(f"{len(steps)} steps: up to {seconds / 2 / 60:.0f} minutes on two quiet cores; a third of that where the build is there", flush=True)
    tally = run_steps(steps, options.long)
    print(f"{tally.report()}{tally}")
    return 1 if tally["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
