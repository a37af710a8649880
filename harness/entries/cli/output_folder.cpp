#include "harness/entries/cli/output_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "harness/entries/cli/gather.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& folder, std::string_view why) {
  throw std::runtime_error(
      fmt::format("cannot write to '{}': {}; choose another folder with --out", folder, why));
}

}  // namespace

// A search that cannot keep what it finds had better not begin. Nothing tells whether a folder can be
// made but making it; it goes again, so that a search that finds nothing leaves nothing.
OutputFolder::OutputFolder(std::string folder) : folder_(std::move(folder)) {
  std::error_code failed;
  fs::path there = fs::absolute(folder_, failed);
  fs::path missing;
  while (!fs::exists(there, failed) && there.has_relative_path()) {
    if (failed) refuse(folder_, failed.message());
    missing = std::exchange(there, there.parent_path());
  }
  if (!fs::is_directory(there, failed))
    refuse(folder_, fmt::format("{} is no folder", there.string()));
  if (access(there.c_str(), W_OK | X_OK) != 0) refuse(folder_, std::strerror(errno));
  if (missing.empty()) return;
  if (!fs::create_directory(missing, failed)) refuse(folder_, failed.message());
  fs::remove(missing, failed);
}

std::string OutputFolder::write(const Finding& finding) {
  const Case& found = finding.reproducer.the_case;
  const std::string name =
      fmt::format("{}-{}-{:08x}.repro", found.scenario->name.view(),
                  found.scenario->variants[found.variant].name.view(),
                  static_cast<std::uint32_t>(hash_name(finding.signature)));
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) refuse(folder_, failed.message());
  const std::string file = (fs::path(folder_) / name).string();
  Reproducer reproducer = finding.reproducer;
  put_first(reproducer, finding.signature);
  write_reproducer(file, reproducer);
  return file;
}

}  // namespace harness::entries
