// SPDX-License-Identifier: Apache-2.0
#include "harness/command/output_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "harness/base/files/make_folder.h"
#include "harness/base/files/whole_file.h"
#include "harness/command/gather.h"
#include "harness/core/fault/former_words.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAdvice = "choose another folder with --out";

[[noreturn]] void refuse(const std::string& folder, std::string_view why, std::string_view advice) {
  throw std::runtime_error(fmt::format("cannot write to '{}': {}; {}", folder, why, advice));
}

/// Returns comments about the state of the reproducer.
std::string caveat(const Finding& finding) {
  if (finding.nondeterministic) return "# Replay differs, which is a bug of the harness.\n";
  if (!finding.is_minimized)
    return fmt::format(
        "{}: it shows the fault, but `afterlife minimize` may find a smaller case.\n",
        kNotMinimized);
  return {};
}

}  // namespace

// Checks the folder before the search by creating a folder in it, which is the only reliable test.
// It is removed, so that a search without findings leaves nothing. Its name is unique, so that
// concurrent searches do not interfere.
void require_writable_folder(const std::string& folder, std::string_view advice) {
  std::error_code failed;
  fs::path there = fs::absolute(folder, failed);
  while (!fs::exists(there, failed) && there.has_relative_path()) {
    if (failed) refuse(folder, failed.message(), advice);
    there = there.parent_path();
  }
  if (!fs::is_directory(there, failed))
    refuse(folder, fmt::format("{} is not a folder", there.string()), advice);
  std::string probe = there / ".afterlife-XXXXXX";
  if (mkdtemp(probe.data()) == nullptr) refuse(folder, std::strerror(errno), advice);
  rmdir(probe.c_str());
}

OutputFolder::OutputFolder(std::string folder) : folder_(std::move(folder)) {
  require_writable_folder(folder_, kAdvice);
}

void OutputFolder::keep(const Finding& finding) {
  const std::string file = name_for(finding);
  try {
    write(finding, file);
    written_.insert(file);
  } catch (const std::runtime_error& error) {
    if (!failure_) failure_ = error.what();
  }
}

std::string OutputFolder::file_of(const Finding& finding) const {
  const std::string file = name_for(finding);
  return written_.contains(file) ? file : std::string();
}

std::string OutputFolder::name_for(const Finding& finding) const {
  const Case& found = finding.reproducer.the_case;
  const std::string name =
      fmt::format("{}-{}-{}-{:08x}.repro", found.scenario->name.view(),
                  found.scenario->variants[found.variant].name.view(), finding.hazard.view(),
                  static_cast<std::uint32_t>(hash_name(in_former_words(finding.signature))));
  return (fs::path(folder_) / name).string();
}

void OutputFolder::write(const Finding& finding, const std::string& file) const {
  make_folder(folder_, kAdvice);
  Reproducer reproducer = finding.reproducer;
  put_first(reproducer, finding.signature);
  std::string text = to_string(reproducer);
  text.insert(text.find('\n') + 1, caveat(finding));  // The first line identifies the format.
  write_whole_file(file, text);
}

std::string without_caveat(std::string text) {
  const std::size_t begin = text.find(std::string("\n") + kNotMinimized);
  if (begin != text.npos) text.erase(begin, text.find('\n', begin + 1) - begin);
  return text;
}

}  // namespace harness::entries
