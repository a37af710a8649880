# SPDX-License-Identifier: Apache-2.0
"""Notes where a program reads what differs from run to run, or has it read the same in each run.

Python imports this when it starts, in further runs of a finding that does not repeat. AFTERLIFE_READS names a file: a line is
appended for each place that reads, `kind TAB function TAB file TAB line`. AFTERLIFE_HELD names the kinds that are held still:
`clock`, `chance`. The program's own sitecustomize runs as ever.
"""
import os
import stat
import sys
import threading
import time

KINDS = {
    "clock": "time.time time.time_ns time.monotonic time.monotonic_ns time.perf_counter time.perf_counter_ns time.process_time "
             "time.process_time_ns time.thread_time time.clock_gettime datetime.now datetime.utcnow datetime.today date.today".split(),
    "chance": "posix.urandom posix.getrandom Random.random Random.getrandbits".split(),
    "process": "posix.getpid posix.getppid _thread.get_native_id".split(),
    "network": "socket.connect socket.recv socket.recv_into socket.recvfrom socket.accept".split(),
}
KIND_OF = {function: kind for kind, functions in KINDS.items() for function in functions}
LIBRARIES = (os.path.dirname(os.__file__), "/site-packages/", "/dist-packages/", "<")


def name_of(function):
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", "")
    return name if "." in name or not module else f"{module}.{name}"


def is_library(file):
    return any(part in file if part[0] == "/" else file.startswith(part) for part in LIBRARIES)


def users_frame(frame):
    """Returns the innermost frame of the user's code; None if only libraries run, or a read happens during an import."""
    while frame is not None and is_library(frame.f_code.co_filename):
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return None
        frame = frame.f_back
    return frame


class Watch:
    """A profiler that records each place once."""

    def __init__(self, file):
        self.file = file
        self.known = set()
        self.changed = set()
        self.begin = time.time()
        self.since = float(os.environ.get("AFTERLIFE_SINCE", self.begin))

    def __call__(self, frame, event, function):
        if event == "c_call":
            name = name_of(function)
            self.note(KIND_OF.get(name), name, frame)

    def opens(self, event, arguments):
        """An audit hook: records reads of files that earlier runs have written."""
        if event != "open" or not isinstance(arguments[0], (str, bytes)) or not isinstance(arguments[2], int):
            return
        file, flags = os.path.abspath(arguments[0]), arguments[2]
        if flags & os.O_TRUNC:
            self.changed.discard(file)
        elif self.was_changed(file):
            self.changed.add(file)
        if file in self.changed and flags & os.O_ACCMODE != os.O_WRONLY:
            self.note("file", "open", sys._getframe(1))

    def was_changed(self, file):
        try:
            status = os.stat(file)
        except (OSError, ValueError):
            return False
        return stat.S_ISREG(status.st_mode) and self.since <= status.st_mtime < self.begin

    def note(self, kind, name, frame):
        user = users_frame(frame) if kind else None
        if user is None:
            return
        row = (kind, name.replace("posix.", "os."), user.f_code.co_filename, str(user.f_lineno))
        if row not in self.known:
            self.known.add(row)
            with open(self.file, "a", encoding="utf-8", errors="replace") as out:
                out.write("\t".join(row) + "\n")


def hold_clock():
    """Makes each reading of a clock advance it by a millisecond, so that waits for a time end."""
    import datetime
    import time
    looks = [0]

    def nanoseconds():
        looks[0] += 1
        return 1_700_000_000_000_000_000 + looks[0] * 1_000_000

    for name in "time monotonic perf_counter process_time thread_time".split():
        setattr(time, name, lambda: nanoseconds() / 1e9)
        setattr(time, name + "_ns", nanoseconds)

    class Held(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(nanoseconds() / 1e9, tz)

        @classmethod
        def utcnow(cls):
            return cls.now(datetime.timezone.utc).replace(tzinfo=None)

        today = now

    datetime.datetime = Held


def hold_chance():
    import hashlib
    draws = [0]

    def urandom(count):
        drawn = b""
        while len(drawn) < count:
            draws[0] += 1
            drawn += hashlib.sha256(str(draws[0]).encode()).digest()
        return drawn[:count]

    os.urandom = urandom
    import random
    seed = random.Random.seed
    random.Random.seed = lambda self, a=None, version=2: seed(self, urandom(16) if a is None else a, version)
    random.seed = random.seed.__self__.seed
    random.seed()


def run_next():
    """Runs the sitecustomize that Python would have found without this one."""
    import importlib.machinery
    import importlib.util
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [folder for folder in sys.path if os.path.abspath(folder) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", folders)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def main():
    held = os.environ.get("AFTERLIFE_HELD", "").split()
    if "clock" in held:
        hold_clock()
    if "chance" in held:
        hold_chance()
    run_next()
    file = os.environ.get("AFTERLIFE_READS")
    if file:
        watch = Watch(file)
        sys.addaudithook(watch.opens)
        threading.setprofile(watch)
        sys.setprofile(watch)


main()
