# SPDX-License-Identifier: Apache-2.0
"""The records by which the gate judges itself: packed in results/gate, as text in build/gate."""
import lzma

import revisions

FOLDER = revisions.ROOT / "results/gate"


def packed(name):
    return FOLDER / f"{name}.xz"


def unpacked(name):
    """The file of a record as text. It is unpacked again if the packed one is newer."""
    text, source = revisions.FOLDER / "records" / name, packed(name)
    if source.exists() and (not text.exists() or text.stat().st_mtime < source.stat().st_mtime):
        text.parent.mkdir(parents=True, exist_ok=True)
        text.write_bytes(lzma.decompress(source.read_bytes()))
    return text


def pack(name):
    """Writes the record that is committed."""
    packed(name).parent.mkdir(parents=True, exist_ok=True)
    packed(name).write_bytes(lzma.compress(unpacked(name).read_bytes(), preset=9))


if __name__ == "__main__":  # Unpacks both, and prints where they are.
    print(*(unpacked(name) for name in ("canaries.txt", "effectiveness.txt")))
