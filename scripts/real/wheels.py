# SPDX-License-Identifier: Apache-2.0
"""Pinned wheels of PyPI, each set in a folder of build/real, once."""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHEELS = ROOT / "build/real"


def stop(text):
    print(f"real: {text}", file=sys.stderr)
    sys.exit(2)


def installed(row):
    """Returns the folder that contains exactly the row's wheels."""
    folder = WHEELS / row.name.replace(" ", "-")
    packages = folder / "site-packages"
    pins = folder / "pins.txt"
    wanted = "\n".join(row.wheels) + "\n"
    if pins.is_file() and pins.read_text() == wanted:
        return packages
    print(f"real: installing {' '.join(row.wheels)}", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    pip = WHEELS / f"pip{getattr(row, 'python', 0) or ''}"
    if not (pip / "bin/python").exists() and subprocess.run([interpreter(row), "-m", "venv", pip]).returncode:
        stop("python3 -m venv failed: install the package python3-venv")
    if subprocess.run([pip / "bin/python", "-m", "pip", "install", "-q", "--target", packages, *row.wheels],
                      stdout=sys.stderr, env=compiling()).returncode:
        stop(f"could not install {' '.join(row.wheels)}: is the network up?")
    make_site(packages)
    pins.write_text(wanted)
    return packages


def compiling():
    """Returns the environment in which pip compiles a wheel that is not available; it links with our driver."""
    toolkit = (ROOT / "build/cuda_root.txt").read_text().strip()
    libraries = ":".join(str(folder) for folder in sorted(ROOT.glob("build/*/lib")))
    return dict(os.environ, CUDA_ROOT=toolkit, PATH=f"{toolkit}/bin:{os.environ['PATH']}", LIBRARY_PATH=libraries)


def interpreter(row):
    """Returns the Python for the row, or "" if this machine has none that is new enough."""
    least = getattr(row, "python", 0)
    if sys.version_info.minor >= least:
        return sys.executable
    folders = os.environ["PATH"].split(":")
    found = (shutil.which(f"python3.{minor}", path=folder) for minor in range(least, least + 4) for folder in folders)
    return next((path for path in found if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0), "")


def make_site(packages):
    """Makes Python process the wheels' .pth files, with which some import their modules at startup. It only does so in site folders."""
    if any(packages.glob("*.pth")):
        (packages / "sitecustomize.py").write_text("import os\nimport site\n\nsite.addsitedir(os.path.dirname(__file__))\n")
