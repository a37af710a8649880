# SPDX-License-Identifier: Apache-2.0
"""Programs of the CUDA runtime, built by nvcc in three ways, and by clang for CUDA 12 in two, under `afterlife run`: rows of real.py.

A program prints what is right, and nothing may be found in it; one whose name begins with bug_ has a planted bug, and none when it
is given an argument.
"""
import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile
import time

import cuda_12
from wheels import ROOT

SOURCES = ROOT / "scripts/real/nvcc"
BUILT = ROOT / "build/real/nvcc"
PTX = ("-gencode", "arch=compute_80,code=compute_80", "--no-compress")
WAYS = ("shared", "archive", "defaults")  # -cudart shared; our libcudart_static.a; only NVCC_APPEND_FLAGS.
CUDA_12_WAYS = ("CUDA 12 shared", "CUDA 12 archive")  # Both built with clang: NVIDIA's runtime, given by path; our archive.
SOUND = ("--runs", "50")


@dataclasses.dataclass
class Program:
    """A program and its expected finding; no finding is allowed if it has no kinds."""
    name: str
    kinds: tuple = ()  # Kinds that the first finding may have.
    lines: dict = dataclasses.field(default_factory=dict)  # Text in the lines of the places.
    sources: tuple = ()  # Sources besides the program's own.
    flags: tuple = ()
    is_slow: bool = False  # Compiling is slow: without --long it is built in only one way.
    ways: tuple = WAYS

    def row(self, way):
        return f"{'nvcc' if way in WAYS else 'clang'} {way}, {self.name}"


PROGRAMS = [
    Program("vector_add", ways=WAYS + CUDA_12_WAYS),
    Program("cuda_12", ways=CUDA_12_WAYS),
    Program("captured_graph"),
    Program("cooperative_groups"),
    Program("grid_sync"),
    Program("bug_grid_sync", ("data_race",), {"used": "cudaLaunchCooperativeKernel("}),
    Program("pools", ways=WAYS + CUDA_12_WAYS),
    Program("linked", sources=("linked_part",), flags=("-rdc=true",)),
    Program("cub_reduce", is_slow=True),
    Program("thrust_sort", is_slow=True),
    Program("bug_race", ("data_race",), {"used": "// second write"}, ways=WAYS + CUDA_12_WAYS),
    Program("bug_captured_graph", ("use_after_free",), {"died": "// too early"}, ways=WAYS + CUDA_12_WAYS),
    Program("bug_allocator", ("data_race", "recycled_use", "use_after_free"), {"used": "// is used in the other stream"},
            ways=WAYS + CUDA_12_WAYS),
]


def nvcc():
    return pathlib.Path((ROOT / "build/cuda_root.txt").read_text().strip()) / "bin/nvcc"


def rows(only, long):
    """Yields the selected programs and ways. CUDA 12 must be downloaded, so its rows are only run with --long or --only."""
    for program in PROGRAMS:
        for way in program.ways[:1] if program.is_slow and not long else program.ways:
            if only in program.row(way) and (long or only or way in WAYS):
                yield program, way


def built(preset, program, way):
    """Returns the program; compiles it if it is older than its sources or the library."""
    folder = BUILT / way.replace(" ", "-")
    file = folder / program.name
    library = ROOT / f"build/{preset}/lib{'' if way in WAYS else '/cuda12'}/libcudart_static.a"
    sources = [SOURCES / f"{name}.cu" for name in (program.name, *program.sources)]
    if file.exists() and all(file.stat().st_mtime > each.stat().st_mtime for each in (*sources, *SOURCES.glob("*.h"), library)):
        return file
    folder.mkdir(parents=True, exist_ok=True)
    if way in CUDA_12_WAYS:
        cuda_12.compile_program(sources[0], program.flags, file, library.parent if "archive" in way else None)
        return file
    command = [nvcc(), "-g", "-lineinfo", *program.flags, "-o", file, *sources]
    environment = dict(os.environ)
    if way == "shared":
        command += ["-cudart", "shared", *PTX]
    elif way == "archive":
        command += ["-L", library.parent, *PTX]
    else:
        environment["NVCC_APPEND_FLAGS"] = " ".join(("-cudart shared", *PTX))
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return file


def searched(preset, file, arguments, options, seed, out):
    command = [ROOT / f"build/{preset}/afterlife", "run", *options, "--seed", str(seed), "--timeout", "300", "--out", out, "--json", "--",
               file, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode not in (0, 1) or not ended.stdout.startswith("{"):
        return {"findings": [], "failures": [], "runs": 0, "stopped": f"exit {ended.returncode}: {ended.stderr.strip()[-600:]}"}
    return json.loads(ended.stdout)


def line_of(finding, place):
    """Returns the program's own line at a place, or an empty text."""
    for frame in finding["places"].get(place, []):
        if not frame.get("library") and pathlib.Path(frame["file"]).parent == SOURCES and frame["line"] > 0:
            return pathlib.Path(frame["file"]).read_text().splitlines()[frame["line"] - 1]
    return ""


def complaint(program, found):
    """Returns the complaint about a run without an argument, or an empty text."""
    if found["stopped"]:
        return str(found["stopped"])
    if found["failures"]:
        return f"failed: {found['failures'][0]['complaint']}"
    if not program.kinds:
        return f"found: {found['findings'][0]['signature']}" if found["findings"] else ""
    if not found["findings"]:
        return "nothing was found"
    if found["findings"][0]["kind"] not in program.kinds:
        return f"found: {found['findings'][0]['signature']}"
    for place, text in program.lines.items():
        if not any(text in line_of(finding, place) for finding in found["findings"]):
            return f"{place} at '{line_of(found['findings'][0], place).strip()}', and not at '{text}'"
    return ""


def judge(preset, program, way, seeds):
    """Prints a line per seed, and one for the twin. Returns whether all results were as expected."""
    began = time.monotonic()
    try:
        file = built(preset, program, way)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"FAIL {program.row(way)}: {error}", flush=True)
        return False
    build_seconds = time.monotonic() - began
    good = True
    if program.kinds:
        searches = [((), ("--runs", "20"), seed) for seed in range(1, seeds + 1)] + [(("fixed",), SOUND, 1)]
    else:
        searches = [((), SOUND, 1), ((), (*SOUND, "--failures"), 1)]
    for arguments, options, seed in searches:
        with tempfile.TemporaryDirectory() as out:
            began = time.monotonic()
            found = searched(preset, file, arguments, options, seed, out)
            seconds = time.monotonic() - began
        why = complaint(program if not arguments else Program(program.name), found)
        good = good and not why
        told = "; ".join(finding["kind"] for finding in found["findings"]) or "nothing"
        print(f"{'FAIL' if why else 'ok  '} {' '.join((program.row(way), *arguments, *options[2:]))}, seed {seed}: {told}; {found['runs']} runs, "
              f"{seconds:.1f} s (built in {build_seconds:.0f} s){': ' + why if why else ''}", flush=True)
        build_seconds = 0
    return good
