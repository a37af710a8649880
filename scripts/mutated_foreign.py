#!/usr/bin/env python3
"""Mutated foreign files: shards, exports, histories and findings that somebody else might send, each read by
`afterlife` under strace, which sees from outside what it does.

Usage: scripts/mutated_foreign.py [--count N] [--seed N] [--preset NAME] [--show INDEX] [--keep FOLDER] | --self-test

The Nth mutant of a seed is always the same. A value becomes a path, a command, a control character, a number that
none is; a file becomes a link, a pipe, a device or a finding of `run`; and most are sealed again, so that they pass
the outer parser: at least half do, which is counted. Then: nothing changes but in the folder that the command line
names, no program starts but afterlife, no file is read through a link, and all ends in exit 0, 1 or 2, the last with
one line. --keep leaves the files and the logs of strace in a folder. --show prints a mutant.
Exit: 0 all well, 1 not, 2 strace or the program is missing, 3 usage.
Example: scripts/mutated_foreign.py --count 10000 --preset dev
"""
import argparse
import collections
import copy
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

import programs
from mutated_inputs import RAW

KINDS = ("shard", "export", "history", "finding")
BATCH = 40  # Mutants that one strace watches.
BATCH_SECONDS = 600
PROCESSOR_SECONDS = 30

# ---- what a value becomes ----

OUTSIDE = "OUTSIDE"  # Stands for the absolute path of the folder that nothing may be written to.
COMMAND = {"afterlife": "run 1", "command": ["/bin/sh", "-c", "echo started > OUTSIDE/started"], "fault": {
    "after": 1, "birth": [], "born": "cuMemAllocAsync", "capture": [], "captured": "", "death": [], "detail": "",
    "died": "cuMemFreeAsync", "kind": "use_after_death", "object": "device memory", "signature": "use_after_death device memory",
    "use": [], "used": "cuMemsetD32Async"}, "decisions": [], "replays": 3, "shown": 3}
PATHS = ["../victim.txt", "../../victim.txt", "../../../victim.txt", "OUTSIDE/victim.txt", "OUTSIDE/new.repro", "/etc/passwd",
         "..", ".", "", "/", "a/../../victim.txt", "findings/../../victim.txt", "x\0y", "-rf", "~/x", "$(echo x)", "`echo x`",
         "; echo x > OUTSIDE/started", "a" * 5000, "x.run.json", ".hidden", "../victim.repro", "OUTSIDE/started.txt"]
WORDS = ["\x1b[31m", "\u202e", "\x07", "<script>alert(1)</script>", "%s%n", "--upload-pack=x", "--html", "\n", "\\", "'\"",
         "x" * 3000, "end", "fault", "bad end", "nondeterminism", "sound", "unsound", "0000000000000000", "ffffffffffffffff"]
NUMBERS = [0, 1, -1, 2**31, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 1.5, -1e308, 1e308, 10**13]
OTHERS = [None, True, [], {}, [[]], {"a": 1}]


def foreign_value(rng, name):
    """A value that no file of ours has in this place."""
    way = rng.randrange(10)
    if way < 4:
        return rng.choice(PATHS)
    if way < 5 or name in ("reproducer", "file"):
        return rng.choice((json.dumps(COMMAND, indent=1), rng.choice(PATHS)))
    return rng.choice((WORDS, NUMBERS, OTHERS, WORDS)[way % 4])


def leaves(value, place=()):
    """The places of all values that are no lists or objects."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, place + (key,))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, place + (index,))
    else:
        yield place


def change_value(rng, document):
    """Changes one to three values; now and then one goes, or comes twice."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(leaves(document))
        if not places:
            return
        *way, last = rng.choice(places)
        holder = document
        for key in way:
            holder = holder[key]
        if rng.random() < 0.06:
            del holder[last]
        elif isinstance(holder, list) and rng.random() < 0.2:
            holder.append(copy.deepcopy(holder[last]))
        else:
            holder[last] = foreign_value(rng, last)


