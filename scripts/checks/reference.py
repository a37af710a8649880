#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the generated parts of the reference, and checks that they are up to date.

Usage: scripts/checks/reference.py [--commands PRESET] [--check] | --self-test

A file of harness/docs/reference is generated whole (.tsv, .txt), or between the lines `<!-- generated: scripts/checks/reference.py -->`
and `<!-- end -->` (.md). The files and their sources:

  driver-functions.tsv   the rows of harness/driver/cuda/cuda.def
  runtime-functions.tsv  the rows of harness/client/inside/libcudart/cudart.def
  faults.md              the rows of harness/core/fault/fault.def
  commands.txt           `afterlife --help` of each command, with --commands PRESET only

It also checks that harness/devices/sim/functions.tsv names each function of harness/driver/cuda/cuda.def, and besides older forms
(harness/driver/cuda/aliases.def) no other.

  --check  writes nothing; prints the files that are out of date

Exit: 0 clean, 1 out of date or a function without a row, 2 no compiler or program, 3 usage. --self-test plants one defect per rule.
"""
import collections
import itertools
import re
import subprocess
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import command_line  # noqa: E402
from checks import hygiene  # noqa: E402
from common import programs  # noqa: E402

ROOT = hygiene.ROOT
PAGES = ROOT / "harness/docs/reference"
PART = re.compile(r"(<!-- generated: scripts/checks/reference\.py -->\n).*?(<!-- end -->)", re.S)
COLUMNS = 100
COMMON_EXIT = "Exit: 0 every claim"
NEVER_FAILS = "CUDA_SUCCESS"

DRIVER = ("CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments)", "@ROW name failure", "harness/driver/cuda/cuda.def")
RUNTIME = ("CUDART_ROW(name, status, twin, group, test)", "@ROW name status group test", "harness/client/inside/libcudart/cudart.def")
FAULTS = ("FAULT_KIND(name, label, oracle, verb, summary)", "@ROW label | oracle | summary", "harness/core/fault/fault.def")


def preprocessed(macro, line, table):
    """Returns the rows of a table of macros, each expanded to `line`, with the titles in its comments."""
    source = f"#define {macro} {line}\n#include \"{table}\"\n"
    ended = subprocess.run(["c++", "-E", "-P", "-C", "-x", "c++", f"-I{ROOT}", "-"], input=source, capture_output=True, text=True)
    if ended.returncode:
        raise OSError(ended.stderr.strip().splitlines()[0])
    return ended.stdout.splitlines()


def sections(lines):
    """Returns the rows below each title, in order: title -> list of words."""
    found = collections.OrderedDict({"": []})
    for line in lines:
        if title := re.match(r"// -{4} (.*?) -{4}", line):
            found.setdefault(title[1], [])
        elif row := re.match(r"\s*@ROW (.*)", line):
            found[next(reversed(found))].append(row[1].split())
    return found


def base(name):
    """Returns the name of a function without its version and the suffix of its twin."""
    return re.sub(r"_v\d+$", "", re.sub(r"_pt[ds][sz]$", "", name))


def paragraph(words, first="", rest=""):
    """Returns the words separated by spaces, in lines of at most COLUMNS."""
    lines, line = [], first
    for word in words:
        if line.strip(" -") and len(line) + 1 + len(word) > COLUMNS:
            lines.append(line)
            line = rest
        line += ("" if line in (first, rest) else " ") + word
    return "\n".join([*lines, line])


def tsv(head, rows):
    return "\n".join("\t".join(row) for row in [head, *rows]) + "\n"


def driver_functions(lines):
    """Returns a row for each function: its name without version and twin, the topic, and the error that can be injected."""
    functions = collections.OrderedDict()
    for title, rows in sections(lines).items():
        for name, failure in rows:
            topic, error = functions.get(base(name), (title, ""))
            functions[base(name)] = (topic, error if failure == NEVER_FAILS else failure)
    return tsv(["function", "topic", "error that can be injected"], [[name, *row] for name, row in functions.items()])


def runtime_functions(lines):
    """Returns a row for each function: name, status, group of the documentation, test."""
    rows = [row for rows in sections(lines).values() for row in rows]
    named = [[name, status, group.removeprefix("CUDART_").lower().replace("_", " "), "" if test == "none" else test.replace("_", ".", 1)]
             for name, status, group, test in rows]
    return tsv(["function", "status", "group", "test"], sorted(named))


def faults(lines):
    """Returns a row for each kind of fault: label, owner, meaning."""
    text = "\n".join(lines)
    rows = [[re.sub(r'"\s*"|"', "", cell).strip() for cell in row.split("|")] for row in re.findall(r"@ROW (.*?)(?=\n@ROW|\Z)", text, re.S)]
    table = [f"- `{label}`" + (f" (oracle `{owner}`)" if owner != label else "") + f": {meaning}." for label, owner, meaning in rows]
    return "\n".join(["", *(paragraph(row.split(), "", "  ") for row in table), ""])


def items_of(text):
    """Returns the lines of a help text without alignment and examples. Each option is one line, even if the help text breaks it."""
    items = []
    for block in re.split(r"\n\n+", text.strip()):
        fresh = True
        for raw in () if block.startswith("Examples:") else block.splitlines():
            line = re.sub(r"\s{2,}", "  ", raw.strip())
            if fresh or not raw.startswith(" " * 12) and (raw.startswith("  ") or raw.startswith("Usage:") or raw.endswith(":") and raw.istitle()):
                items.append(line)
            else:
                items[-1] += ("  " if raw.startswith(" ") and "  " not in items[-1] else " ") + line
            fresh = False
    return [item for item in items if not item.startswith(("-h,--help", COMMON_EXIT, "--json  One JSON object on stdout")) and not re.match(r"Usage:|(Options|Positionals|Subcommands):$", item)]


def inner_commands(text):
    listed = re.search(r"^Subcommands:\n(.*?)(?:\n\n|\Z)", text, re.M | re.S)
    return re.findall(r"^  ([a-z]+) +\S", listed[1], re.M) if listed else []


def block_of(title, items, above=()):
    """Returns a command's options under its name. Options shared with the command above are only named."""
    shared = [item.split()[0] for item in items if item in above and item.startswith("--")]
    lines = [item for item in items if item not in above] + ([f"Options of `{title.split()[0]}`: {' '.join(shared)}"] if shared else [])
    return f"== {title} ==\n\n" + "\n".join(paragraph(line.split(" "), "", "    ") for line in lines)


