# SPDX-License-Identifier: Apache-2.0
"""Self-tested: a module of the gate that is run by itself tests itself, and does nothing else."""
import sys


def main(text, self_test):
    """Exits with the self-test's result; for other arguments prints the text and exits with 3, or with 0 for help."""
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    print(text.strip())
    sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 3)
