# SPDX-License-Identifier: Apache-2.0
"""Builds the plug-in for the PyTorch that is installed, once, by this machine's C++ compiler."""
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE / "harness/client/inside/torch/operators.cpp"
COMPILERS = ("clang++-19", "g++", "clang++", "c++")


def cuda_headers(torch_folder):
    """Returns the folder of cuda_runtime_api.h: of a toolkit, or of NVIDIA's packages beside PyTorch."""
    places = [os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/include", "/usr/local/cuda/include",
              str(torch_folder.parent / "nvidia/cu13/include"), str(torch_folder.parent / "nvidia/cuda_runtime/include")]
    for place in places:
        if os.path.exists(place + "/cuda_runtime_api.h"):
            return place
    raise RuntimeError("afterlife: the plug-in for PyTorch needs cuda_runtime_api.h: "
                       "install nvidia-cuda-runtime, or set CUDA_HOME to a CUDA 13 toolkit")


def command(torch, target):
    folder = pathlib.Path(torch.__file__).parent
    compiler = next((found for name in COMPILERS if (found := shutil.which(name))), None)
    if compiler is None:
        raise RuntimeError("afterlife: the plug-in for PyTorch needs a C++ compiler: install g++")
    return [compiler, "-std=c++20", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-w", f"-I{HERE}",
            f"-I{folder}/include", f"-I{folder}/include/torch/csrc/api/include", f"-I{cuda_headers(folder)}", str(SOURCE),
            "-o", str(target), f"-L{folder}/lib", "-lc10", "-lc10_cuda", "-ltorch_cpu"]


def library():
    """Returns the path of the library, which is built if it does not exist."""
    import torch
    text = torch.__version__ + "".join(file.read_text() for file in sorted((HERE / "harness").rglob("*.[ch]*")))
    name = f"torch-{torch.__version__}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.so"
    folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "afterlife"
    folder.mkdir(parents=True, exist_ok=True)
    built = folder / name
    if built.exists():
        return str(built)
    with open(folder / (name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if built.exists():
            return str(built)
        print(f"afterlife: building the plug-in for PyTorch {torch.__version__}, once; this takes a minute", file=sys.stderr)
        # The compiler must not get the libraries that `afterlife run` preloads.
        environment = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH")}
        made = built.with_suffix(f".{os.getpid()}")
        done = subprocess.run(command(torch, made), env=environment, capture_output=True, text=True, start_new_session=True)
        if done.returncode != 0:
            raise RuntimeError(f"afterlife: the plug-in does not fit PyTorch {torch.__version__}:\n{done.stderr[-2000:]}")
        os.replace(made, built)
    return str(built)
