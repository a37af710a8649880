#!/usr/bin/env python3
"""Mutates what the sound claims rest on, and expects each mutant to be refuted.

Usage: scripts/mutate_policies.py [PATH...] [--runs N | --seconds N] [--only TEXT] [--survivors DIR]
       scripts/mutate_policies.py --check [--few N] | --self-test | --list [PATH...]

Each path declares in scenarios/<path>/policies.py which functions of targets/<path>/ its sound variants rest
on. In a copy of the tree every guard, call, assignment, lock, wait and order in them becomes a switch
(mutation_points.py says which kinds there are); the copy is built once. Then `afterlife fuzz --first` runs
each sound variant of the path with one mutant active, in as many runs as a quiet core does in --seconds (20),
first in few of them, and those that are left in more. `afterlife prove` has the last word. A mutant that a
variant's search never reaches, or never turns, is not run: nothing that is run could differ.

scenarios/<path>/equivalent_mutants.txt lists the mutants that are equivalent, and why; every other survivor is
a miss. The score is what is refuted of all that are not equivalent.

  --check       every entry that is listed still fits a mutant, and is not refuted in 1 % of the runs; the planted
                mutant of each path is, in 3 %, and what becomes of --few others is told
  --self-test   the mutation points of a small source, without building
  --list        the mutants, without building
  --survivors   where a file per path goes with all survivors and what is known of each
  --fresh       forget the answers of earlier runs. They are kept in build/mutation, as long as the sources are the
                same: a search that was stopped goes on where it was.

Prints a line per survivor and a score per path. Exit: 0 every score is at least 95 %, 1 one is not or an entry is
stale, 2 a copy does not build, 3 usage.
"""
import argparse
import concurrent.futures
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

import mutation_points
import mutation_self_test

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "mutation"
COPY = BUILD / "tree"
PROGRAM = COPY / "build" / "dev" / "afterlife"  # As deep as in the tree: what is not mutated is in the compiler's cache.
ANSWERS = BUILD / "answers.jsonl"
BAR = 0.95
NUMBERS_PER_FILE, NUMBERS_PER_PATH, PATH_LIMIT = 500, 20_000, 20
NO_MUTANT = NUMBERS_PER_PATH * PATH_LIMIT
SHARES = (0.003, 0.03, 0.2, 1)  # Of all runs: most mutants need few.
CHECK_SHARE = 0.01
CALIBRATION_RUNS = 3000
HANG_FACTOR, HANG_SECONDS = 60, 60
NEVER = "never reached"
stopped = threading.Event()


class CannotMutate(Exception):
    """The copy does not build, or a policies.py does not fit its sources."""


# ---- paths and their mutants ----

class Path:
    """One path under test: what is mutated, and what is known of the mutants."""

    def __init__(self, name):
        self.name = name
        spec = importlib.util.spec_from_file_location(f"{name}_policies", ROOT / "scenarios" / name / "policies.py")
        self.declared = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.declared)
        self.mutants, self.texts = [], {}  # Numbers are the places in all paths' list.

    def add_points(self, first_number):
        """Reads the sources. Numbers leave room, so that an edit of one file builds that file alone again."""
        skip = re.compile(self.declared.SCENERY)
        number = first_number
        for file, functions in self.declared.SOURCES.items():
            text = (ROOT / "targets" / self.name / file).read_text()
            wanted = (lambda name: True) if functions is ... else (lambda name: name in functions)
            source = mutation_points.Source(file, text, wanted, skip, number)
            if functions is not ... and (gone := set(functions) - source.functions):
                raise CannotMutate(f"{self.name}/{file} has no function {', '.join(sorted(gone))}")
            for name, of, what, instead in self.declared.BY_HAND:
                if of == file:
                    source.by_hand(name, what, instead)
            self.mutants += source.points
            self.texts[file] = source.mutated()
            if source.number > number + NUMBERS_PER_FILE:
                raise CannotMutate(f"{file} has more than {NUMBERS_PER_FILE} mutants")
            number += NUMBERS_PER_FILE
        if number > first_number + NUMBERS_PER_PATH:
            raise CannotMutate(f"{self.name} has too many files")

    def listed(self):
        """Each entry of the list: the names of mutants, and why they change nothing. A name that ends with * means
        all that begin so, and of them those that no run of a sound variant ever reaches."""
        file, found, names = ROOT / "scenarios" / self.name / "equivalent_mutants.txt", [], []
        for line in file.read_text().splitlines() if file.exists() else ():
            if line.startswith("    "):
                found[-1:] = [(names, (found[-1][1] + " " + line.strip()).strip())]
            elif line and not line.startswith("#"):
                if not found or found[-1][1]:
                    names = []
                    found.append((names, ""))
                names.append(line.strip())
        return found

    def equivalents(self):
        """Name of each mutant that is listed by its name, and why it changes nothing."""
        return {name: reason for names, reason in self.listed() for name in names if not name.endswith("*")}

    def unreached(self):
        """The same for those that are listed as never reached."""
        begins = [(name[:-1], reason) for names, reason in self.listed() for name in names if name.endswith("*")]
        return {point.id: reason for point in self.mutants for begin, reason in begins if point.id.startswith(begin)}


