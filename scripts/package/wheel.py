#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of an installed tree: the command, its libraries, and the plugin for pytest.

Usage: scripts/package/wheel.py TREE VERSION OUT

TREE is what `cmake --install` made; the wheel is written into the folder OUT, and its name is printed. What is installed stands where the
tree has it, below the environment's prefix: bin/afterlife finds lib/afterlife from there. The tag names the oldest glibc that has all
symbols which the files ask for.
Exit: 0 written, 2 not, 3 usage. Example: scripts/package/wheel.py build/package/tree 1.0.0 build/package
"""
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAME = "afterlife-gpu"
METADATA = """Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: Finds lifetime bugs in GPU programs without a GPU: use-after-free, data races between streams, stale CUDA graphs
License: Apache-2.0
Keywords: CUDA,GPU,use-after-free,data race,fuzzing,testing
Classifier: Framework :: Pytest
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Software Development :: Testing
Requires-Python: >=3.10
Description-Content-Type: text/markdown

"""
ENTRY_POINTS = "[pytest11]\npytest_afterlife = pytest_afterlife\n"
# The plugin, and the parts of the tree that a wheel contains; find_package() finds them below the prefix of an environment, too.
PLUGIN = "scripts/pytest/pytest_afterlife.py"
PARTS = ("bin/", "lib/afterlife/", "lib/cmake/", "include/", "share/")


# N of the symbol version 3.4.N of libstdc++ | glibc minor version of the oldest manylinux platform that has it.
LIBSTDCXX = ((30, 35), (32, 38), (33, 39), (34, 42))


def oldest_glibc(tree):
    """Returns the oldest minor version of glibc 2 that has all symbols the tree's files need, including those of libstdc++ there."""
    files = [str(path) for path in tree.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    asked = subprocess.run(["readelf", "-VW", *files], capture_output=True, text=True, check=True).stdout
    newest = max(int(patch) for patch in re.findall(r"Name: GLIBCXX_3\.4\.(\d+)", asked))
    platforms = [platform for patch, platform in LIBSTDCXX if newest >= patch]
    return max([int(minor) for minor in re.findall(r"Name: GLIBC_2\.(\d+)", asked)] + platforms)


def place_of(name, info):
    """Returns the path of a tree's file in a wheel: the command is a script, all other files are placed below the prefix."""
    return f"{info}.data/scripts/{name[4:]}" if name.startswith("bin/") else f"{info}.data/data/{name}"


def add(archive, records, name, data, executable=False):
    entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))  # A fixed time, so that equal trees make equal wheels.
    entry.external_attr = (0o100755 if executable else 0o100644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    records.append(f"{name},sha256={digest},{len(data)}")


def write_wheel(tree, version, out):
    info, tag = f"{NAME.replace('-', '_')}-{version}", f"py3-none-manylinux_2_{oldest_glibc(tree)}_x86_64"
    wheel, records = out / f"{info}-{tag}.whl", []
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted(tree.rglob("*")):
            name = path.relative_to(tree).as_posix()
            if path.is_file() and name.startswith(PARTS):
                add(archive, records, place_of(name, info), path.read_bytes(), bool(path.stat().st_mode & 0o100))
        add(archive, records, pathlib.Path(PLUGIN).name, (ROOT / PLUGIN).read_bytes())
        texts = {"METADATA": METADATA.format(name=NAME, version=version) + (ROOT / "README.md").read_text(), "entry_points.txt": ENTRY_POINTS,
                 "WHEEL": f"Wheel-Version: 1.0\nGenerator: afterlife\nRoot-Is-Purelib: false\nTag: {tag}\n", "LICENSE": (ROOT / "LICENSE").read_text()}
        for name, text in texts.items():
            add(archive, records, f"{info}.dist-info/{name}", text.encode())
        archive.writestr(f"{info}.dist-info/RECORD", "\n".join([*records, f"{info}.dist-info/RECORD,,", ""]))
    return wheel


def main():
    if len(sys.argv) != 4:
        print(__doc__, end="", file=sys.stdout if sys.argv[1:] == ["--help"] else sys.stderr)
        return 0 if sys.argv[1:] == ["--help"] else 3
    tree, version, out = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    try:
        print(write_wheel(tree, version, out))
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        print(f"wheel: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
