# SPDX-License-Identifier: Apache-2.0
"""Programs: runs what the presets build, the same way for every check that needs it."""
import concurrent.futures
import contextlib
import dataclasses
import os
import pathlib
import queue
import shutil
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Ended:
    """The result of a program. If it exceeded its time limit, the code is -9."""
    code: int
    out: str
    err: str
    seconds: float
    peak_kib: int


def path(preset, name):
    return ROOT / "build" / preset / name


def exists(preset, name):
    return path(preset, name).is_file()


def named(preset, prefix):
    """Returns the names of the programs that begin with `prefix`, one per path under test."""
    return sorted(p.name for p in (ROOT / "build" / preset).glob(prefix + "*") if p.is_file())


def environment(extra):
    """Returns an environment for reports with line numbers, without the caller's sanitizer settings."""
    env = {k: v for k, v in os.environ.items() if not k.endswith("SAN_OPTIONS")}
    symbolizer = shutil.which("llvm-symbolizer-19") or ""
    env["ASAN_SYMBOLIZER_PATH"] = symbolizer
    env["UBSAN_OPTIONS"] = "print_stacktrace=1"
    env["TSAN_OPTIONS"] = f"external_symbolizer_path={symbolizer}"
    return env | extra


def run(preset, name, *arguments, limit_seconds=600, silence_seconds=None, one_core=False, env=None):
    """Runs a program in the root of the tree and waits for it. It is killed after `limit_seconds`; or, with `silence_seconds`, only after it has
    printed nothing for that long, so that a slow machine can finish.
    """
    command = [str(path(preset, name)), *map(str, arguments)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, a_core(one_core) as prefix:
        start = time.monotonic()
        process = subprocess.Popen([*prefix, *command], cwd=ROOT, env=environment(env or {}), stdout=out,
                                   stderr=err, stdin=subprocess.DEVNULL)
        peak_kib, printed, spoke = 0, 0, start
        while process.poll() is None:
            seconds = time.monotonic() - start
            if os.fstat(out.fileno()).st_size != printed:
                printed, spoke = os.fstat(out.fileno()).st_size, time.monotonic()
            if (seconds > limit_seconds if silence_seconds is None
                    else time.monotonic() - spoke > silence_seconds):
                process.kill()
            peak_kib = max(peak_kib, peak_memory_kib(process.pid))
            time.sleep(0.002 if seconds < 1 else 0.05)
        seconds = time.monotonic() - start
        out.seek(0)
        err.seek(0)
        return Ended(process.returncode, out.read().decode(errors="replace"),
                     err.read().decode(errors="replace"), seconds, peak_kib)


CORES = queue.LifoQueue()
for _core in sorted(os.sched_getaffinity(0), reverse=True):
    CORES.put(_core)


@contextlib.contextmanager
def a_core(wanted):
    """Reserves a core and yields the prefix of a command that runs on it; yields an empty prefix if none is wanted."""
    if not wanted:
        yield []
        return
    core = CORES.get()
    try:
        yield ["taskset", "-c", str(core)]
    finally:
        CORES.put(core)


def side_by_side(function, items):
    """Returns the function's result for each item, in order; runs as many calls at a time as there are cores."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(function, items))


def peak_memory_kib(pid):
    """Returns the kernel's high-water mark. ru_maxrss would include the memory of this script before the exec."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")), 0)
