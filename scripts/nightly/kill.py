#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills a small night at random moments, on a full disk too, and sees that it comes to the same as one left alone.

Usage: scripts/nightly/kill.py [--preset NAME] [--kills N] [--full N] [--least N] [--jobs N] [--only PATH] [--runs N]
                               [--shards N] [--random SEED] [--keep DIR]

  --preset NAME   the build (release)
  --kills N       how many kills (200)
  --full N        how many of them on a full disk (50)
  --least N       how many in each phase at least (10)
  --jobs N        how many nights at a time (1)
  --only PATH     the path that the night searches (argpack)
  --runs N        the runs of the night (4000)
  --shards N      its shards (1); several are searched side by side, each in a process of its own
  --random SEED   of the moments (another one each time; it is printed)
  --keep DIR      copies the folder of a night there that came to something else

A night is started in a process group, stopped at a moment, looked at (the name of its process says its phase, or that of its first shard's),
and killed with SIGKILL; then it is resumed, and killed again or left to its end. The export of its history, its JSON, its
page, its other reports, and all files in its folder must equal those of a night that no one disturbed, but for times and
rates; nothing else may be there, and people must have been told. The disk is a tmpfs in a mount namespace of its own (root,
or user namespaces); where there is none, RLIMIT_FSIZE stands for it, so that files cannot grow. A night that a full
disk ends by itself must end with one line and exit code 2.
Exit: 0 all came to the same, 1 not, 2 the machine, 3 usage.
"""
import collections
import concurrent.futures
import contextlib
import dataclasses
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import programs  # noqa: E402
from common.command_line import CommandLine  # noqa: E402

PHASES = ("plan", "run", "minimize", "replay", "triage", "record", "merge", "report")
INSIDE = "AFTERLIFE_MOUNTS_OF_ITS_OWN"  # Set when this script has its own mount namespace.
DISK_MIB = 64
ROOMS = (0, 0, 4096, 40_000)  # Bytes that remain free on a full disk.
SECONDS_AT_MOST = 300  # Limit for a nightly run that is not killed.
REPORTS = ("html", "junit", "sarif", "markdown", "metrics")


@dataclasses.dataclass
class Settings:
    preset: str
    only: str
    runs: int
    shards: int = 1

    def command(self, *arguments):
        return [str(programs.path(self.preset, "afterlife")), "nightly", *map(str, arguments)]

    def night(self, disk):
        """Returns the command of the nightly run, which resumes after a kill. It is always the same."""
        told = disk.folder / "told"
        return self.command("--resume", "--runs", self.runs, "--jobs", self.shards, "--only", self.only, "--seed", 7,
                            "--history", disk.history, "--notify", f"echo >> {told}")


class Disk:
    """A small disk that can be filled for some time."""

    def __init__(self, folder, mounts, place=None):
        self.folder, self.mounts = folder, mounts
        self.place = place or folder / "disk"
        self.place.mkdir(exist_ok=True)
        if mounts:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "none", self.place], check=True)
        self.history = self.place / "history"
        self.filler = self.place / "filler"

    def fill(self, process, room):
        """Leaves only `room` bytes free. Without a separate disk, limits the size of the program's files instead."""
        if not self.mounts:
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (room, room))
            return
        free = os.statvfs(self.place)
        with contextlib.suppress(OSError), self.filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(1, free.f_bavail * free.f_frsize - room))
        block = bytes(4096)
        with contextlib.suppress(OSError), self.filler.open("ab", buffering=0) as file:
            while room == 0:
                file.write(block)

    def empty(self):
        self.filler.unlink(missing_ok=True)

    def clear(self):
        """Frees the disk for another nightly run."""
        for path in (self.history, self.filler, self.folder / "told"):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)

    def close(self):
        if self.mounts:
            subprocess.run(["umount", "-l", self.place], check=False)


def phase_of(pid):
    """Returns the phase in the name of a process, or "" if it names none (not yet, or no longer)."""
    try:
        name = pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""
    return name.removeprefix("night: ") if name.startswith("night: ") else "plan" if name == "afterlife" else ""


def children_of(pid):
    """Yields the processes started by this one."""
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if entry.read_text().rpartition(")")[2].split()[1] == str(pid):
                yield int(entry.parent.name)