def commands(run):
    """Returns the --help text of each command, without examples."""
    blocks = []
    for name in inner_commands(run("--help")):
        text = run(name, "--help")
        blocks.append(block_of(name, items_of(text)))
        blocks += [block_of(f"{name} {part}", items_of(run(name, part, "--help")), items_of(text)) for part in inner_commands(text)]
    return "\n\n".join(blocks) + "\n"


def expanded(pattern):
    """Returns the names that a word with {a,b} stands for."""
    parts = [part.split(",") if index % 2 else [part] for index, part in enumerate(re.split(r"\{(.*?)\}", pattern))]
    return ["".join(choice) for choice in itertools.product(*parts)]


def unnamed(table, names, others=()):
    """Returns the functions without a row of the table, and names in the table that are neither a function nor one of the others."""
    listed = {name for row in table.splitlines()[1:] for word in row.split("\t")[0].split() if word.startswith("cu") for name in expanded(word)}
    return sorted(set(names) - listed), sorted(listed - set(names) - set(others))


def with_part(page, part):
    return PART.sub(lambda found: found[1] + part + found[2], page) if PART.search(page) else part


def parts_of(preset):
    """Returns the generated part of each file."""
    driver = preprocessed(*DRIVER)
    parts = {"driver-functions.tsv": driver_functions(driver), "runtime-functions.tsv": runtime_functions(preprocessed(*RUNTIME)),
             "faults.md": faults(preprocessed(*FAULTS))}
    if preset:
        parts["commands.txt"] = commands(lambda *arguments: programs.run(preset, "afterlife", *arguments, env={"COLUMNS": "100"}).out)
    return parts, [base(row[0]) for rows in sections(driver).values() for row in rows]


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 0 if self_test() else 1
    parser = command_line.CommandLine(__doc__)
    parser.add_argument("--commands", metavar="PRESET")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    try:
        parts, names = parts_of(options.commands)
    except OSError as error:
        print(f"reference: {error}", file=sys.stderr)
        return 2
    older = map(base, re.findall(r"^CUDA_ALIAS\w*\((\w+)", (ROOT / "harness/driver/cuda/aliases.def").read_text(), re.M))
    missing, unknown = unnamed((ROOT / "harness/devices/sim/functions.tsv").read_text(), names, [*older, "cuGetProcAddress"])
    lines = [f"harness/devices/sim/functions.tsv: no row names {name}" for name in missing]
    lines += [f"harness/devices/sim/functions.tsv: names {name}, which is in no row of harness/driver/cuda/cuda.def" for name in unknown]
    for name, part in parts.items():
        page = (PAGES / name).read_text() if (PAGES / name).exists() else ""
        if with_part(page, part) != page:
            lines += [f"harness/docs/reference/{name}: out of date: run ./scripts/checks/reference.py"] if options.check else []
            if not options.check:
                (PAGES / name).write_text(with_part(page, part))
    print("\n".join(lines) or f"reference: {len(parts)} generated files are up to date, and {len(set(names))} functions have a row")
    return 1 if lines else 0