def of_bytes(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice((1, 2, 8))):
        at = rng.randrange(len(data) + 1)
        way = rng.randrange(3)
        if way == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif way == 1:
            data[at:at] = rng.randbytes(rng.choice((1, 4, 40)))
        else:
            del data[at:at + rng.choice((1, 9, 200))]
    return bytes(data)


# ---- shards ----

def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001b3) & 0xffffffffffffffff
    return value


def sealed(document):
    body = json.dumps(document, indent=1, sort_keys=True)[:-2]
    return body + ',\n "seal": "%016x"\n}\n' % fnv(body.encode())


def unsealed(text):
    document = json.loads(text)
    document.pop("seal")
    return document


def is_sealed(text):
    """Whether the outer parser takes it: the seal is of the text, and the text is JSON of our kind."""
    body, found, _ = text.rpartition(',\n "seal": "')
    try:
        return bool(found) and text == body + ',\n "seal": "%016x"\n}\n' % fnv(body.encode()) \
            and json.loads(text)["afterlife_nightly"] == "shard 1"
    except (ValueError, KeyError, TypeError):
        return False


def replace_file(rng, file):
    """The file of a reproducer becomes something else. Returns its new content, as far as it has one."""
    way = rng.randrange(6)
    if way < 2:
        file.write_text(json.dumps(COMMAND, indent=rng.choice((1, 2, None))))
        return file.read_bytes()
    file.unlink()
    if way == 2:
        os.mkfifo(file)
    elif way == 3:
        file.symlink_to(rng.choice(("/dev/zero", "OUTSIDE/secret", "/etc/passwd", "../../../victim.txt")))
    elif way == 4:
        file.mkdir()
    else:
        file.write_bytes(b"")
        os.truncate(file, rng.choice((1 << 24, (1 << 24) + 1, 1 << 40)))
    return None


def mutant_shard(rng, base, folder):
    """Leaves a shard in the folder. Returns whether it passes the outer parser."""
    shutil.copytree(base.shard, folder)
    document = unsealed(base.shard_text)
    document["night"] = "%016x" % rng.getrandbits(64)  # Another night, so that none keeps the next one out.
    if rng.random() < 0.3:
        finding = rng.choice(document["cells"][0]["findings"])
        content = replace_file(rng, folder / finding["file"])
        if content is not None:
            finding["hash"] = "%016x" % fnv(content)
    if rng.random() < 0.8:
        change_value(rng, document)
    text = sealed(document)
    if rng.random() < 0.15:
        text = of_bytes(rng, text.encode()).decode(errors="replace")
    (folder / "shard.json").write_text(text)
    return is_sealed((folder / "shard.json").read_text())


# ---- exports, histories, findings ----

def mutant_export(rng, base, file):
    rows = copy.deepcopy(base.rows)
    for _ in range(rng.choice((1, 1, 2))):
        change_value(rng, rng.choice(rows[1:])["row"])
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    if rng.random() < 0.15:
        data = of_bytes(rng, data)
    file.write_bytes(data)
    try:
        read = [json.loads(line) for line in data.decode().splitlines()]
        return "afterlife_history" in read[0] and all({"table", "row"} <= set(row) for row in read[1:])
    except (ValueError, TypeError):
        return False


STATEMENTS = ["CREATE TRIGGER t AFTER INSERT ON nights BEGIN UPDATE findings SET file = '../victim.txt'; END",
              "CREATE TRIGGER t AFTER UPDATE ON findings BEGIN DELETE FROM nights; END",
              "CREATE VIEW v AS SELECT * FROM findings", "DROP TABLE marks", "PRAGMA user_version = 9", "PRAGMA user_version = 99",
              "CREATE TABLE more (a)", "DELETE FROM nights", "DELETE FROM shards", "DELETE FROM findings"]


def change_database(database, statement, *values):
    """Changes it, unless the tables do not let it."""
    try:
        database.execute(statement, values)
    except (sqlite3.Error, OverflowError):
        pass


