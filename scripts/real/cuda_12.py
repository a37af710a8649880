# SPDX-License-Identifier: Apache-2.0
"""Programs of CUDA 12, built by clang from NVIDIA's headers on PyPI, which has no nvcc of CUDA 12: as LLVM emits registration and launches."""
import dataclasses
import pathlib
import subprocess

from wheels import ROOT, installed


@dataclasses.dataclass
class Toolkit:
    name: str = "CUDA 12.9"
    wheels: tuple = ("nvidia-cuda-runtime-cu12==12.9.79", "nvidia-cuda-nvcc-cu12==12.9.86")


def toolkit():
    """Returns the folders of two wheels: the runtime, and the other files that a compiler needs."""
    packages = installed(Toolkit()) / "nvidia"
    return packages / "cuda_runtime", packages / "cuda_nvcc"


def path_for_clang(runtime, compiler):
    """Makes a folder with the structure of a toolkit."""
    folder = compiler.parent / "clang_path"
    folder.mkdir(exist_ok=True)
    for name, target in (("include", runtime / "include"), ("bin", compiler / "bin"), ("nvvm", compiler / "nvvm")):
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(target)
    return folder


def compile_program(source, flags, target, archives):
    """Builds a program with the runtime library of the wheel, given by path, or with the archive in a folder."""
    runtime, compiler = toolkit()
    clang = ["clang++-19", "-x", "cuda", f"--cuda-path={path_for_clang(runtime, compiler)}", "--cuda-gpu-arch=sm_80", "-Wno-unknown-cuda-version",
             "-isystem", runtime / "include", "-isystem", compiler / "include", "-g", *flags]
    fatbinary = pathlib.Path((ROOT / "build/cuda_root.txt").read_text().strip()) / "bin/fatbinary"
    ptx, fatbin, object_file = (target.with_name(f"{target.name}.{kind}") for kind in ("ptx", "fatbin", "o"))
    subprocess.run([*clang, "-O2", "-gline-tables-only", "--cuda-device-only", "-S", source, "-o", ptx], check=True)
    subprocess.run([fatbinary, f"--create={fatbin}", "-64", f"--image3=kind=ptx,sm=80,file={ptx}", "--compress=false"], check=True)
    subprocess.run([*clang, "--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin, "-c", source, "-o", object_file],
                   check=True)
    library = runtime / "lib"
    linked = [archives / "libcudart_static.a", "-ldl", "-lpthread"] if archives else [f"-Wl,-rpath,{library}", library / "libcudart.so.12"]
    subprocess.run(["clang++-19", object_file, "-o", target, *linked], check=True)
