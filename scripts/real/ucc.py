#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""UCC's own alltoallv between processes on the simulated device, built from sources that the user has.

Usage: scripts/real/ucc.py SOURCE... [--ranks N,N] [--rounds N] [--runs N] [--fresh] [--preset NAME]

SOURCE is a checkout of openucx/ucc at a version. It is copied into build/real/ucc and built there against our
libcudart, libcuda and NVML, with TL/CUDA alone; nvcc is that of scripts/setup.sh, UCX is the system's (libucx-dev),
nvml.h comes with a wheel. The reductions of UCC's executor, one function of 8 MB that no alltoallv calls, are left out.
Then ucc/alltoallv.c runs under `afterlife run`, by 2 processes and by as many as --ranks
says. UCC_TL_CUDA_MAX_CONCURRENT is 1, so that a fast rank's next collective has the slot of the last one, as in
openucx/ucc#1268. Prints what was found. Exit: 0 all ran, by TL/CUDA, whatever was found; 1 not; 2 a build failed.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WORK = ROOT / "build/real/ucc"
PROGRAM = ROOT / "scripts/real/ucc/alltoallv.c"
NVML = "nvidia-nvml-dev==13.0.*"
CONFIGURE = ("--with-nvcc-gencode=-gencode=arch=compute_80,code=compute_80", "--with-tls=cuda", "--with-nvls=no", "--with-nccl=no",
             "--with-rocm=no", "--with-sharp=no", "--with-ibverbs=no", "--with-rdmacm=no", "--disable-static")
SETTINGS = {"UCC_TLS": "cuda", "UCC_CLS": "basic", "UCC_TL_CUDA_MAX_CONCURRENT": "1"}
LIMIT = 120  # Time limit of a run in seconds.
OPENED = "tl_cuda cache new region"  # Printed by UCC after each cudaIpcOpenMemHandle.


def step(log, command, **options):
    """Runs a step of a build; its output goes to a file."""
    with log.open("a") as said:
        if subprocess.run(command, stdout=said, stderr=subprocess.STDOUT, check=False, **options).returncode != 0:
            print(f"ucc.py: {' '.join(map(str, command))[:60]} failed: see {log}", file=sys.stderr)
            sys.exit(2)


def toolkit(preset):
    """Makes a folder in the form that UCC's configure expects: headers with nvml.h, our libraries, nvcc."""
    theirs = pathlib.Path((ROOT / "build/cuda_root.txt").read_text().strip())
    ours = WORK / "cuda"
    if not (ours / "include/nvml.h").exists():
        shutil.rmtree(ours, ignore_errors=True)
        step(WORK / "nvml.log", [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", ours / "nvml", NVML])
        (ours / "include").mkdir()
        for each in (theirs / "include").iterdir():
            (ours / "include" / each.name).symlink_to(each)
        header = next((ours / "nvml").rglob("nvml.h"))
        (ours / "include/nvml.h").unlink(missing_ok=True)
        (ours / "include/nvml.h").symlink_to(header)
        (ours / "bin").symlink_to(theirs / "bin")
    (ours / "lib64").unlink(missing_ok=True)
    (ours / "lib64").symlink_to(ROOT / "build" / preset / "lib")
    return ours


def built(source, cuda):
    """Returns the program built with UCC from this source. UCC is built only once."""
    name = source.name
    tree, log = WORK / name, WORK / f"{name}.log"
    library = tree / "installed/lib"
    if not (library / "ucc/libucc_tl_cuda.so").exists():
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(source, tree, ignore=shutil.ignore_patterns(".git"))
        for kernel in tree.glob("src/components/ec/cuda/kernel/ec_cuda_executor_reduce_*.cu"):
            kernel.write_text(re.sub(r"DT_REDUCE_\w+\([^;]*\);", "return UCC_ERR_NOT_SUPPORTED;", kernel.read_text()))
        environment = os.environ | {"NVCC_APPEND_FLAGS": "--no-compress -cudadevrt none"}
        step(log, ["./autogen.sh"], cwd=tree)
        step(log, ["./configure", f"--prefix={tree}/installed", f"--with-cuda={cuda}", *CONFIGURE], cwd=tree, env=environment)
        step(log, ["make", "-C", "src", "-j2", "install"], cwd=tree, env=environment)
    program = tree / "alltoallv"
    step(log, ["cc", "-g", "-O1", "-o", program, PROGRAM, "-I", tree / "installed/include", "-I", cuda / "include", "-L", library, "-lucc",
               "-L", cuda / "lib64", "-lcudart", f"-Wl,-rpath,{library}"])
    return program


def run(preset, program, words, options, settings):
    """Runs the program under `afterlife run`. Returns its result and its output."""
    command = [ROOT / "build" / preset / "afterlife", "run", "--json", "--timeout", str(LIMIT), *options, "--", program, *words]
    ended = subprocess.run(command, env=os.environ | SETTINGS | settings, capture_output=True, text=True, check=False)
    try:
        return json.loads(ended.stdout[ended.stdout.index("{"):]), ended.stdout + ended.stderr
    except ValueError:
        return {}, ended.stdout + ended.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", type=pathlib.Path)
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--fresh", action="store_true", help="other buffers in each round")
    parser.add_argument("--preset", default="release")
    arguments = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    cuda = toolkit(arguments.preset)
    is_right = True
    for source in arguments.sources:
        program = built(source.resolve(), cuda)
        for ranks in map(int, arguments.ranks.split(",")):
            words = [str(ranks), str(arguments.rounds)] + ["fresh"] * arguments.fresh
            _, said = run(arguments.preset, program, words, ["--runs", "1"], {"UCC_LOG_LEVEL": "debug"})
            opened, named = said.count(OPENED), "TL_CUDA" in said and "Cuda: {0..inf}:TL_CUDA" in said
            start = time.monotonic()
            result, _ = run(arguments.preset, program, words, ["--runs", str(arguments.runs)], {})
            is_right = is_right and opened > 0 and named and bool(result)
            print(f"{source.name}, {ranks} ranks: TL/CUDA {'named' if named else 'NOT NAMED'}, {opened} handles opened in a run;"
                  f" {arguments.runs} runs in {time.monotonic() - start:.0f} s, {len(result.get('findings', []))} findings", flush=True)
            for finding in result.get("findings", []):
                print(f"  {finding.get('kind')} {finding.get('object', '')} at {finding.get('used', '')}"
                      f" (replays {finding.get('shown')} of {finding.get('replays')})", flush=True)
    return 0 if is_right else 1


sys.exit(main())
