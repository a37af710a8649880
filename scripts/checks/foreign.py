#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that files of someone else are opened by one reader, and commands of theirs started by one command.

Usage: scripts/checks/foreign.py [--list] | --self-test

  opens    A source of the harness opens files by harness/base/files/foreign_file.h. Every other one that opens a file is
           named here, with the file that it opens and why that is no one else's.
  starts   A source that starts a process is named here, with what it starts. The program of a finding is started by
           `afterlife run`, `replay` and `minimize` alone.

--list prints what is named here. --self-test plants an open and a start in each part of the tree; each must be found.
Exit: 0 all named, 1 not, 3 usage. Example: scripts/checks/foreign.py --list
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

OPENING = re.compile(r"\b(?:i?fstream|filebuf)\s+\w+\s*[({]|\b(?:fopen|freopen|creat|openat2?|read_whole_file|read_begin|sqlite3_open\w*)\s*\("
                     r"|(?<!\w)::open\s*\(|\bopen\(.*\bO_[A-Z]+|\bifstream\s*[({]|\bDatabase\s+\w+\s*[({]|\bDatabase\s*[({][^)}]")
STARTING = re.compile(r"\b(?:run_process|run_tool|run_limited|posix_spawnp?|popen|_?[fF]ork|vfork|exec[vl]p?e?|execveat)\s*\(|\bRunningProcess\s+\w+[({]|\bRunningProcess>"
                      r"|(?<![\w.>])(?:std::)?system\s*\(")
CLIENT = re.compile(r"\bclient::(?:replay|search|Client)\b")

# Files that read possibly foreign data, which they may only do through ForeignFile.
READER = "harness/base/files/foreign_file.cpp"

# Source or folder | the file that it opens, and why that file is not foreign.
OPENS = {
    "harness/base/files/held_folder.cpp": "the folder that it locks",
    "harness/base/files/read.cpp": "the reader of our own files, for those that are named here",
    "harness/base/files/read.h": "declares it",
    "harness/base/files/whole_file.cpp": "the new file that it writes",
    "harness/core/instruments/": "the program itself, for the names in it",
    "harness/base/process/process.cpp": "/dev/null and files of the kernel",
    "harness/base/process/standstill.cpp": "files of the kernel",
    "harness/device_code/ptx/": "our cache of translations, and the maps of the process",
    "harness/device_code/nvrtc/": "the compiler's results in our own folder, and our cache",
    "harness/gate/": "measurements and canaries that the user names, which name no file",
    "harness/client/border/": "reports of a process that `run` started, in a folder of ours",
    "harness/client/outside/": "reports of a process that `run` started, in a folder of ours, and the program that it runs",
    "harness/client/views/source_lines.cpp": "the source of the program under `run`",
    "harness/devices/": "the modules that a program loads, and files of the kernel",
    "harness/nightly/database.h": "declares the one class that opens SQLite, which checks its file",
    "harness/nightly/database.cpp": "the file of a history, checked before and after (foreign_rows.h)",
    "harness/nightly/foreign_rows.cpp": "a history in memory, to compare with",
    "harness/nightly/transfer.cpp": "the history that an import makes",
    "harness/nightly/shard/shard_folder.cpp": "a folder, to have it on the disk",
    "harness/nightly/shard/build_search.cpp": "what a search of ours has just written",
    "harness/nightly/shard/cell_search.cpp": "what a search of ours has just written",
    "harness/client/inside/libcuda/": "what the program under `run` loads, and files of the kernel",
    "harness/device_code/libnvjitlink/": "what the program under `run` links",
    "harness/client/inside/preload/": "notes in a folder of ours",
    "harness/client/inside/stand_ins/": "the sources that the program under `run` compiles, as nvcc and ptxas would open them",
    "harness/fuzz/fuzz.cpp": "the inputs that libFuzzer was given, which are bytes",
    "harness/cli/good_program/good_program.cpp": "what a replay by the program that the user names has just written",
    "harness/nightly/command/resources.cpp": "/proc/cpuinfo",
    "harness/nightly/command/target_search.cpp": "the corpus in a scratch folder of ours",
    "harness/command/command_words.cpp": "the first line of the script that the user typed",
    "harness/client/command/trust.cpp": "the user's own key",
    "harness/cli/programs.cpp": "the tape of a path, in the tree's own corpus",
    "harness/client/command/gdb.cpp": "files of the kernel",
    "harness/client/command/view_place.cpp": "the beginning of the file that a view is to replace",
    "harness/command/streams.cpp": "/dev/null",
}

