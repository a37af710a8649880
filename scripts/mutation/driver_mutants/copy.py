# SPDX-License-Identifier: Apache-2.0
"""The copy of the tree that holds every mutant of the driver, and its tests."""
import pathlib
import subprocess

from common import programs
from common import tree_copy
from mutation.driver_mutants import switches
from mutation.driver_mutants.rules import NO_MUTANT

HERE = pathlib.Path(__file__).resolve().parent
SIM = "harness/devices/sim/"
LISTENER = "harness/devices/tests/cuda_mutants_test.cpp"
TESTS = ("/(cuda|cuda_[a-z_]+|user_object|driver_lock|kernel_runner|provenance|packed_pointer|libcuda|libcuda_threads"
         "|host_knowledge[a-z_]*)_test")


class CannotBuild(Exception):
    """The copy does not build: a change is not valid C++ in its place."""


class Copy:
    """A copy of the tree in a folder. Its path is as long as the tree's, so that ccache recognizes equal files."""

    def __init__(self, folder, rules):
        self.tree, self.build_folder = folder / "tree", folder / "tree" / "build" / "dev"
        self.rules = rules

    def texts(self):
        """Returns the sources that differ from the tree's, by path."""
        by_file = {}
        for rule in self.rules:
            by_file.setdefault(SIM + rule.file, []).append((rule, rule.number))
        found = {file: switches.switch_all(file, (programs.ROOT / file).read_text(), of_file)
                 for file, of_file in by_file.items()}
        found[switches.HEADER] = (HERE / "mutant.h.in").read_text().replace("@COUNT@", str(NO_MUTANT))
        found[LISTENER] = (HERE / "listener.cpp.in").read_text()
        return found

    def write(self):
        """Updates the copy. Equal files are not written, to avoid building them again."""
        texts = self.texts()
        tree_copy.copy_tree(self.tree, texts)

    def build(self):
        if not (self.build_folder / "build.ninja").exists():  # No nvcc, since nothing here runs on a GPU.
            self.run("cmake", "--preset", "dev", "-S", self.tree, "-DNVCC=", f"-DAFTERLIFE_TESTS={TESTS}",
                     "-DAFTERLIFE_DRIVER_TESTS=ON")
        self.run("ninja", "-k", "0", "-C", self.build_folder, "afterlife_tests")

    def run(self, *command):
        ended = subprocess.run([str(word) for word in command], cwd=self.tree, capture_output=True, text=True)
        if ended.returncode:
            raise CannotBuild(f"{command[0]} failed:\n{ended.stdout[-6000:]}{ended.stderr[-2000:]}")

    @property
    def program(self):
        return self.build_folder / "afterlife_tests"
