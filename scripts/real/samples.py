#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds NVIDIA/cuda-samples' programs of the CUDA runtime with our archive, runs each by itself on the simulated driver, and says how many
pass and why the others do not.

Usage: scripts/real/samples.py FOLDER [--preset PRESET] [--only TEXT] [--seconds N]    FOLDER: a checkout of NVIDIA/cuda-samples (v13.0)

A program passes if it ends with 0 within so many seconds (240). What is built goes to build/real/samples. Exit: 0 all were tried, 2 the
folder, nvcc or the build is not there, 3 usage.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from wheels import ROOT, WHEELS, stop

# Pattern in a source that uses a library | the library, which neither the compiler nor our driver provides.
NEEDS = ((r"helper_gl|GL/|freeglut|GLES", "OpenGL"), (r"EGL/|cudaEGL|egl_common", "EGL"), (r"vulkan|Vulkan", "Vulkan"), (r"d3d1|D3D1", "Direct3D"),
         (r"<mpi\.h>", "MPI"), (r"cufft", "cuFFT"), (r"curand", "cuRAND"), (r"cublas", "cuBLAS"), (r"cusparse", "cuSPARSE"),
         (r"nvscibuf|nvsci|NvSci|cudla|nvmedia", "NvSci or DLA"), (r"<npp|nppi", "NPP"), (r"nvvm\.h", "libNVVM"), (r"FreeImage", "FreeImage"),
         (r"cuda_runtime_api\.h>.*nvrtc|nvrtc_helper|nvrtc\.h", "NVRTC: the suite cuda-samples has it"))
WAIVED = 2  # EXIT_WAIVED of the samples.


@dataclasses.dataclass
class Sample:
    folder: pathlib.Path
    sources: list

    @property
    def name(self):
        return self.folder.name

    def missing(self):
        """Returns the library that it needs and that is not simulated, or nothing."""
        text = "\n".join(file.read_text(errors="replace") for file in self.folder.rglob("*")
                         if file.suffix in (".cu", ".cpp", ".c", ".h", ".cuh", ".hpp"))
        for pattern, name in NEEDS:
            if re.search(pattern, text):
                return name
        if re.search(r"cuda[DL]\w+|<<<", text) is None:
            return "nothing of the runtime"
        return "launches by kernels (dynamic parallelism)" if self.name.startswith("cdp") else ""


def samples(folder):
    for found in sorted({file.parent for file in folder.glob("Samples/[0-6]_*/**/*.cu")}):
        top = found.parent if found.name == "src" else found
        yield Sample(top, sorted(file for file in found.iterdir() if file.suffix in (".cu", ".cpp", ".c")))


def built(sample, common, preset):
    """Returns the program, and the compiler's output if it does not build."""
    program = WHEELS / "samples" / sample.name
    archive = ROOT / f"build/{preset}/lib"
    if program.exists() and program.stat().st_mtime > (archive / "libcudart_static.a").stat().st_mtime:
        return program, ""
    program.parent.mkdir(parents=True, exist_ok=True)
    nvcc = pathlib.Path((ROOT / "build/cuda_root.txt").read_text().strip()) / "bin/nvcc"
    ended = subprocess.run([nvcc, "-std=c++17", "-I", common, "-I", sample.folder, "-I", sample.folder / "inc", "-L", archive, "-gencode",
                            "arch=compute_80,code=compute_80", "--no-compress", "--extended-lambda", "-Xcompiler", "-fopenmp", "-o", program,
                            *sample.sources, "-lcuda", "-lgomp"],
                           capture_output=True, text=True)
    lines = [line for line in ended.stderr.splitlines() if "error" in line] or ended.stderr.splitlines()
    return (program, "") if ended.returncode == 0 else (None, f"is not compiled: {lines[0].strip() if lines else 'no message'}")


def ran(program, sample, preset, seconds):
    """Runs it. Returns the result: pass, waived, or the reason of the failure."""
    environment = dict(os.environ, LD_LIBRARY_PATH=str(ROOT / f"build/{preset}/lib"))
    process = subprocess.Popen([program], cwd=sample.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        out = process.communicate(timeout=seconds)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return f"takes longer than {seconds} s"
    if process.returncode == 0:
        return "pass"
    lines = [line.strip() for line in out.splitlines() if line.strip()]
    ours = [line for line in lines if line.startswith("afterlife:")]
    last = (ours or lines or ["no message"])[-1]
    return f"waived: {last}" if process.returncode == WAIVED else f"exit {process.returncode}: {last}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--preset", default="release", choices=("release", "dev"))
    parser.add_argument("--only", default="", metavar="TEXT", help="programs whose folder contains this")
    parser.add_argument("--seconds", type=int, default=240)
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        sys.exit(3 if ended.code else 0)
    common = options.folder.resolve() / "Common"
    if not common.is_dir():
        stop(f"{options.folder} is no checkout of NVIDIA/cuda-samples")
    if not (ROOT / f"build/{options.preset}/lib/libcudart_static.a").is_file():
        stop(f"build/{options.preset} is not built: ./scripts/build.sh {options.preset} cuda_sim")
    came_to = {"pass": 0, "waived": 0, "fail": 0, "skip": 0}
    for sample in samples(options.folder.resolve()):
        if options.only not in str(sample.folder):
            continue
        began = time.monotonic()
        why = sample.missing()
        kind = "skip"
        if not why:
            program, why = built(sample, common, options.preset)
            why = why or ran(program, sample, options.preset, options.seconds)
            kind = "pass" if why == "pass" else "waived" if why.startswith("waived") else "fail"
        came_to[kind] += 1
        print(f"{kind:6} {sample.name}{'' if kind == 'pass' else ': ' + why} ({time.monotonic() - began:.0f} s)", flush=True)
    tried = sum(came_to.values()) - came_to["skip"]
    print(f"{came_to['pass']} of {tried} pass, {came_to['waived']} are waived, {came_to['fail']} fail; {came_to['skip']} need what is not "
          "simulated")


if __name__ == "__main__":
    main()
