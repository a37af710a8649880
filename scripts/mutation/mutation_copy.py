# SPDX-License-Identifier: Apache-2.0
"""The copy of the tree that holds every mutant: which there are, how it is written and built."""
import hashlib
import importlib.util
import pathlib
import re
import subprocess

from mutation import mutation_points

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutation"
COPY = BUILD / "tree"


def folder_of(preset):
    """Returns the build folder of the copy. Its path is as long as the tree's, so that unmutated files are found in the compiler cache."""
    return COPY / "build" / preset


PROGRAM = folder_of("dev") / "afterlife"
SCORER = "triage_mutants"  # A program that is in the copy alone.
SCORER_BUILD = f"""
add_executable({SCORER} harness/fuzz/{SCORER}.cpp harness/cli/good_program/path_places.cpp
  $<TARGET_OBJECTS:tables>)
foreach(path ${{paths}})
  target_sources({SCORER} PRIVATE $<TARGET_OBJECTS:path_${{path}}>)
endforeach()
target_link_libraries({SCORER} PRIVATE flags engine)
"""
NUMBERS_PER_FILE, NUMBERS_PER_PATH, PATH_LIMIT = 500, 20_000, 20
NO_MUTANT = NUMBERS_PER_PATH * PATH_LIMIT


class CannotMutate(Exception):
    """The copy does not build, or a policies.py does not match its sources."""


class Path:
    """One path under test: the points to mutate, and the known results of the mutants."""

    def __init__(self, name):
        self.name = name
        spec = importlib.util.spec_from_file_location(f"{name}_policies", ROOT / "scenarios" / name / "policies.py")
        self.declared = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.declared)
        self.mutants, self.texts = [], {}  # A mutant's number is its position in the list of all paths.

    def add_points(self, first_number):
        """Reads the sources. The numbers have gaps, so that an edit of one file requires building only that file again."""
        skip = re.compile(self.declared.SCENERY)
        number = first_number
        for file, functions in self.declared.SOURCES.items():
            text = (ROOT / "targets" / self.name / file).read_text()
            wanted = (lambda name: True) if functions is ... else (lambda name: name in functions)
            source = mutation_points.Source(file, text, wanted, skip, number)
            if functions is not ... and (gone := set(functions) - source.functions):
                raise CannotMutate(f"{self.name}/{file} has no function {', '.join(sorted(gone))}")
            for name, of, what, instead in self.declared.BY_HAND:
                if of == file:
                    source.by_hand(name, what, instead)
            self.mutants += source.points
            self.texts[file] = source.mutated(f"targets/{self.name}/")
            if source.number > number + NUMBERS_PER_FILE:
                raise CannotMutate(f"{file} has more than {NUMBERS_PER_FILE} mutants")
            number += NUMBERS_PER_FILE
        if number > first_number + NUMBERS_PER_PATH:
            raise CannotMutate(f"{self.name} has too many files")

    def listed(self):
        """Returns each entry of the list: the names of mutants, and why they change nothing. A name ending in * stands for all mutants whose names begin so
        and that no run of a sound variant ever reaches."""
        file, found, names = ROOT / "scenarios" / self.name / "equivalent_mutants.txt", [], []
        for line in file.read_text().splitlines() if file.exists() else ():
            if line.startswith("    "):
                found[-1:] = [(names, (found[-1][1] + " " + line.strip()).strip())]
            elif line and not line.startswith("#"):
                if not found or found[-1][1]:
                    names = []
                    found.append((names, ""))
                names.append(line.strip())
        return found

    def equivalents(self):
        """Returns the names of the mutants listed with their full names, each with the reason why it changes nothing."""
        return {name: reason for names, reason in self.listed() for name in names if not name.endswith("*")}

    def unreached(self):
        """Returns the same for the mutants that are listed as never reached."""
        begins = [(name[:-1], reason) for names, reason in self.listed() for name in names if name.endswith("*")]
        return {point.id: reason for point in self.mutants for begin, reason in begins if point.id.startswith(begin)}


def all_paths():
    return [file.parent.name for file in sorted(ROOT.glob("scenarios/*/policies.py"))]


def read_paths(names):
    """Returns the named paths, and all paths. All are always read, since the copy contains all."""
    paths = [Path(name) for name in all_paths()]
    for index, path in enumerate(paths):
        path.add_points(index * NUMBERS_PER_PATH)
    return [path for path in paths if not names or path.name in names], paths


def copy_tree(paths):
    """Updates the copy; unchanged files are not written again."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True,
                            check=True).stdout.decode().split("\0")
    texts = {name: (ROOT / name).read_bytes() for name in listed
             if name.split("/")[0] in ("harness", "scenarios", "targets", "scripts", "corpus", "CMakeLists.txt",
                                      "CMakePresets.json")
             and (ROOT / name).is_file()}
    for path in paths:
        for file, text in path.texts.items():
            texts[f"targets/{path.name}/{file}"] = text.encode()
    texts[mutation_points.HEADER] = (ROOT / "scripts/mutation" / (mutation_points.HEADER + ".in")).read_text().replace(
        "@COUNT@", str(NO_MUTANT)).encode()
    texts[f"harness/fuzz/{SCORER}.cpp"] = (ROOT / "scripts/mutation" / f"{SCORER}.cpp.in").read_bytes()
    texts["CMakeLists.txt"] += SCORER_BUILD.encode()
    texts["build/cuda_root.txt"] = (ROOT / "build/cuda_root.txt").read_bytes()
    for name, text in texts.items():
        file = COPY / name
        if not file.is_file() or file.read_bytes() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text)
    for folder in ("harness", "scenarios", "targets", "corpus"):
        for file in (COPY / folder).rglob("*"):
            if file.is_file() and str(file.relative_to(COPY)) not in texts:
                file.unlink()
    return hashlib.sha256(repr(sorted((n, hashlib.sha256(t).hexdigest()) for n, t in texts.items()
                                      if not n.startswith("scripts/"))).encode()).hexdigest()


def build(*targets, preset="dev"):
    """Builds these programs of the copy, or by default the command-line program."""
    folder = folder_of(preset)
    if not (folder / "build.ninja").exists():  # No nvcc, since nothing here runs on a GPU.
        run_or_fail("cmake", "--preset", preset, "-DNVCC=", "-S", COPY, cwd=COPY)
    run_or_fail("ninja", "-k", "0", "-C", folder, *(targets or ["afterlife"]))


def run_or_fail(*command, cwd=ROOT):
    ended = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)
    if ended.returncode:
        raise CannotMutate(f"{command[0]} failed:\n{ended.stdout[-20000:]}{ended.stderr[-2000:]}")
