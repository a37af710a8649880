# SPDX-License-Identifier: Apache-2.0
"""What is wrong with an input, and how it is given: each must end in one clear line."""
import pathlib
import re

from common.measuring import CannotMeasure, committed_repros, found_cases, variants


def bad_inputs(folder):
    """Returns (description, arguments, exit code) of each bad input. Exit code 2: an error of the environment; 3: wrong usage."""
    case = next(iter(committed_repros()), None) or next(iter(found_cases(folder / "found", 1)), None)
    if case is None:
        raise CannotMeasure("no reproducer to damage")
    text = case.read_text()
    version, rest = text.split("\n", 1)
    damaged = {
        "a corrupt reproducer": version + "\n" + rest.replace(" ", "\x01"),
        "a truncated reproducer": text[:len(text) // 2],
        "an empty reproducer": "",
        "a foreign file": "\x7fELF\x02\x01\x01" + "\0" * 200,
        "a reproducer of a future version": re.sub(r"\d+", "999", version) + "\n" + rest,
        "a reproducer of an unknown path": re.sub(r"(?m)^(path\s+)\S+", r"\1nosuch", text),
        "a reproducer of an unknown variant": re.sub(r"(?m)^(variant\s+)\S+", r"\1nosuch", text),
        "a reproducer of an unknown config": re.sub(r"(?m)^(config\s+).*", r"\1nosuch=1", text),
        "a reproducer of an unknown device": re.sub(r"(?m)^(device\s+)\S+", r"\1nosuch", text),
    }
    for what, content in damaged.items():
        file = folder / what.replace(" ", "_")
        file.write_text(content)
        for command in ("replay", "minimize"):
            yield f"{command} {what}", (command, file), 2
    huge = folder / "huge"
    with huge.open("wb") as out:
        out.write(text.encode())
        out.truncate(1 << 30)
    yield "replay a file of 1 GiB", ("replay", huge), 2
    huge.unlink()
    yield "replay no file", ("replay", folder / "nosuch"), 2
    yield "replay a folder", ("replay", folder), 2
    name = variants()[0][0]
    path = name.split("/")[0]
    yield "unknown path", ("fuzz", "nosuch", "--runs", 1), 3
    yield "unknown variant", ("fuzz", path + "/nosuch", "--runs", 1), 3
    yield "unknown strategy", ("fuzz", name, "--runs", 1, "--strategy", "nosuch"), 3
    yield "unknown device", ("fuzz", name, "--runs", 1, "--device", "nosuch"), 3
    yield "unknown option", ("fuzz", "--nosuch"), 3
    yield "a number that is none", ("fuzz", name, "--runs", "many"), 3
    yield "prove an unknown variant", ("prove", path + "/nosuch"), 3
    (folder / "file").touch()
    yield "an unwritable output folder", ("fuzz", name, "--runs", 100, "--out", folder / "file" / "out"), 2
    if not pathlib.Path("/dev/nvidiactl").exists():
        yield "--device gpu without a GPU", ("fuzz", name, "--runs", 1, "--device", "gpu"), 2
