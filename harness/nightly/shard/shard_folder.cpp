// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/shard/shard_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <set>
#include <stdexcept>

#include "harness/base/files/drafts.h"
#include "harness/base/files/fail.h"
#include "harness/base/files/foreign_file.h"
#include "harness/base/files/make_folder.h"
#include "harness/base/files/whole_file.h"
#include "harness/nightly/sealed.h"
#include "harness/nightly/shard/shard.h"

namespace harness::nightly {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecordFile = "shard.json";
constexpr const char* kPlanFile = "plan.json";
constexpr const char* kPartEnding = ".part";

void sync_folder(const fs::path& folder) {
  const int number = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (number < 0) return;
  ::fsync(number);
  ::close(number);
}

std::string name_of(std::size_t index, const Cell& cell) {
  return fmt::format("{:03}-{}-{}{}{}", index + 1, cell.path, cell.variant,
                     cell.build.empty() ? "" : "-", cell.build);
}

bool is_shard(const fs::path& folder) {
  std::error_code unreadable;
  return fs::exists(folder / kRecordFile, unreadable);
}

}  // namespace

ShardFolder::ShardFolder(const Plan& plan, std::size_t index, const std::string& folder)
    : plan_(plan),
      whole_(fs::path(folder) / shard_name(index, plan.terms.shards)),
      part_(whole_.string() + kPartEnding) {}

bool ShardFolder::is_whole() const { return fs::exists(whole_); }

ShardRecord ShardFolder::whole() const {
  ShardRecord record = read_shard(whole_.string()).record;
  if (record.night != id_of(plan_))
    fail(whole_, "is a shard of another night; merge it, then remove it");
  return record;
}

void ShardFolder::open() {
  require_no_link(part_.string());
  make_folder(part_.string());
  held_.emplace(part_);
  remove_drafts(part_);
  require_same_plan();
}

void ShardFolder::require_same_plan() const {
  const fs::path file = part_ / kPlanFile;
  const std::string text = to_text(plan_);
  if (!fs::exists(file)) return write_whole_file(file.string(), text);
  if (ForeignFile::in_folder(part_.string(), kPlanFile, "plan").text() != text)
    fail(part_, "is of another night; remove it, or finish that night");
}

fs::path ShardFolder::file_of_cell(std::size_t index) const {
  return part_ / fmt::format("cell-{:03}.json", index + 1);
}

bool ShardFolder::has_finished(std::size_t index) const { return fs::exists(file_of_cell(index)); }

std::optional<CellRecord> ShardFolder::finished(std::size_t index, const Cell& cell) const {
  if (!has_finished(index)) return std::nullopt;
  const fs::path file = file_of_cell(index);
  try {
    const std::string text =
        ForeignFile::in_folder(part_.string(), file.filename().string(), "cell").text();
    CellRecord record = parse_cell(text, file.string(), part_.string());
    if (record.cell == cell) return record;
  } catch (const std::runtime_error&) {
  }
  return std::nullopt;
}

std::string ShardFolder::begin(std::size_t index, const Cell& cell) const {
  const fs::path folder = part_ / name_of(index, cell);
  std::error_code failed;
  fs::remove_all(folder, failed);
  if (failed) fail(folder, fmt::format("cannot remove it: {}", failed.message()));
  return folder.string();
}

void ShardFolder::finish(std::size_t index, const CellRecord& record,
                         const std::string& folder) const {
  sync_folder(folder);
  write_whole_file(file_of_cell(index).string(), to_text(record));
}

void ShardFolder::place(const ShardRecord& record) {
  write_whole_file((part_ / kRecordFile).string(), to_text(record));
  sync_folder(part_);
  std::error_code failed;
  fs::rename(part_, whole_, failed);
  if (failed) fail(whole_, fmt::format("cannot create: {}", failed.message()));
  sync_folder(whole_.parent_path());
  for (std::size_t i = 0; i < record.cells.size(); ++i)
    fs::remove(whole_ / file_of_cell(i).filename(), failed);
  fs::remove(whole_ / kPlanFile, failed);
  held_.reset();
}

// ---- whole shards -------------------------------------------------------------------------------

std::string shard_name(std::size_t index, std::size_t count) {
  return fmt::format("shard-{}-of-{}", index, count);
}

ShardFile read_shard(const std::string& folder) {
  const std::string file = (fs::path(folder) / kRecordFile).string();
  return parse_shard(ForeignFile::in_folder(folder, kRecordFile, "shard").text(), file, folder);
}

// An incomplete shard does not have a shard's name, even if its record is already written.
std::vector<std::string> find_shards(const std::vector<std::string>& folders) {
  std::set<std::string> found;
  for (const std::string& name : folders) {
    bool is_any = false;
    const auto add = [&](const fs::path& folder) {
      if (folder.extension() == kPartEnding || !is_shard(folder)) return;
      found.insert(folder.string());
      is_any = true;
    };
    fs::path place = fs::path(name).lexically_normal();
    if (!place.has_filename()) place = place.parent_path();  // Converts "a/" to "a".
    add(place);
    std::error_code failed;
    fs::directory_iterator entries(place, failed);
    if (failed) fail(name, fmt::format("cannot open: {}", failed.message()));
    if (!is_any)
      for (const fs::directory_entry& entry : entries) {
        if (is_shard(entry.path())) require_no_link(entry.path().string());
        add(entry.path());
      }
    if (!is_any) fail(name, "is not a finished shard, and contains none");
  }
  return {found.begin(), found.end()};
}

}  // namespace harness::nightly