def all_paths():
    return [file.parent.name for file in sorted(ROOT.glob("scenarios/*/policies.py"))]


def read_paths(names):
    """All paths, always: the copy holds all. Returns those that are named, and all."""
    paths = [Path(name) for name in all_paths()]
    for index, path in enumerate(paths):
        path.add_points(index * NUMBERS_PER_PATH)
    return [path for path in paths if not names or path.name in names], paths


# ---- the copy ----

def copy_tree(paths):
    """Brings the copy up to date; what has not changed is not written again."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True,
                            check=True).stdout.decode().split("\0")
    texts = {name: (ROOT / name).read_bytes() for name in listed
             if name.split("/")[0] in ("harness", "scenarios", "targets", "scripts", "corpus", "CMakeLists.txt",
                                      "CMakePresets.json")
             and (ROOT / name).is_file()}
    for path in paths:
        for file, text in path.texts.items():
            texts[f"targets/{path.name}/{file}"] = text.encode()
    texts[mutation_points.HEADER] = mutation_points.RUNTIME.replace("@COUNT@", str(NO_MUTANT)).encode()
    texts["build/cuda_root.txt"] = (ROOT / "build/cuda_root.txt").read_bytes()
    for name, text in texts.items():
        file = COPY / name
        if not file.is_file() or file.read_bytes() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text)
    for folder in ("harness", "scenarios", "targets", "corpus"):
        for file in (COPY / folder).rglob("*"):
            if file.is_file() and str(file.relative_to(COPY)) not in texts:
                file.unlink()
    return hashlib.sha256(repr(sorted((n, hashlib.sha256(t).hexdigest()) for n, t in texts.items()
                                      if not n.startswith("scripts/"))).encode()).hexdigest()


def build():
    folder = PROGRAM.parent
    if not (folder / "build.ninja").exists():  # Without nvcc: nothing here runs on a GPU.
        run_or_fail("cmake", "--preset", "dev", "-DNVCC=", "-S", COPY, cwd=COPY)
    run_or_fail("ninja", "-k", "0", "-C", folder, "afterlife")


def run_or_fail(*command, cwd=ROOT):
    ended = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)
    if ended.returncode:
        raise CannotMutate(f"{command[0]} failed:\n{ended.stdout[-3000:]}{ended.stderr[-2000:]}")


# ---- asking ----

def afterlife(arguments, seconds, mutant=None, record=None):
    """Runs the mutated program. Returns exit code, output, errors and CPU seconds; code None: it hung."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("AFTERLIFE_")}
    if mutant is not None:
        env["AFTERLIFE_MUTANT"] = str(mutant)
    if record is not None:
        env["AFTERLIFE_REACHED"] = str(record)
    process = subprocess.Popen([str(PROGRAM), *map(str, arguments)], cwd=COPY, env=env, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                               start_new_session=True)
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, "", ""
    return process.returncode, out, err


def fuzz(variant, runs, seconds, **how):
    """One search until its first fault. Returns what came of it in a word, and a note."""
    with tempfile.TemporaryDirectory(dir=BUILD) as out:
        code, text, err = afterlife(["fuzz", variant, "--runs", runs, "--first", "--json", "--out", out], seconds, **how)
    if stopped.is_set():
        return "stopped", ""
    if code is None:
        return "hang", ""
    if code < 0:
        return "abort", err.strip().splitlines()[-1] if err.strip() else f"signal {-code}"
    try:
        row = json.loads(text)["results"][0]
    except (ValueError, LookupError, TypeError):
        return "error", err.strip()[-200:]
    if row["runs_to_first_fault"] is not None:
        return "refuted", f"{variant} after {row['runs_to_first_fault']} runs: {(row['signatures'] or ['?'])[0]}"
    return ("vacuous", "") if row["verdict"] == "vacuous" else ("held", row["verdict"])