def mutant_history(rng, base, folder, outside):
    """Leaves a history in the folder. Returns whether SQLite finds it whole."""
    folder.mkdir()
    file = folder / "history.sqlite"
    shutil.copyfile(base.history, file)
    database = sqlite3.connect(file)
    database.execute("PRAGMA foreign_keys = OFF")
    for _ in range(rng.choice((1, 1, 2))):
        if rng.random() < 0.1:
            statement = rng.choice(STATEMENTS)
            change_database(database, statement)
            continue
        table = rng.choice(("nights", "shards", "cells", "findings", "findings", "findings", "sightings", "windows"))
        column = rng.choice([row[1] for row in database.execute(f"PRAGMA table_info({table})")])
        value = foreign_value(rng, column)
        value = value.replace(OUTSIDE, str(outside)) if isinstance(value, str) else value
        change_database(database, f"UPDATE {table} SET {column} = ?", value)
    database.commit()
    database.close()
    if rng.random() < 0.15:
        file.write_bytes(of_bytes(rng, file.read_bytes()))
    way = rng.randrange(25)
    if way == 0:
        (folder / "findings").symlink_to(outside)
    elif way == 1:
        (folder / "page.html").symlink_to(outside / "victim.txt")
    elif way == 2:
        (folder / "night").symlink_to(outside)
    elif way == 3:
        (folder / "history.sqlite-wal").symlink_to(outside / "victim.txt")
    elif way == 4:
        (folder / "findings").mkdir()
        for name in base.files:
            (folder / "findings" / name).symlink_to(rng.choice((outside / "victim.txt", outside / "secret", "/dev/zero")))
    try:
        database = sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)
        whole = database.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
        database.close()
        return whole
    except sqlite3.Error:
        return False


def mutant_finding(rng, base, file):
    """A finding of run or a reproducer. Returns whether it is one by its first look."""
    if rng.random() < 0.7:
        document = copy.deepcopy(COMMAND)
        if rng.random() < 0.8:
            change_value(rng, document["fault"] if rng.random() < 0.7 else document)
        data = json.dumps(document, indent=rng.choice((1, 2))).encode()
    else:
        lines = base.reproducer.splitlines()
        lines[rng.randrange(1, len(lines))] = rng.choice(("path ../../x", "fault " + json.dumps(COMMAND), "trace \x1b[31m", "",
                                                          f"# {rng.choice(WORDS)}", json.dumps(COMMAND)))
        data = "\n".join(lines).encode() + b"\n"
    if rng.random() < 0.1:
        data = of_bytes(rng, data)
    file.write_bytes(data)
    if data.startswith(b"afterlife reproducer 1\n"):
        return True
    try:
        document = json.loads(data)
        return document["afterlife"] == "run 1" and bool(document["command"])
    except (ValueError, KeyError, TypeError):
        return False


# ---- a batch, and how it is watched ----

CHANGING = "creat,mkdir,mkdirat,mknod,mknodat,rename,renameat,renameat2,unlink,unlinkat,rmdir,link,linkat,symlink,symlinkat," \
           "truncate,chmod,fchmodat,chown,lchown,fchownat,utimensat,setxattr"
TRACED = f"execve,execveat,open,openat,openat2,{CHANGING}"
CALL = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+|\?)")
PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<((?:[^>\\]|\\.)*)>, )?"((?:[^"\\]|\\.)*)"')


@dataclasses.dataclass
class Base:
    """What is mutated."""
    shard: pathlib.Path
    shard_text: str
    history: pathlib.Path
    rows: list
    reproducer: str
    files: list


@dataclasses.dataclass
class Batch:
    kind: str
    folder: pathlib.Path
    passing: int = 0
    commands: list = dataclasses.field(default_factory=list)  # Words each.

    def named(self):
        return self.folder / "named"  # All that command lines name is in here.

    def outside(self):
        return self.folder / "outside"


def in_whole_file(file, outside):
    """Puts the folder's path where a mutant names it; a shard is sealed anew, if it was."""
    data = file.read_bytes()
    if OUTSIDE.encode() not in data:
        return
    text = data.decode(errors="surrogateescape")
    again = text.replace(OUTSIDE, str(outside))
    if is_sealed(text):
        again = sealed(unsealed(again))
    file.write_bytes(again.encode(errors="surrogateescape"))


