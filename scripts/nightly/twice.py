#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a short night twice over one history: the first is all new, and the same again is not.

Usage: scripts/nightly/twice.py [--runs N] [--seed N]

  --runs N   the runs of each night (300)
  --seed N   where both begin (1)

No sound variant may be refuted, both nights are green, all runs must be there, and the page must link what is new, and nothing that is not there.
Exit: 0 all so, 1 not, 3 usage.
"""
import html.parser
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common.command_line import CommandLine  # noqa: E402

NIGHT = pathlib.Path(__file__).resolve().parent.parent / "nightly.sh"


class Links(html.parser.HTMLParser):
    """Collects the links of a page."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if name == "href"]


def links_of_night(history):
    """Returns the links of a nightly run's page, and the broken ones among them."""
    page = pathlib.Path(history, "page.html")
    links = Links(page.read_text()).found if page.exists() else []
    return links, [link for link in links if not (page.parent / urllib.parse.unquote(link)).exists()]


def is_right(history, runs, seed, expected):
    """Makes a nightly run in which all findings should be `expected`, and prints the result."""
    command = [NIGHT, "--runs", str(runs), "--seed", str(seed), "--history", history, "--json"]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    night = json.loads(ended.stdout or "{}")
    states = {finding["state"] for finding in night.get("findings", [])}
    counted = sum(cell["runs"] + cell["tapes"]["runs"] for cell in night.get("cells", []))
    refuted = [cell["variant"] for cell in night.get("cells", []) if cell["claim"] == "sound" and cell["faulty_runs"]]
    links, dead = links_of_night(history)
    good = (ended.returncode == 0 and states == {expected} and counted == runs and not refuted
            and bool(links) == (expected == "new") and not dead)
    print(f"{'' if good else 'FAILED: '}exit {ended.returncode} ({night.get('sentence')}), {counted} of {runs} runs, findings are {sorted(states)}, where {expected} "
          f"is asked; sound and refuted: {refuted}; the page has {len(links)} links to what is new, {len(dead)} of them lead nowhere", flush=True)
    return good


def main():
    parser = CommandLine(__doc__)
    for name, default in (("runs", 300), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as history:
        good = [is_right(history, arguments.runs, arguments.seed, expected) for expected in ("new", "known")]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
