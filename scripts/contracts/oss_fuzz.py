#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the fuzz targets as OSS-Fuzz would, and checks what it asks of them.

Usage: scripts/contracts/oss_fuzz.py [--sanitizer address|undefined] [--out DIR] [--look-only] | --self-test

.clusterfuzzlite/build.sh runs with the environment that a builder of OSS-Fuzz, ClusterFuzz or ClusterFuzzLite sets.
Then each target is judged as their check of a build does, in an empty folder and with a bare environment: its name,
that it is linked with the engine, four runs with seed 1337 that end, its counters, the calls of its sanitizer (and
none of another), the libraries it needs, and that seeds, dictionary and options can be read. A tenth of the targets
may fail, as there; ours may not.

  --look-only   judges what --out holds, without building
  --self-test   plants a breach of each rule in what was built, and expects it to be found

Exit: 0 the contract holds, 1 it does not, 2 the build failed, 3 usage.
"""
import configparser
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common.command_line import CommandLine  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "build/contracts"
NAME = re.compile(r"[a-zA-Z0-9_-]+")
DICTIONARY_LINE = re.compile(r'\s*(#.*|([A-Za-z_]\w*(@\d+)?\s*=\s*)?"(\\x[0-9a-fA-F]{2}|\\\\|\\"|[^"\\])+")?\s*')
# Libraries that are installed in the image in which the targets run.
GIVEN = re.compile(r"(linux-vdso|ld-linux|libc|libm|libdl|librt|libpthread|libresolv|libstdc\+\+|libgcc_s)[-.]")
BASE_FLAGS = "-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION"
UNDEFINED = ("array-bounds,bool,builtin,enum,function,integer-divide-by-zero,null,object-size,return,"
             "returns-nonnull-attribute,shift,signed-integer-overflow,unsigned-integer-overflow,unreachable,vla-bound,vptr")
SANITIZER_FLAGS = {
    "address": "-fsanitize=address -fsanitize-address-use-after-scope",
    "undefined": f"-fsanitize={UNDEFINED} -fno-sanitize-recover={UNDEFINED.replace('unsigned-integer-overflow,', '')}",
}
LEAST_EDGES = 100
LEAST_CALLS = {"address": ("__asan_", 1000), "undefined": ("__ubsan_", 168)}
MOST_FOREIGN_UBSAN_CALLS = 200


def build(sanitizer, out):
    work = FOLDER / f"work-{sanitizer}"
    out.mkdir(parents=True, exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "SRC": str(ROOT.parent), "WORK": str(work),
        "OUT": str(out), "CC": "clang-19", "CXX": "clang++-19", "SANITIZER": sanitizer, "FUZZING_ENGINE": "libfuzzer",
        "ARCHITECTURE": "x86_64", "FUZZING_LANGUAGE": "c++", "LIB_FUZZING_ENGINE": "-fsanitize=fuzzer",
        "CFLAGS": f"{BASE_FLAGS} {SANITIZER_FLAGS[sanitizer]} -fsanitize=fuzzer-no-link",
        "CXXFLAGS": f"{BASE_FLAGS} {SANITIZER_FLAGS[sanitizer]} -fsanitize=fuzzer-no-link -stdlib=libc++",
    }
    script = ROOT / ".clusterfuzzlite/build.sh"
    if subprocess.run(["bash", "-eu", script], cwd=ROOT, env=environment, stdout=sys.stderr).returncode:
        print("oss_fuzz: .clusterfuzzlite/build.sh failed", file=sys.stderr)
        sys.exit(2)


def is_target(file):
    """Returns whether OSS-Fuzz's runner would take a file for a target."""
    return (file.is_file() and file.stat().st_mode & stat.S_IXUSR and NAME.fullmatch(file.name) is not None
            and b"LLVMFuzzerTestOneInput" in file.read_bytes())