def make_batch(kind, indices, seed, base, folder, program):
    batch = Batch(kind, folder)
    batch.named().mkdir(parents=True)
    batch.outside().mkdir()
    (batch.outside() / "victim.txt").write_text("a victim\n")
    (batch.outside() / "secret").write_text("a secret\n")
    (folder / "victim.txt").write_text("a victim\n")
    (folder / "tmp").mkdir()
    for index in indices:
        rng = random.Random(f"{kind} {seed} {index}")
        place = batch.named() / str(index)
        if kind == "shard":
            batch.passing += mutant_shard(rng, base, batch.named() / "in" / f"shard-{index}")
        elif kind == "export":
            batch.passing += mutant_export(rng, base, place)
            batch.commands.append([program, "nightly", "import", str(place), "--history", f"{place}.h"])
            if index % 4 == 0:
                batch.commands.append([program, "nightly", "report", "--history", f"{place}.h"])
        elif kind == "history":
            batch.passing += mutant_history(rng, base, place, batch.outside())
            batch.commands.append([program, "nightly", "report", "--history", str(place)])
        else:
            name = rng.choice((f"{index}.repro", f"{index}.repro", f"{index}.run.json"))
            (batch.named() / "in").mkdir(exist_ok=True)
            batch.passing += mutant_finding(rng, base, batch.named() / "in" / name)
            if index % 2 or name.endswith(".json"):
                command = rng.choice((["replay"], ["replay", "--json"], ["triage"], ["explain"]))
                batch.commands.append([program, *command, str(batch.named() / "in" / name)])
    for file in batch.named().rglob("*"):
        if file.is_symlink() and OUTSIDE in os.readlink(file):
            target = os.readlink(file).replace(OUTSIDE, str(batch.outside()))
            file.unlink()
            file.symlink_to(target)
        elif not file.is_symlink() and file.is_file() and file.stat().st_size < 1 << 20:
            in_whole_file(file, batch.outside())
    seal_hashes(batch)
    if kind == "shard":
        batch.commands = [[program, "nightly", "merge", str(batch.named() / "in"), "--history", str(batch.named() / "h")],
                          [program, "nightly", "report", "--sarif", str(batch.named() / "s"), "--history", str(batch.named() / "h")]]
    elif kind == "finding":
        batch.commands.append([program, "replay", str(batch.named() / "in")])
    return batch


def seal_hashes(batch):
    """Hashes of reproducers that the folder's path was put into."""
    for file in batch.named().glob("in/shard-*/shard.json"):
        text = file.read_text(errors="replace")
        if not is_sealed(text):
            continue
        document = unsealed(text)
        try:
            for finding in document["cells"][0]["findings"]:
                content = file.parent / finding["file"]
                if re.fullmatch(r"[\w.-]+/[\w.-]+", finding["file"]) and content.is_file() and not content.is_symlink() \
                        and content.stat().st_size < 1 << 20:
                    finding["hash"] = "%016x" % fnv(content.read_bytes())
        except (KeyError, TypeError, AttributeError, IndexError):
            continue
        file.write_text(sealed(document))


def quoted(word):
    return "'" + word.replace("'", "'\\''") + "'"


def run_batch(batch):
    """Runs the commands of a batch, a shell starting one after another, under one strace."""
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
    """(process, call, arguments, result) of each call that strace saw come back."""
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
    """The paths that a call names, absolute. A link in the middle of one is followed, and the last part is not."""
    for base, name in PATH.findall(arguments):
        path = os.path.join(unescaped(base) or str(folder), unescaped(name))
        yield os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def wrong_calls(batch, program):
    """What strace saw that no file of somebody else may bring about."""
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
    """What has changed beside the folder that was named."""
    there = {file.name: file.read_text() for file in batch.outside().iterdir() if file.is_file()}
    if there != {"victim.txt": "a victim\n", "secret": "a secret\n"}:
        yield f"outside is {there}"
    if (batch.folder / "victim.txt").read_text() != "a victim\n":
        yield "the victim beside it is another one"
    beside = {file.name for file in batch.folder.iterdir()}
    if beside != {"named", "outside", "victim.txt", "tmp", "told", "commands.sh", "strace.log"}:
        yield f"beside it is {sorted(beside)}"


