# SPDX-License-Identifier: Apache-2.0
"""Figures of `afterlife explain`: does it name the class of writer, and which instrument tells it?"""
import collections
import json
import re
import pathlib
import tempfile

from common import programs
from common.measuring import CannotMeasure, Figure, fuzz, need, variants

# The classes of the report, and three that it does not list (f, g, h). All other variants are legal.
CLASS_OF = {
    "clear_tag_byte": "a", "subtract_from_tag_byte": "a", "move_tag_byte": "a",
    "encode_twice": "b", "misdirected_decref": "b", "clear_gc_flag_off_header": "b",
    "straddling_store": "b", "clear_tag_of_two_bytes": "b", "subtract_from_four_bytes": "b",
    "store_sixteen_bytes": "b",
    "stale_pointer_store": "c", "stale_byte_store": "c", "stale_memset": "c", "insertion_order_overrun": "c",
    "release_before_store": "c",
    "torn_word_store": "e", "stale_cache_value": "h",
    "incref_tagged_word": "f", "decref_tagged_word": "f", "balanced_tagged_count": "f",
    "even_tagged_count": "f",
    "incref_decoded_values": "g",
}
INSTRUMENTS = ("write_watch", "allocation_counter", "debug_allocator", "path_counters")

# An instrument | the classes that depend on its evidence | the answers for them without it, by the table of conclusions in the path's README. "d" means that
# there was no writer, only recycling.
WRONG = [
    ("write_watch", "ab", ("d", "a|b|c|e", "-"), "'(d)', nothing, or '(a), (b), (c) or (e)'"),
    ("debug_allocator", "f", ("d",), "'(d), no writer', 'a recycling artefact'"),
    ("path_counters", "h", ("d",), "'(d), no writer'"),
    ("allocation_counter", "g", ("d", "f"), "'(d), no writer', or for (f)"),
]


def minimized_cases(variant, wanted, folder):
    """Returns distinct minimized reproducers of one writer, making as many searches as needed."""
    files = {}
    for seed in range(1, 10 * wanted):
        out = pathlib.Path(folder) / variant / str(seed)
        fuzz("managed_dict/" + variant, "--runs", 4000, "--seed", seed, "--out", out)
        for file in sorted(out.rglob("*.repro")):
            files.setdefault(file.read_text(), file)
        if len(files) >= wanted:
            return list(files.values())[:wanted]
    raise CannotMeasure(f"managed_dict/{variant}: {len(files)} of {wanted} cases were found")


def explained(file, *options):
    ended = programs.run("release", "afterlife", "explain", file, "--json", *options)
    try:
        return json.loads(ended.out)
    except json.JSONDecodeError:
        raise CannotMeasure(f"afterlife explain: exit {ended.code}, {ended.err.strip()[-200:]}") from None


def accused(kind):
    """Returns the classes that an answer accuses: two for 'c|e', none for '-', 'd' and 'vacuous'."""
    return set() if kind in ("-", "d", "vacuous") else set(kind.split("|"))


def pattern(case):
    """Returns the deciding sentence of the evidence without its numbers, so that it is the same in all cases."""
    return re.sub(r"0x[0-9a-f]+|[-+]?\d+", "N", (case.get("evidence") or [""])[0])


def kinds_of(*counts):
    """Returns all answers that were given, single classes first."""
    return sorted({kind for count in counts for _, kind in count}, key=lambda kind: (len(kind), kind))


def print_matrix(title, rows, columns, count):
    print(f"    {title}")
    print("    " + " " * 34 + "".join(f"{column:>8}" for column in columns))
    for row in rows:
        cells = "".join(f"{count[row, column] or '.':>8}" for column in columns)
        print(f"    {row:34}{cells}")


def managed_dict_explained(full):
    """A confusion matrix of minimized cases of every writer, with all instruments and without each of them."""
    need("release", "afterlife")
    known = {name.split("/")[1] for name, claim in variants()
             if name.startswith("managed_dict/") and claim == "unsound"}
    yield Figure("managed_dict: a class for every writer", f"{len(known)} writers",
                 known == set(CLASS_OF))
    wanted = 70 if full else 4
    told, lacking, alone = (collections.Counter() for _ in range(3))
    patterns = collections.defaultdict(set)
    right, among, wrong_count, total = 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for variant, expected in CLASS_OF.items():
            for file in minimized_cases(variant, wanted, folder):
                case = explained(file)
                total += 1
                accuses = accused(case["class"])
                right += case["class"] == expected
                among += expected in accuses and len(accuses) > 1
                wrong_count += bool(accuses) and expected not in accuses
                patterns[expected].add(pattern(case))
                told[f"({expected}) {variant}", case["class"]] += 1
                for name in INSTRUMENTS:
                    share = case["instruments"][name]
                    lacking[f"({expected}) without {name}", share["lacking"]] += 1
                    alone[f"({expected}) {name}", share["alone"]] += 1
    print_matrix("writer, by class; what explain says of its cases:",
                 [f"({c}) {v}" for v, c in CLASS_OF.items()], kinds_of(told), told)
    print()
    kinds = kinds_of(lacking, alone)
    classes = sorted(set(CLASS_OF.values()))
    print_matrix("with one instrument removed:",
                 [f"({c}) without {name}" for c in classes for name in INSTRUMENTS], kinds, lacking)
    print()
    print_matrix("each alone:", [f"({c}) {name}" for c in classes for name in INSTRUMENTS], kinds, alone)
    yield Figure("managed_dict: explain accuses no class but the writer's own in distinct minimized cases"
                 + (", at least 1000" if full else ""),
                 f"{right} named, {among} among others, {total - right - among - wrong_count} left open, "
                 f"{wrong_count} wrong, of {total}",
                 wrong_count == 0 and 2 * right > total and (total >= 1000 or not full))
    counted = ", ".join(f"({c}) {len(found)}" for c, found in sorted(patterns.items()))
    yield Figure("managed_dict: distinct evidence patterns behind them, by class", counted,
                 all(patterns.values()))
    for name, of_classes, wrong, words in WRONG:
        cases = sum(n for (row, _), n in lacking.items()
                    if row.endswith("without " + name) and row[1] in of_classes)
        misled = sum(lacking[f"({c}) without {name}", kind] for c in of_classes for kind in wrong)
        yield Figure(f"managed_dict: without the {name}, {'/'.join(of_classes)} passes for {words}",
                     f"{misled} of {cases}", misled > cases / 2)


FIGURES = (managed_dict_explained,)
