# SPDX-License-Identifier: Apache-2.0
"""New fact: a change of the path `example` that adds a variant with a new fact, for scripts/copied_path.py.

In the variant `reread` a request takes the current buffer of its key when it is launched, and keeps nothing alive. It is
never launched with a replaced buffer, but its buffer can be replaced while the device reads it. The model knows the
expected answer and the reached windows only if the path reports which buffer a request has taken.
"""

VARIANT = "reread"
CLAIMED = "replaced_in_flight"  # The only window that the variant reaches.
FILE_LIMIT = 8  # Includes the reproducer, which scripts/repros.py writes.

POLICY = """\
// SPDX-License-Identifier: Apache-2.0
// reread: a request keeps nothing alive, and takes the current buffer of its key at its launch.
//
// The flaw: that buffer can be replaced while the device reads it.
#pragma once

#include "targets/example/example.h"

namespace targets::example {

class Reread final : public Policy {
 public:
  void prepared(const Request&) override {}
  void finished(const Request&) override {}
  bool may_free(const Buffer&) const override { return true; }
  bool takes_current() const override { return true; }
};

}  // namespace targets::example
"""

LAUNCH = """\
bool Server::launch(const Request& prepared) {
  const harness::SiteScope site(runtime_.scheduler, "launch");
  const harness::LockGuard lock(mutex_);
  Request request = prepared;
  if (policy_.takes_current()) {
    request.buffer = buffers_[request.key].borrow();
    observer_.taken(request.id, request.buffer.birth());
  }
  observer_.launched(request.id);
"""

MODEL_USE = """\
void Model::taken(RequestId request, BufferId buffer) {
  Request& taking = requests_[harness::raw(request)];
  for (const Place& place : places_)
    if (place.buffer == buffer) taking = {buffer, place.value};
}

"""

# File | text in it | its replacement. A file without a text is new.
EDITS = (
    ("targets/example/example.h", "  harness::Borrowed<Buffer> buffer;", "  std::uint32_t key;\n  harness::Borrowed<Buffer> buffer;"),
    ("targets/example/example.h", "  virtual void launched(RequestId request) = 0;",
     "  /// The request will use this buffer instead of its former one.\n"
     "  virtual void taken(RequestId /*request*/, BufferId /*buffer*/) {}\n"
     "  virtual void launched(RequestId request) = 0;"),
    ("targets/example/example.h", "  virtual bool may_free(const Buffer& buffer) const = 0;",
     "  virtual bool may_free(const Buffer& buffer) const = 0;\n"
     "  /// Returns whether a request takes the current buffer of its key when it is launched.\n"
     "  virtual bool takes_current() const { return false; }"),
    ("targets/example/example.cpp", "request_count_++), buffers_[key]", "request_count_++), key, buffers_[key]"),
    ("targets/example/example.cpp", LAUNCH[:LAUNCH.index("  Request request")].replace("prepared", "request")
     + "  observer_.launched(request.id);\n", LAUNCH),
    (f"targets/example/{VARIANT}.h", "", POLICY),
    ("targets/example/policies.cpp", '#include "targets/example/retain.h"',
     f'#include "targets/example/{VARIANT}.h"\n#include "targets/example/retain.h"'),
    ("targets/example/policies.cpp", '    {"retain", make<Retain>},', f'    {{"{VARIANT}", make<Reread>}},\n    {{"retain", make<Retain>}},'),
    ("scenarios/example/variants.cpp", "constexpr harness::VariantInfo",
     f'constexpr Label kInFlight[] = {{"{CLAIMED}"}};\n\nconstexpr harness::VariantInfo'),
    ("scenarios/example/variants.cpp", '"holds a buffer until the last request for it has finished"}},\n',
     '"holds a buffer until the last request for it has finished"}},\n'
     f'    {{"{VARIANT}", {{ClaimKind::unsound, kInFlight, false, "takes the current buffer at the launch"}}}},\n'),
    ("scenarios/example/model.h", "  void launched(RequestId request) override;",
     "  void taken(RequestId request, BufferId buffer) override;\n  void launched(RequestId request) override;"),
    ("scenarios/example/model.cpp", "void Model::launched(", MODEL_USE + "void Model::launched("),
)

# What is left out or wrong | text in the replacements | its replacement.
OMISSIONS = (
    ("the model's use of the fact", "taking = {buffer, place.value}", "static_cast<void>(taking)"),
    ("the report of the fact", "    observer_.taken(request.id, request.buffer.birth());\n", ""),
    ("a row in the table of policies", f'    {{"{VARIANT}", make<Reread>}},\n', ""),
    ("the claimed window", f'{{"{CLAIMED}"}}', '{"replaced_before_launch"}'),
)
NINTH_FILE = ("scenarios/example/README.md", "# The example scenario", "# An example scenario")


def plants():
    """Returns changes that must be detected, each with its name: one with an omission, or with too many files."""
    return [*((what, [(file, before, after.replace(text, other)) for file, before, after in EDITS]) for what, text, other in OMISSIONS),
            ("a limit", [*EDITS, NINTH_FILE])]


def edited(tree, edits):
    """Returns the content of the changed files after the edits, by name."""
    texts = {}
    for file, before, after in edits:
        text = texts.get(file) or ((tree / file).read_text() if before else "")
        if before and text.count(before) != 1:
            raise LookupError(f"nothing to edit: {file} has not exactly one '{before}'")
        texts[file] = text.replace(before, after) if before else after
    return texts