# Source or folder | the process that it starts.
STARTS = {
    "harness/base/process/": "starts what its callers name",
    "harness/driver/cuda/process": "a child that shares a device, for programs that fork",
    "harness/client/outside/": "the program under `run`: its command comes from a command line, or from `replay` of a finding",
    "harness/device_code/ptx/": "the compiler of translations, by its own name",
    "harness/device_code/nvrtc/": "the compiler, by its own name",
    "harness/devices/sim/kernels/symbolize.cpp": "addr2line of the machine, on the running program",
    "harness/gate/": "the benchmarks that the user names on the command line",
    "harness/client/command/gdb.cpp": "gdb, with afterlife itself in it, or the command of a finding that `replay` would start",
    "harness/client/command/selftest.cpp": "afterlife itself, on programs of ours beside its libraries",
    "harness/cli/good_program/asked.cpp": "the program that the user names, on a case of ours",
    "harness/nightly/command/build_search.cpp": "another build of afterlife",
    "harness/nightly/command/notice.cpp": "the command of --notify",
    "harness/nightly/command/replays.cpp": "afterlife itself, of a reproducer",
    "harness/nightly/command/report.cpp": "afterlife itself, of a reproducer",
    "harness/nightly/command/shards_at_once.cpp": "afterlife itself",
    "harness/nightly/command/target_search.cpp": "the fuzz target of a path, beside afterlife",
    "harness/client/inside/stand_ins/": "nvcc and ptxas of the machine, by their own names, for the program under `run`",
    "harness/client/inside/preload/": "passes on the calls of the program under `run`",
}

# Sources that may run the program of a finding.
RUNNERS = re.compile(r"harness/client/(?!inside/).*|harness/nightly/command/(?:programs/[a-z_]*|run_history)\.(?:h|cpp)")


def without_comments(text):
    """Returns the lines of code without comments; string literals are kept."""
    text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match[0].count("\n"), text, flags=re.S)
    return [re.sub(r"//.*", "", line) for line in text.splitlines()]


def named(table, file):
    """Returns the row of a table that a source belongs to, or None."""
    return next((row for row in table if file == row or file.startswith(row)), None)


def breaches_of(file, text):
    """Returns the complaints about one source, and the table rows that it needed."""
    found, needed = [], set()
    for number, line in enumerate(without_comments(text), 1):
        for pattern, table, what in ((OPENING, OPENS, "opens a file"), (STARTING, STARTS, "starts a process")):
            if not pattern.search(line) or file == READER:
                continue
            row = named(table, file)
            needed.add((what, row))
            if row is None:
                found.append(f"{file}:{number}: {what}, and is not named in scripts/checks/foreign.py: files of others are read by "
                             "harness/base/files/foreign_file.h, and only `run`, `replay` and `minimize` start a command of theirs")
        if CLIENT.search(line) and not RUNNERS.fullmatch(file):
            found.append(f"{file}:{number}: runs a program of a finding: only `afterlife run` and `afterlife replay` do")
    return found, needed


