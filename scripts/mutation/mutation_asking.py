# SPDX-License-Identifier: Apache-2.0
"""Asks the program of the copy about a mutant: by a search, by a proof; and remembers what was answered."""
import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import threading

from mutation.mutation_copy import BUILD, COPY, PROGRAM, CannotMutate

ANSWERS = BUILD / "answers.jsonl"
CALIBRATION_RUNS = 3000
HANG_FACTOR, HANG_SECONDS = 60, 60
stopped = threading.Event()


def afterlife(arguments, seconds, mutant=None, record=None):
    """Runs the mutated program. Returns exit code, output, errors and CPU seconds; the code is None if it hung."""
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
    """Runs one search until its first fault. Returns the result in one word, and a note."""
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
    """Checks whether the proof holds. Returns the exit code and the line with the reason."""
    code, out, err = afterlife(["prove", variant], 1200, mutant=mutant, record=record)
    lines = [line for line in (out + err).splitlines() if re.search("fail|refut|NOT|not as", line)]
    return code, lines[0].strip() if lines else ""


class Baseline:
    """A sound variant without a mutant: its speed, and the points that its runs reach."""

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
        """Returns whether this number of runs reaches the point with the value that the mutant changes."""
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


class Answers:
    """The answers so far, saved line by line. Only this process may use the file."""

    def __init__(self, tree, fresh):
        self.known, self.lock, self.tree = {}, threading.Lock(), tree
        if ANSWERS.exists() and not fresh:
            for line in ANSWERS.read_text().splitlines():
                try:
                    row = json.loads(line)
                except ValueError:  # The line is incomplete, since the process was stopped.
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


def sound_variants(path):
    listed = json.loads(afterlife(["list", "--json"], 60)[1])
    return [f"{path.name}/{row['variant']}" for one in listed["paths"] if one["path"] == path.name
            for row in one["variants"] if row["claim"] == "sound"]
