// SPDX-License-Identifier: Apache-2.0
#include "harness/report/markdown.h"

#include "harness/base/printable.h"
#include "harness/report/html.h"

namespace harness::reports {

std::string markdown_cell(std::string_view text) {
  std::string safe;
  for (const char c : escaped(printable(text))) {
    if (std::string_view("\\`*_[]|~").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

}  // namespace harness::reports
