# SPDX-License-Identifier: Apache-2.0
"""What someone else might send: shards, exports, histories and findings, each changed in one way or more.

For mutated_foreign.py. The same random numbers give the same mutant.
"""
import copy
import dataclasses
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess

# ---- what a value becomes ----

OUTSIDE = "OUTSIDE"  # A placeholder for the absolute path of the folder that must not be written to.
COMMAND = {"afterlife": "run 1", "command": ["/bin/sh", "-c", "echo started > OUTSIDE/started"], "fault": {
    "after": 1, "birth": [], "born": "cuMemAllocAsync", "capture": [], "captured": "", "death": [], "detail": "",
    "died": "cuMemFreeAsync", "kind": "use_after_free", "object": "device memory", "signature": "use_after_free device memory",
    "use": [], "used": "cuMemsetD32Async"}, "decisions": [], "replays": 3, "shown": 3}
PATHS = ["../victim.txt", "../../victim.txt", "../../../victim.txt", "OUTSIDE/victim.txt", "OUTSIDE/new.repro", "/etc/passwd",
         "..", ".", "", "/", "a/../../victim.txt", "findings/../../victim.txt", "x\0y", "-rf", "~/x", "$(echo x)", "`echo x`",
         "; echo x > OUTSIDE/started", "a" * 5000, "x.run.json", ".hidden", "../victim.repro", "OUTSIDE/started.txt"]
WORDS = ["\x1b[31m", "\u202e", "\x07", "<script>alert(1)</script>", "%s%n", "--upload-pack=x", "--html", "\n", "\\", "'\"",
         "x" * 3000, "end", "fault", "bad end", "nondeterminism", "sound", "unsound", "0000000000000000", "ffffffffffffffff"]
NUMBERS = [0, 1, -1, 2**31, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 1.5, -1e308, 1e308, 10**13]
OTHERS = [None, True, [], {}, [[]], {"a": 1}]


def foreign_value(rng, name):
    """Returns a value that our own files never have in this place."""
    way = rng.randrange(10)
    if way < 4:
        return rng.choice(PATHS)
    if way < 5 or name in ("reproducer", "file"):
        return rng.choice((json.dumps(COMMAND, indent=1), rng.choice(PATHS)))
    return rng.choice((WORDS, NUMBERS, OTHERS, WORDS)[way % 4])


def leaves(value, place=()):
    """Yields the places of all values other than lists and objects."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, place + (key,))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, place + (index,))
    else:
        yield place


def change_value(rng, document):
    """Changes one to three values; sometimes removes or duplicates one instead."""
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
    """Returns whether the outer parser accepts the text: its seal is valid, and it is JSON of our format."""
    body, found, _ = text.rpartition(',\n "seal": "')
    try:
        return bool(found) and text == body + ',\n "seal": "%016x"\n}\n' % fnv(body.encode()) \
            and json.loads(text)["afterlife_nightly"] == "shard 1"
    except (ValueError, KeyError, TypeError):
        return False


def replace_file(rng, file):
    """Replaces a reproducer's file by something else. Returns the new content, or None if there is none."""
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
    """Writes a mutated shard to the folder. Returns whether it passes the outer parser."""
    shutil.copytree(base.shard, folder)
    document = unsealed(base.shard_text)
    document["night"] = "%016x" % rng.getrandbits(64)  # A different night for each, so that the next shard is not rejected as a duplicate.
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
    """Executes a statement; does nothing if the schema forbids it."""
    try:
        database.execute(statement, values)
    except (sqlite3.Error, OverflowError):
        pass


def mutant_history(rng, base, folder, outside):
    """Writes a mutated history to the folder. Returns whether SQLite finds it intact."""
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
    """Writes a mutated finding of `run` or reproducer. Returns whether it passes the first check of its format."""
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


# ---- where the paths are put in ----

def in_whole_file(file, outside):
    """Replaces the placeholder in a mutant by the folder's path; a sealed shard is sealed again."""
    data = file.read_bytes()
    if OUTSIDE.encode() not in data:
        return
    text = data.decode(errors="surrogateescape")
    again = text.replace(OUTSIDE, str(outside))
    if is_sealed(text):
        again = sealed(unsealed(again))
    file.write_bytes(again.encode(errors="surrogateescape"))


def seal_hashes(named):
    """Updates the hashes of reproducers in which the placeholder was replaced."""
    for file in named.glob("in/shard-*/shard.json"):
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


# ---- what is mutated ----

@dataclasses.dataclass
class Base:
    """The valid files that are mutated."""
    shard: pathlib.Path
    shard_text: str
    history: pathlib.Path
    rows: list
    reproducer: str
    files: list


def make_base(program, folder):
    """Makes the files of a small night, whose shard has two findings."""
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
