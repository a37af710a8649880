#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what a command prints as an SVG picture of a terminal, for documents.

Usage: scripts/readme/picture.py FILE [--preset PRESET] [--check]

FILE is harness/docs/run.svg, the picture in the README: what `afterlife run` says of a script in harness/client/tests/clients. The command is run with the
build of PRESET (release) and must print the same each time. --check writes nothing, and fails if the file is not what the command prints now.

Exit: 0 written, or the file is right; 1 it is not; 2 the command could not be run; 3 usage.
"""
import html
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import programs  # noqa: E402
from common.command_line import CommandLine  # noqa: E402

COLUMNS = 92
CHARACTER, LINE, MARGIN = 7.8, 18, 16  # In pixels, for a monospaced font of 13 px.
SCRIPT = "harness/client/tests/clients/collected.py"
TITLE = f"afterlife run --runs 20 -- python3 {SCRIPT}"
STYLE = """rect { fill: #16181d } text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #d7dae0; white-space: pre }
.command { fill: #8ab4f8 } .kind { fill: #ff7b72; font-weight: bold } .name { fill: #7ee787 }"""
ROW = re.compile(r"  (born|captured|died|used|takes|fix|replays|file)\b")


def printed(preset):
    """Returns the output of the command without the folder of its findings."""
    with tempfile.TemporaryDirectory() as out:
        ended = programs.run(preset, "afterlife", "run", "--runs", "20", "--out", out, "--", "python3", SCRIPT, env={"COLUMNS": str(COLUMNS)})
    if ended.code != 1:
        print(f"picture: exit {ended.code} of {TITLE}: {ended.err.strip()}", file=sys.stderr)
        sys.exit(2)
    return ended.out.replace(out, "results/found")


def drawn_line(number, line):
    """Returns a line of text as SVG; the labels of a report and its first line are coloured."""
    text = html.escape(line, quote=False)
    row = ROW.match(line)
    if row:
        text = f'<tspan class="name">{text[:row.end()]}</tspan>{text[row.end():]}'
    kind = "command" if line.startswith("$ ") else "kind" if re.match(r"[a-z_]+ of ", line) else ""
    shown = f' class="{kind}"' if kind else ""
    return f'<text x="{MARGIN}" y="{MARGIN + LINE * (number + 0.8):.0f}"{shown}>{text}</text>'


def svg_of(text):
    lines = [f"$ {TITLE}", *text.rstrip().splitlines()]
    width = round(2 * MARGIN + CHARACTER * max(COLUMNS, *map(len, lines)))
    height = round(2 * MARGIN + LINE * len(lines))
    body = "\n".join(drawn_line(number, line) for number, line in enumerate(lines))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">\n'
            f"<title>{html.escape(TITLE)}</title>\n<style>{STYLE}</style>\n"
            f'<rect width="{width}" height="{height}" rx="8"/>\n{body}\n</svg>\n')


def main():
    parser = CommandLine(__doc__)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--preset", default="release")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    picture = svg_of(printed(options.preset))
    if not options.check:
        options.file.write_text(picture)
    elif options.file.read_text() != picture:
        print(f"picture: {options.file} is not what the command prints now; run scripts/readme/picture.py {options.file}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
