#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the documents of the tree (*.md) cite nothing that is not there.

Usage: scripts/checks/documents.py [--transcripts PRESET [--rewrite] | --self-test]

Judged are relative links with their headings, names of files and folders in backticks, and every
./scripts/... command; in the comments of sources, names of documents. A placeholder (<path>, PATH, my_path, N, *)
stands for any text. A name with a folder is looked up from the root and from the document; a bare name of a
file must be somewhere below the document's folder, or for harness/docs anywhere. What programs write (build/...,
results/found) is not judged. And scripts/README.md names every script. A code block that names its file
(```cpp harness/base/arena.h) stands there word for word.

Lines have at most 100 columns, without the targets of links and code blocks. A README of a path has at most 6 kB,
and all documents together 220 kB. The glossary has at most 25 terms, each of which is in use in another document.

With --transcripts PRESET each transcript in a document (a block that begins with `$ ./build/release/afterlife ...`),
and each file of results/price, is run with that build and must print what stands there, 100 columns wide; --rewrite
makes it stand there.

Prints each citation of something missing. Exit: 0 clean, 1 not. --self-test plants one per rule.
"""
import difflib
import fnmatch
import os
import re
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import hygiene  # noqa: E402
from common import programs  # noqa: E402

ROOT = hygiene.ROOT

LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
COMMAND = re.compile(r"(?<![\w/])\./(scripts/[\w.]+)")
HEADING = re.compile(r"^#+ +(.*)$", re.M)
DOCUMENT = re.compile(r"[\w./-]*\w\.md\b")
FILE_NAME = re.compile(r"[\w.*?-]+\.(?:h|cpp|cu|def|py|sh|cmake|md|json|svg|txt|cc)")
TRANSCRIPT = re.compile(r"^```\n\$ \./build/release/afterlife ([^\n]*)\n(.*?)^```$", re.M | re.S)
EXCERPT = re.compile(r"^```\w+ (\S+/\S+)\n(.*?)^```$", re.M | re.S)
TRANSCRIPT_FILE = re.compile(r"\A\$ \./build/release/afterlife ([^\n]*)\n(.*)\Z", re.S)
PLACEHOLDER = re.compile(r"<[^<>]*>|\b[A-Z]+\b(?!\.)|\bmy_path\b")
PATH_README = re.compile(r"(?:targets|scenarios)/\w+/README\.md")
WRITTEN = ("/", "build", "-", "results/found", "results/nightly", "results/baselines")
COLUMNS, TOTAL_BYTES, PATH_BYTES, TERMS = 100, 220_000, 6_000, 25
GLOSSARY = "harness/docs/reference/glossary.md"
SOURCES = {".h", ".cpp", ".cu", ".def", ".py", ".sh", ".cmake", ".cc"}


class Tree:
    """The files and folders of a tree, by their names relative to the root."""

    def __init__(self, texts):
        self.texts = texts
        self.names = set(texts) | {folder for name in texts for folder in folders_of(name)}
        self.top = {name.split("/")[0] for name in texts if "/" in name}

    def has(self, name):
        """Returns whether the name, which may contain `*`, names a file or a folder."""
        return name in self.names or ("*" in name and bool(fnmatch.filter(self.names, name)))

    def has_below(self, folder, name):
        prefix = f"{folder}/" if folder else ""
        return self.has(prefix + name) or bool(fnmatch.filter(self.names, f"{prefix}*/{name}"))


def folders_of(name):
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def joined(folder, name):
    return os.path.normpath(os.path.join(folder, name))


def anchors(text):
    """Returns the anchors that links use for the headings of a document."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
            for heading in HEADING.findall(text)}


def complaint_of_link(tree, document, target):
    """Returns the complaint about a link, or None."""
    if re.match(r"[a-z]+:", target):
        return None
    name, _, anchor = target.partition("#")
    file = joined(os.path.dirname(document), name) if name else document
    if not tree.has(file):
        return f"links to {target}, and there is no {file}"
    if anchor and anchor not in anchors(tree.texts.get(file, "")):
        return f"links to {target}, and {file} has no such heading"
    return None


def complaint_of_code(tree, document, word):
    """Returns the complaint about a word in backticks, or None if it is correct or names no file."""
    name = PLACEHOLDER.sub("*", word.removeprefix("./").rstrip(".,;:)"))
    folder = "" if document.startswith("harness/docs/") else os.path.dirname(document)
    path, bare = name.rstrip("/"), name.rstrip("/").rsplit("/", 1)[-1]
    is_file = FILE_NAME.fullmatch(bare) is not None
    if path.startswith(WRITTEN) or not re.fullmatch(r"[\w.*/-]+", path) or bare.startswith(("*.", ".")):
        return None
    if "/" not in path:
        is_name = is_file or word.endswith("/")
        return None if not is_name or path in tree.top or tree.has_below(folder, path) else f"names {word}, which is nowhere below its folder"
    if path.split("/")[0] not in tree.top and not is_file:
        return None
    if tree.has(path) or tree.has(joined(folder, path)):
        return None
    return f"names {word}, which is not there"


def long_lines(text):
    """Yields the numbers of the lines wider than COLUMNS, ignoring code blocks and the targets of links."""
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        is_code ^= line.lstrip().startswith("```")
        if not is_code and len(LINK.sub("]", line)) > COLUMNS and not line.startswith("!["):
            yield number


def complaints_of_size(tree, total=TOTAL_BYTES):
    """Yields the documents that are too wide or too large, and glossary terms that are too many or unused."""
    texts = {name: text for name, text in sorted(tree.texts.items()) if name.endswith(".md")}
    for name, text in texts.items():
        yield from (f"{name}:{number}: is wider than {COLUMNS} columns" for number in long_lines(text))
        if PATH_README.fullmatch(name) and len(text.encode()) > PATH_BYTES:
            yield f"{name}: has {len(text.encode())} bytes, and {PATH_BYTES} are allowed"
    whole = sum(len(text.encode()) for text in texts.values())
    if whole > total:
        yield f"documents: have {whole} bytes, and {total} are allowed"
    terms = re.findall(r"^\| ([\w -]*\w) \|", texts.get(GLOSSARY, ""), re.M)[1:]
    if len(terms) > TERMS:
        yield f"{GLOSSARY}: has {len(terms)} terms, and {TERMS} are allowed"
    for term in terms:
        use = re.compile(rf"\b{re.escape(term)}", re.I)
        if not any(use.search(" ".join(text.split())) for name, text in texts.items() if name != GLOSSARY):
            yield f"{GLOSSARY}: no other document says {term}"


def complaints_of_document(tree, document, line):
    for target in LINK.findall(CODE.sub("", line)):
        yield complaint_of_link(tree, document, target)
    for span in CODE.findall(line):
        for word in span.split():
            yield complaint_of_code(tree, document, word)
    for command in COMMAND.findall(line):
        if not tree.has(command.rstrip(".")):
            yield f"says ./{command}, and there is no such script"


def complaints_of_source(tree, source, line):
    comment = re.search(r"(?://|#)(.*)", line)
    for name in DOCUMENT.findall(comment[1] if comment else ""):
        if not tree.has(name) and not tree.has(joined(os.path.dirname(source), name)):
            yield f"names {name}, which is not there"


def unlisted_scripts(tree):
    listed = tree.texts.get("scripts/README.md", "")
    for name in sorted(tree.texts):
        folder, _, script = name.rpartition("/")
        if folder == "scripts" and script != "README.md" and f"`{script}`" not in listed:
            yield f"scripts/README.md: does not name {script}"


def invented_excerpts(tree):
    for name, text in sorted(tree.texts.items()):
        for file, excerpt in EXCERPT.findall(text) if name.endswith(".md") else ():
            if excerpt not in tree.texts.get(file, ""):
                yield f"{name}: quotes {file}, where this does not stand: {excerpt.splitlines()[0]}"


def check(tree):
    """Returns all complaints about a tree, one per line."""
    lines = [*unlisted_scripts(tree), *invented_excerpts(tree), *complaints_of_size(tree)]
    for name, text in sorted(tree.texts.items()):
        is_document = name.endswith(".md")
        if not is_document and os.path.splitext(name)[1] not in SOURCES:
            continue
        judge = complaints_of_document if is_document else complaints_of_source
        for number, line in enumerate(text.splitlines(), 1):
            lines += [f"{name}:{number}: {why}" for why in judge(tree, name, line) if why]
    return lines


def transcripts_of(name, text):
    """Yields (arguments, expected output) of each transcript: blocks of a document, or a whole file in results/price."""
    if name.endswith(".md"):
        return TRANSCRIPT.findall(text)
    return TRANSCRIPT_FILE.findall(text) if fnmatch.fnmatch(name, "results/price/*.txt") else []


def complaints_of_transcripts(tree, run):
    """Yields the differences between each transcript and the output of `run` for its arguments."""
    for name, text in sorted(tree.texts.items()):
        for arguments, told in transcripts_of(name, text):
            differences = difflib.unified_diff(told.splitlines(), run(arguments.split()).splitlines(), name,
                                               f"afterlife {arguments}", lineterm="", n=0)
            yield from differences


def rewritten(text, run):
    """Returns the text with the output of `run` in each of its transcripts."""
    text = TRANSCRIPT_FILE.sub(lambda found: f"$ ./build/release/afterlife {found[1]}\n{run(found[1].split())}", text)
    return TRANSCRIPT.sub(lambda found: f"```\n$ ./build/release/afterlife {found[1]}\n{run(found[1].split())}```", text)


def rewrite(tree, run):
    """Rewrites the files whose transcripts differ; returns their names."""
    texts = {name: rewritten(text, run) for name, text in tree.texts.items() if transcripts_of(name, text)}
    changed = [name for name, text in sorted(texts.items()) if text != tree.texts[name]]
    for name in changed:
        (ROOT / name).write_text(texts[name])
    return changed


def runner_of(preset):
    return lambda arguments: programs.run(preset, "afterlife", *arguments, env={"COLUMNS": "100"}).out


def tree_of_repository():
    files = [file for file in hygiene.tree_files() if file.is_file()]
    return Tree({file.relative_to(ROOT).as_posix(): file.read_text(errors="replace") for file in files})


# File | line planted in it | whether it must be reported.
PLANTS = [
    ("README.md", "See [the map](harness/gone.md).", True),
    ("README.md", "See [the map](harness/README.md#no-such-heading).", True),
    ("harness/README.md", "See [up](../gone.md).", True),
    ("README.md", "Rows of `harness/gone.h`.", True),
    ("README.md", "Rows of `harness/gone/`.", True),
    ("README.md", "Rows of `targets/<path>/gone.cpp`.", True),
    ("harness/README.md", "One file, `nowhere.cpp`.", True),
    ("harness/README.md", "A folder, `nowhere/`.", True),
    ("harness/README.md", "`tests/nowhere.cpp`", True),
    ("README.md", "    ./scripts/gone.sh --long", True),
    ("README.md", "Run `./scripts/gone.py`.", True),
    ("harness/base/base.h", "// See " + "gone.m" + "d for more.", True),
    ("scripts/base.py", "# See " + "gone.m" + "d for more.", True),
    ("scripts/gone.py", "", True),
    ("README.md", "```cpp harness/base/base.h\nint two = 2;\n```\n", True),
    ("README.md", "```cpp harness/base/base.h\nint one = 1;\n```\n", False),
    ("README.md", "See [the map](harness/README.md#the-map-of-it) and [out](https://example.org/x).", False),
    ("harness/README.md", "See [up](../README.md) and `base.h`, `tests/base_test.cpp`, `tests/`.", False),
    ("README.md", "`targets/<path>/own.h`, `targets/PATH/own.h`, `harness/*.h`, `base.h`, `harness/tests/`", False),
    ("README.md", "`argpack/own`, `build/fuzz/fuzz_<path>`, `found.min.repro`, `/usr/bin`, `cuMemAlloc`", False),
    ("README.md", "    ./scripts/test.sh tree", False),
    ("README.md", "wide " * 21, True), ("README.md", "```\n" + "wide " * 21 + "\n```\n", False),
    ("README.md", "[a link](https://example.org/" + "x" * 99 + ")", False),
    ("targets/argpack/README.md", "word\n" * 1300, True), ("targets/argpack/README.md", "word\n" * 1200, False),
    ("harness/docs/a.md", "`nowhere.cpp`", True), ("harness/docs/a.md", "`base_test.cpp` and `targets/my_path/own.h`", False),
    (GLOSSARY, "| term | meaning |\n|---|---|\n| tree | what has a map |\n", False),
    (GLOSSARY, "| term | meaning |\n|---|---|\n| phantom | what no document names |\n", True),
    (GLOSSARY, "| term | meaning |\n" + "| tree | what has a map |\n" * 26, True),
    ("harness/base/base.h", "// See harness/README.md for more.", False),
]

PLANTED_TREE = {
    "README.md": "# A tree\n", "harness/README.md": "# The map of it\n", "harness/base/base.h": "int one = 1;\n",
    "harness/tests/base_test.cpp": "", "targets/argpack/own.h": "", "scripts/test.sh": "", "scripts/base.py": "",
    "scripts/README.md": "`test.sh` `base.py`\n",
}


def self_test():
    """Returns whether each plant is judged correctly and the tree without plants is clean."""
    wrong = [plant for plant in PLANTS
             if bool(check(Tree(PLANTED_TREE | {plant[0]: PLANTED_TREE.get(plant[0], "") + plant[1]}))) != plant[2]]
    for file, line, _ in wrong:
        print(f"documents: judged wrongly in {file}: {line}")
    print(f"documents: {len(PLANTS) - len(wrong)} of {len(PLANTS)} planted lines judged rightly")
    transcript = Tree({"README.md": "```\n$ ./build/release/afterlife list\nargpack\n```\n"})
    transcripts = [bool(list(complaints_of_transcripts(transcript, lambda _: answer))) for answer in ("argpack\n", "ucc\n", "")]
    priced = Tree({"results/price/a.txt": "$ ./build/release/afterlife price a\nargpack\n"})
    transcripts += [bool(list(complaints_of_transcripts(priced, lambda _: answer))) for answer in ("argpack\n", "ucc\n")]
    is_too_large = bool(list(complaints_of_size(Tree(PLANTED_TREE), total=10)))
    print(f"documents: a transcript that is right, wrong, empty, and a file that is right, wrong: {transcripts}")
    mended = Tree({"README.md": rewritten(transcript.texts["README.md"], lambda _: "ucc\n")})
    is_mended = not list(complaints_of_transcripts(mended, lambda _: "ucc\n"))
    print(f"documents: a transcript that was wrong is right once it is rewritten: {is_mended}")
    return not wrong and not check(Tree(PLANTED_TREE)) and transcripts == [False, True, True, False, True] and is_mended and is_too_large


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 0 if self_test() else 1
    if len(sys.argv) == 3 and sys.argv[1] == "--transcripts":
        lines = list(complaints_of_transcripts(tree_of_repository(), runner_of(sys.argv[2])))
        print("\n".join(lines) or "documents: every transcript prints what its document says")
        return 1 if lines else 0
    if len(sys.argv) == 4 and sys.argv[1] == "--transcripts" and sys.argv[3] == "--rewrite":
        print("\n".join(rewrite(tree_of_repository(), runner_of(sys.argv[2]))) or "documents: every transcript stays as it is")
        return 0
    if sys.argv[1:]:
        print(__doc__.strip())
        return 0 if sys.argv[1] in ("-h", "--help") else 3
    tree = tree_of_repository()
    lines = check(tree)
    count = sum(name.endswith(".md") for name in tree.texts)
    print("\n".join(lines) or f"documents: {count} documents cite nothing that is missing")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
