// SPDX-License-Identifier: Apache-2.0
#include "harness/client/command/view_place.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/base/files/fail.h"
#include "harness/base/files/read.h"
#include "harness/base/files/whole_file.h"
#include "harness/base/printable.h"
#include "harness/client/command/run_client.h"

namespace harness::entries {

/// Returns whether the file begins like a reproducer, which no view does.
static bool is_reproducer(const std::string& file) {
  constexpr std::string_view kBegin = "afterlife reproducer";
  return read_begin(file, kBegin.size()) == kBegin;
}

void require_view_place(const std::string& file, std::string_view what) {
  require_replaceable(file);
  std::error_code not_there;
  if (!std::filesystem::exists(file, not_there)) return;
  if (is_reproducer(file))
    fail(file, fmt::format("is a reproducer, which no {} replaces: name another file", what));
  if (is_finding_file(file))
    fail(file, fmt::format("is a finding of `run`, which no {} replaces: name another file", what));
}

void print_written(const ReplayOptions& options) {
  if (!options.html.empty()) fmt::print("page written to {}\n", printable(options.html));
  if (!options.trace.empty()) fmt::print("trace written to {}\n", printable(options.trace));
  if (!options.sarif.empty()) fmt::print("log written to {}\n", printable(options.sarif));
}

}  // namespace harness::entries
