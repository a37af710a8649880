# SPDX-License-Identifier: Apache-2.0
"""Commands under strace: what they change, start and read, seen from outside.

For mutated_foreign.py. A batch is a folder: `named` is all that its command lines name; `outside` and a file beside it
must stay as they are.
"""
import dataclasses
import os
import pathlib
import re
import signal
import subprocess

from hostile.mutated_inputs import RAW

BATCH_SECONDS = 600
PROCESSOR_SECONDS = 30
SHOWN_FIRST = ("command: ", "folder: ", "environment: ")  # Printed for a finding of `run` before the line that refuses it.
CHANGING = "creat,mkdir,mkdirat,mknod,mknodat,rename,renameat,renameat2,unlink,unlinkat,rmdir,link,linkat,symlink,symlinkat," \
           "truncate,chmod,fchmodat,chown,lchown,fchownat,utimensat,setxattr"
TRACED = f"execve,execveat,open,openat,openat2,{CHANGING}"
CALL = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+|\?)")
PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<((?:[^>\\]|\\.)*)>, )?"((?:[^"\\]|\\.)*)"')


@dataclasses.dataclass
class Batch:
    kind: str
    folder: pathlib.Path
    passing: int = 0
    commands: list = dataclasses.field(default_factory=list)  # Each is a list of words.

    @classmethod
    def empty(cls, kind, folder):
        """Makes an empty batch and its folder."""
        batch = cls(kind, folder)
        for place in (batch.named(), batch.outside(), folder / "tmp"):
            place.mkdir(parents=True)
        for name, text in (("outside/victim.txt", "a victim\n"), ("outside/secret", "a secret\n"), ("victim.txt", "a victim\n")):
            (folder / name).write_text(text)
        return batch

    def named(self):
        return self.folder / "named"  # All paths given on command lines are in here.

    def outside(self):
        return self.folder / "outside"


def quoted(word):
    return "'" + word.replace("'", "'\\''") + "'"


