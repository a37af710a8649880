# SPDX-License-Identifier: Apache-2.0
"""Tree copy: a copy of the tree to be changed and built, for checks that do so."""
import pathlib
import shutil

from checks import hygiene
from common import programs

NOTE = pathlib.Path("build/cuda_root.txt")  # Contains the location of CUDA. It is needed, though it is not a file of the tree.


def copy_tree(tree, texts=None):
    """Makes `tree` a copy of the source tree, except that `texts` gives the content of some paths. Unchanged files are not written, so that they are not
    built again; tree/build is kept."""
    texts = texts or {}
    for name, text in texts.items():
        there = tree / name
        if not there.is_file() or there.read_text() != text:
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_text(text)
    names = {file.relative_to(programs.ROOT) for file in hygiene.tree_files() if file.is_file()}
    names |= {NOTE} if (programs.ROOT / NOTE).is_file() else set()
    for name in names - {pathlib.Path(name) for name in texts}:
        here, there = programs.ROOT / name, tree / name
        if there.is_file() and there.read_bytes() == here.read_bytes():
            continue
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(here, there)
    for top in tree.iterdir():
        for file in [top] if top.is_file() else top.rglob("*") if top.name != "build" else ():
            if file.is_file() and file.relative_to(tree) not in names and str(file.relative_to(tree)) not in texts:
                file.unlink()
