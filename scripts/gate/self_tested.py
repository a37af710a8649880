# SPDX-License-Identifier: Apache-2.0
"""Self-tested: a module of the gate that is run by itself tests itself, and does nothing else."""
import sys


def main(text, self_test):
    """Ends with what the self-test returns; prints the text where anything else is asked: 3, or 0 for help."""
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    print(text.strip())
    sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 3)
