# SPDX-License-Identifier: Apache-2.0
"""Command line: the arguments of a script whose help is its own text."""
import argparse
import pathlib
import sys


class CommandLine(argparse.ArgumentParser):
    """A parser whose --help prints the text. Invalid arguments are reported in one line on stderr, with exit code 3."""

    def __init__(self, text):
        super().__init__(usage=argparse.SUPPRESS)
        self.text = text.strip() + "\n"

    def format_help(self):
        return self.text

    def error(self, message):
        print(f"{pathlib.Path(sys.argv[0]).stem}: {message}; see --help", file=sys.stderr)
        sys.exit(3)