class Watch:
    """Observes the phase of a nightly run; if its shards are processes, the phase of the first one that is running."""
    LOOK_SECONDS = 0.01  # Finding them takes some milliseconds.

    def __init__(self, process, shards):
        self.process, self.has_shards = process, shards > 1
        self.shards, self.looked = [], 0.0

    def phase(self):
        own = phase_of(self.process.pid)
        return self.phase_of_shards() or own if self.has_shards and own == "run" else own

    def phase_of_shards(self):
        known = next(filter(None, map(phase_of, self.shards)), "")
        if not known and time.monotonic() > self.looked + self.LOOK_SECONDS:
            self.shards, self.looked = sorted(children_of(self.process.pid)), time.monotonic()
        return known


def started(settings, disk, err):
    """Starts a nightly run and returns its process. It is held until this script is ready, since its first phase could be over too early."""
    process = subprocess.Popen(["sh", "-c", 'kill -STOP $$; exec "$@"', "sh", *settings.night(disk)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=err, start_new_session=True)
    while process.poll() is None and "\nState:\tT" not in pathlib.Path(f"/proc/{process.pid}/status").read_text():
        time.sleep(0.0002)
    os.killpg(process.pid, signal.SIGCONT)
    return process


def sleep_while_alive(process, seconds):
    """Sleeps until the time is over or the process has ended. The last milliseconds are a busy wait, since phases may be that short."""
    end = time.monotonic() + seconds
    while end - time.monotonic() > 0.003 and process.poll() is None:
        time.sleep(min(0.05, end - time.monotonic() - 0.002))
    while time.monotonic() < end:
        pass


def timeline(settings, disk):
    """Returns how long an undisturbed nightly run is in each phase, as spans {phase: [seconds, ...]}, and its total duration."""
    spans = collections.defaultdict(list)
    begin = since = time.monotonic()
    with tempfile.TemporaryFile() as err:
        process = started(settings, disk, err)
        watch, phase = Watch(process, settings.shards), ""
        while process.poll() is None:
            now = watch.phase()
            if now != phase:
                if phase:
                    spans[phase].append(time.monotonic() - since)
                phase, since = now, time.monotonic()
            time.sleep(0.0005)
        spans[phase].append(time.monotonic() - since)
        if process.returncode not in (0, 1):
            err.seek(0)
            sys.exit(f"kill: the night itself ended with {process.returncode}: {err.read().decode()}")
    return dict(spans), time.monotonic() - begin


@dataclasses.dataclass
class Moment:
    """The time of a kill: seconds after the start, or after the phase was entered for the given time."""
    phase: str = ""
    entered: int = 1
    seconds: float = 0
    full_before: float | None = None  # Seconds before the kill at which the disk gets full.
    room: int = 0


def drawn(source, phase, spans, seconds, full):
    moment = Moment(phase=phase, seconds=source.uniform(0, seconds))
    if phase:
        moment.entered = source.randint(1, len(spans.get(phase, [0])))
        moment.seconds = source.uniform(0, source.choice(spans.get(phase, [0.001])))
    if full:
        moment.full_before = source.uniform(0, min(0.2, moment.seconds))
        moment.room = source.choice(ROOMS)
    return moment


def wait_for(process, watch, moment):
    """Waits until the moment has come."""
    entered, last = 0, ""
    while moment.phase and process.poll() is None and entered < moment.entered:
        now = watch.phase()
        entered += now == moment.phase != last
        last = now
        time.sleep(0 if moment.phase == "plan" else 0.00005)
    sleep_while_alive(process, max(0, moment.seconds - (moment.full_before or 0)))


def attempt(settings, disk, moment):
    """Starts or resumes the nightly run, and kills it at this moment, if any.

    Returns the phase in which it was killed ("early" if it was in none yet), "full" if a full disk ended it, or "" if it completed;
    and a complaint.
    """
    with tempfile.TemporaryFile() as err:
        process = started(settings, disk, err)
        watch = Watch(process, settings.shards)
        if moment:
            wait_for(process, watch, moment)
            if moment.full_before is not None and process.poll() is None:
                disk.fill(process, moment.room)
                sleep_while_alive(process, moment.full_before)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGSTOP)
            phase = watch.phase()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        code = process.wait(SECONDS_AT_MOST)
        disk.empty()
        err.seek(0)
        said = [line for line in err.read().decode(errors="replace").splitlines() if line.startswith("afterlife:")]
    return (phase or "early", "") if code == -signal.SIGKILL else ("full" if code == 2 else "", complaint(code, said, moment))


def complaint(code, said, moment):
    """Returns the complaint about how a nightly run ended that was not killed."""
    if code in (0, 1):
        return ""
    was_full = moment and moment.full_before is not None
    return "" if was_full and code == 2 and len(said) == 1 else f"ended with {code}: {' / '.join(said)}"


