// SPDX-License-Identifier: Apache-2.0
#include "harness/base/process/clang.h"

#include <array>
#include <cstdlib>
#include <stdexcept>

#include "harness/base/process/tool.h"

namespace harness {
namespace {

constexpr int kOldest = 16;
constexpr std::array kVersions{19, 20, 21, 22, 23, 24, 18, 17, kOldest};
constexpr double kVersionSeconds = 10;

/// Returns whether a program without a version in its name reports a version that is new enough.
bool is_new_enough(const std::string& program) {
  try {
    const ProcessEnd end =
        run_tool({program, "-dumpversion"}, {.timeout_seconds = kVersionSeconds});
    return end.code == 0 && std::atoi(end.out.c_str()) >= kOldest;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace

std::string find_clang() {
  if (const char* wanted = std::getenv("AFTERLIFE_CLANG"); wanted != nullptr && *wanted != '\0')
    return find_tool(wanted);
  for (const int version : kVersions)
    if (std::string found = find_tool("clang++-" + std::to_string(version)); !found.empty())
      return found;
  std::string found = find_tool("clang++");
  return !found.empty() && is_new_enough(found) ? found : "";
}

}  // namespace harness
