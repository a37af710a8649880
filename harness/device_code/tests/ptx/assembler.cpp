// SPDX-License-Identifier: Apache-2.0
#include "harness/device_code/tests/ptx/assembler.h"

#include <cstdio>
#include <filesystem>

#include "harness/base/tests/folder.h"

namespace harness::testing {

std::string assembler_complaint(const std::string& text) {
  if (!std::filesystem::exists(AFTERLIFE_PTXAS)) return {};
  // "sm_90", or what else stands behind .target.
  const std::size_t target = text.find("sm_", text.find(".target "));
  const std::string arch = text.substr(target, text.find_first_of(" ,\n", target) - target);
  const Folder folder;
  const std::string stem = folder / "assembled";
  write_file(stem + ".ptx", text);
  const std::string command = std::string(AFTERLIFE_PTXAS) + " -O0 -arch=" +
                              (arch < "sm_90" && arch.size() == 5 ? "sm_90" : arch) + " " + stem +
                              ".ptx -o " + stem + ".cubin 2>&1";
  std::string said;
  FILE* output = popen(command.c_str(), "r");
  for (int byte; (byte = std::fgetc(output)) != EOF;) said += static_cast<char>(byte);
  const int status = pclose(output);
  return status == 0 ? "" : said + "(exit status " + std::to_string(status) + ")";
}

}  // namespace harness::testing