def run(target, *arguments):
    """Runs a target in an empty folder that does not contain it. Returns its exit status and its output."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PATH": "/usr/bin:/bin", "ASAN_OPTIONS": "detect_stack_use_after_return=1:quarantine_size_mb=10"}
        try:
            ended = subprocess.run([target, *arguments], cwd=folder, env=environment, capture_output=True, timeout=600)
        except OSError as error:
            return 127, str(error)
        except subprocess.TimeoutExpired:
            return 124, "no end within 600 s"
    return ended.returncode, (ended.stdout + ended.stderr).decode(errors="replace")


def calls(target):
    """Returns how often a target calls the sanitizer runtimes, by the prefix of the functions."""
    listing = subprocess.run(["llvm-objdump-19", "-d", "--no-show-raw-insn", target], capture_output=True, text=True).stdout
    return {prefix: len(re.findall(rf"\bcallq?\s.*<{prefix}", listing)) for prefix in ("__asan_", "__ubsan_")}


def breaches_of_run(target):
    code, text = run(target, "-runs=4", "-seed=1337", "-rss_limit_mb=2560", "-timeout=25")
    if code or "Done 4 runs" not in text:
        yield f"four runs: exit {code}, and not 'Done 4 runs': {(text.strip().splitlines() or ['nothing'])[-1][:200]}"
    edges = sum(map(int, re.findall(r"INFO: Loaded \d+ PC tables \((\d+) PCs\)", text)))
    if edges < LEAST_EDGES:
        yield f"{edges} counters, and not at least {LEAST_EDGES}"


def breaches_of_sanitizer(target, sanitizer):
    found = calls(target)
    prefix, least = LEAST_CALLS[sanitizer]
    if found[prefix] < least:
        yield f"{found[prefix]} calls of {prefix}*, and not at least {least}"
    if sanitizer != "undefined" and found["__ubsan_"] > MOST_FOREIGN_UBSAN_CALLS:
        yield f"{found['__ubsan_']} calls of __ubsan_*, which another build is for"


def breaches_of_libraries(target, out):
    listing = subprocess.run(["ldd", target], capture_output=True, text=True).stdout
    for line in listing.splitlines():
        name, _, where = line.strip().partition(" => ")
        if not GIVEN.match(pathlib.Path(name.split()[0]).name) and not where.startswith(f"{out.resolve()}/"):
            yield f"needs {name.split()[0]}, which is not in {out.name}/lib"


def breaches_of_files(target, out):
    seeds = out / f"{target.name}_seed_corpus.zip"
    try:
        if not zipfile.ZipFile(seeds).namelist() or zipfile.ZipFile(seeds).testzip():
            yield f"{seeds.name} holds no seeds, or broken ones"
    except (OSError, zipfile.BadZipFile) as error:
        yield f"{seeds.name}: {error}"
    options = configparser.ConfigParser()
    try:
        options.read_string((out / f"{target.name}.options").read_text())
        if unknown := set(options.sections()) - {"libfuzzer", "asan", "ubsan", "msan", "env"}:
            yield f"{target.name}.options has a section that no one reads: {', '.join(unknown)}"
    except (OSError, configparser.Error) as error:
        yield f"{target.name}.options: {str(error).splitlines()[0]}"
    try:
        lines = (out / f"{target.name}.dict").read_text().splitlines()
    except OSError as error:
        lines = []
        yield f"{target.name}.dict: {error}"
    for number, line in enumerate(lines, 1):
        if not DICTIONARY_LINE.fullmatch(line):
            yield f"{target.name}.dict:{number} is no entry: {line[:60]}"


def breaches(out, sanitizer):
    """Returns the breaches of the contract by the build in a folder, one per line."""
    targets = sorted(filter(is_target, out.iterdir()))
    wanted = {f"fuzz_{seeds.parent.name}" for seeds in ROOT.glob("corpus/*/seeds")}
    found = [f"{name}: not built, or not linked with the engine" for name in sorted(wanted - {t.name for t in targets})]
    for target in targets:
        for rule in (breaches_of_run(target), breaches_of_sanitizer(target, sanitizer),
                     breaches_of_libraries(target, out), breaches_of_files(target, out)):
            found += [f"{target.name}: {line}" for line in rule]
    return found


# ---- the self-test: a folder with the breach, made from what was built ----

def replace(file, content, executable=False):
    file.unlink()
    file.write_bytes(content)
    file.chmod(0o755 if executable else 0o644)


def plants(out):
    """Returns planted breaches by name: the change to make in a copy, and a part of the line that must report it."""
    target = "fuzz_example"
    script = b"#!/bin/sh\n# LLVMFuzzerTestOneInput\nexit 0\n"
    plain = (out / target).read_bytes()
    return {
        "no target": (lambda copy: (copy / target).unlink(), "not built"),
        "not linked with the engine": (lambda copy: replace(copy / target, b"#!/bin/sh\n", True), "not linked with"),
        "ends at once": (lambda copy: replace(copy / target, script, True), "Done 4 runs"),
        "counts nothing": (lambda copy: replace(copy / target, script, True), "0 counters"),
        "no sanitizer": (lambda copy: replace(copy / target, script, True), "calls of __asan_"),
        "a name of their own": (lambda copy: (copy / target).rename(copy / f"{target}.bin"), "not built"),
        "a library left out": (lambda copy: shutil.rmtree(copy / "lib"), "needs libfmt"),
        "a broken archive": (lambda copy: replace(copy / f"{target}_seed_corpus.zip", b"PK\x03\x04 no"), "seed_corpus.zip"),
        "no seeds": (lambda copy: replace(copy / f"{target}_seed_corpus.zip", b"PK\x05\x06" + bytes(18)), "no seeds"),
        "options that do not parse": (lambda copy: replace(copy / f"{target}.options", b"max_len = 4\n"), ".options"),
        "a section that no one reads": (lambda copy: replace(copy / f"{target}.options", b"[fuzzer]\n"), "no one reads"),
        "a dictionary with a bare word": (lambda copy: replace(copy / f"{target}.dict", b"word\n"), "no entry"),
        "truncated": (lambda copy: replace(copy / target, plain[: len(plain) // 2], True), "not "),
    }


def self_test(out):
    wrong = 0
    for name, (breach, telling) in plants(out).items():
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "out"
            shutil.copytree(out, copy)
            for other in copy.glob("fuzz_*"):  # One target is enough; this one is the fastest.
                if not other.name.startswith("fuzz_example"):
                    other.unlink()
            breach(copy)
            told = [line for line in breaches(copy, "address") if line.startswith("fuzz_example") and telling in line]
        wrong += not told
        print(f"  {'found' if told else 'NOT FOUND'}: {name}")
    print(f"oss_fuzz: {len(plants(out)) - wrong} of {len(plants(out))} planted breaches were found")
    return 1 if wrong else 0


def main():
    parser = CommandLine(__doc__)
    parser.add_argument("--sanitizer", choices=sorted(SANITIZER_FLAGS), default="address")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--look-only", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    out = (options.out or FOLDER / f"out-{options.sanitizer}").resolve()
    if not options.look_only:
        build(options.sanitizer, out)
    if options.self_test:
        return self_test(out)
    found = breaches(out, options.sanitizer)
    print("\n".join(found) if found else
          f"oss_fuzz: {len(list(filter(is_target, out.iterdir())))} targets keep the contract ({options.sanitizer})")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