def sources(root):
    for folder in ("harness", "targets", "scenarios"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in {".h", ".cpp"} and "/tests/" not in name:
                yield name


def check(root):
    complaints, needed = [], set()
    count = 0
    for file in sources(root):
        found, rows = breaches_of(file, (root / file).read_text())
        complaints += found
        needed |= rows
        count += 1
    for what, table in (("opens a file", OPENS), ("starts a process", STARTS)):
        complaints += [f"scripts/checks/foreign.py: nothing in {row} {what} any more" for row in table
                       if (what, row) not in needed]
    print("\n".join(complaints) or f"foreign: {count} sources: {len(OPENS)} open files of our own, {len(STARTS)} start "
          "processes of our own, and all others read by ForeignFile")
    return 1 if complaints else 0


# ---- the self-test ----

# Source | line planted in it | whether it must be reported.
PLANTS = [
    ("harness/nightly/planted.cpp", "std::ifstream in(file, std::ios::binary);", True),
    ("harness/nightly/planted.cpp", "std::ifstream in{file};", True),
    ("harness/nightly/planted.cpp", "const std::string text = read_whole_file(file);", True),
    ("harness/nightly/planted.cpp", "Database database(file);", True),
    ("harness/nightly/record.cpp", "std::FILE* in = std::fopen(file.c_str(), \"r\");", True),
    ("harness/nightly/record.cpp", "const int number = ::open(file.c_str(), O_RDONLY);", True),
    ("harness/nightly/record.cpp", "const int number = open(file.c_str(), O_RDONLY);", True),
    ("harness/nightly/shard/planted.cpp", "::openat(folder, name, O_RDONLY);", True),
    ("harness/search/reproducer/file.cpp", "return read_whole_file(file, kReproducer);", True),
    ("harness/search/reproducer/planted.cpp", "std::fstream file(name);", True),
    ("harness/cli/planted.cpp", "if (read_begin(file, 64) == kBegin) return;", True),
    ("harness/nightly/command/planted.cpp", "sqlite3_open_v2(name, &handle, flags, nullptr);", True),
    ("harness/report/planted.cpp", "std::ifstream page(file);", True),
    ("harness/nightly/planted.cpp", "run_process(command, {}, stop);", True),
    ("harness/nightly/command/absent.cpp", "const ProcessEnd ended = run_process(command, {}, stop);", True),
    ("harness/cli/minimize.cpp", "::execvp(words[0], words);", True),
    ("harness/cli/triage.cpp", "if (::fork() == 0) return;", True),
    ("harness/report/planted.cpp", "std::system(command.c_str());", True),
    ("harness/cli/minimize.cpp", "client::replay(client, recorded.finding, stop);", True),
    ("harness/nightly/command/report.cpp", "const client::Client client{command, folder, 20};", True),
    ("harness/client/command/run_client.cpp", "client::replay(client, recorded.finding, stop);", False),
    ("harness/nightly/planted.cpp", "ForeignFile::named_by_user(file, \"export\").text();", False),
    ("harness/nightly/planted.cpp", "// std::ifstream in(file);", False),
    ("harness/nightly/planted.cpp", "Database& database() { return database_; }", False),
    ("harness/nightly/planted.cpp", "folder.open();", False),
    ("harness/base/files/read.cpp", "::open(file.c_str(), O_RDONLY);", False),
]


def self_test():
    rightly = 0
    for file, line, is_wrong in PLANTS:
        found, _ = breaches_of(file, f"namespace harness {{\n{line}\n}}\n")
        rightly += bool(found) == is_wrong
        if bool(found) != is_wrong:
            print(f"foreign: {file}: {line!r}: expected {'a complaint' if is_wrong else 'none'}, got {found}")
    print(f"foreign: {rightly} of {len(PLANTS)} plants judged rightly")
    return 0 if rightly == len(PLANTS) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print what is named here")
    parser.add_argument("--self-test", action="store_true")
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        return 3 if ended.code else 0
    if options.list:
        for title, table in (("opens", OPENS), ("starts", STARTS)):
            print("\n".join(f"{title}  {row:<55} {why}" for row, why in table.items()))
        return 0
    return self_test() if options.self_test else check(ROOT)


if __name__ == "__main__":
    sys.exit(main())