def without_times(text):
    """Returns a report or a line of an export without times and rates."""
    text = re.sub(r'"((minimize_|tape_|all_)?seconds|ended_at|peak_bytes|instructions)":\s*[^,}\s]*|"content":"[^"]*"', r"\1", text)
    text = re.sub(r' time="[\d.]+"', "", text)
    text = re.sub(r'"sound_share":\s*[\d.e-]+|\d{4}-\d\d-\d\d \d\d:\d\d UTC|variants had \d+ %', "TIME", text)
    text = re.sub(r'"trends":.*|<h2>Trend</h2>.*?</section>', "", text, flags=re.S)
    text = re.sub(r"(trend: |afterlife_trend_).*", r"\1", text)
    text = re.sub(r"(afterlife_\w*seconds(?:\{.*\})?) .*", r"\1", text)
    return re.sub(r"\b[\d,]+\.\d\b(?: s\b)?", "TIME", text)


def asked(settings, *arguments):
    ended = subprocess.run(settings.command(*arguments), capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return ended.stdout if ended.returncode in (0, 1) else f"exit {ended.returncode}: {ended.stderr}"


def all_of(settings, disk):
    """Returns all files that a nightly run left: {name: text}."""
    found = {path.relative_to(disk.place).as_posix(): path.read_text(errors="replace")
             for path in sorted(disk.history.rglob("*")) if path.is_file() and path.suffix != ".sqlite"}
    for name in ("history/page.html", "history/night.json"):
        found[name] = without_times(found.get(name, ""))
    found["export"] = without_times(asked(settings, "export", "--history", disk.history))
    files = {name: disk.folder / f"report.{name}" for name in REPORTS}
    told = asked(settings, "report", "--json", "--history", disk.history,
                 *[word for name, file in files.items() for word in (f"--{name}", file)])
    found["json"] = without_times(json.dumps(json.loads(told), indent=0) if told.startswith("{") else told)
    for name, file in files.items():
        found[name] = without_times(file.read_text()) if file.exists() else "none"
        file.unlink(missing_ok=True)
    found = {name: text.replace("\\_", "_").replace("<wbr>", "").replace(str(disk.place), "DISK") for name, text in found.items()}
    found["told"] = "yes" if (disk.folder / "told").exists() else "no"
    return found


def differences(found, expected):
    """Yields a line for each difference from an undisturbed nightly run."""
    for name in sorted(found.keys() | expected.keys()):
        if found.get(name) != expected.get(name):
            theirs = (expected.get(name) or "").splitlines()
            lines = (found.get(name) or "").splitlines()
            first = next((i for i, (a, b) in enumerate(zip(lines, theirs)) if a != b), min(len(lines), len(theirs)))
            what = lines[first][:200] if first < len(lines) else "(missing)"
            yield f"{name}: line {first + 1}: {what}"


class Score:
    """The results so far, of all jobs."""

    def __init__(self, arguments):
        self.kills, self.full = collections.Counter(), collections.Counter()
        self.ended_full = self.nights = 0
        self.wrong = []
        self.lock = threading.Lock()
        self.arguments = arguments

    def is_done(self):
        wanted = self.arguments
        return bool(self.wrong) or (sum(self.kills.values()) >= wanted.kills and sum(self.full.values()) >= wanted.full and
                                    all(self.kills[phase] >= wanted.least for phase in PHASES))

    def next(self, source, spans, seconds):
        """Returns the next moment. While a phase has too few kills, every second moment is in such a phase."""
        missing = [phase for phase in PHASES if self.kills[phase] < self.arguments.least]
        short = self.arguments.kills - sum(self.kills.values()) <= sum(
            self.arguments.least - self.kills[phase] for phase in missing)
        phase = source.choice(missing) if missing and (short or source.random() < 0.5) else ""
        full = sum(self.full.values()) < self.arguments.full and source.random() < max(
            0.3, self.arguments.full / self.arguments.kills)
        return drawn(source, phase, spans, seconds, full)


def one_night(settings, disk, score, source, spans, seconds):
    """Runs one nightly run with several kills, and then to its end. Returns the complaints about it."""
    disk.clear()
    killed = []
    for _ in range(source.randint(1, 6)):
        moment = score.next(source, spans, seconds)
        phase, wrong = attempt(settings, disk, moment)
        if wrong:
            return killed, [wrong]
        full = moment.full_before is not None
        if phase in ("full", "early"):
            score.ended_full += phase == "full"
            continue
        if not phase:
            return killed, []
        killed.append(phase + (" (full disk)" if full else ""))
        with score.lock:
            score.kills[phase] += 1
            score.full[phase] += full
        if phase == "report" and not (disk.history / "night").exists():
            return killed, []  # It was complete except for the exit of its process.
    _, wrong = attempt(settings, disk, None)
    return killed, [wrong] if wrong else []


def job(settings, folder, mounts, score, seed, spans, seconds, expected, keep):
    disk, source = Disk(folder, mounts), random.Random(seed)
    while not score.is_done():
        killed, wrong = one_night(settings, disk, score, source, spans, seconds)
        wrong = wrong or list(differences(all_of(settings, disk), expected))
        with score.lock:
            score.nights += 1
            if wrong:
                score.wrong.append(f"killed in {', '.join(killed) or 'no phase'}:\n    " + "\n    ".join(wrong[:8]))
                if keep:
                    shutil.copytree(disk.history, pathlib.Path(keep, f"night-{score.nights}"), dirs_exist_ok=True)
            show(score)
    disk.close()


def show(score):
    counts = ", ".join(f"{phase} {score.kills[phase]}" for phase in PHASES)
    print(f"{score.nights} nights, {sum(score.kills.values())} kills ({counts}), {sum(score.full.values())} on a full disk; "
          f"{score.ended_full} ended by a full disk", file=sys.stderr, flush=True)


def undisturbed(settings, folder, mounts):
    """Runs an undisturbed nightly run twice, which must give the same files. Returns them, and the time in each phase."""
    found = []
    disk = Disk(folder, mounts)
    for _ in range(2):
        disk.clear()
        spans, seconds = timeline(settings, disk)
        found.append(all_of(settings, disk))
    disk.close()
    unlike = list(differences(*found))
    if unlike:
        sys.exit("kill: two nights that no one disturbed are not the same:\n  " + "\n  ".join(unlike))
    return found[0], spans, seconds


def with_mounts():
    """Runs this script again in a mount namespace of its own. Returns False if that is impossible."""
    for namespaces in (["--mount"], ["--mount", "--map-root-user"]):
        prefix = ["unshare", *namespaces]
        probe = [*prefix, "sh", "-c", "mount -t tmpfs none /mnt"]
        with contextlib.suppress(OSError):
            if subprocess.run(probe, capture_output=True, stdin=subprocess.DEVNULL).returncode == 0:
                os.environ[INSIDE] = "1"
                os.execvp("unshare", [*prefix, sys.executable, *sys.argv])
    return False


def parsed():
    parser = CommandLine(__doc__)
    for name, default in (("preset", "release"), ("only", "argpack"), ("keep", "")):
        parser.add_argument(f"--{name}", default=default)
    for name, default in (("kills", 200), ("full", 50), ("least", 10), ("jobs", 1), ("runs", 4000), ("shards", 1),
                          ("random", int(time.time()))):
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args()


def main():
    arguments = parsed()
    mounts = os.environ.get(INSIDE) == "1" or with_mounts()
    settings = Settings(arguments.preset, arguments.only, arguments.runs, arguments.shards)
    if not programs.exists(arguments.preset, "afterlife"):
        print(f"kill: build/{arguments.preset}/afterlife is not built", file=sys.stderr)
        return 2
    begin = time.monotonic()
    score = Score(arguments)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        place = pathlib.Path(folder)
        (place / "undisturbed").mkdir()
        expected, spans, seconds = undisturbed(settings, place / "undisturbed", mounts)
        spent = ", ".join(f"{phase} {sum(spans.get(phase, [])):.3f}" for phase in PHASES)
        print(f"random {arguments.random}; full disks by {'tmpfs' if mounts else 'RLIMIT_FSIZE'}; the night alone: {seconds:.1f} s ({spent})",
              file=sys.stderr, flush=True)
        jobs = []
        for index in range(arguments.jobs):
            own = place / f"job-{index}"
            own.mkdir()
            jobs.append(pool.submit(job, settings, own, mounts, score, f"{arguments.random}/{index}", spans, seconds, expected,
                                    arguments.keep))
        for running in jobs:
            running.result()
    for line in score.wrong:
        print(f"kill: {line}", file=sys.stderr)
    counts = ", ".join(f"{phase} {score.kills[phase]} ({score.full[phase]})" for phase in PHASES)
    print(f"{'FAILED: ' if score.wrong else ''}{sum(score.kills.values())} kills in {score.nights} nights; by phase (on a full disk): "
          f"{counts}; {score.ended_full} nights ended by a full disk; {len(score.wrong)} came to something else; "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if score.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
