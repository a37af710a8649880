#include "harness/client/run_folder.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "harness/client/call_mark.h"
#include "harness/client/report.h"

namespace harness::client {

namespace fs = std::filesystem;

RunFolder::RunFolder() : name_((fs::temp_directory_path() / "afterlife-run-XXXXXX").string()) {
  if (::mkdtemp(name_.data()) == nullptr)
    throw std::runtime_error(fmt::format("{}: cannot make this folder", name_));
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  fs::remove_all(name_, ignored);
}

void RunFolder::remove_reports() const {
  for (unsigned number = 1; fs::remove(report_file(name_, number)); ++number)
    remove_call_mark(name_, number);
}

}  // namespace harness::client