def run_batch(batch):
    """Runs the commands of a batch one after another in a shell, under one strace."""
    lines = [f"ulimit -t {PROCESSOR_SECONDS} -c 0", f"export TMPDIR={quoted(str(batch.folder / 'tmp'))}"]
    for index, command in enumerate(batch.commands):
        told = quoted(str(batch.folder / "told" / str(index)))
        lines.append(f"{' '.join(map(quoted, command))} < /dev/null > {told}.out 2> {told}.err; echo $? > {told}.code")
    (batch.folder / "told").mkdir()
    (batch.folder / "commands.sh").write_text("\n".join(lines) + "\n")
    process = subprocess.Popen(["strace", "-f", "-qq", "-y", "-s", "8000", "-e", f"trace={TRACED}", "-e", "signal=none",
                                "-o", str(batch.folder / "strace.log"), "/bin/sh", str(batch.folder / "commands.sh")],
                               cwd=batch.named(), start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        process.communicate(timeout=BATCH_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return [f"{batch.folder}: not done after {BATCH_SECONDS} s"]
    return []


def calls(log):
    """Yields (process, call, arguments, result) of each call whose return strace saw."""
    begun = {}
    for line in log.read_text(errors="replace").splitlines():
        process, _, rest = line.partition(" ")
        rest = rest.lstrip()
        if rest.endswith("<unfinished ...>"):
            begun[process] = rest[:-len("<unfinished ...>")]
            continue
        if match := re.match(r"<\.\.\. \w+ resumed>(.*)", rest):
            rest = begun.pop(process, "") + match[1]
        if match := CALL.match(f"{process} {rest}"):
            yield match[1], match[2], match[3], match[4]


def unescaped(text):
    return text.encode("latin-1", "replace").decode("unicode_escape", "replace")


def paths_in(arguments, folder):
    """Yields the absolute paths that a call names. Links within a path are resolved, but not its last component."""
    for base, name in PATH.findall(arguments):
        path = os.path.join(unescaped(base) or str(folder), unescaped(name))
        yield os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def wrong_calls(batch, program):
    """Yields the traced calls that a foreign file must not cause."""
    own, named = str(batch.folder), str(batch.named())
    first = None
    for process, call, arguments, result in calls(batch.folder / "strace.log"):
        first = first or process
        if result.startswith("-") or result == "?":
            continue
        if call.startswith("exec"):
            path = PATH.search(arguments)
            started = unescaped(path[2]) if path else arguments
            if started not in (program, "/proc/self/exe") and process != first:
                yield f"starts {started}: {arguments[:200]}"
            continue
        is_open = call.startswith("open") or call == "creat"
        changes = not is_open or call == "creat" or re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", arguments)
        for path in paths_in(arguments, named):
            allowed = (named + "/", own + "/tmp/") + ((own + "/told/",) if process == first or path.startswith(own + "/told/") else ())
            if changes and not path.startswith(allowed) and path not in (named, "/dev/null"):
                yield f"{call} changes {path}"
            elif is_open and "O_PATH" not in arguments and (path.startswith(own + "/outside/") or path in ("/dev/zero", "/etc/passwd")):
                yield f"{call} reads {path}"


def wrong_outside(batch):
    """Yields the changes outside of the named folder."""
    there = {file.name: file.read_text() for file in batch.outside().iterdir() if file.is_file()}
    if there != {"victim.txt": "a victim\n", "secret": "a secret\n"}:
        yield f"outside is {there}"
    if (batch.folder / "victim.txt").read_text() != "a victim\n":
        yield "the victim beside it is another one"
    beside = {file.name for file in batch.folder.iterdir()}
    if beside != {"named", "outside", "victim.txt", "tmp", "told", "commands.sh", "strace.log"}:
        yield f"beside it is {sorted(beside)}"


def is_told(err, is_folder):
    """Returns whether one line reports the error; for a folder, one line for each unreadable file."""
    lines = [line for line in err.decode(errors="replace").splitlines() if not line.startswith(SHOWN_FIRST)]
    return all(line.startswith("afterlife: ") for line in lines) and (len(lines) == 1 or bool(lines) and is_folder)


def wrong_ends(batch):
    """Yields commands that ended in a way that is not allowed."""
    for index, command in enumerate(batch.commands):
        told = [batch.folder / "told" / f"{index}.{end}" for end in ("code", "out", "err")]
        if not told[0].exists():
            yield f"was never begun: {command[1:]}"
            continue
        code, out, err = int(told[0].read_text()), told[1].read_bytes(), told[2].read_bytes()
        said = f"{' '.join(command[1:])}: exit {code}: {err[-300:].decode(errors='replace')}"
        if code not in (0, 1, 2) and not (code == 3 and b"is a finding of `run`" in err):
            yield said
        elif code >= 2 and not is_told(err, command[-1].endswith("/in")):
            yield f"not one line: {said}"
        elif raw := RAW.search((out + err).decode(errors="replace")):
            yield f"raw {raw[0]}: {said}"
        elif any(byte < 0x20 and byte != 0x0a or byte == 0x7f for byte in out + err):
            yield f"a control character: {said}"


def judged(batch, program):
    return run_batch(batch) or [*wrong_calls(batch, program), *wrong_outside(batch), *wrong_ends(batch)]


def can_trace():
    try:
        return subprocess.run(["strace", "-qq", "-o", "/dev/null", "/bin/true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


# ---- the self-test ----

STAND_INS = [  # Action on the folder given as the argument | a part of the complaint, empty if there must be none.
    ("mkdir -p \"$4\"; echo page > \"$4/page.html\"", "starts /usr/bin/mkdir"),
    ("echo page > \"$4\"", ""),
    ("echo page > \"${4%/named/*}/outside/victim.txt\"", "changes"),
    ("echo page > ../victim.txt", "changes"),
    ("echo page > \"${4%/named/*}/outside/new\"", "outside is"),
    ("/bin/true", "starts /bin/true"),
    ("read text < \"${4%/named/*}/outside/secret\"", "reads"),
    ("kill -SEGV $$", "exit 139"),
    ("exit 3", "exit 3"),
    ("echo 'afterlife: a line' >&2; exit 2", ""),
    ("echo one >&2; exit 2", "not one line"),
    ("echo 'terminate called after' >&2; exit 1", "raw"),
    ("printf 'a\\033[31m'; exit 1", "a control character"),
    ("exit 1", ""),
]


def judges_rightly(folder):
    """Returns whether misbehaving stand-ins are detected, and the others are not."""
    right = 0
    for number, (script, word) in enumerate(STAND_INS):
        program = folder / f"stand_in_{number}"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        batch = Batch.empty("export", folder / str(number))
        batch.commands = [[str(program), "nightly", "report", "--history", str(batch.named() / "h")]]
        found = judged(batch, str(program))
        is_right = any(word in line for line in found) if word else not found
        right += is_right
        if not is_right:
            print(f"  judged wrongly: {script}: {found}")
    print(f"mutated_foreign: {right} of {len(STAND_INS)} stand-ins judged rightly")
    return right == len(STAND_INS)
