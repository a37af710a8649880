// SPDX-License-Identifier: Apache-2.0
// Files of reproducers, which another program may have made.
#include "harness/base/files/foreign_file.h"
#include "harness/base/files/whole_file.h"
#include "harness/search/reproducer/reproducer.h"

namespace harness {

void write_reproducer(const std::string& file, const Reproducer& reproducer) {
  write_whole_file(file, to_string(reproducer));
}

std::string read_reproducer_text(const std::string& file) {
  // A run of 100,000 turns that was not minimized has about 50,000 choices, one line each: 3 MB.
  return ForeignFile::named_by_user(file, "reproducer").text();
}

Reproducer read_reproducer(const std::string& file, const Catalog& catalog) {
  return parse_reproducer(read_reproducer_text(file), file, catalog);
}

}  // namespace harness