def prove(variant, mutant=None, record=None):
    """Whether the proof stands. Returns exit code and the line that says why."""
    code, out, err = afterlife(["prove", variant], 1200, mutant=mutant, record=record)
    lines = [line for line in (out + err).splitlines() if re.search("fail|refut|NOT|not as", line)]
    return code, lines[0].strip() if lines else ""


class Baseline:
    """A sound variant without a mutant: how fast it is, and which points its runs turn."""

    def __init__(self, variant, options):
        self.variant = variant
        self.reached, self.turned_by_proof = {}, None
        self.rate = self.measure_rate()
        self.runs = options.runs or max(1000, int(self.rate * options.seconds))

    def measure_rate(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        word, note = fuzz(self.variant, CALIBRATION_RUNS, 600)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if word != "held":
            raise CannotMutate(f"{self.variant} without a mutant: {word} {note}")
        return CALIBRATION_RUNS / max(0.01, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def limit_seconds(self, runs):
        return HANG_SECONDS + HANG_FACTOR * runs / self.rate

    def turns(self, number, runs):
        """Whether so many runs reach the point, with the value that the mutant changes."""
        if runs not in self.reached:
            with tempfile.NamedTemporaryFile(dir=BUILD) as record:
                word, note = fuzz(self.variant, runs, self.limit_seconds(runs), record=record.name)
                if word != "held":
                    raise CannotMutate(f"{self.variant} without a mutant: {word} {note}")
                self.reached[runs] = pathlib.Path(record.name).read_bytes()
        return self.reached[runs][number] != 0

    def prove(self):
        if self.turned_by_proof is None:
            with tempfile.NamedTemporaryFile(dir=BUILD) as record:
                self.proof = prove(self.variant, record=record.name)
                self.turned_by_proof = pathlib.Path(record.name).read_bytes()
        return self.proof


# ---- answers ----

class Answers:
    """What was found so far, on disk line by line. Ownership: the file is this process's."""

    def __init__(self, tree, fresh):
        self.known, self.lock, self.tree = {}, threading.Lock(), tree
        if ANSWERS.exists() and not fresh:
            for line in ANSWERS.read_text().splitlines():
                try:
                    row = json.loads(line)
                except ValueError:  # Cut off when it was stopped.
                    continue
                if row["tree"] == tree:
                    self.known[(row["mutant"], row["variant"], row["share"])] = (row["word"], row["note"])
        self.file = ANSWERS.open("w" if not self.known else "a")

    def ask(self, mutant, variant, share, question):
        key = (mutant, variant, share)
        if key not in self.known:
            word, note = question()
            if word == "stopped":
                return word, note
            with self.lock:
                self.known[key] = (word, note)
                self.file.write(json.dumps({"tree": self.tree, "mutant": mutant, "variant": variant, "share": share,
                                            "word": word, "note": note}) + "\n")
                self.file.flush()
        return self.known[key]


class Search:
    """All mutants of one path."""

    def __init__(self, path, baselines, answers, options):
        self.path, self.baselines, self.answers, self.options = path, baselines, answers, options
        self.numbers = {point.id: point.number for point in path.mutants}
        self.refuted, self.survived = {}, {}  # By name: a note.

    def run(self, names, shares, proves):
        left = list(names)
        for share in shares:
            for baseline in self.baselines:
                baseline.turns(0, max(1, int(baseline.runs * share)))  # Not in the pool: one measures, all wait.
            left = self.round(left, lambda name: self.search(name, share), f"{share:g} of the runs")
        if proves and left:
            for baseline in self.baselines:
                baseline.prove()
            left = self.round(left, self.prove, "proofs")
        for name in left:
            self.survived.setdefault(name, "held")

    def round(self, names, question, what):
        left, done = [], 0
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for name, note in zip(names, pool.map(question, names)):
                done += 1
                if note is not None:
                    self.refuted[name] = note
                else:
                    left.append(name)
                if sys.stderr.isatty():
                    print(f"\r  {self.path.name}: {what}: {done} of {len(names)}, {len(left)} left ", end="",
                          file=sys.stderr)
                if stopped.is_set():
                    raise KeyboardInterrupt
        print(f"  {self.path.name}: {what}: {len(names) - len(left)} of {len(names)} refuted", flush=True)
        return left

    def search(self, name, share):
        """Returns how the mutant is refuted, or nothing."""
        for baseline in self.baselines:
            if stopped.is_set():
                return None
            runs = max(1, int(baseline.runs * share))
            if not baseline.turns(self.numbers[name], runs):
                self.survived.setdefault(name, NEVER)
                continue
            word, note = self.answers.ask(name, baseline.variant, share, lambda: fuzz(
                baseline.variant, runs, baseline.limit_seconds(runs), mutant=self.numbers[name]))
            if word == "refuted":
                return note
            self.survived[name] = word if word == "held" else f"{word} ({baseline.variant}) {note}".strip()
        return None

    def prove(self, name):
        for baseline in self.baselines:
            if stopped.is_set() or not baseline.turned_by_proof[self.numbers[name]]:
                continue
            def question(baseline=baseline):
                code, line = prove(baseline.variant, mutant=self.numbers[name])
                if stopped.is_set():
                    return "stopped", ""
                return ("refuted", line) if code == 1 and baseline.proof[0] == 0 else ("held", "")
            word, note = self.answers.ask(name, baseline.variant, "prove", question)
            if word == "refuted":
                return f"prove {baseline.variant}: {note}"
        return None


# ---- the score ----

def excused(path, search):
    """The survivors that are no misses, by name: why. What is listed as never reached must not have been."""
    reasons = {name: why for name, why in path.unreached().items() if search.survived.get(name) == NEVER}
    return reasons | path.equivalents()


def wrong_entries(path, search):
    """What is wrong with the list: a line for each entry."""
    names = {point.id for point in path.mutants}
    for entry, reason in path.listed():
        if not reason:
            yield f"is listed without a reason: {entry[0]}"
        for name in entry:
            if name.endswith("*") and not any(one.startswith(name[:-1]) for one in names):
                yield f"is listed, and no mutant begins so: {name}"
            elif not name.endswith("*") and name not in names:
                yield f"is listed and no longer there: {name}"
    for name in path.equivalents():
        if name in search.refuted:
            yield f"is listed as equivalent and was refuted: {name} [{search.refuted[name]}]"


def judge(path, search, tested, bar):
    """Prints the misses and the score of one path. Returns whether all is well: the bar is reached, and the list right."""
    reasons = excused(path, search)
    by_name = {point.id: point for point in path.mutants}
    left = [name for name in tested if name not in search.refuted]
    misses = [name for name in left if name not in reasons]
    equivalent = len(left) - len(misses)
    counted = len(tested) - equivalent
    for name in misses:
        point = by_name[name]
        print(f"  miss: targets/{path.name}/{point.file}:{point.line}: {name} [{search.survived[name]}]")
    wrong = list(wrong_entries(path, search))
    for line in wrong:
        print(f"  {line}")
    score = 1 - len(misses) / counted if counted else 0
    print(f"{path.name}: {len(tested)} mutants, {counted - len(misses)} of {counted} refuted: {100 * score:.1f} %; "
          f"{len(misses)} missed, {equivalent} equivalent, {len(wrong)} wrong entries", flush=True)
    return score >= bar and not wrong


def write_survivors(folder, path, search):
    """For whoever closes the gaps."""
    folder.mkdir(parents=True, exist_ok=True)
    reasons = excused(path, search)
    lines = [f"{'equivalent' if point.id in reasons else 'MISS'} | targets/{path.name}/{point.file}:{point.line} | "
             f"{point.function} | {point.kind}: `{point.what}` {point.now} | {search.survived[point.id]} | {point.id}"
             for point in path.mutants if point.id in search.survived and point.id not in search.refuted]
    (folder / f"{path.name}.txt").write_text("\n".join(lines) + "\n")


def sound_variants(path):
    listed = json.loads(afterlife(["list", "--json"], 60)[1])
    return [f"{path.name}/{row['variant']}" for one in listed["paths"] if one["path"] == path.name
            for row in one["variants"] if row["claim"] == "sound"]


def chosen(path, options):
    """The mutants to run: in the short form what is listed, what is planted, and a few more."""
    names = [point.id for point in path.mutants if not options.only or options.only in point.id]
    if not options.check:
        return names
    listed = path.equivalents()
    by_hash = sorted((n for n in names if n not in listed), key=lambda n: hashlib.sha256(n.encode()).hexdigest())
    return [n for n in names if n in listed or n == path.declared.PLANTED] + \
           [n for n in by_hash if n != path.declared.PLANTED][:options.few]


def mutate(path, options, answers):
    """Returns whether the path's score and its list are as they should be."""
    baselines = [Baseline(variant, options) for variant in sound_variants(path)]
    if not baselines:
        raise CannotMutate(f"{path.name} claims nothing sound")
    print(f"{path.name}: {len(path.mutants)} mutants; " +
          ", ".join(f"{b.variant} {b.runs} runs ({b.rate:.0f}/s)" for b in baselines), flush=True)
    search = Search(path, baselines, answers, options)
    tested = chosen(path, options)
    if path.declared.PLANTED not in search.numbers:
        raise CannotMutate(f"{path.name} has no mutant {path.declared.PLANTED}")
    listed = path.equivalents()
    if options.check:
        search.run([n for n in tested if n in listed], (CHECK_SHARE,), False)
        search.run([n for n in tested if n not in listed], SHARES[:2], False)
    else:
        search.run([n for n in tested if n in listed], SHARES[:options.rounds][:2], False)
        search.run([n for n in tested if n not in listed], SHARES[:options.rounds], options.rounds == len(SHARES))
    if options.survivors:
        write_survivors(options.survivors, path, search)
    well = judge(path, search, tested, 0 if options.check else BAR)  # A few say nothing of all.
    if path.declared.PLANTED in tested and path.declared.PLANTED not in search.refuted:
        print(f"  the planted mutant was not refuted: {path.declared.PLANTED}")
        return False
    return well


def inactive_survives(paths):
    """A number that no point has changes nothing: else the copy itself is at fault."""
    for path in paths:
        for variant in sound_variants(path):
            word, note = fuzz(variant, CALIBRATION_RUNS, 600, mutant=NO_MUTANT)
            if word != "held":
                raise CannotMutate(f"{variant} in the copy, without a mutant: {word} {note}")


def stop(*_):
    stopped.set()
    raise KeyboardInterrupt


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("--runs", type=int, metavar="N", help="of each variant, instead of --seconds")
    parser.add_argument("--seconds", type=float, default=20, metavar="N", help="of one quiet core, per variant (20)")
    parser.add_argument("--rounds", type=int, default=len(SHARES), metavar="N", choices=range(1, len(SHARES) + 1),
                        help="only the first N rounds: 0.3 %%, 3 %%, 20 %%, all of the runs; then the proofs")
    parser.add_argument("--only", metavar="TEXT", help="mutants whose name contains this")
    parser.add_argument("--check", action="store_true", help="the short form")
    parser.add_argument("--few", type=int, default=5, metavar="N", help="with --check, of each path")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    parser.add_argument("--survivors", type=pathlib.Path, metavar="DIR")
    try:
        options = parser.parse_args()
        if unknown := set(options.paths) - set(all_paths()):
            parser.error(f"no path {', '.join(sorted(unknown))} has a policies.py")
    except SystemExit as ended:
        return 3 if ended.code else 0
    if options.self_test:
        return mutation_self_test.run()
    try:
        return run(options)
    except CannotMutate as reason:
        print(f"mutate_policies: {reason}", file=sys.stderr)
        return 2
    except mutation_points.CannotRead as reason:
        print(f"mutate_policies: {reason}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here", file=sys.stderr)
        return 4


def run(options):
    wanted, paths = read_paths(options.paths)
    if options.list:
        for path in wanted:
            for point in path.mutants:
                print(f"targets/{path.name}/{point.file}:{point.line}: {point.id}")
        return 0
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    tree = copy_tree(paths)
    build()
    inactive_survives(wanted)
    answers = Answers(tree + str(options.runs or options.seconds), options.fresh)
    return 0 if all([mutate(path, options, answers) for path in wanted]) else 1


if __name__ == "__main__":
    sys.exit(main())