PLANTED_ROWS = ["// ---- memory ----", "@ROW cuMemAlloc_v2 CUDA_ERROR_OUT_OF_MEMORY", "@ROW cuMemFree_v2 CUDA_SUCCESS",
                "@ROW cuMemsetD8_v2_ptds CUDA_SUCCESS", "// ---- empty ----"]
PLANTED_HELP = "Lists things\nUsage: list\n\nOptions:\n  -h,--help     Print this\n  --seed        Where it\n                starts\n\n\nExamples:\n  list --json\n"
PLANTED_TABLE = "functions\tbehaviour\ncuMem{Alloc,Free}\tcomplete\n"


def self_test():
    """Returns whether each defect is detected, and each part follows from its rows."""
    functions = driver_functions(PLANTED_ROWS)
    runtime = runtime_functions(["@ROW cudaMalloc own CUDART_MEMORY Memory_IsAllocated", "@ROW cudaGetFlag unsupported CUDART_MEMORY_POOLS none"])
    kinds = faults(['@ROW "crash" | "crash" | "ends " "early"', '@ROW "order" | "data_race" | "races"'])
    help_texts = {("--help",): "Subcommands:\n  list   Lists\n", ("list", "--help"): PLANTED_HELP}
    page = "a\n<!-- generated: scripts/checks/reference.py -->\nold\n<!-- end -->\nb\n"
    seen = [unnamed(PLANTED_TABLE, ["cuMemAlloc", "cuMemFree"]) == ([], []),
            unnamed(PLANTED_TABLE, ["cuMemAlloc", "cuMemFree", "cuInit"]) == (["cuInit"], []),
            unnamed(PLANTED_TABLE, ["cuMemAlloc"]) == ([], ["cuMemFree"]) and unnamed(PLANTED_TABLE, ["cuMemAlloc"], ["cuMemFree"]) == ([], []),
            functions.splitlines()[1:] == ["cuMemAlloc\tmemory\tCUDA_ERROR_OUT_OF_MEMORY", "cuMemFree\tmemory\t", "cuMemsetD8\tmemory\t"],
            runtime.splitlines()[1:] == ["cudaGetFlag\tunsupported\tmemory pools\t", "cudaMalloc\town\tmemory\tMemory.IsAllocated"],
            "- `crash`: ends early.\n- `order` (oracle `data_race`): races." in kinds,
            "== list ==\n\nLists things\n--seed  Where it starts\n" in commands(lambda *arguments: help_texts[arguments]),
            with_part(page, "new\n") == page.replace("old", "new") and with_part("old\n", "new\n") == "new\n", len(max(paragraph(["word"] * 99, "- ", "  ").split("\n"), key=len)) <= COLUMNS]
    print(f"reference: {sum(seen)} of {len(seen)} plants judged rightly")
    return all(seen)


if __name__ == "__main__":
    sys.exit(main())
