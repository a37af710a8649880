#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the README in the order in which they are written.

Usage: scripts/readme/run.py [--preset PRESET] [--self-test]

A command is a line of a block that begins with ```sh, or a word in backticks that begins with `afterlife ` or `./scripts/`. It must end with exit
code 0, or with N where a comment behind it says `exit N`; a command with a word in capitals (FILE, COMMAND) is run with an example in its place.
`afterlife` is that of build/PRESET (release). Commands that install, build, test or search for hours are not run here (NOT_RUN says why), and the
share of those that were is printed: it must be at least 60 %.

Prints a line for each command that ended otherwise, and what it printed. Exit: 0 all ended as written, 1 one did not, 2 no build, 3 usage.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import programs  # noqa: E402
from common.command_line import CommandLine  # noqa: E402

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)
INLINE = re.compile(r"`((?:afterlife|\./scripts/)[^`]*)`")
LEAST_SHARE = 0.6
LIMIT_SECONDS = 600

# Beginning of a command | the reason why it is not run here.
NOT_RUN = [
    ("export ", "sets the shell's PATH"), ("./scripts/fuzz.sh", "builds, and comes before this"), ("./scripts/test.sh", "calls this"),
    ("./scripts/nightly.sh", "takes hours"), ("afterlife --help", "names no command"),
]
# Placeholder in capitals | the text that replaces it.
EXAMPLES = {
    "FILE": "corpus/graph_argument/repros/borrow-argument_dropped.repro", "PAGE": "page.html", "PATH": "example",
    "COMMAND": "python3 harness/client/tests/clients/sound.py", "BASE...": "echo 1", "HEAD...": "echo 1",
}
# Limits for searches that the README leaves unlimited.
LIMITS = [("afterlife run --seconds 60", "afterlife run --seconds 2"), ("afterlife fuzz example", "afterlife fuzz example --runs 2000"),
          ("afterlife gate ", "afterlife gate --seconds 5 ")]
# The contents of the file that replaces `LIST`.
PROGRAMS = f"""[[program]]
name = "sound"
command = ["python3", "{programs.ROOT}/harness/client/tests/clients/sound.py"]
seconds = 2
"""


def commands_of(text):
    """Yields the commands of a document in order, each with the exit code given in the comment after it."""
    found = [(match.start(), line) for match in BLOCK.finditer(text) for line in match[1].splitlines()]
    found += [(match.start(), match[1]) for match in INLINE.finditer(BLOCK.sub(lambda m: " " * len(m[0]), text))]
    for _, line in sorted(found, key=lambda each: each[0]):
        command, _, comment = line.partition(" #")
        code = re.search(r"exit (\d+)", comment)
        if command.strip():
            yield command.strip(), int(code[1]) if code else 0


def why_not_run(command):
    """Returns the reason why a command is left out, or None."""
    return next((why for start, why in NOT_RUN if command.startswith(start)), None)


def filled(command, folder):
    """Returns the command with its placeholders replaced, and with a limit if it has none."""
    if " LIST" in command:
        pathlib.Path(folder, "programs.toml").write_text(PROGRAMS)
        command = re.sub(r"(?<= )LIST\b", f"{folder}/programs.toml --history {folder}/nights", command)
    for word, example in EXAMPLES.items():
        example = example if word != "PAGE" else f"{folder}/{example}"
        command = re.sub(rf"(?<![\w.-]){re.escape(word)}(?![\w])", lambda _: example, command)
    command = re.sub(r" page\.html$", f" {folder}/page.html", command)
    for start, limited in LIMITS:
        command = limited + command[len(start):] if command.startswith(start) else command
    return command


def run(command, preset):
    """Runs a shell command in the root of the tree. Returns the exit code and the output."""
    paths = f"{programs.ROOT / 'build' / preset}:{os.environ['PATH']}"
    ended = subprocess.run(command, shell=True, cwd=programs.ROOT, env=os.environ | {"PATH": paths}, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=LIMIT_SECONDS)
    return ended.returncode, ended.stdout


def check(text, run_command):
    """Returns the complaints about the commands of a document, how many were run, and how many there are."""
    complaints, ran, count = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for command, wanted in commands_of(text):
            count += 1
            if why_not_run(command):
                continue
            ran += 1
            code, output = run_command(filled(command, folder))
            if code != wanted:
                complaints.append(f"`{command}` ended with exit code {code}, and the README says {wanted}:\n{output[-2000:]}")
    if ran < LEAST_SHARE * count:
        complaints.append(f"only {ran} of {count} commands were run")
    return complaints, ran, count


# Document | exit code of its commands | whether there must be a complaint.
PLANTS = [
    ("```sh\nafterlife list\n```\n", 0, False), ("```sh\nafterlife list\n```\n", 1, True), ("```sh\nafterlife run x  # exit 1\n```\n", 1, False),
    ("```sh\nafterlife run x  # exit 1\n```\n", 0, True), ("Type `afterlife list`.\n", 2, True), ("`./scripts/fuzz.sh` and `./scripts/test.sh`\n", 0, True),
    ("`./scripts/fuzz.sh`, `afterlife list`, `afterlife list argpack`\n", 0, False), ("Nothing.\n", 0, False),
]


def self_test():
    wrong = [plant for plant in PLANTS if bool(check(plant[0], lambda _, code=plant[1]: (code, ""))[0]) != plant[2]]
    for text, code, _ in wrong:
        print(f"readme: judged wrongly with exit code {code}: {text}")
    print(f"readme: {len(PLANTS) - len(wrong)} of {len(PLANTS)} planted documents judged rightly")
    return not wrong


def main():
    parser = CommandLine(__doc__)
    parser.add_argument("--preset", default="release")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return 0 if self_test() else 1
    if not programs.exists(options.preset, "afterlife"):
        print(f"readme: build/{options.preset}/afterlife is not there: ./scripts/build.sh {options.preset}", file=sys.stderr)
        return 2
    complaints, ran, count = check((programs.ROOT / "README.md").read_text(), lambda command: run(command, options.preset))
    print("\n".join(f"readme: {complaint}" for complaint in complaints) or "readme: every command ends as it is written")
    print(f"readme: {ran} of {count} commands were run ({100 * ran // max(1, count)} %)")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
