#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Outcome: what a program of the gate came to: its JSON, or why there is none; and the worst of several exit codes.

Usage: scripts/gate/outcome.py --self-test

Whatever is not known to be good is no pass. Exit: 0 all plants were judged rightly, 1 not, 3 usage.
"""
import json
import pathlib
import stat
import subprocess
import tempfile

import revisions
import self_tested

WORST_FIRST = (2, 3, 1, 4, 5, 0)


def worst(codes):
    """Returns the exit code of a comparison whose parts ended with these codes."""
    unknown = [code for code in codes if code not in WORST_FIRST]
    if unknown or not codes:
        raise revisions.CannotCompare(f"a part {how_ended(unknown[0])}" if unknown else "nothing was compared")
    return next(code for code in WORST_FIRST if code in codes)


def how_ended(code):
    return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"


def json_of(name, ended, codes=(0,)):
    """Returns the object that a program printed; an error unless it ended with one of these codes."""
    if ended.returncode not in codes:
        raise revisions.CannotCompare(f"{name} {how_ended(ended.returncode)}: {revisions.last_line(ended.stderr or '')}".rstrip(": "))
    try:
        found = json.loads(ended.stdout)
    except json.JSONDecodeError:
        raise revisions.CannotCompare(f"{name} printed no JSON") from None
    if not isinstance(found, dict):
        raise revisions.CannotCompare(f"{name} printed JSON that is no object")
    return found


# ---- the self-test ----

# Shell script | the complaint about it, "" if there must be none.
PROGRAMS = [
    ("echo '{\"a\": 1}'", ""), ("echo nonsense", "planted printed no JSON"), ("echo '[1]'", "planted printed JSON that is no object"),
    ("exit 0", "planted printed no JSON"), ("echo '{}'; kill -9 $$", "planted was ended by signal 9"),
    ("echo '{}'; echo oh no >&2; exit 7", "planted ended with exit code 7: oh no"),
]
# Exit codes of the parts | exit code of the whole, None if it is an error.
CODES = [
    ([0, 0], 0), ([0, 1], 1), ([0, 5], 5), ([1, 2], 2), ([5, 1], 1), ([3, 1], 3), ([4, 5], 4), ([0, -9], None), ([0, 137], None),
    ([], None),
]


def why_not(call, *arguments):
    try:
        return call(*arguments), ""
    except revisions.CannotCompare as why:
        return None, str(why)


def self_test():
    rightly = 0
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program"
        for script, wanted in PROGRAMS:
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            ended = subprocess.run([program], capture_output=True, text=True)
            found, why = why_not(json_of, "planted", ended)
            rightly += why == wanted and (found is None) == bool(wanted)
    for codes, wanted in CODES:
        found, why = why_not(worst, codes)
        rightly += found == wanted and (found is None) == bool(why) and "\n" not in why
    total = len(PROGRAMS) + len(CODES)
    print(f"outcome: {rightly} of {total} plants judged rightly")
    return 0 if rightly == total else 1


if __name__ == "__main__":
    self_tested.main(__doc__, self_test)