def wrong_ends(batch):
    """How commands ended that no command does."""
    for index, command in enumerate(batch.commands):
        told = [batch.folder / "told" / f"{index}.{end}" for end in ("code", "out", "err")]
        if not told[0].exists():
            yield f"was never begun: {command[1:]}"
            continue
        code, out, err = int(told[0].read_text()), told[1].read_bytes(), told[2].read_bytes()
        said = f"{' '.join(command[1:])}: exit {code}: {err[-300:].decode(errors='replace')}"
        if code not in (0, 1, 2):
            yield said
        elif code == 2 and not (err.startswith(b"afterlife: ") and err.count(b"\n") == 1):
            yield f"not one line: {said}"
        elif raw := RAW.search((out + err).decode(errors="replace")):
            yield f"raw {raw[0]}: {said}"
        elif any(byte < 0x20 and byte != 0x0a or byte == 0x7f for byte in out + err):
            yield f"a control character: {said}"


def judged(batch, program):
    return run_batch(batch) or [*wrong_calls(batch, program), *wrong_outside(batch), *wrong_ends(batch)]


# ---- many ----

def make_base(program, folder):
    """A small night, whose shard has two findings."""
    def afterlife(*words):
        return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout

    history = folder / "history"
    afterlife("nightly", "plan", "1", "--runs", "400", "--only", "example/borrow", "--seed", "5", "--history", str(history))
    afterlife("nightly", "shard", "1", "--history", str(history))
    shard = folder / "shard"
    shutil.move(history / "night" / "shard-1-of-1", shard)
    document = unsealed((shard / "shard.json").read_text())
    kept = document["cells"][0]["findings"] = document["cells"][0]["findings"][:2]
    for file in shard.glob("*/*"):
        if str(file.relative_to(shard)) not in [finding["file"] for finding in kept]:
            file.unlink()
    (shard / "shard.json").write_text(sealed(document))
    subprocess.run([program, "nightly", "merge", str(shard), "--history", str(folder / "merged")], check=False, capture_output=True)
    rows = [json.loads(line) for line in afterlife("nightly", "export", "--history", str(folder / "merged")).splitlines()]
    reproducer = (shard / kept[0]["file"]).read_text()
    return Base(shard, (shard / "shard.json").read_text(), folder / "merged" / "history.sqlite", rows, reproducer,
                [pathlib.Path(finding["file"]).name for finding in kept])


@dataclasses.dataclass
class Measured:
    count: int = 0
    passing: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    kinds: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    commands: int = 0
    codes: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    wrong: list = dataclasses.field(default_factory=list)

    def add(self, batch, count, wrong):
        self.count += count
        self.kinds[batch.kind] += count
        self.passing[batch.kind] += batch.passing
        self.commands += len(batch.commands)
        self.codes.update(file.read_text().strip() for file in (batch.folder / "told").glob("*.code"))
        self.wrong += [f"{batch.kind}: {line}" for line in wrong]

    def share(self):
        return sum(self.passing.values()) / max(self.count, 1)

    def __str__(self):
        kinds = ", ".join(f"{count} {kind}s ({self.passing[kind]} pass)" for kind, count in sorted(self.kinds.items()))
        wrong = collections.Counter(line.split(":")[0] for line in self.wrong)
        codes = ", ".join(f"{count} exit {code}" for code, count in sorted(self.codes.items()))
        return (f"{self.count} mutants: {kinds}; {100 * self.share():.0f} % have a valid seal and pass the outer parser; "
                f"{self.commands} commands: {codes}; {len(self.wrong)} wrong{' (' + ', '.join(f'{kind} {count}' for kind, count in sorted(wrong.items())) + ')' if wrong else ''}")


def measure(program, count, seed, folder, keep):
    base_folder = folder / "base"
    base_folder.mkdir(parents=True)
    base = make_base(program, base_folder)
    measured = Measured()
    for kind in KINDS:
        own = range(count * KINDS.index(kind) // len(KINDS), count * (KINDS.index(kind) + 1) // len(KINDS))
        for begin in range(own.start, own.stop, BATCH):
            indices = range(begin, min(begin + BATCH, own.stop))
            place = folder / f"{kind}-{begin}"
            batch = make_batch(kind, indices, seed, base, place, program)
            measured.add(batch, len(indices), judged(batch, program))
            if not keep:
                shutil.rmtree(place)
    return measured


# ---- the self-test ----

STAND_INS = [  # What it does with the folder that it was named, and a word of the complaint: empty where there must be none.
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


def self_test(folder):
    right = 0
    for number, (script, word) in enumerate(STAND_INS):
        program = folder / f"stand_in_{number}"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        batch = Batch("export", folder / str(number))
        for place in (batch.named(), batch.outside(), batch.folder / "tmp"):
            place.mkdir(parents=True)
        for file, text in ((batch.outside() / "victim.txt", "a victim\n"), (batch.outside() / "secret", "a secret\n"),
                           (batch.folder / "victim.txt", "a victim\n")):
            file.write_text(text)
        batch.commands = [[str(program), "nightly", "report", "--history", str(batch.named() / "h")]]
        found = judged(batch, str(program))
        is_right = any(word in line for line in found) if word else not found
        right += is_right
        if not is_right:
            print(f"  judged wrongly: {script}: {found}")
    text = sealed({"afterlife_nightly": "shard 1", "a": 1})
    seals = is_sealed(text) and not is_sealed(text.replace('"a": 1', '"a": 2')) and not is_sealed("")
    print(f"mutated_foreign: {right} of {len(STAND_INS)} stand-ins judged rightly, seals are told apart: {seals}")
    return 0 if right == len(STAND_INS) and seals else 1


def can_trace():
    try:
        return subprocess.run(["strace", "-qq", "-o", "/dev/null", "/bin/true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--preset", default="release", metavar="NAME")
    parser.add_argument("--show", type=int, metavar="INDEX")
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("--self-test", action="store_true")
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        return 3 if ended.code else 0
    if not can_trace():
        print("mutated_foreign: strace cannot trace here: install it (./scripts/setup.sh), and allow ptrace", file=sys.stderr)
        return 2
    if not options.self_test and not programs.exists(options.preset, "afterlife"):
        print(f"mutated_foreign: build/{options.preset}/afterlife is not built", file=sys.stderr)
        return 2
    program = str(programs.path(options.preset, "afterlife"))
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary).resolve()
        if options.self_test:
            return self_test(folder)
        if options.show is not None:
            return show(program, options, folder)
        measured = measure(program, options.count, options.seed, folder, bool(options.keep))
    for kind in KINDS:
        for line in [line for line in measured.wrong if line.startswith(kind)][:8]:
            print(f"  {line}")
    print(f"mutated_foreign: {measured}")
    return 0 if not measured.wrong and measured.share() >= 0.5 else 1


def show(program, options, folder):
    """Prints the files of the mutant of this number."""
    (folder / "base").mkdir(parents=True)
    base = make_base(program, folder / "base")
    kind = KINDS[min(options.show * len(KINDS) // max(options.count, 1), len(KINDS) - 1)]
    batch = make_batch(kind, [options.show], options.seed, base, folder / "shown", program)
    print(f"{kind}, {'passes' if batch.passing else 'does not pass'} the outer parser; {len(batch.commands)} commands")
    for file in sorted(batch.named().rglob("*")):
        is_text = file.is_file() and not file.is_symlink() and file.suffix != ".sqlite" and file.stat().st_size < 1 << 20
        print(f"---- {file.relative_to(batch.named())}{' -> ' + os.readlink(file) if file.is_symlink() else ''}")
        if is_text:
            print(file.read_text(errors="replace"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
